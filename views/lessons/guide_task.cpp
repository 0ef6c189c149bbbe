// SPDX-License-Identifier: GPL-3.0-or-later
// The learner's own task at the end of a lesson.
#include "lessons/lesson_guide.h"

namespace lockscope::views {

using State = lesson::GoalPart::State;

void LessonGuide::beginTurn() {
    m_phase = Phase::Turn;
    m_hint = m_solution = false;
    m_goalReached = false;
    m_goal.clear();
    enter(m_lesson->turn->scene);
    m_context->setSpotlight(std::nullopt);
    holdBack();
    m_player->setLimit(std::nullopt);
    m_player->setSpeed(1);
    keep();
    m_player->pause(); // so that a setting can be chosen from the start on, and the task be read first
    lookAtGoal();
    Q_EMIT changed();
}

void LessonGuide::lookAtGoal() {
    const session::Session* const session = m_context->session();
    if (m_phase != Phase::Turn || m_goalReached || !session || !m_lesson->turn) return;
    std::vector<scenario::Fault> byHand = session->doneByHand();
    if (m_solution) // its faults stand in the scenario
        std::ranges::copy_if(session->scenario().faults, std::back_inserter(byHand), &scenario::Fault::byHand);
    const lesson::Facts now(m_context->trace(), m_context->verdict(), session->scenario(), std::move(byHand));
    std::vector<lesson::GoalPart> goal = lesson::goalState(m_lesson->turn->goal, now, m_context->trace()->reached());
    if (goal == m_goal) return;
    m_goal = std::move(goal);
    m_goalReached = std::ranges::all_of(m_goal, [](const auto& part) { return part.state == State::Holds; });
    if (m_goalReached && !m_solution) {
        LessonProgress& progress = m_progress[m_lesson->id];
        progress.solved = true;
        Q_EMIT progressed(m_lesson->id, progress);
    }
    Q_EMIT changed();
}

// Done stays done while the run goes on; one that begins anew, or from an earlier instant, is another attempt.
void LessonGuide::beginAttempt() {
    if (m_phase != Phase::Turn) return;
    m_goalReached = false;
    lookAtGoal();
}

std::vector<lesson::GoalPart> LessonGuide::goal() const {
    std::vector<lesson::GoalPart> parts;
    if (m_phase != Phase::Turn) return parts;
    // The task's words say what is not allowed: a rule needs a line only when it was broken.
    std::ranges::copy_if(m_goal, std::back_inserter(parts),
                         [](const auto& part) { return !part.forbids || part.state == State::Lost; });
    return parts;
}

bool LessonGuide::isLost() const {
    return m_phase == Phase::Turn &&
           std::ranges::any_of(m_goal, [](const auto& part) { return part.state == State::Lost; });
}

bool LessonGuide::canStartAgain() const {
    const session::Session* const session = m_context->session();
    return m_phase == Phase::Turn && (m_solution || isLost() || (session && !session->doneByHand().empty()));
}

bool LessonGuide::hasHint() const {
    return m_phase == Phase::Turn && m_lesson->turn && !m_lesson->turn->hint.isEmpty();
}

QString LessonGuide::hint() const {
    return m_hint && hasHint() ? m_lesson->turn->hint.in(m_language) : QString();
}

bool LessonGuide::solved() const {
    if (!m_lesson || !m_lesson->turn) return true;
    const auto progress = m_progress.find(m_lesson->id);
    return progress != m_progress.end() && progress->second.solved;
}

void LessonGuide::askForHint() {
    if (!hasHint()) return;
    m_hint = true;
    Q_EMIT changed();
}

void LessonGuide::startAgain() {
    if (m_phase != Phase::Turn) return;
    const bool told = m_hint;
    beginTurn();
    m_hint = told;
    Q_EMIT changed();
}

void LessonGuide::showSolution() {
    if (m_phase != Phase::Turn || !m_lesson->turn) return;
    const lesson::Scene& scene = *m_lesson->scene(m_lesson->turn->scene);
    const auto way = lesson::scenarioOf(scene, m_lesson->turn->solution);
    if (!way) return; // a lesson of one's own may give none that can be played
    m_solution = true;
    m_goalReached = false;
    m_goal.clear();
    m_entering = true;
    Q_EMIT worldWanted(*way, scene.seed);
    m_entering = false;
    m_world = m_context->session();
    m_player->setLimit(std::nullopt);
    m_player->setSpeed(1);
    m_player->play();
    Q_EMIT changed();
}

} // namespace lockscope::views
