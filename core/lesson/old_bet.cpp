// SPDX-License-Identifier: Apache-2.0
#include "lesson/old_bet.h"

#include "lesson/scene_run.h"

namespace lockscope::lesson {

namespace {

constexpr std::uint64_t kTries = 4; ///< seeds
constexpr Nanos kBefore = 3s;       ///< seen before the question where the step does not say

bool isFilled(const Facts& facts, const Texts& texts, const Scene& scene, Nanos here) {
    return std::ranges::none_of(
        texts.byLanguage, [&](const auto& text) { return facts.filled(text.second, scene, here).contains(u'{'); });
}

/// Whether both steps tell the truth of a run of their scene.
bool isTrue(const Lesson& bet) {
    const Scene& scene = bet.scenes.front();
    const auto run = playScene(scene);
    if (!run) return false;
    const Facts& facts = *run->facts;
    const Step &question = bet.steps.front(), &answer = bet.steps.back();
    const Nanos asked = facts.time(question.until, {}), answered = facts.time(answer.until, {});
    if (asked >= answered || answered > facts.trace().reached()) return false;
    return facts.holdAll(question.claims, asked) && facts.holdAll(answer.claims, answered) &&
           facts.answer(*question.ask, asked) && isFilled(facts, question.say, scene, asked) &&
           isFilled(facts, answer.say, scene, answered);
}

} // namespace

std::optional<Lesson> oldBet(const Lesson& lesson, int step, std::uint64_t variant) {
    if (step < 0 || std::size_t(step) + 1 >= lesson.steps.size()) return std::nullopt;
    const Step &question = lesson.steps[std::size_t(step)], &answer = lesson.steps[std::size_t(step) + 1];
    const Scene* const scene = lesson.scene(question.scene);
    if (!question.ask || answer.ask || answer.scene != question.scene || !scene) return std::nullopt;
    Lesson bet;
    bet.minutes = 1;
    bet.plain = lesson.plain;
    bet.title = lesson.title;
    bet.sources = lesson.sources;
    bet.scenes = {*scene};
    bet.steps = {question, answer};
    if (!question.from) bet.steps.front().from = Instant{.base = Instant::Base::Here, .moment = {}, .offset = -kBefore};
    for (std::uint64_t i = 0; i < kTries; ++i) {
        bet.scenes.front().seed = scene->seed + 1 + variant * kTries + i;
        if (isTrue(bet)) return bet;
    }
    return std::nullopt;
}

} // namespace lockscope::lesson
