// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/sql/sessions.h"

namespace lockscope::inspect {

/// The question for tables of a PostgreSQL that are locked as a whole, and for all locks on tables that somebody waits
/// for. "{who}" stands for the columns about a session `a`.
const char* heldTablesQuery();
/// The rows of its answer. Tables in `waited` have a row already, since somebody waits for them: its holders get the
/// modes in which they hold the table.
std::vector<LockRow> heldTables(const sql::Table& answer, SessionNames& names,
                                const std::map<QByteArray, LockRow*>& waited);

} // namespace lockscope::inspect
