// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/alert_watch.h"

namespace lockscope::views {

/// Alerts that have one cause, for where there is no room for each of them.
struct AlertCause {
    inspect::Alert first;          ///< the first of them that was given
    std::vector<QByteArray> locks; ///< of all of them, each once; empty: it is about a server
};

/// Puts alerts of one connection together, the most severe causes first, else in the order given: the locks of one
/// deadlock, with the long holds and waits that come of it; and many locks for which one rule became true in the same
/// second, as after a failover.
std::vector<AlertCause> alertCauses(const std::vector<inspect::Alert>& alerts);

/// "deadlock: stock ⇄ payments", "renewal late: orders", "never expires: 12 locks", "unreachable". Translated.
QString causeName(const AlertCause& cause);

} // namespace lockscope::views
