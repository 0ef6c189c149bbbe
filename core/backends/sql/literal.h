// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/port.h"

namespace lockscope::sql {

/// A value as it stands in a statement of that dialect. MySQL: texts as hexadecimal literals (bytes as they are), which
/// no setting of the server reads in another way. PostgreSQL: in quotes, for standard_conforming_strings = on.
QByteArray literal(Dialect dialect, const Value& value);

/// The statement with its values in place of each `?`. Precondition: as many values as marks.
QByteArray inlined(Dialect dialect, const Statement& statement);

/// The text with `$1`, `$2`, … in place of each `?`.
QByteArray numbered(const QByteArray& text);

/// True for names that every dialect keeps as they are: 1 to `longest` bytes of valid UTF-8 without a zero byte.
bool validName(const QByteArray& name, qsizetype longest);

} // namespace lockscope::sql
