// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

namespace lockscope::verdict {

/// Why nobody got in twice although a leader or a master died, or was replaced while it ran, while somebody held a
/// lock: which server took over, that it knew the holder, and when the next client got the lock; or that no majority
/// runs. Told from then until the next holder's hold ends; empty at other instants, and where the lock was lost with
/// its server. Looks at no more than some 500,000 rows. Translated.
QString whySafe(const trace::Trace& trace, Nanos at);
/// As whySafe() of the last such loss before `at`, also when all of it has been over for long.
QString whyItWasSafe(const trace::Trace& trace, Nanos at);

} // namespace lockscope::verdict
