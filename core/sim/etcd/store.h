// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/etcd/message.h"

#include <deque>
#include <map>
#include <set>

namespace lockscope::sim {

/// The keys and leases of one member: the result of the log's entries that it has carried out. It knows no time.
class EtcdStore {
public:
    struct Change {
        std::int64_t revision = 0;
        etcd::KeyValue key; ///< of a deletion only its name and revision
        bool deleted = false;
    };
    struct Lease {
        std::int64_t seconds = 0;
        std::set<QByteArray> keys;
    };

    /// The shortest lease: one and a half election time-outs, rounded up.
    static constexpr std::int64_t kLeastSeconds = 2;

    /// Why the store cannot take such a request, whatever its state; nullopt: it can.
    static std::optional<EtcdReply> complaint(const EtcdRequest& request);
    /// Carries out a request that writes.
    EtcdReply apply(const EtcdRequest& request);
    /// Answers one that only reads.
    EtcdReply read(const EtcdRequest& request) const;

    std::int64_t revision() const { return m_revision; }
    /// The changes of earlier revisions are no longer kept.
    std::int64_t compacted() const { return m_compacted; }
    using Keys = std::map<QByteArray, etcd::KeyValue>;
    const Keys& keys() const { return m_keys; }
    const std::map<std::int64_t, Lease>& leases() const { return m_leases; }
    /// The changes from that revision on, in their order.
    std::vector<Change> changesFrom(std::int64_t revision) const;
    /// Whether the key is in [key, end); `end` empty: it is `key`; "\0": there is no end.
    static bool isIn(const QByteArray& name, const QByteArray& key, const QByteArray& end);

private:
    /// The first of the keys for which isIn() is true, and the end of them.
    std::pair<Keys::const_iterator, Keys::const_iterator> keysIn(const QByteArray& key, const QByteArray& end) const;
    etcd::RangeResult range(const etcd::Range& range) const;
    bool holds(const etcd::Transaction::Created& condition) const;
    EtcdReply transact(const etcd::Transaction& txn);
    EtcdReply compact(std::int64_t revision);
    etcd::TransactionResult outcome(const etcd::Transaction& txn) const;
    /// The revision of changes made now.
    std::int64_t next() const { return m_revision + 1; }
    void put(const QByteArray& key, const QByteArray& value, std::int64_t lease);
    std::int64_t remove(const QByteArray& key, const QByteArray& end);
    void detach(const etcd::KeyValue& key);
    /// All changes since the last call are one revision.
    void settle();

    std::int64_t m_revision = 1;
    std::int64_t m_compacted = -1; ///< a first compaction of revision 0 is accepted, a second one is not
    bool m_changed = false;
    Keys m_keys;
    std::map<std::int64_t, Lease> m_leases;
    std::deque<Change> m_history;
};

} // namespace lockscope::sim
