// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/process_supervisor.h"
#include "sandbox/redis_question.h"
#include "sandbox/tls_authority.h"

namespace lockscope::sandbox {

struct RedisServerOptions {
    /// A login besides the default one. `rules` as in Redis' ACL: "~* &* +@all".
    struct User {
        QString name, password, rules;
    };
    QString password; ///< of the default user; empty: none
    std::vector<User> users;
    bool tls = false; ///< TLS and nothing else on the port
    bool wantClientCertificate = true;
    TlsAuthority authority; ///< with TLS: the certificates, for servers that know each other; empty: its own
    std::uint16_t port = 0; ///< 0: a free one
    QStringList extraLines; ///< of redis.conf
};

/// A client's login at a server: user name (empty: the default user) and password.
struct RedisLogin {
    QString user, password;
};

/// The URL of servers on the loopback: `kind` is "redis", "redis+cluster", … without the "s" for TLS, which an
/// authority adds. With the password: not to be shown.
QString redisUrl(const QString& kind, const std::vector<std::uint16_t>& ports, const RedisLogin& login = {},
                 const TlsAuthority& authority = {}, const QString& path = {});

/// A real redis-server (the Debian package of that name) of our own on the loopback, without persistence, in a private
/// directory.
class RedisServer {
public:
    explicit RedisServer(Runtime& runtime, RedisServerOptions options = {});
    ~RedisServer();

    /// Starts it, again on the same port after an end, and returns when it answers. The error says what the server
    /// said.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    /// False from the moment in which it is killed, though the kernel may need a while for it.
    bool running() const { return m_process.running() && !m_killed; }
    bool paused() const { return m_process.paused(); }
    /// Asks it to end, and returns when it has. Data are gone: there is no persistence.
    QCoro::Task<> stop(std::stop_token stop = {});
    void kill() {
        m_killed = m_process.running();
        m_process.kill();
    }
    void pause() { m_process.pause(); }
    void resume() { m_process.resume(); }
    /// Tells of its end: ProcessSupervisor::exited.
    ProcessSupervisor& process() { return m_process; }

    std::uint16_t port() const { return m_port; }
    /// Its URL with the default user's password and with TLS files: not to be shown.
    QString url() const;
    RedisDoor door() const;
    /// Its certificates; there once a server with TLS has started.
    const TlsAuthority& authority() const { return m_authority; }
    const Workspace& workspace() const { return m_workspace; }

private:
    QByteArray configuration() const;
    QCoro::Task<bool> answers(std::stop_token stop);
    QCoro::Task<std::expected<void, QString>> startOnPort(std::stop_token stop);
    QSslConfiguration probeTls() const;

    Runtime& m_runtime;
    RedisServerOptions m_options;
    Workspace m_workspace;
    TlsAuthority m_authority;
    std::uint16_t m_port = 0;
    ProcessSupervisor m_process;
    bool m_killed = false;
};

} // namespace lockscope::sandbox
