// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

namespace lockscope::inspect {

/// Party::about, of a database's session without its statement: which is long, and may contain a password.
inline QByteArray aboutWithoutStatement(const Party& party) {
    const qsizetype statement = party.client.startsWith("pid ") ? party.about.indexOf(": ") : -1;
    return statement < 0 ? party.about : party.about.first(statement);
}

} // namespace lockscope::inspect
