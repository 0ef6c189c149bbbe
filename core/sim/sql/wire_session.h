// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/late_row.h"
#include "sim/sql/pool.h"

namespace lockscope::sim {

/// A session over one connection of a pool, as the real driver's.
class SqlWireSession final : public sql::Session, public sql::LateRow {
public:
    SqlWireSession(std::shared_ptr<SqlPool> pool, SqlPool::Link link);
    ~SqlWireSession() override;
    SqlWireSession(const SqlWireSession&) = delete;
    SqlWireSession& operator=(const SqlWireSession&) = delete;

    sql::Answer<sql::Row> lockRow(QByteArray name, Nanos wait, std::stop_token stop = {}) override;
    sql::Answer<bool> insertRow(sql::RowKey key, std::stop_token stop = {}) override;
    sql::Answer<void> commit() override { return end(SqlStatement::Kind::Commit); }
    sql::Answer<void> rollback() override { return end(SqlStatement::Kind::Rollback); }
    sql::Answer<bool> takeNamed(sql::NamedKey key, sql::Sharing sharing, Nanos wait,
                                std::stop_token stop = {}) override;
    sql::Answer<bool> releaseNamed(sql::NamedKey key, sql::Sharing sharing) override;
    QCoro::Task<sql::Sign> nextSign(Nanos every, std::stop_token stop = {}) override;
    bool broken() const override { return !m_link || m_link->ended() || m_aborted; }
    bool pooled() const override { return false; }
    std::optional<sql::Error> takesNoWrites() const override;
    void giveBack() override;

    /// Runs any statement: for tests, too.
    QCoro::Task<SqlPool::Answer> execute(SqlStatement statement, Nanos wait, std::stop_token stop = {});
    /// The server's number of the connection.
    std::int64_t serverId() const { return m_link ? m_link->serverId() : 0; }

private:
    sql::Answer<void> end(SqlStatement::Kind how);
    QCoro::Task<SqlPool::Answer> ask(SqlStatement statement, SqlLimits limits, std::stop_token stop);
    void hear(const SqlPool::Answer& answer);

    std::shared_ptr<SqlPool> m_pool;
    SqlPool::Link m_link;
    std::optional<SqlLink::Ticket> m_ping; ///< asked, and not answered yet
    Nanos m_heardAt{};
    bool m_inTransaction = false;
    bool m_asking = false;
    bool m_aborted = false; ///< the server has given the transaction up
    SignalCount m_turn;     ///< a connection runs one statement at a time
};

} // namespace lockscope::sim
