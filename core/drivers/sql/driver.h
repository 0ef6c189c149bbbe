// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/client.h"

namespace lockscope::sql {

class Pool;

/// A client of a real database. QtSql blocks, so each connection is made on its own thread. Statements run by
/// non-blocking calls of the client library, or on that thread where the library has none (DriverOptions::onThreads).
/// The event loop is never blocked. Statements that commit by themselves share a few connections; each session has its
/// own; unused connections stay open for the next user. Connects when needed, and again when a connection broke.
///
/// Lives on its runtime's thread, which needs a Qt event loop. May be destroyed at any time: calls in flight then end
/// with Disconnected. The runtime must outlive it.
class SqlDriver final : public Client {
public:
    /// The URL's time-outs override those of `options`.
    SqlDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options = {});
    ~SqlDriver() override;

    Runtime& runtime() override;
    Dialect dialect() const override;
    QCoro::Task<Result> execute(Statement statement, std::stop_token stop = {},
                                std::optional<Nanos> patience = std::nullopt) override;
    QCoro::Task<std::expected<OwnedSession, Error>> session(std::stop_token stop = {}) override;
    std::shared_ptr<Session> idleSession() override;

    QCoro::Task<Result> open(std::stop_token stop = {}) override;
    void closeIdle() override;
    QString where() const override;

private:
    std::shared_ptr<Pool> m_pool;
};

} // namespace lockscope::sql
