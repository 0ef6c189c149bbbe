// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/trace_feed.h"
#include "sim/content_look.h"
#include "sim/memcached/server.h"

namespace lockscope::sim {

/// Writes who holds which watched lock of one server into the trace. It reads items as a watcher of a real server does,
/// with the same formats, and knows besides when an item ends.
class MemcachedRecord {
public:
    /// `parent`: of the locks' entities; kNoEntity: none. Everything outlives it.
    MemcachedRecord(Grounds grounds, trace::EntityId parent, MemcachedServer& server,
                    inspect::TraceFeed::Resolver owner);
    ~MemcachedRecord();
    MemcachedRecord(const MemcachedRecord&) = delete;
    MemcachedRecord& operator=(const MemcachedRecord&) = delete;

    trace::EntityId lockEntity(const QByteArray& lockName) { return m_feed.lockEntity(lockName); }
    /// The lock's item has the same name.
    void watch(const QByteArray& lockName);
    /// Whether the service decides what the record says, where several are engines of one lock manager.
    void setDecides(bool decides);

private:
    void changed(const QByteArray& key, MemcachedStore::Cause cause, trace::EntityId client);
    void write(const QByteArray& lockName, inspect::Sight sight);
    /// Updates the feed with what the record has, for content that it held back.
    void writeHeldBack();

    Grounds m_grounds;
    MemcachedServer& m_server;
    inspect::TraceFeed m_feed;
    ContentLook m_contentLook{m_grounds.scheduler, m_feed, [this] { writeHeldBack(); }};
    bool m_decides = true; ///< else the record is another service's
    std::set<QByteArray> m_watched;
};

} // namespace lockscope::sim
