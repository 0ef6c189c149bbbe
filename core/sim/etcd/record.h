// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/etcd/seen_keys.h"
#include "inspect/trace_feed.h"
#include "sim/content_look.h"
#include "sim/etcd/server.h"

namespace lockscope::sim {

/// Writes who holds which watched lock, and who waits, by the keys of one member or by those that most members have,
/// into the trace. It reads keys as a watcher of a real cluster does, with the same formats.
class EtcdRecord {
public:
    /// The member that ends leases now; nullptr: nobody leads.
    using Leader = std::function<const EtcdServer*()>;
    /// `parent`: of the locks' entities; kNoEntity: none. `owner` gets a lease in hex as the party's client. Everything
    /// outlives it.
    EtcdRecord(Grounds grounds, trace::EntityId parent, inspect::TraceFeed::Resolver owner, Leader leader);
    EtcdRecord(const EtcdRecord&) = delete;
    EtcdRecord& operator=(const EtcdRecord&) = delete;

    /// From now on it writes one member's copies of the locks of `logical`, which outlives it.
    void copies(EtcdRecord& logical);
    trace::EntityId lockEntity(const QByteArray& lockName) { return m_feed.lockEntity(lockName); }
    void watch(const QByteArray& lockName);
    /// Most of the servers decide together, without telling so: only while no leader has most of them behind it is it
    /// told that nobody does.
    void quorumDecides() { m_quorum = true; }
    /// Whether the service decides what the record says, where several are engines of one lock manager.
    void setDecides(bool decides);
    /// The keys are as in `store`, which outlives the record, after that entry.
    void carriedOut(const EtcdStore& store, const EtcdEntry& entry);
    /// The end of that lease has moved; 0: the ends of all, as another member leads.
    void kept(std::int64_t lease);
    /// The member has lost its keys, or the keys are those of another member from now on, which may have fewer.
    void replaced(const EtcdStore& store);
    bool isReadFrom(const EtcdStore& store) const { return m_store == &store; }
    /// Whether the keys can be told. They cannot while they only lie on the disk of a process that is dead: of the
    /// member whose copies these are; those of all cannot while nobody decides.
    void setKnown(bool known);

private:
    /// Rows as they are read at one revision, where all members have the same keys.
    struct Read {
        std::vector<etcd::KeyValue> keys;                  ///< of the lock, oldest first
        std::optional<inspect::LockRow> row{};             ///< by the keys alone: leases move without a revision
        std::map<std::int64_t, inspect::SeenLease> ends{}; ///< of the holders' leases, as written into the row
        Nanos endsAt = Nanos(-1);                          ///< when; the row says what is left from then on
    };
    using AllRead = std::map<QByteArray, std::map<std::int64_t, Read>>; ///< by lock and revision, the newest ones
    /// The lock at the store's present revision. Valid until the next call.
    Read& read(const QByteArray& lockName);
    std::vector<etcd::KeyValue> readKeys(const QByteArray& lockName) const;
    /// The lock by these keys; nullopt: they are none.
    std::optional<inspect::LockRow> rowOf(const QByteArray& lockName, std::vector<etcd::KeyValue> keys,
                                          const std::map<std::int64_t, inspect::SeenLease>& leases) const;
    /// The member that told the ends of one lock's leases, and the revision up to which it told them: since then only
    /// kept() has moved them.
    struct EndsLearnt {
        const EtcdServer* leader = nullptr;
        std::uint64_t timesLed = 0;
        std::int64_t revision = 0;
    };
    void learnEnds(const QByteArray& lockName, const std::vector<etcd::KeyValue>& keys);
    /// Writes into the row when its holds end.
    void tellEnds(const QByteArray& lockName, Read& read) const;
    void write(const QByteArray& lockName, inspect::Sight sight);
    /// Keeps how the last hold that was told has ended, if it has, for the time when the record can be told again.
    void keepEnd(const QByteArray& lockName, const inspect::Sight& sight);
    /// Updates the feed with what the record has, for content that it held back.
    void writeHeldBack();

    Grounds m_grounds;
    inspect::TraceFeed m_feed;
    ContentLook m_contentLook{m_grounds.scheduler, m_feed, [this] { writeHeldBack(); }};
    bool m_decides = true; ///< else the record is another service's
    bool m_known = true;   ///< see setKnown()
    bool m_quorum = false; ///< see quorumDecides()
    void tellQuorum();
    inspect::TraceFeed::Resolver m_owner;
    Leader m_leader;
    std::shared_ptr<AllRead> m_read = std::make_shared<AllRead>(); ///< copies share the lock's
    std::map<std::int64_t, Nanos> m_ends;                          ///< as known last, while nobody leads
    std::map<QByteArray, EndsLearnt> m_endsLearnt;                 ///< by lock
    std::set<QByteArray> m_watched;
    std::map<QByteArray, trace::EntityId> m_holders;      ///< by lock, as written last
    std::map<QByteArray, std::set<QByteArray>> m_holding; ///< the holders' leases in hex, by lock, as written last
    std::map<QByteArray, QByteArray> m_holdingKeys;       ///< the first holder's key, by lock, as written last
    std::map<QByteArray, inspect::Sight> m_untold;        ///< how holds ended while nobody could be told, by lock
    const EtcdStore* m_store = nullptr;                   ///< of the member that has told of a change last
};

} // namespace lockscope::sim
