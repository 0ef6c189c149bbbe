// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/etcd/record.h"
#include "sim/etcd/server.h"
#include "sim/kinds.h"

namespace lockscope::sim {

/// A simulated etcd: one member, or a cluster.
class EtcdService final : public Service {
public:
    struct Settings {
        static Settings of(const ServicePlan& plan);
        /// How long a dead client's hold lasts at most, whichever member fails, as long as a quorum is there again: a
        /// leader that is lost is missed after an election time-out or two, and the next one gives every lease its
        /// whole time and one election time-out more.
        static Nanos longestHold(const scenario::ServiceSpec& spec, Nanos lease);
        std::vector<QByteArray> ids{"etcd-1", "etcd-2", "etcd-3"}; ///< in the order of their numbers
        EtcdSettings cluster = {};
        bool formed =
            true; ///< the last member stands for election at once; false: the first election is part of the run
        bool engine = false; ///< of a lock manager: locks belong to no server, even if there is one only
    };
    /// `owner`: names the holder of a lease that no client here has asked for.
    EtcdService(Grounds grounds, const Settings& settings, std::uint64_t seed, inspect::TraceFeed::Resolver owner);
    ~EtcdService() override;

    QByteArray kind() const override { return "etcd"; }
    std::vector<Server*> servers() const override;
    /// By its id, or "leader", "follower[0]", …
    Server* find(const QString& target) const override;
    QString url() const override;
    trace::EntityId lockEntity(const QByteArray& lockName) override { return m_record->lockEntity(lockName); }
    /// Whichever the recipe: all keys below the lock's name belong to it.
    void watch(const QByteArray& lockName, const QByteArray& recipe) override;
    /// Hands the leadership over to the member that has most of the log.
    void setDecides(bool decides) override;
    std::expected<void, QString> failOver(const Server& master) override;
    void forceRelease(const QByteArray& lockName) override;
    std::uint64_t steps() const override;

    EtcdServer& server(std::size_t index) const { return *m_servers[index]; }
    std::size_t size() const { return m_servers.size(); }
    /// The server at an address; nullptr: there is none.
    EtcdServer* at(const Endpoint& endpoint) const;
    /// The one that leads; of two that believe so the one of the newest term; nullptr: there is none.
    EtcdServer* leader() const;
    /// The leader that a member follows, itself included; nullptr: it follows none, or hears from it no more.
    const EtcdServer* leaderOf(const EtcdServer& member) const;
    /// The diallers of one client.
    Diallers diallers(const ClientEnd& client) const override;

private:
    void tellRole(const EtcdServer& server);
    /// A dead member's copies cannot be told, and not the record while nobody decides.
    void tellWhatIsKnown(const EtcdServer& server);
    /// Whether most members follow one leader.
    bool isDecided() const;
    void carriedOut(const EtcdServer& server, const EtcdEntry& entry);
    /// The member that has carried out most entries.
    const EtcdServer& furthest() const;
    /// Reads the record from that member's keys, which may be older than what it says.
    void readFrom(const EtcdServer& member);
    /// A client has a session as long as the cluster has a lease of its: told when it is granted the first one, and
    /// when the cluster ends one. It is nobody's loss that a client gives a lease back.
    void tellSession(const EtcdEntry& entry);
    trace::EntityId ownerOf(const inspect::Party& party);
    Grounds m_grounds;
    inspect::TraceFeed::Resolver m_owner;
    std::vector<std::unique_ptr<EtcdServer>> m_servers;
    std::map<QByteArray, trace::EntityId> m_threads;           ///< by the lease, in hex
    std::map<std::int64_t, trace::EntityId> m_clients;         ///< by the lease, as long as it lasts
    std::map<trace::EntityId, trace::SessionPhase> m_sessions; ///< by the client, as told last
    std::unique_ptr<EtcdRecord> m_record;                      ///< by what most members have
    std::int64_t m_recorded = 0;                               ///< the newest entry of that
    std::int64_t m_recordedTerm = 0;                           ///< of that entry
    std::vector<std::unique_ptr<EtcdRecord>> m_copies;         ///< of several members, each one's
    std::map<const EtcdServer*, QByteArray> m_roles;           ///< as told last
    bool m_everDecided = false;                                ///< see isDecided()
};

} // namespace lockscope::sim
