// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/looking_watcher.h"
#include "ports/memcached/port.h"

namespace lockscope::inspect {

/// Watches keys of a memcached that the user names: the server lists none, and tells nobody of changes. So it looks at
/// each of them again and again.
class MemcachedWatcher : public LookingWatcher {
public:
    /// The address of the server that keeps a key.
    using WhereIs = std::function<QString(const QByteArray& key)>;
    /// Give it a client of its own; it can only read. Watched are the names of `options` that have no wildcard.
    /// `whereIs`: of a ring of several servers, which are one to their clients: none may be away.
    MemcachedWatcher(memcached::Reader& reader, QString where, WatchOptions options = {}, WhereIs whereIs = {});

protected:
    Answer<void> connect(std::stop_token stop) override;
    Answer<Look> look(Depth depth, Progress progress, std::stop_token stop) override;
    std::uint64_t requests() const override { return m_requests; }

private:
    memcached::Reader& m_reader;
    WhereIs m_whereIs;
    std::vector<QByteArray> m_names;
    std::uint64_t m_requests = 0;
    Nanos m_way = kNever; ///< the shortest round trip so far
};

} // namespace lockscope::inspect
