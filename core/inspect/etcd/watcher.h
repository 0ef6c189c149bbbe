// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/etcd/seen_keys.h"
#include "inspect/looking_watcher.h"

#include <set>

namespace lockscope::inspect {

/// Finds and watches the locks of an etcd or a cluster. It lists all keys once, without their values, reads those that
/// may be locks, and then follows one watch over the range from the revision on which it began. Only the leases of
/// holders are asked about again and again: etcd tells nobody of a renewal.
class EtcdWatcher : public LookingWatcher {
public:
    /// Give it a client of its own; it can only read.
    EtcdWatcher(etcd::Reader& reader, QString where, WatchOptions options = {});

protected:
    Answer<void> connect(std::stop_token stop) override;
    Answer<Look> look(Depth depth, Progress progress, std::stop_token stop) override;
    QCoro::Task<> news(Nanos longest, std::stop_token stop) override;
    bool hearsOfChanges() const override { return m_watch.has_value(); }
    std::uint64_t requests() const override { return m_requests; }

private:
    struct Group {
        std::map<QByteArray, etcd::KeyValue> keys; ///< by key
        QByteArray oldest;                         ///< SeenKeys::oldest
        bool stale = true;                         ///< `oldest` was not asked for since a key came or went
    };
    using Failed = std::optional<etcd::Error>;
    QCoro::Task<Failed> begin(std::stop_token stop);
    /// Lists the next keys of a first look.
    QCoro::Task<Failed> readPage(std::stop_token stop);
    /// Takes an answer; `i`: the place of its range among those that were asked for.
    using Taker = std::function<void(std::size_t i, const etcd::RangeResult& found)>;
    /// Reads all of them in few requests, several at once.
    QCoro::Task<Failed> readAll(std::vector<etcd::Range> ranges, Taker taker, std::stop_token stop);
    QCoro::Task<Failed> readValues(std::vector<QByteArray> keys, std::stop_token stop);
    QCoro::Task<Failed> askOldest(std::stop_token stop);
    /// The leases of holders that are to be asked about now, the longest due first.
    std::vector<std::int64_t> leasesDue();
    QCoro::Task<Failed> askLeases(std::vector<std::int64_t> leases, std::stop_token stop);
    void take(etcd::KeyValue key);
    void drop(const QByteArray& key);
    void hear(const etcd::WatchEvent& event);
    std::vector<LockRow> rows() const;

    /// Asks for as little as can be asked for.
    QCoro::Task<Failed> askPulse(std::stop_token stop);
    /// Asks who leads, if that is due; a cluster that does not tell is asked seldom.
    QCoro::Task<Failed> askMembers(std::stop_token stop);
    /// Notes an election of an etcd that has no others: it was started again.
    void noteTerm(const etcd::MemberList& list);
    /// Notes a revision of the store: it only grows, unless data were lost.
    void noteRevision(std::int64_t revision);

    etcd::Reader& m_reader;
    std::vector<WatchedServerState> m_members;
    std::optional<ServerIdentity> m_version; ///< no more of the member that answers is told
    Nanos m_membersNotBefore{};
    bool m_tellsMembers = true;      ///< it has not refused to
    std::int64_t m_term = 0;         ///< of an etcd that is alone; 0: not known
    std::int64_t m_revision = 0;     ///< the newest that is known
    std::vector<ServerEvent> m_news; ///< what no look has told yet
    QByteArray m_from, m_end;        ///< the range that is looked at
    std::optional<etcd::OwnedWatch> m_watch;
    std::map<QByteArray, Group> m_groups; ///< by the lock's name
    std::map<std::int64_t, SeenLease> m_leases;
    std::map<std::int64_t, Nanos> m_leaseDue; ///< when each is asked about again
    std::size_t m_reads;                      ///< of one request
    std::optional<QByteArray> m_next;         ///< where the first look goes on; missing: it is over
    std::int64_t m_passed = 0, m_there = -1;
    Nanos m_secondBegan{};
    int m_eventsInSecond = 0;
    Nanos m_noWatchUntil{}; ///< so many changes came that following them costs more than looking
    std::uint64_t m_requests = 0;
    Nanos m_way = kNever; ///< the shortest round trip so far
};

} // namespace lockscope::inspect
