// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/diallers.h"
#include "sim/etcd/record.h"
#include "sim/etcd/server.h"
#include "sim/service.h"

namespace lockscope::sim {

/// A simulated etcd: one member, or a cluster.
class EtcdService final : public Service {
public:
    struct Settings {
        std::vector<QByteArray> ids{"etcd-1", "etcd-2", "etcd-3"}; ///< in the order of their numbers
        EtcdSettings cluster = {};
        bool formed =
            true; ///< the last member stands for election at once; false: the first election is part of the run
    };
    EtcdService(Grounds grounds, const Settings& settings, std::uint64_t seed);
    ~EtcdService() override;

    QByteArray kind() const override { return "etcd"; }
    std::vector<Server*> servers() const override;
    /// By its id, or "leader", "follower[0]", …
    Server* find(const QString& target) const override;
    QString url() const override;
    trace::EntityId lockEntity(const QByteArray& lockName) override { return m_record->lockEntity(lockName); }
    /// `keys` is of no meaning here: all keys below the lock's name belong to it.
    void watch(const QByteArray& lockName, const QByteArray& recipe) override;
    /// Hands the leadership over to the member that has most of the log.
    std::expected<void, QString> failOver(const Server& master) override;
    void forceRelease(const QByteArray& lockName) override;
    std::uint64_t steps() const override;

    EtcdServer& server(std::size_t index) const { return *m_servers[index]; }
    std::size_t size() const { return m_servers.size(); }
    /// The server at an address; nullptr: there is none.
    EtcdServer* at(const Endpoint& endpoint) const;
    /// The one that leads; of two that believe so the one of the newest term; nullptr: there is none.
    EtcdServer* leader() const;
    /// The diallers of one client.
    Diallers diallers(const ClientEnd& client) const override;

private:
    void tellRole(const EtcdServer& server);
    void carriedOut(const EtcdServer& server, const EtcdEntry& entry);
    trace::EntityId ownerOf(const inspect::Party& party);
    Grounds m_grounds;
    std::vector<std::unique_ptr<EtcdServer>> m_servers;
    std::map<QByteArray, trace::EntityId> m_threads;   ///< by the lease, in hex
    std::unique_ptr<EtcdRecord> m_record;              ///< by what most members have
    std::int64_t m_recorded = 0;                       ///< the newest entry of that
    std::vector<std::unique_ptr<EtcdRecord>> m_copies; ///< of several members, each one's
    std::map<const EtcdServer*, QByteArray> m_roles;   ///< as told last
};

} // namespace lockscope::sim
