// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/process_supervisor.h"
#include "sandbox/workspace.h"

namespace lockscope::sandbox {

struct ZooKeeperServerOptions {
    std::chrono::milliseconds tick{200}; ///< sessions last 2 to 20 of these, unless told otherwise below
    std::chrono::milliseconds longestSession{60'000};
    bool extendedTypes = true; ///< nodes with TTL
    std::uint16_t port = 0;    ///< for clients; 0: a free one
    QStringList extraLines;    ///< of zoo.cfg
    QStringList javaOptions;   ///< before the class
};

/// A real ZooKeeper server (Debian packages libzookeeper-java and default-jre-headless) of our own on the loopback,
/// alone, without forced writes, in a private directory. Its data outlive a restart.
class ZooKeeperServer {
public:
    explicit ZooKeeperServer(Runtime& runtime, ZooKeeperServerOptions options = {});
    ~ZooKeeperServer();

    /// Starts it, again on the same port after an end or a start that was given up, and returns when it serves. The
    /// error says what the server said. Precondition: it does not serve.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    bool running() const { return m_process.running(); }
    bool paused() const { return m_process.paused(); }
    void kill() {
        m_killed = m_process.running();
        m_process.kill();
    }
    void pause() { m_process.pause(); }
    void resume() { m_process.resume(); }
    /// Returns when it has ended.
    QCoro::Task<> stop(std::stop_token stop = {});
    ProcessSupervisor& process() { return m_process; }

    std::uint16_t port() const { return m_port; }
    /// "zookeeper://127.0.0.1:PORT".
    QString url() const;
    const Workspace& workspace() const { return m_workspace; }
    /// Its answer to a four-letter word ("srvr", "dump", "wchp"); empty: none within `limit`.
    QCoro::Task<QByteArray> ask(QByteArray word, std::stop_token stop = {}, Nanos limit = 1s);

private:
    friend class ZooKeeperEnsemble;
    /// Starts the process without waiting for it to serve; `port` is set.
    std::expected<void, QString> launch();
    Runtime& m_runtime;
    ZooKeeperServerOptions m_options;
    Workspace m_workspace;
    std::uint16_t m_port = 0;
    QCoro::Task<> awaitEnd(std::stop_token stop);
    bool m_killed = false; ///< and maybe not gone yet
    int m_number = 0;      ///< of an ensemble, from 1; 0: alone
    ProcessSupervisor m_process;
};

/// Several of them as one ensemble.
class ZooKeeperEnsemble {
public:
    /// The port by which server `from` is to reach server `to`, such as a relay's; `port`: the server's own. Numbers
    /// from 0.
    using Via = std::function<std::uint16_t(int from, int to, std::uint16_t port)>;
    explicit ZooKeeperEnsemble(Runtime& runtime, int size = 3, const ZooKeeperServerOptions& options = {},
                               const Via& via = {});
    ~ZooKeeperEnsemble();

    /// Starts the servers that do not run, and returns when one leads and all others follow.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    int size() const { return int(m_servers.size()); }
    ZooKeeperServer& server(int index) { return *m_servers[std::size_t(index)]; }
    /// Which one leads, -1 = none now.
    QCoro::Task<int> leader(std::stop_token stop = {});
    /// All of them.
    QString url() const;

private:
    Runtime& m_runtime;
    std::vector<std::unique_ptr<ZooKeeperServer>> m_servers;
};

} // namespace lockscope::sandbox
