// SPDX-License-Identifier: Apache-2.0
#include "sim/memcached/record.h"

#include "inspect/memcached/formats.h"
#include "sim/probe.h"

namespace lockscope::sim {

using Cause = MemcachedStore::Cause;

MemcachedRecord::MemcachedRecord(Grounds grounds, trace::EntityId parent, MemcachedServer& server,
                                 inspect::TraceFeed::Resolver owner)
    : m_grounds(grounds), m_server(server), m_feed(grounds.recorder, parent, std::move(owner), Nanos(0)) {
    server.onChange = [this](MemcachedServer&, const QByteArray& key, Cause cause, trace::EntityId client) {
        if (m_watched.contains(key)) changed(key, cause, client);
    };
    server.onLost = [this](MemcachedServer&) {
        for (const QByteArray& name : m_watched)
            write(name, {.freedBy = trace::FreedBy::NodeLoss});
    };
}

MemcachedRecord::~MemcachedRecord() {
    m_server.onChange = nullptr;
    m_server.onLost = nullptr;
}

void MemcachedRecord::setDecides(bool decides) {
    if (decides == m_decides) return;
    // Its holds are lost with it; from here on it is silent.
    for (const QByteArray& name : m_watched)
        if (!decides) m_feed.update(name, std::nullopt, {.freedBy = trace::FreedBy::NodeLoss});
    m_decides = decides;
    if (!decides) return;
    for (const QByteArray& name : m_watched)
        write(name, {});
}

void MemcachedRecord::watch(const QByteArray& lockName) {
    m_feed.lockEntity(lockName);
    if (m_watched.insert(lockName).second && m_server.find(lockName)) write(lockName, {});
}

void MemcachedRecord::changed(const QByteArray& key, Cause cause, trace::EntityId client) {
    inspect::Sight sight;
    switch (cause) {
    case Cause::Command: // an operator's has no client
        if (client == trace::kNoEntity)
            sight.freedBy = trace::FreedBy::Force;
        else
            sight.cause = m_grounds.recorder.trace().intern(trace::EntityKind::Thread, "1", client);
        break;
    case Cause::Expiry:
        sight.freedBy = trace::FreedBy::Expiry;
        break;
    case Cause::Eviction:
        reached(Probe::MemcachedEvicted);
        sight.freedBy = trace::FreedBy::Evicted;
        break;
    case Cause::Flush:
        reached(Probe::MemcachedFlushed);
        sight.freedBy = trace::FreedBy::NodeLoss; // of this lock nobody thought
        break;
    }
    write(key, sight);
}

void MemcachedRecord::write(const QByteArray& lockName, inspect::Sight sight) {
    if (!m_decides) return;
    const MemcachedStore::Item* const item = m_server.find(lockName);
    std::optional<inspect::LockRow> row;
    if (item) {
        const inspect::SeenItem seen{lockName, item->value};
        const std::vector<inspect::LockRow> rows = inspect::readInOrder(inspect::memcachedFormats(), seen);
        Q_ASSERT(!rows.empty()); // any value is a lock to the last format
        row = rows.front();
        // A world of our own knows its locks; how sure a stranger could be is no part of it.
        row->certainty = inspect::Certainty::Certain;
        row->neverExpires = item->ends == 0;
        sight.exactDeadline = kNever;
        if (item->ends != 0) {
            sight.exactDeadline = m_server.beginningOf(item->ends);
            const Nanos left = std::max(*sight.exactDeadline - m_grounds.scheduler.now(), Nanos(0));
            row->ttlMs = std::chrono::ceil<std::chrono::milliseconds>(left).count();
        }
    }
    m_feed.update(lockName, row, sight);
    m_contentLook.arm();
}

void MemcachedRecord::writeHeldBack() {
    for (const QByteArray& name : m_watched) // the same as before: only what was held back is written
        write(name, {});
}

} // namespace lockscope::sim
