// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/reader.h"

#include <QByteArray>

namespace lockscope::inspect {

/// A statement without the texts in it, which may be passwords or a person's data: each one becomes '…', and comments
/// are left out. Texts that name an advisory lock stay: GET_LOCK('orders', 5). Where it cannot be told for sure where a
/// text ends, everything from there on is left out. The statement may have been cut off anywhere.
QByteArray withoutLiterals(const QByteArray& statement, sql::Language language);

} // namespace lockscope::inspect
