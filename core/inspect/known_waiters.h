// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>

namespace lockscope::inspect {

/// Whether the server counts only those waiters of a lock of this format that listen for its release: it keeps no
/// queue, and a client that asks again and again leaves nothing there.
inline bool countsListenersOnly(const QByteArray& format) {
    return format == "lockscope" || (format.startsWith("redisson") && format != "redisson-fair");
}

} // namespace lockscope::inspect
