// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/trace_feed.h"
#include "runtime/virtual_scheduler.h"
#include "sim/content_look.h"
#include "sim/zookeeper/transaction.h"

namespace lockscope::sim {

/// Writes who holds which watched lock, and who waits, by the nodes of one server, or by those of the leaders' own
/// history, into the trace. It reads nodes as a watcher of a real server does, with the same formats.
class ZkRecord {
public:
    /// The thread of a client that has that session; kNoEntity: not known.
    using ThreadOf = std::function<trace::EntityId(ZkSessionId)>;
    /// `parent`: of the locks' entities; kNoEntity: none.
    ZkRecord(VirtualScheduler& scheduler, trace::Recorder& recorder, trace::EntityId parent,
             inspect::TraceFeed::Resolver owner, ThreadOf threadOf);
    ZkRecord(const ZkRecord&) = delete;
    ZkRecord& operator=(const ZkRecord&) = delete;

    /// From now on it writes one server's copies of the locks of `logical`, which outlives it.
    void copies(ZkRecord& logical);
    trace::EntityId lockEntity(const QByteArray& lockName) { return m_feed.lockEntity(lockName); }
    void watch(const QByteArray& lockName);
    /// Most of the servers decide together, without telling so: only while no leader has most of them behind it, it is
    /// told that nobody does.
    void quorumDecides() { m_quorum = true; }
    /// Whether the service decides what the record says, where several are engines of one lock manager.
    void setDecides(bool decides);
    /// The nodes are as in `state`, which outlives the record, after `txn`, whose history is that of the record.
    void carriedOut(const ZkState& state, const ZkTxn& txn);
    /// The nodes are others now, by nobody's request: a server took over its leader's, or lost its own.
    void replaced(const ZkState& state);
    /// The nodes are as in `state`, or cannot be told (nullptr): while the server whose copies these are is dead, or
    /// while nobody decides.
    void setKnown(const ZkState* state);
    /// Whether those who decide answer now: while the leader or most servers stand still, what the servers hold stays
    /// as it is, and nobody gets anything.
    void setAnswers(bool answers);

private:
    using Row = std::shared_ptr<const std::optional<inspect::LockRow>>; ///< long queues are shared, not copied
    Row lockAt(const ZkTree& tree, const QByteArray& lockName, std::int64_t wallMs) const;
    void write(const QByteArray& lockName, const Row& row, inspect::Sight sight);
    /// The lock after the transaction that was carried out last: the same on every server, so it is read once.
    const Row& rowAfter(const ZkState& state, const QByteArray& lockName);
    /// Keeps how the last hold that was told has ended, if it has, for the time when the record can be told again.
    void keepEnd(const QByteArray& lockName, const inspect::Sight& sight);
    /// Updates the feed with what the record has, for content that it held back.
    void writeHeldBack();

    VirtualScheduler& m_scheduler;
    trace::Recorder& m_recorder;
    inspect::TraceFeed m_feed;
    ContentLook m_contentLook{m_scheduler, m_feed, [this] { writeHeldBack(); }};
    bool m_decides = true; ///< else the record is another service's
    bool m_known = true;   ///< see setKnown()
    bool m_quorum = false; ///< see quorumDecides()
    bool m_answers = true; ///< see setAnswers()
    std::int64_t m_toldDeciders = -1;
    void tellQuorum();
    inspect::TraceFeed::Resolver m_owner;
    ThreadOf m_threadOf;
    std::set<QByteArray> m_watched;
    const ZkTree* m_tree = nullptr;   ///< of the server that has told of a change last
    std::map<QByteArray, Row> m_rows; ///< of watched locks, as seen last
    /// How holds ended while nobody could be told, by lock.
    std::map<QByteArray, inspect::Sight> m_untold;
    std::int64_t m_wallMs = 0;
    using RowsRead = std::map<QByteArray, std::map<ZkTransaction, Row>>; ///< by lock, the newest ones
    std::shared_ptr<RowsRead> m_read = std::make_shared<RowsRead>();     ///< copies share the lock's
};

} // namespace lockscope::sim
