// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/process_supervisor.h"
#include "sandbox/tls_authority.h"

namespace lockscope::sandbox {

struct MemcachedServerOptions {
    std::uint16_t port = 0; ///< 0: a free one
    int megabytes = 16;     ///< for items; the fewest are thrown out when they are full
    /// "user:password" lines of the users who may log in; empty: everybody may, or with SASL nobody.
    QByteArray logins;
    bool tls = false; ///< TLS and nothing else
    bool wantClientCertificate = true;
    bool hangsUpOnText = false;    ///< by its arguments: how it shows then that it is there
    bool sasl = false;             ///< the binary protocol and SASL, and nothing else
    QByteArray saslWays = "plain"; ///< its mechanisms
    QStringList extra;             ///< arguments besides
};

/// A real memcached (Debian package memcached) of our own on the loopback.
class MemcachedServer {
public:
    explicit MemcachedServer(Runtime& runtime, MemcachedServerOptions options = {});

    /// Starts it, again on the same port after an end, and returns when it answers. The error says what the server
    /// said.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    bool running() const { return m_process.running(); }
    bool paused() const { return m_process.paused(); }
    /// Asks it to end, and returns when it has. All items are gone.
    QCoro::Task<> stop(std::stop_token stop = {});
    void kill() { m_process.kill(); }
    void pause() { m_process.pause(); }
    void resume() { m_process.resume(); }
    /// Tells of its end: ProcessSupervisor::exited.
    ProcessSupervisor& process() { return m_process; }

    std::uint16_t port() const { return m_port; }
    /// With its TLS files, without a login.
    QString url() const;
    const TlsAuthority& authority() const { return m_authority; }

private:
    QStringList arguments() const;
    QCoro::Task<std::expected<void, QString>> makeFiles(std::stop_token stop);
    QCoro::Task<std::expected<void, QString>> makeSaslFiles(std::stop_token stop);
    QCoro::Task<bool> answers(std::stop_token stop);
    Runtime& m_runtime;
    MemcachedServerOptions m_options;
    Workspace m_workspace;
    TlsAuthority m_authority;
    std::uint16_t m_port = 0;
    ProcessSupervisor m_process;
};

} // namespace lockscope::sandbox
