// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/statement.h"

namespace lockscope::sql {

/// A value as a literal of that dialect. MySQL: texts become hexadecimal literals (the bytes), which no server setting
/// reads differently. PostgreSQL: quoted, for standard_conforming_strings = on.
QByteArray literal(Dialect dialect, const Value& value);

/// The statement with each `?` replaced by its value. Precondition: as many values as marks.
QByteArray inlined(Dialect dialect, const Statement& statement);

/// The text with each `?` replaced by `$1`, `$2`, ….
QByteArray numbered(const QByteArray& text);

} // namespace lockscope::sql
