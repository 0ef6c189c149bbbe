// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/options.h"

namespace lockscope::sql {

class Pool;

/// A client of a real database. QtSql, which blocks, makes each connection on a thread of its own; statements go by
/// calls of the client library that never wait, or on that thread where there are none (DriverOptions::onThreads). The
/// event loop is never blocked. Statements that commit by themselves share a few connections, sessions have one each,
/// and connections that nobody needs stay open for the next. Connects when needed, and anew when a connection broke.
///
/// Lives on its runtime's thread, which needs a Qt event loop. May be destroyed at any time, calls in flight included:
/// they end with Disconnected. The runtime must outlive it.
class SqlDriver final : public Port {
public:
    /// The URL's time-outs go before those of `options`.
    SqlDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options = {});
    ~SqlDriver() override;

    Runtime& runtime() override;
    Dialect dialect() const override;
    QCoro::Task<Result> execute(Statement statement, std::stop_token stop = {},
                                std::optional<Nanos> patience = std::nullopt) override;
    QCoro::Task<std::expected<OwnedSession, Error>> session(std::stop_token stop = {}) override;
    std::shared_ptr<Session> idleSession() override;

    /// Connects and logs in, and says how that went.
    QCoro::Task<Result> open(std::stop_token stop = {});
    /// Closes the connections that nobody uses.
    void closeIdle();
    /// "host:port/database".
    QString where() const;

private:
    std::shared_ptr<Pool> m_pool;
};

} // namespace lockscope::sql
