// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/pool.h"
#include "ports/sql/late_row.h"
#include "runtime/signal_count.h"

class QSocketNotifier;

namespace lockscope::sql {

/// A session over one link of a driver's pool.
class DriverSession final : public Session, public LateRow {
public:
    DriverSession(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link);
    ~DriverSession() override;
    DriverSession(const DriverSession&) = delete;
    DriverSession& operator=(const DriverSession&) = delete;

    Answer<Row> lockRow(QByteArray name, Nanos wait, std::stop_token stop = {}) override;
    Answer<bool> insertRow(RowKey key, std::stop_token stop = {}) override;
    Answer<void> commit() override;
    Answer<void> rollback() override;
    Answer<bool> takeNamed(NamedKey key, Sharing sharing, Nanos wait, std::stop_token stop = {}) override;
    Answer<bool> releaseNamed(NamedKey key, Sharing sharing) override;
    QCoro::Task<Sign> nextSign(Nanos every, std::stop_token stop = {}) override;
    bool broken() const override { return knownBroken() || m_link->ended(); }
    bool pooled() const override { return m_link && m_link->pooled; }
    std::optional<Error> takesNoWrites() const override;
    void giveBack() override;

    /// Makes the next execute() begin a transaction, in the same round trip.
    void begin() { m_begin = true; }
    /// Runs a statement. It may wait on the server for at most `wait` (kNever: the server's limit), then
    /// Kind::WaitExceeded. When stopped: the statement is ended on the server first, then Cancelled is thrown; it may
    /// have run by then. The transaction stays open, unless broken().
    QCoro::Task<Result> execute(Statement statement, Nanos wait = kNever, std::stop_token stop = {});
    /// The server's number of the connection.
    std::int64_t serverId() const { return m_link ? m_link->serverId : 0; }

private:
    bool knownBroken() const { return !m_link || m_link->dead || m_aborted; }
    QCoro::Task<Result> end(QByteArray word);
    QCoro::Task<Result> ask(Command command, Limits limits, std::stop_token stop);
    QCoro::Task<> settlePing();
    void hear(const Result& result);

    std::shared_ptr<Pool> m_pool;
    std::shared_ptr<Link> m_link;
    std::unique_ptr<QSocketNotifier> m_notifier; ///< while idle and awaited; gone before the socket is used otherwise
    std::shared_ptr<Ticket> m_ping;              ///< sent and not answered yet
    Nanos m_heardAt{};                           ///< own monotonic clock: the latest answer
    bool m_begin = false;
    bool m_inTransaction = false;
    bool m_asking = false;
    bool m_aborted = false; ///< the server has given the transaction up, and waits for the statement that ends it
    SignalCount m_turn;     ///< one at a time, because a link runs one command at a time
};

} // namespace lockscope::sql
