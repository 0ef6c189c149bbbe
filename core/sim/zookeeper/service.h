// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/kinds.h"
#include "sim/zookeeper/record.h"
#include "sim/zookeeper/server.h"

namespace lockscope::sim {

/// A simulated ZooKeeper: one server, or an ensemble.
class ZkService final : public Service {
public:
    struct Settings {
        static Settings of(const ServicePlan& plan);
        /// The session time-out of a scenario's clients: the service's, or else the lease of the scenario's first
        /// lock, as far as servers grant it.
        static Nanos sessionOf(const scenario::ServiceSpec& spec, Nanos lease);
        /// How long a dead client's hold lasts at most, whichever servers fail, as long as a quorum is there again:
        /// a leader that is lost is missed after its silence, and the next one gives every session a full time.
        static Nanos longestHold(const scenario::ServiceSpec& spec, Nanos lease);
        std::vector<QByteArray> ids{"zk-1", "zk-2",
                                    "zk-3"}; ///< in the order of their numbers; the last one leads first
        ZkSettings ensemble = {};
        bool formed = true;  ///< it has a leader from the start; false: the first election is part of the run
        bool engine = false; ///< of a lock manager: locks belong to no server, even if there is one only
        Nanos session{};     ///< the time-out that clients ask for; 0: their own default
    };
    ZkService(Grounds grounds, const Settings& settings, std::uint64_t seed, inspect::TraceFeed::Resolver owner);
    ~ZkService() override;

    QByteArray kind() const override { return "zookeeper"; }
    std::vector<Server*> servers() const override;
    /// By its id, or "leader", "follower[0]", …
    Server* find(const QString& target) const override;
    QString url() const override;
    Diallers diallers(const ClientEnd& client) const override;
    trace::EntityId lockEntity(const QByteArray& lockName) override { return m_record->lockEntity(lockName); }
    /// Whichever the recipe: all nodes at the lock's path and below belong to it.
    void watch(const QByteArray& lockName, const QByteArray& recipe) override;
    void setDecides(bool decides) override;
    std::expected<void, QString> failOver(const Server& master) override;
    void forceRelease(const QByteArray& lockName) override;
    std::uint64_t steps() const override;

    ZkServer& server(std::size_t index) const { return *m_servers[index]; }
    std::size_t size() const { return m_servers.size(); }
    /// The server at an address; nullptr: there is none.
    ZkServer* at(const Endpoint& endpoint) const;
    /// The one that leads and serves; of two that believe so the one of the newest epoch; nullptr: there is none.
    ZkServer* leader() const;

private:
    static void remove(ZkServer& leading, const QByteArray& path);
    void tellRole(const ZkServer& server);
    /// A dead server's copies cannot be told, and not the record while nobody decides.
    void tellWhatIsKnown(const ZkServer& server);
    /// The leader that most servers follow; nullptr: there is none, so nobody decides.
    const ZkServer* decidingLeader() const;
    void tellWhetherItAnswers();
    void carriedOut(const ZkServer& server, const ZkTxn& txn);
    /// The server's own copy of the record; nullptr: it is alone.
    ZkRecord* copyOf(const ZkServer& server) const;
    Grounds m_grounds;
    Nanos m_session;
    std::vector<std::unique_ptr<ZkServer>> m_servers;
    std::map<ZkSessionId, trace::EntityId> m_threads; ///< by session
    std::unique_ptr<ZkRecord> m_record;               ///< by what leaders have carried out
    ZkTransaction m_recorded = 0;                     ///< the newest of that
    std::vector<std::unique_ptr<ZkRecord>> m_copies;  ///< of several servers, each one's
    std::map<const ZkServer*, QByteArray> m_roles;    ///< as told last
    bool m_everDecided = false;                       ///< there has been a leader that most servers followed
};

} // namespace lockscope::sim
