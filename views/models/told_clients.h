// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/seen_content.h"
#include "trace/record.h"
#include "trace/trace.h"

namespace lockscope::views {

/// Addresses and programs of the holders and waiters of a lock, as its server told when it was last looked at.
class ToldClients {
public:
    ToldClients() = default;
    /// `record`: nullptr where there is none.
    ToldClients(const trace::Trace& trace, const trace::Record* record);

    /// "10.0.0.5:51234, redis-py 5.0.1": address, program, user, and whether it is gone; empty: the server does not
    /// tell.
    QString about(trace::EntityId thread) const;
    /// As about(), in a line of its own below `words`; only `words` where it is not known.
    QString below(const QString& words, trace::EntityId thread) const;

private:
    const trace::Trace* m_trace = nullptr; ///< outlives this
    std::map<QByteArray, inspect::SeenClient> m_clients;
};

} // namespace lockscope::views
