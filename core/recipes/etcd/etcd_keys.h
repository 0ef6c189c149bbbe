// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/etcd/etcd_leases.h"

namespace lockscope::recipes {

/// The keys of one lock of etcd's own kind, `<name>/<lease in hex>`; and all other keys at its name, with which it must
/// not be confused.
class EtcdKeys {
public:
    /// Precondition: the name is not empty. The port must outlive every call.
    EtcdKeys(etcd::Port& port, QByteArray name) : m_port(port), m_name(std::move(name)), m_prefix(m_name + '/') {
        Q_ASSERT(!m_name.isEmpty());
    }
    const QByteArray& prefix() const { return m_prefix; }

    /// Reads the oldest key under the prefix.
    etcd::Operation oldest() const;
    /// Reads the newest key under the prefix that is older than that revision.
    etcd::Operation before(std::int64_t revision) const;

    /// Runs a transaction with one more condition: no key has exactly the lock's name. ForeignFormat when such a key
    /// exists, and it alone made the condition fail. Users who may not read that key run the transaction without the
    /// condition. `stand`: the place whose key the transaction may put; nullptr: none.
    Outcome<etcd::TransactionResult> run(etcd::Transaction transaction, std::shared_ptr<EtcdStand> stand,
                                         std::stop_token stop);
    /// The key of the holder; nullopt: none. ForeignFormat when the oldest key is no lock of this kind.
    Outcome<std::optional<etcd::KeyValue>> holder(std::stop_token stop);
    /// ForeignFormat if a key under the prefix is no lock; nullopt for this lock's keys and those of locks below it.
    std::optional<LockError> complaint(const etcd::KeyValue& key) const;

private:
    LockError foreign(const etcd::KeyValue& key, const QString& what) const;
    etcd::Range underPrefix(etcd::Range::Order order) const;

    etcd::Port& m_port;
    const QByteArray m_name, m_prefix;
    bool m_seesName = true; ///< the key with the lock's name may be read, as far as is known
};

} // namespace lockscope::recipes
