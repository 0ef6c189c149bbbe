// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/kinds.h"
#include "sim/sql/record.h"

namespace lockscope::sim {

/// One simulated database server.
class SqlService final : public Service {
public:
    struct Settings {
        static Settings of(const ServicePlan& plan);
        QByteArray id = "sql-1";
        SqlServer::Settings server = {};
        bool engine = false; ///< of a lock manager: locks belong to no server
    };
    SqlService(Grounds grounds, const Settings& settings, std::uint64_t seed,
               const inspect::TraceFeed::Resolver& owner);
    ~SqlService() override;

    QByteArray kind() const override { return "sql"; }
    std::vector<Server*> servers() const override { return {m_server.get()}; }
    /// By its id: it has no role.
    Server* find(const QString& target) const override;
    QString url() const override;
    Diallers diallers(const ClientEnd& client) const override;
    /// A holder in a row learns of a forced release at its next renewal; only a connection's end is told.
    bool tellsHolders() const override { return false; }
    trace::EntityId lockEntity(const QByteArray& lockName) override { return m_record->lockEntity(lockName); }
    void watch(const QByteArray& lockName, const QByteArray& recipe) override { m_record->watch(lockName, recipe); }
    void setDecides(bool decides) override;
    std::expected<void, QString> failOver(const Server& master) override;
    void forceRelease(const QByteArray& lockName) override;
    std::uint64_t steps() const override { return m_server->steps(); }

    SqlServer& server() const { return *m_server; }

private:
    Grounds m_grounds;
    std::unique_ptr<SqlServer> m_server;
    std::unique_ptr<SqlRecord> m_record;
};

} // namespace lockscope::sim
