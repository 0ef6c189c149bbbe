// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lesson/lesson.h"

namespace lockscope::lesson {

/// The bet of a lesson's step once more, as a lesson of two steps without an id: the question and its answer, in a run
/// with another seed than the lesson's. Both steps tell the truth of that run, and exactly one choice is right.
/// `variant`: which of such runs, from 0; a few seeds are tried. nullopt: the step asks nothing, its answer stands in
/// another run, or it is not as told with any of those seeds. Takes as long as the runs do; any thread.
std::optional<Lesson> oldBet(const Lesson& lesson, int step, std::uint64_t variant);

} // namespace lockscope::lesson
