// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/port.h"

namespace lockscope::sql {

/// A value as a literal of that dialect. MySQL: texts become hexadecimal literals (the bytes), which no server setting
/// reads differently. PostgreSQL: quoted, for standard_conforming_strings = on.
QByteArray literal(Dialect dialect, const Value& value);

/// The statement with each `?` replaced by its value. Precondition: as many values as marks.
QByteArray inlined(Dialect dialect, const Statement& statement);

/// The text with each `?` replaced by `$1`, `$2`, ….
QByteArray numbered(const QByteArray& text);

/// True for names that all dialects store unchanged: 1 to `longest` bytes of valid UTF-8 without a zero byte.
bool validName(const QByteArray& name, qsizetype longest);

} // namespace lockscope::sql
