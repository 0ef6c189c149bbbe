// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/process_supervisor.h"
#include "sandbox/tls_authority.h"

#include <QNetworkAccessManager>

namespace lockscope::sandbox {

struct EtcdServerOptions {
    QString rootPassword; ///< logins are wanted, and "root" has this one; empty: none are
    int tokenSeconds = 0; ///< after so long without a request a login has to be made again; 0: the server's default
    bool tls = false;     ///< TLS and nothing else on the client port
    bool wantClientCertificate = true;
    std::uint16_t port = 0;     ///< of clients; 0: a free one
    std::uint16_t peerPort = 0; ///< 0: a free one
    QString name = QStringLiteral("m1");
    /// "m1=http://127.0.0.1:2380,…": all members, itself included. Empty: it is alone.
    QString cluster;
};

/// A real etcd of our own on the loopback, with its data in a private directory: it keeps them over stop() and kill(),
/// until this object goes.
class EtcdServer {
public:
    explicit EtcdServer(Runtime& runtime, EtcdServerOptions options = {});
    ~EtcdServer();

    /// Starts it, again on the same ports and data after an end, and returns when it serves requests. The error says
    /// what the server said.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    /// The two halves of start(), for members of a cluster: none serves before most have been launched.
    QCoro::Task<std::expected<void, QString>> launch(std::stop_token stop = {});
    QCoro::Task<std::expected<void, QString>> becomeReady(std::stop_token stop = {});
    bool running() const { return m_process.running(); }
    bool paused() const { return m_process.paused(); }
    /// Asks it to end, and returns when it has.
    QCoro::Task<> stop(std::stop_token stop = {});
    void kill() { m_process.kill(); }
    void pause() { m_process.pause(); }
    void resume() { m_process.resume(); }
    /// Tells of its end: ProcessSupervisor::exited.
    ProcessSupervisor& process() { return m_process; }

    std::uint16_t port() const { return m_options.port; }
    /// Its URL with root's login and with TLS files: not to be shown.
    QString url() const;
    /// "http://127.0.0.1:2379", as etcdctl's --endpoints wants it.
    QString endpoint() const;
    const TlsAuthority& authority() const { return m_authority; }

private:
    QStringList arguments() const;
    QCoro::Task<std::expected<void, QString>> makeCertificates(std::stop_token stop);
    QCoro::Task<std::expected<void, QString>> enableLogins(std::stop_token stop);
    /// The server's reply; nullopt when there is none.
    QCoro::Task<std::optional<QByteArray>> ask(QString path, QByteArray body, Nanos limit, std::stop_token stop);

    Runtime& m_runtime;
    EtcdServerOptions m_options;
    Workspace m_workspace;
    TlsAuthority m_authority;
    QString m_nodeCertificate, m_nodeKey;
    bool m_loginsEnabled = false;
    QNetworkAccessManager m_network;
    ProcessSupervisor m_process;
};

/// Several members of one cluster, all on the loopback.
class EtcdCluster {
public:
    /// `size` odd. Login and TLS are for single servers.
    explicit EtcdCluster(Runtime& runtime, int size = 3);
    /// Starts all, and returns when each serves requests.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    EtcdServer& member(int index) { return *m_members[std::size_t(index)]; }
    int size() const { return int(m_members.size()); }
    /// A URL that names all members, `first` first.
    QString url(int first = 0) const;

private:
    std::vector<std::unique_ptr<EtcdServer>> m_members;
};

} // namespace lockscope::sandbox
