// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/process_supervisor.h"
#include "sandbox/tls_authority.h"

namespace lockscope::sandbox {

struct SqlServerOptions {
    QString user = QStringLiteral("lockscope"); ///< letters; may do everything on the server
    QString password = QStringLiteral("locks"); ///< no quotes, no backslashes
    bool tls = false;                           ///< offered by the server; url() asks for it then
    QStringList extraArguments;                 ///< of the server's command line
};

/// A real database server of our own on the loopback, in a private directory that outlives stop() and kill(): started
/// again, it has its data. Nothing is written through to a disk.
class SqlServer {
public:
    virtual ~SqlServer();
    SqlServer(const SqlServer&) = delete;
    SqlServer& operator=(const SqlServer&) = delete;

    /// Starts it, again on the same port after an end, and returns when it takes connections. The error says what the
    /// server said. Throws Cancelled.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    /// Asks it to end, and returns when it has.
    QCoro::Task<> stop(std::stop_token stop = {});
    bool running() const { return m_process.running(); }
    bool paused() const { return m_process.paused(); }
    virtual void kill() { m_process.kill(); }
    virtual void pause() { m_process.pause(); }
    virtual void resume() { m_process.resume(); }

    std::uint16_t port() const { return m_port; }
    /// Its URL with user and password, and with TLS if it has it: not to be shown.
    QString url() const;
    const SqlServerOptions& options() const { return m_options; }
    /// Its certificates; there once a server with TLS has started.
    const TlsAuthority& authority() const { return m_authority; }
    const Workspace& workspace() const { return m_workspace; }
    virtual QString database() const = 0;

protected:
    SqlServer(Runtime& runtime, SqlServerOptions options);
    /// Makes the data directory and whatever the server reads; once.
    virtual QCoro::Task<std::expected<void, QString>> makeData(std::stop_token stop) = 0;
    /// Starts m_process on m_port; false with its lastOutput().
    virtual bool run() = 0;
    virtual void askToEnd() = 0;
    /// The text that it prints when it accepts connections.
    virtual QLatin1String readySign() const = 0;
    virtual QString scheme() const = 0;
    /// Debian's, that the server is in.
    virtual QString package() const = 0;

    Runtime& m_runtime;
    SqlServerOptions m_options;
    Workspace m_workspace;
    TlsAuthority m_authority;
    std::uint16_t m_port = 0;
    ProcessSupervisor m_process;

private:
    QCoro::Task<std::expected<void, QString>> startOnPort(std::stop_token stop);
    bool m_made = false;
};

} // namespace lockscope::sandbox
