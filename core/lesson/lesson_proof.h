// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lesson/facts.h"

namespace lockscope::lesson {

/// Something in a lesson that its run does not bear out.
struct Untruth {
    int step = -1; ///< from 0; -1: a scene does not play at all
    QString what;  ///< a sentence, with the step's number from 1
};

/// Plays every scene of a lesson and says what is not as the lesson tells it: false claims, questions without exactly
/// one right answer, names that are not filled in, texts that are too long to read beside the picture, steps that end
/// before they begin. Empty: all of it is true. Takes as long as the runs do; any thread.
std::vector<Untruth> untruthsOf(const Lesson& lesson);

/// A condition in words, with the value that the run has.
QString told(const Condition& condition, const Facts& facts, Nanos here);

} // namespace lockscope::lesson
