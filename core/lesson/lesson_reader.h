// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lesson/lesson.h"
#include "scenario/schema_check.h"

namespace lockscope::lesson {

/// Reads a document that agrees with the schema. Complains about words that only the program knows: kinds of rows,
/// actions, instants, and tests that do not fit their fact.
Lesson readLesson(const QJsonObject& document, std::vector<scenario::Complaint>& complaints);

/// "wake+300ms"; nullopt: it is no instant.
std::optional<Instant> parseInstant(const QString& text);

} // namespace lockscope::lesson
