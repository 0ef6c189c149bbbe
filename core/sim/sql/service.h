// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/kinds.h"
#include "sim/sql/record.h"
#include "sim/sql/shared_pool.h"

namespace lockscope::sim {

/// A simulated database: one server, or a primary with replicas. Clients of several use a name that leads to the
/// primary, as an address or a DNS entry that is moved with it does.
class SqlService final : public Service {
public:
    struct Settings {
        static Settings of(const ServicePlan& plan);
        std::vector<QByteArray> ids{"sql-1"}; ///< the first one is the first primary
        SqlServer::Settings server = {};
        int pool = 0;        ///< connections that all clients share; 0: each client has its own
        bool engine = false; ///< of a lock manager: locks belong to no server
    };
    SqlService(Grounds grounds, const Settings& settings, std::uint64_t seed,
               const inspect::TraceFeed::Resolver& owner);
    ~SqlService() override;

    QByteArray kind() const override { return "sql"; }
    std::vector<Server*> servers() const override;
    /// By its id; of several also "master", "replica[0]".
    Server* find(const QString& target) const override;
    QString url() const override;
    Diallers diallers(const ClientEnd& client) const override;
    /// A holder in a row learns of a forced release at its next renewal; only a connection's end is told.
    bool tellsHolders() const override { return false; }
    trace::EntityId lockEntity(const QByteArray& lockName) override { return m_record->lockEntity(lockName); }
    void watch(const QByteArray& lockName, const QByteArray& recipe) override;
    void setDecides(bool decides) override;
    /// An operator promotes the running replica that has the most of the primary's log, whether the primary runs or
    /// not. The old one is demoted as soon as it can be reached, or when it starts again.
    std::expected<void, QString> failOver(const Server& master) override;
    Pool pool() const override;
    void setPool(Pool pool) override;
    void forceRelease(const QByteArray& lockName) override;
    std::uint64_t steps() const override;

    SqlServer& server(std::size_t index = 0) const { return *m_servers[index]; }
    SqlServer& primary() const { return *m_primary; }

private:
    bool alone() const { return m_servers.size() == 1; }
    bool isAddress(const Endpoint& endpoint) const;
    void tellRole(SqlServer& server);

    Grounds m_grounds;
    std::vector<std::unique_ptr<SqlServer>> m_servers;
    std::unique_ptr<SqlRecord> m_record;
    std::vector<std::unique_ptr<SqlRecord>> m_copies; ///< of several servers, each one's
    SqlServer* m_primary = nullptr;
    std::unique_ptr<SqlSharedPool> m_pool; ///< nullptr: each client has connections of its own
    std::uint64_t m_reign = 1;             ///< numbers promotions
    std::map<const SqlServer*, std::pair<QByteArray, trace::EntityId>> m_roles; ///< as told last, and whose data
};

} // namespace lockscope::sim
