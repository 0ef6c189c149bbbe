// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson_guide.h"

#include "lesson/lesson_file.h"
#include "scenario/user_files.h"
#include "trace/whole_spans.h"

namespace lockscope::views {

namespace {

constexpr int kGoalMs = 250; ///< how often the run is asked whether the task is done

} // namespace

LessonGuide::LessonGuide(ViewContext* context, Player* player, QObject* parent)
    : QObject(parent), m_context(context), m_player(player) {
    m_goalPace.setSingleShot(true);
    m_goalPace.setInterval(kGoalMs);
    connect(&m_goalPace, &QTimer::timeout, this, &LessonGuide::lookAtGoal);
    connect(context, &ViewContext::playheadChanged, this, &LessonGuide::playheadMoved);
    connect(context, &ViewContext::traceGrew, this, [this] {
        if (m_phase == Phase::Step) light();
        if (m_phase == Phase::Turn && !m_goalPace.isActive()) m_goalPace.start();
    });
    connect(context, &ViewContext::scenarioChanged, this, [this] {
        // Something was done by hand: the run is the learner's own now, and the lesson waits.
        const session::Session* const session = m_context->session();
        if (m_phase == Phase::Step && session && !session->doneByHand().empty()) leave();
        if (m_phase == Phase::Turn && !m_goalPace.isActive()) m_goalPace.start();
    });
    connect(context, &ViewContext::sessionChanged, this, [this] {
        if (m_entering || m_phase == Phase::Off) return;
        if (!m_context->session()) return close(); // there is nothing to tell of
        // Another world was opened beside the lesson; or the same one was started again, which only a task allows.
        if (m_context->session() != m_world || m_phase == Phase::Step) leave();
        beginAttempt();
    });
}

std::expected<void, QString> LessonGuide::load(lesson::Lesson lesson, int step, Proof proof) {
    const auto last = std::ssize(lesson.steps) - 1;
    const bool turn = lesson.turn && step > last;
    QString first;
    if (turn)
        first = lesson.turn->scene;
    else if (last >= 0)
        first = lesson.steps[std::size_t(std::clamp<std::ptrdiff_t>(step, 0, last))].scene;
    SceneRuns runs(lesson, first);
    for (const lesson::Scene& scene : lesson.scenes)
        if (proof == Proof::All || scene.id == first)
            if (const auto& run = runs.wait(scene.id); !run) return std::unexpected(run.error());
    m_lesson = std::move(lesson);
    m_runs = std::move(runs);
    return {};
}

std::expected<void, QString> LessonGuide::open(const QString& id, int step, Arrival arrival) {
    auto read = lesson::loadLesson(id);
    if (!read) return std::unexpected(read.error().front().toString());
    // A person's own lesson goes by its file's name: by that it is found, and two files may say one id.
    if (scenario::userFiles(scenario::Shelf::Lessons).contains(id)) read->id = id;
    return open(*std::move(read), step, arrival, lesson::builtinLessons().contains(id) ? Proof::First : Proof::All);
}

std::expected<void, QString> LessonGuide::open(lesson::Lesson lesson, int step, Arrival arrival) {
    return open(std::move(lesson), step, arrival, Proof::All);
}

std::expected<void, QString> LessonGuide::open(lesson::Lesson lesson, int step, Arrival arrival, Proof proof) {
    const bool follows = asksOldBet() && m_next == lesson.id; // whose answer counts in this lesson
    if (auto loaded = load(std::move(lesson), step, proof); !loaded) return loaded;
    m_oldBetOf.clear();
    if (step == 0 && !follows) m_progress[m_lesson->id].old.reset();
    begin(step, arrival);
    return {};
}

std::expected<void, QString> LessonGuide::openWithOldBet(lesson::Lesson bet, const QString& of, const QString& next) {
    bet.id.clear(); // nobody comes far in it
    if (auto loaded = load(std::move(bet), 0, Proof::All); !loaded) return loaded;
    m_oldBetOf = of;
    m_next = next;
    m_progress[next].old.reset(); // it may be left out
    begin(0, Arrival::Play);
    return {};
}

void LessonGuide::begin(int step, Arrival arrival) {
    m_scene.clear();
    m_chosen.reset();
    m_hands.clear();                                      // another class, or another lesson
    if (step == 0) m_progress[m_lesson->id].bets.clear(); // from the beginning: all bets are open again
    go(std::clamp(step, 0, std::max(0, steps() - 1)), arrival);
}

LessonGuide::Place LessonGuide::place() const {
    if (!m_lesson) return {};
    const auto progress = m_progress.find(m_lesson->id);
    return {m_lesson->id, m_step,  m_phase,  progress == m_progress.end() ? LessonProgress{} : progress->second,
            m_chosen,     m_scene, m_lesson, m_oldBetOf,
            m_next};
}

void LessonGuide::restore(const Place& place) {
    if (place.phase == Phase::Off || !place.lesson) return;
    setProgress(place.id, place.progress);
    if (!load(*place.lesson, place.step, Proof::First)) return;
    m_oldBetOf = place.oldBetOf;
    m_next = place.next;
    m_phase = place.phase;
    m_step = place.step;
    m_chosen = place.chosen;
    m_scene = place.scene;
    m_world = m_context->session();
    if (m_phase == Phase::Step) {
        holdBack();
        m_player->setLimit(stopOf(m_step));
        light();
    }
    Q_EMIT changed();
}

void LessonGuide::setLanguage(const QString& language) {
    m_language = language;
    Q_EMIT changed();
}

const lesson::Step* LessonGuide::current() const {
    const bool there = m_lesson && m_step >= 0 && std::size_t(m_step) < m_lesson->steps.size();
    return there ? &m_lesson->steps[std::size_t(m_step)] : nullptr;
}

const lesson::Facts* LessonGuide::facts() const {
    const lesson::Step* const step = current();
    if (!step) return nullptr;
    return m_runs.contains(step->scene) ? m_runs.at(step->scene).facts.get() : nullptr;
}

Nanos LessonGuide::stopOf(int step) const {
    const lesson::Step& one = m_lesson->steps[std::size_t(step)];
    return m_runs.at(one.scene).facts->time(one.until, {});
}

Nanos LessonGuide::startOf(int step) const {
    const lesson::Step& one = m_lesson->steps[std::size_t(step)];
    if (one.from) return m_runs.at(one.scene).facts->time(*one.from, stopOf(step));
    const bool goesOn = step > 0 && m_lesson->steps[std::size_t(step) - 1].scene == one.scene;
    return goesOn ? stopOf(step - 1) : Nanos{};
}

QString LessonGuide::filled(const lesson::Texts& texts) const {
    const lesson::Step* const step = current();
    if (!step) return texts.in(m_language);
    return facts()->filled(texts.in(m_language), *m_lesson->scene(step->scene), stopOf(m_step));
}

bool LessonGuide::arrived() const {
    return current() == nullptr || (m_context->session() && m_context->playhead() >= stopOf(m_step));
}

QString LessonGuide::title() const {
    return m_lesson ? m_lesson->title.in(m_language) : QString();
}

QString LessonGuide::number() const {
    const QStringList course = lesson::builtinLessons();
    //: Before a lesson begins: a question of an earlier one is asked again. %1 is its number.
    if (asksOldBet()) return tr("First a bet from lesson %1").arg(course.indexOf(m_oldBetOf) + 1);
    const qsizetype at = m_lesson ? course.indexOf(m_lesson->id) : -1;
    return at < 0 ? tr("A lesson of your own") : tr("Lesson %1 of %2").arg(at + 1).arg(course.size());
}

QString LessonGuide::narration() const {
    if (!m_lesson) return {};
    if (m_phase == Phase::End) return m_lesson->remember.in(m_language);
    const lesson::Step* const step = current();
    if (!step) return m_lesson->turn ? withWholeSpans(m_lesson->turn->task.in(m_language)) : QString();
    return filled(step->say);
}

QString LessonGuide::remember() const {
    return m_lesson ? m_lesson->remember.in(m_language) : QString();
}

QString LessonGuide::question() const {
    const lesson::Step* const step = current();
    return step && step->ask && m_phase != Phase::End ? filled(step->ask->text) : QString();
}

QStringList LessonGuide::choices() const {
    QStringList choices;
    const lesson::Step* const step = current();
    if (step && step->ask && m_phase != Phase::End)
        for (const lesson::Choice& choice : step->ask->choices)
            choices += filled(choice.text);
    return choices;
}

std::optional<int> LessonGuide::chosen() const {
    if (!m_lesson) return std::nullopt;
    const auto progress = m_progress.find(m_lesson->id);
    if (progress != m_progress.end())
        if (const auto bet = progress->second.bets.find(m_step); bet != progress->second.bets.end()) return bet->second;
    return m_chosen;
}

bool LessonGuide::locked() const {
    if (!m_lesson) return false;
    const auto progress = m_progress.find(m_lesson->id);
    return progress != m_progress.end() && progress->second.bets.contains(m_step);
}

std::optional<int> LessonGuide::answerOf(int step) const {
    const lesson::Step& one = m_lesson->steps[std::size_t(step)];
    return one.ask ? m_runs.at(one.scene).facts->answer(*one.ask, stopOf(step)) : std::nullopt;
}

std::optional<LessonGuide::Result> LessonGuide::result() const {
    if (!m_lesson || m_step == 0 || m_phase != Phase::Step || !arrived()) return std::nullopt;
    const lesson::Step& before = m_lesson->steps[std::size_t(m_step) - 1];
    const std::optional<int> answer = answerOf(m_step - 1);
    if (!answer) return std::nullopt;
    const auto text = [&](int choice) {
        return m_runs.at(before.scene)
            .facts->filled(before.ask->choices[std::size_t(choice)].text.in(m_language), *m_lesson->scene(before.scene),
                           stopOf(m_step - 1));
    };
    Result result{{}, text(*answer), false};
    const auto progress = m_progress.find(m_lesson->id);
    if (progress == m_progress.end()) return result;
    const auto bet = progress->second.bets.find(m_step - 1);
    if (bet == progress->second.bets.end()) return result;
    result.bet = text(bet->second);
    result.right = bet->second == *answer;
    return result;
}

std::pair<int, int> LessonGuide::score() const {
    std::pair<int, int> score;
    if (!m_lesson) return score;
    const auto progress = m_progress.find(m_lesson->id);
    if (progress == m_progress.end()) return score;
    for (const auto& [step, bet] : progress->second.bets) {
        if (std::size_t(step) >= m_lesson->steps.size()) continue;
        ++score.second;
        score.first += answerOf(step) == bet;
    }
    if (const auto& old = progress->second.old) {
        ++score.second;
        score.first += *old;
    }
    return score;
}

void LessonGuide::enter(const QString& scene) {
    const lesson::SceneRun& run = m_runs.at(scene);
    m_scene = scene;
    m_entering = true;
    Q_EMIT worldWanted(run.scenario, m_lesson->scene(scene)->seed);
    m_entering = false;
    m_world = m_context->session();
}

void LessonGuide::go(int step, Arrival arrival) {
    m_goalReached = false;
    if (step != m_step) m_chosen.reset();
    m_step = step;
    m_playFrom.reset();
    if (!current()) return m_lesson->turn && step == int(m_lesson->steps.size()) ? beginTurn() : finish();
    m_phase = Phase::Step;
    holdBack(); // before anything of the step is shown
    const QString scene = current()->scene;
    const Nanos stop = stopOf(step), start = arrival == Arrival::Play ? startOf(step) : stop;
    // Nothing of what comes after the stop may be there already.
    const bool sawMore = m_context->trace()->reached() > stop || m_context->playhead() > start;
    if (scene != m_scene || !m_context->session() || sawMore) enter(scene);
    m_player->setLimit(stop);
    m_player->setSpeed(current()->speed);
    m_context->setSpotlight(std::nullopt); // the window of time is chosen anew
    light();
    keep();
    m_arrivedBefore = false;
    if (arrival == Arrival::Play) m_playFrom = start;
    m_player->seek(start);
    playheadMoved();
    Q_EMIT changed();
}

void LessonGuide::finish() {
    if (asksOldBet()) return beginNext();
    m_phase = Phase::End;
    m_player->pause();
    m_player->setLimit(std::nullopt);
    holdBack();
    m_context->setSpotlight(std::nullopt);
    LessonProgress& progress = m_progress[m_lesson->id];
    progress.done = true;
    Q_EMIT progressed(m_lesson->id, progress);
    Q_EMIT changed();
}

/// Behind an old bet, which counts in the lesson that it stood before.
void LessonGuide::beginNext() {
    const QString next = m_next;
    if (const auto [right, made] = score(); made > 0) m_progress[next].old = right > 0;
    Q_EMIT progressed(next, m_progress[next]);
    Q_EMIT lessonWanted(next);
}

void LessonGuide::keep() {
    LessonProgress& progress = m_progress[m_lesson->id];
    progress.step = m_step;
    if (!asksOldBet()) Q_EMIT progressed(m_lesson->id, progress);
}

void LessonGuide::playheadMoved() {
    if (m_phase != Phase::Step) return;
    if (m_playFrom && m_context->playhead() >= *m_playFrom) {
        m_playFrom.reset();
        m_player->play();
    }
    if (const bool there = arrived(); there != m_arrivedBefore) {
        m_arrivedBefore = there;
        Q_EMIT changed();
    }
}

void LessonGuide::goOn() {
    if (m_phase == Phase::Away) return comeBack();
    if (m_phase == Phase::Turn) return m_player->toggle();
    if (m_phase != Phase::Step) return;
    if (!arrived()) return m_player->toggle();
    if (current()->ask && !locked() && !m_chosen) return Q_EMIT betMissing();
    skip();
}

void LessonGuide::skip() {
    if (m_phase == Phase::Away) return comeBack();
    if (m_phase == Phase::Turn) return finish();
    if (m_phase != Phase::Step) return;
    if (!arrived()) {
        m_playFrom.reset();
        m_player->pause();
        return m_player->seek(stopOf(m_step));
    }
    lock(); // a bet that was made counts, by whichever key the step is left
    if (m_step + 1 < steps())
        go(m_step + 1, Arrival::Play);
    else
        finish();
}

void LessonGuide::back() {
    if (m_phase == Phase::End) return go(steps() - 1, Arrival::AtOnce);
    if ((m_phase == Phase::Step || m_phase == Phase::Turn) && m_step > 0) go(m_step - 1, Arrival::AtOnce);
}

void LessonGuide::choose(int choice) {
    if (m_phase != Phase::Step || locked() || choice < 0 || choice >= choices().size()) return;
    m_chosen = choice;
    Q_EMIT changed();
}

void LessonGuide::lock() {
    if (m_phase != Phase::Step || !m_chosen || locked() || !current() || !current()->ask) return;
    LessonProgress& progress = m_progress[m_lesson->id];
    progress.bets[m_step] = *m_chosen;
    if (!asksOldBet()) Q_EMIT progressed(m_lesson->id, progress);
    Q_EMIT changed();
}

std::vector<int> LessonGuide::hands() const {
    const auto counted = m_hands.find(m_step);
    if (m_phase != Phase::Step || counted == m_hands.end() || counted->second.empty()) return {};
    std::vector<int> hands(std::size_t(choices().size()));
    for (const int choice : counted->second)
        ++hands[std::size_t(choice)];
    return hands;
}

void LessonGuide::countHand(int choice) {
    if (m_phase != Phase::Step || !arrived() || choice < 0 || choice >= choices().size()) return;
    m_hands[m_step].push_back(choice);
    Q_EMIT changed();
}

void LessonGuide::takeHandBack() {
    const auto counted = m_hands.find(m_step);
    if (m_phase != Phase::Step || counted == m_hands.end() || counted->second.empty()) return;
    counted->second.pop_back();
    Q_EMIT changed();
}

void LessonGuide::leave() {
    if (m_phase == Phase::Off || m_phase == Phase::Away) return;
    m_phase = Phase::Away;
    m_scene.clear();
    m_playFrom.reset();
    m_player->setLimit(std::nullopt);
    holdBack();
    m_context->setSpotlight(std::nullopt);
    Q_EMIT changed();
}

void LessonGuide::comeBack() {
    if (m_phase != Phase::Away) return;
    m_scene.clear();
    go(m_step, Arrival::AtOnce);
}

void LessonGuide::close() {
    if (m_phase == Phase::Off) return;
    m_phase = Phase::Off;
    m_lesson.reset();
    m_oldBetOf.clear();
    m_runs = {};
    m_playFrom.reset();
    m_player->setLimit(std::nullopt);
    holdBack();
    m_context->setSpotlight(std::nullopt);
    Q_EMIT changed();
}

} // namespace lockscope::views
