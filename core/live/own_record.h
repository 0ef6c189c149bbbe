// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/trace_feed.h"
#include "trace/recorder.h"

#include <set>

namespace lockscope::live {

/// Updates the record of a real server by the grants and releases of our own clients.
///
/// A watcher looks only a few times a second. A client that was just granted a lock knows more than the last look, and
/// its write in between must not seem to come from a stranger. Replies to different clients may overtake each other: a
/// grant that arrives while the last owner's release is in flight is placed after that release. Readers come and go
/// beside each other. Permits are left to the watcher: the server keeps them by numbers of its own, which clients'
/// names do not tell.
class OwnRecord {
public:
    /// `identity` names a thread of ours on the server, nullopt for a stranger's.
    using Identity = std::function<std::optional<inspect::Party>(trace::EntityId thread)>;
    OwnRecord(trace::Recorder& recorder, inspect::TraceFeed& feed, Identity identity);

    /// True when a watcher's look that ended at `lookedAt` may be older than a client's own report since.
    bool knowsBetter(const QByteArray& lockName, Nanos lookedAt) const;
    /// The owner as a look found it; kNoEntity = free.
    void seen(const QByteArray& lockName, trace::EntityId owner);
    /// `leaseOf` tells the lease that a lock's grants and renewals carry from now on.
    void setLeases(std::function<Nanos(const QByteArray& lockName)> leaseOf) { m_leaseOf = std::move(leaseOf); }

    /// Only locks of this server are its own; without it, all are.
    void setNode(trace::EntityId node) { m_node = node; }

private:
    struct Lock {
        trace::EntityId owner = trace::kNoEntity;
        int holds = 1; ///< of the owner
        trace::HoldMode mode = trace::HoldMode::Exclusive;
        Nanos told{-1};                                       ///< when a client of ours last changed it
        std::map<trace::EntityId, trace::EntityId> releasing; ///< thread → owner when it sent its release
        std::map<trace::EntityId, trace::HoldMode> announced; ///< of grants that come next
        std::map<trace::EntityId, int> together;              ///< threads that hold it with others, and how often
    };
    void hear(const trace::Event& event);
    std::optional<inspect::Party> readerOf(trace::EntityId thread) const;
    void granted(const QByteArray& name, Lock& lock, trace::EntityId thread, int holds);
    void held(const QByteArray& name, Lock& lock, trace::EntityId thread, int holds);
    void released(const QByteArray& name, Lock& lock, trace::EntityId thread, trace::EntityId ownerThen);
    void freed(const QByteArray& name, Lock& lock, trace::EntityId cause);

    trace::Recorder& m_recorder;
    inspect::TraceFeed& m_feed;
    Identity m_identity;
    std::optional<trace::EntityId> m_node;
    std::function<Nanos(const QByteArray& lockName)> m_leaseOf = [](const QByteArray&) { return Nanos(30s); };
    std::map<QByteArray, Lock> m_locks;
};

} // namespace lockscope::live
