// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/lock_facts.h"

namespace lockscope::views {

/// A lock's data on the server, line by line, as far as the record in the trace tells. A trace contains owner, count
/// and deadline, not bytes: the value's own characters are shown only if they follow from the format.
QStringList serverContent(const LockFacts& facts, const ViewContext& context);

} // namespace lockscope::views
