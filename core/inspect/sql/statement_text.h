// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/reader.h"

#include <QByteArray>

namespace lockscope::inspect {

/// A statement without the texts in it, which may be passwords or a person's data: each one becomes '…', and comments
/// are left out. Texts that name an advisory lock stay: GET_LOCK('orders', 5). Where it cannot be told for sure where a
/// text ends, everything from there on is left out. The statement may have been cut off anywhere.
QByteArray withoutLiterals(const QByteArray& statement, sql::Language language);

/// The name in a statement with GET_LOCK('name', …) or GET_LOCK("name", …), as MariaDB and MySQL write texts. Empty:
/// the statement does not show it, because it is a parameter or an expression.
QByteArray lockNameIn(const QByteArray& statement);

} // namespace lockscope::inspect
