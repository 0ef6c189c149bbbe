// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/lock_facts.h"

namespace lockscope::views {

/// What lies on the server for a lock, line by line, as far as the record in the trace says it. A trace holds owner,
/// count and deadline, not bytes: the value's own characters are not shown unless they follow from the format.
QStringList serverContent(const LockFacts& facts, const ViewContext& context);

} // namespace lockscope::views
