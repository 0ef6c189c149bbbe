// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/looking_watcher.h"
#include "ports/memcached/port.h"

namespace lockscope::inspect {

/// Watches keys of a memcached that the user names: the server lists none, and tells nobody of changes. So it looks at
/// each of them again and again.
class MemcachedWatcher : public LookingWatcher {
public:
    /// Give it a client of its own; it can only read. Watched are the names of `options` that have no wildcard.
    MemcachedWatcher(memcached::Reader& reader, QString where, WatchOptions options = {});

protected:
    Answer<void> connect(std::stop_token stop) override;
    Answer<Look> look(Depth depth, Progress progress, std::stop_token stop) override;
    std::uint64_t requests() const override { return m_requests; }

private:
    memcached::Reader& m_reader;
    std::vector<QByteArray> m_names;
    std::uint64_t m_requests = 0;
    Nanos m_way = kNever; ///< the shortest round trip so far
};

} // namespace lockscope::inspect
