// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lesson/lesson.h"

#include <expected>

namespace lockscope::lesson {

/// Reads a lesson from JSON text, checked against the published schema (resources/lessons/lesson.schema.json) and
/// against what a schema cannot say: names that texts and conditions use are defined, scenes exist. All complaints at
/// once.
std::expected<Lesson, std::vector<scenario::Problem>> parseLesson(const QByteArray& json, const QString& file);

/// parseLesson() for a lesson whose texts are not all written: an empty one is as in the other language, or dots.
std::expected<Lesson, std::vector<scenario::Problem>> parseUnfinished(const QByteArray& json, const QString& file);

/// Reads a built-in lesson by its id, one of the person's own by its file's name (scenario/user_files.h), or a file.
/// Files may be unfinished: a teacher plays a lesson before all of it is written.
std::expected<Lesson, std::vector<scenario::Problem>> loadLesson(const QString& idOrPath);

/// Ids of the built-in lessons in the order of the course.
QStringList builtinLessons();

/// The path of a built-in lesson's file, among the resources; empty: there is none of that id.
QString lessonPath(const QString& id);

/// The published JSON Schema of lessons.
QByteArray lessonSchema();

} // namespace lockscope::lesson
