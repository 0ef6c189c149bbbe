// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lesson/facts.h"

namespace lockscope::lesson {

/// One part of a task's goal, and how it stands in a run.
struct GoalPart {
    enum class State : std::uint8_t {
        Open,  ///< not yet, and it can still come
        Holds, ///< as far as the run has come
        Lost,  ///< it can never hold in this run: only a new start helps
    };
    QString words; ///< translated: "Clocks moved by hand: exactly 1 (now 2)"
    State state = State::Open;
    bool forbids = false; ///< it holds from the start, until something is done that the task does not allow
    friend bool operator==(const GoalPart&, const GoalPart&) = default;
};

/// How each condition of a goal stands, in their order; `here`: how far the run has come.
std::vector<GoalPart> goalState(const std::vector<Condition>& goal, const Facts& facts, Nanos here);

} // namespace lockscope::lesson
