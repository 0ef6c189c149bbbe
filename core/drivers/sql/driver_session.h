// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/pool.h"
#include "runtime/signal_count.h"

class QSocketNotifier;

namespace lockscope::sql {

/// A session over one link of a driver's pool.
class DriverSession final : public Session {
public:
    DriverSession(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link);
    ~DriverSession() override;
    void begin() override { m_begin = true; }
    QCoro::Task<Result> execute(Statement statement, Nanos wait, std::stop_token stop) override;
    QCoro::Task<Result> commit() override { return end("COMMIT"); }
    QCoro::Task<Result> rollback() override { return end("ROLLBACK"); }
    QCoro::Task<Sign> nextSign(Nanos every, std::stop_token stop) override;
    bool broken() const override { return knownBroken() || m_link->ended(); }
    bool pooled() const override { return m_link && m_link->pooled(); }
    std::optional<Error> takesNoWrites() const override;
    void giveBack() override;

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
