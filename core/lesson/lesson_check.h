// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lesson/lesson.h"
#include "scenario/schema_check.h"

namespace lockscope::lesson {

/// Complains about every name that is used and not defined: scenes, moments, clients, and the {names} in texts.
void checkNames(const Lesson& lesson, std::vector<scenario::Complaint>& complaints);

/// The names between braces in a text: "{H} holds" names H.
QStringList namesIn(const QString& text);

} // namespace lockscope::lesson
