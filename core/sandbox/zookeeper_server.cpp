// SPDX-License-Identifier: Apache-2.0
#include "sandbox/zookeeper_server.h"

#include "runtime/completion.h"

#include <QCoreApplication>
#include <QDir>
#include <QNetworkProxy>
#include <QTcpSocket>

namespace lockscope::sandbox {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

constexpr auto kStartLimit = 30s;
/// A server that is starting accepts connections that it never answers.
constexpr auto kProbeLimit = 200ms;
constexpr auto kBetweenProbes = 20ms;
constexpr int kPortTries = 5;
constexpr auto kJar = "/usr/share/java/zookeeper.jar"; // its manifest names the rest of the class path

} // namespace

ZooKeeperServer::ZooKeeperServer(Runtime& runtime, ZooKeeperServerOptions options)
    : m_runtime(runtime), m_options(std::move(options)), m_port(m_options.port) {
}

ZooKeeperServer::~ZooKeeperServer() = default;

QString ZooKeeperServer::url() const {
    return QStringLiteral("zookeeper://127.0.0.1:%1").arg(m_port);
}

std::expected<void, QString> ZooKeeperServer::launch() {
    if (!m_workspace.valid()) return std::unexpected(Text::tr("No private directory can be made for the server."));
    const auto ms = [](std::chrono::milliseconds time) { return QString::number(time.count()); };
    const QStringList lines = {QStringLiteral("tickTime=") + ms(m_options.tick),
                               QStringLiteral("initLimit=50"),
                               QStringLiteral("syncLimit=25"),
                               QStringLiteral("dataDir=") + m_workspace.file(QStringLiteral("data")),
                               QStringLiteral("clientPort=%1").arg(m_port),
                               QStringLiteral("clientPortAddress=127.0.0.1"),
                               QStringLiteral("maxSessionTimeout=") + ms(m_options.longestSession),
                               QStringLiteral("maxClientCnxns=0"),
                               QStringLiteral("admin.enableServer=false"),
                               QStringLiteral("4lw.commands.whitelist=*"),
                               QStringLiteral("preAllocSize=64"),
                               QStringLiteral("forceSync=no"),
                               QStringLiteral("skipACL=no")};
    const QByteArray file = (lines + m_options.extraLines).join(QLatin1Char('\n')).toUtf8() + '\n';
    if (!QDir().mkpath(m_workspace.file(QStringLiteral("data"))) ||
        !m_workspace.write(QStringLiteral("zoo.cfg"), file) ||
        (m_number && !m_workspace.write(QStringLiteral("data/myid"), QByteArray::number(m_number))))
        return std::unexpected(Text::tr("The directory %1 can not be written.").arg(m_workspace.path()));
    // A small machine that starts at once and is gone soon: no optimising compiler, no threads for the collector.
    QStringList arguments = {QStringLiteral("-Xmx128m"),
                             QStringLiteral("-XX:+UseSerialGC"),
                             QStringLiteral("-XX:TieredStopAtLevel=1"),
                             QStringLiteral("-XX:-UsePerfData"),
                             QStringLiteral("-Dzookeeper.forceSync=no"),
                             QStringLiteral("-Dzookeeper.extendedTypesEnabled=") +
                                 (m_options.extendedTypes ? QStringLiteral("true") : QStringLiteral("false"))};
    arguments += m_options.javaOptions;
    arguments += {QStringLiteral("-cp"), m_workspace.path() + u':' + QLatin1String(kJar),
                  QStringLiteral("org.apache.zookeeper.server.quorum.QuorumPeerMain"),
                  m_workspace.file(QStringLiteral("zoo.cfg"))};
    if (!m_process.start(QStringLiteral("java"), arguments, m_workspace.path()))
        return std::unexpected(
            Text::tr("java can not be run: %1. Are the packages default-jre-headless and libzookeeper-java installed?")
                .arg(m_process.lastOutput()));
    return {};
}

QCoro::Task<> ZooKeeperServer::awaitEnd(std::stop_token stop) {
    while (std::exchange(m_killed, m_process.running()) && m_process.running())
        co_await m_runtime.sleep(1ms, stop);
    m_killed = false;
}

QCoro::Task<std::expected<void, QString>> ZooKeeperServer::start(std::stop_token stop) {
    if (running()) kill(); // from a start that was given up
    QString said;
    const bool given = m_port != 0;
    const QByteArray ownData = "dataDir=" + m_workspace.file(QStringLiteral("data")).toUtf8();
    for (int tries = 0; tries < kPortTries; ++tries) {
        if (!given) m_port = freePort(m_runtime).value_or(0);
        if (m_port == 0) co_return std::unexpected(Text::tr("There is no free port on 127.0.0.1."));
        co_await awaitEnd(stop);
        const std::expected<void, QString> launched = launch();
        if (!launched) co_return std::unexpected(launched.error());
        const Nanos end = m_runtime.monotonic() + kStartLimit;
        while (m_process.running() && m_runtime.monotonic() < end) {
            // On a port that is taken somebody else answers, long before ours has found that out and ends.
            const QByteArray answer = co_await ask("conf", stop, kProbeLimit);
            if (answer.contains(ownData) && m_process.running()) co_return std::expected<void, QString>();
            co_await m_runtime.sleep(kBetweenProbes, stop);
        }
        said = m_process.lastOutput();
        kill();
        if (given) break;
    }
    co_return std::unexpected(
        Text::tr("ZooKeeper did not come up on port %1. It said: %2").arg(QString::number(m_port), said));
}

QCoro::Task<> ZooKeeperServer::stop(std::stop_token stop) {
    const Completion<bool> ended;
    const auto connection =
        QObject::connect(&m_process, &ProcessSupervisor::exited, &m_process, [ended] { ended.complete(true); });
    if (m_process.running()) {
        m_process.terminate();
        co_await ended.wait(m_runtime, kNever, std::move(stop));
    }
    QObject::disconnect(connection);
}

QCoro::Task<QByteArray> ZooKeeperServer::ask(QByteArray word, std::stop_token stop, Nanos limit) {
    const Completion<bool> over;
    QTcpSocket socket;
    socket.setProxy(QNetworkProxy::NoProxy);
    QObject::connect(&socket, &QTcpSocket::connected, &socket, [&socket, word] { socket.write(word); });
    QObject::connect(&socket, &QTcpSocket::errorOccurred, &socket, [over] { over.complete(true); }); // also at its end
    socket.connectToHost(QStringLiteral("127.0.0.1"), m_port);
    co_await over.wait(m_runtime, limit, std::move(stop));
    co_return socket.readAll();
}

ZooKeeperEnsemble::ZooKeeperEnsemble(Runtime& runtime, int size, const ZooKeeperServerOptions& options, const Via& via)
    : m_runtime(runtime) {
    std::vector<std::uint16_t> quorumPorts, electionPorts;
    for (int i = 0; i < size; ++i) {
        quorumPorts.push_back(freePort(runtime).value_or(0));
        electionPorts.push_back(freePort(runtime).value_or(0));
    }
    for (int i = 0; i < size; ++i) {
        ZooKeeperServerOptions own = options;
        own.port = freePort(runtime).value_or(0);
        for (int other = 0; other < size; ++other) {
            const auto at = std::size_t(other);
            const std::uint16_t port = via && other != i ? via(i, other, quorumPorts[at]) : quorumPorts[at];
            own.extraLines +=
                QStringLiteral("server.%1=127.0.0.1:%2:%3").arg(other + 1).arg(port).arg(electionPorts[at]);
        }
        // After an election without a majority they would ask each other ever more rarely, up to once a minute.
        own.javaOptions += {QStringLiteral("-Dzookeeper.fastleader.minNotificationInterval=100"),
                            QStringLiteral("-Dzookeeper.fastleader.maxNotificationInterval=400")};
        m_servers.push_back(std::make_unique<ZooKeeperServer>(runtime, std::move(own)));
        m_servers.back()->m_number = i + 1;
    }
}

ZooKeeperEnsemble::~ZooKeeperEnsemble() = default;

QCoro::Task<std::expected<void, QString>> ZooKeeperEnsemble::start(std::stop_token stop) {
    for (const auto& server : m_servers) {
        co_await server->awaitEnd(stop);
        if (server->running()) continue;
        const std::expected<void, QString> launched = server->launch();
        if (!launched) co_return std::unexpected(launched.error());
    }
    const Nanos end = m_runtime.monotonic() + kStartLimit;
    while (m_runtime.monotonic() < end) {
        int leading = 0, following = 0;
        for (const auto& server : m_servers) {
            const QByteArray answer = co_await server->ask("srvr", stop, kProbeLimit);
            leading += answer.contains("Mode: leader") ? 1 : 0;
            following += answer.contains("Mode: follower") ? 1 : 0;
        }
        if (leading == 1 && following == size() - 1) co_return std::expected<void, QString>();
        co_await m_runtime.sleep(kBetweenProbes, stop);
    }
    QString said;
    for (const auto& server : m_servers)
        said += server->process().lastOutput();
    co_return std::unexpected(Text::tr("The ZooKeeper ensemble did not come up. It said: %1").arg(said));
}

QCoro::Task<int> ZooKeeperEnsemble::leader(std::stop_token stop) {
    for (int i = 0; i < size(); ++i) {
        if (!server(i).running() || server(i).paused()) continue;
        const QByteArray answer = co_await server(i).ask("srvr", stop);
        if (answer.contains("Mode: leader")) co_return i;
    }
    co_return -1;
}

QString ZooKeeperEnsemble::url() const {
    QStringList all;
    for (const auto& server : m_servers)
        all += QStringLiteral("127.0.0.1:%1").arg(server->port());
    return QStringLiteral("zookeeper://") + all.join(u',');
}

} // namespace lockscope::sandbox
