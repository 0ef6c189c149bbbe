// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/process_supervisor.h"
#include "sandbox/workspace.h"

#include <QHostAddress>
#include <QProcess>
#include <QTcpSocket>

namespace lockscope::test {

/// Network namespaces, one for each server: they reach each other over one network and are reached from here over
/// another, so that a server can be cut off from the others, without anybody being told, and go on serving clients.
/// Needs the right to make namespaces, which root has, and the command `ip`.
class CutNetwork {
public:
    explicit CutNetwork(int servers) : m_servers(servers) {}
    ~CutNetwork() {
        for (int i = 0; i < m_servers; ++i)
            ip({QStringLiteral("netns"), QStringLiteral("del"), space(i)});
        ip({QStringLiteral("netns"), QStringLiteral("del"), hub()});
    }
    CutNetwork(const CutNetwork&) = delete;
    CutNetwork& operator=(const CutNetwork&) = delete;

    /// Makes the network. The error; empty when the network is there.
    QString make() {
        words({"netns", "add"}, {hub()});
        inSpace(hub(), {"link", "add", "name", "hub0", "type", "bridge"});
        inSpace(hub(), {"link", "set", "hub0", "up"});
        for (int i = 0; i < m_servers; ++i) {
            const QString port = QStringLiteral("port%1").arg(i), here = outside(i);
            words({"netns", "add"}, {space(i)});
            inSpace(space(i), {"link", "set", "lo", "up"});
            inSpace(space(i), {"link", "add", "name", "mem0", "type", "veth", "peer", "name"},
                    {port, QStringLiteral("netns"), hub()});
            inSpace(space(i), {"addr", "add"},
                    {among(i) + QStringLiteral("/24"), QStringLiteral("dev"), QStringLiteral("mem0")});
            inSpace(space(i), {"link", "set", "mem0", "up"});
            inSpace(hub(), {"link", "set"},
                    {port, QStringLiteral("master"), QStringLiteral("hub0"), QStringLiteral("up")});
            words({"link", "add", "name"},
                  {here, QStringLiteral("type"), QStringLiteral("veth"), QStringLiteral("peer"), QStringLiteral("name"),
                   QStringLiteral("cli0"), QStringLiteral("netns"), space(i)});
            words({"addr", "add"}, {QStringLiteral("198.18.%1.2/30").arg(i), QStringLiteral("dev"), here});
            words({"link", "set"}, {here, QStringLiteral("up")});
            inSpace(space(i), {"addr", "add"},
                    {forClients(i) + QStringLiteral("/30"), QStringLiteral("dev"), QStringLiteral("cli0")});
            inSpace(space(i), {"link", "set", "cli0", "up"});
        }
        return m_error;
    }
    /// Nothing passes between this server and the others any more; or again.
    void cut(int server) {
        inSpace(hub(), {"link", "set"}, {QStringLiteral("port%1").arg(server), QStringLiteral("nomaster")});
    }
    void heal(int server) {
        inSpace(hub(), {"link", "set"},
                {QStringLiteral("port%1").arg(server), QStringLiteral("master"), QStringLiteral("hub0")});
    }
    /// Where the others find a server, and where clients do.
    static QString among(int server) { return QStringLiteral("198.19.0.%1").arg(server + 1); }
    static QString forClients(int server) { return QStringLiteral("198.18.%1.1").arg(server); }
    static QString space(int server) {
        return QStringLiteral("lockscope-%1-%2").arg(QCoreApplication::applicationPid()).arg(server);
    }
    const QString& error() const { return m_error; }

private:
    static QString hub() { return QStringLiteral("lockscope-%1-hub").arg(QCoreApplication::applicationPid()); }
    static QString outside(int server) { // at most 15 characters
        return QStringLiteral("ls%1c%2").arg(QCoreApplication::applicationPid()).arg(server);
    }
    static QString ip(const QStringList& arguments) {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(QStringLiteral("ip"), arguments);
        const bool well =
            process.waitForFinished() && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
        if (well) return {};
        return QStringLiteral("ip %1: %2")
            .arg(arguments.join(u' '), QString::fromLocal8Bit(process.readAll()) + process.errorString());
    }
    void words(std::initializer_list<const char*> begin, const QStringList& rest = {}) {
        QStringList all;
        for (const char* word : begin)
            all += QLatin1String(word);
        const QString error = m_error.isEmpty() ? ip(all + rest) : QString();
        if (!error.isEmpty()) m_error = error;
    }
    void inSpace(const QString& name, std::initializer_list<const char*> begin, const QStringList& rest = {}) {
        QStringList all{QStringLiteral("-n"), name};
        for (const char* word : begin)
            all += QLatin1String(word);
        const QString error = m_error.isEmpty() ? ip(all + rest) : QString();
        if (!error.isEmpty()) m_error = error;
    }
    int m_servers;
    QString m_error;
};

/// A ZooKeeper server in one of those namespaces, with the usual tick of two seconds.
class CutServer {
public:
    static constexpr auto kTick = std::chrono::seconds(2);
    explicit CutServer(int number) : m_number(number) {}

    /// Starts the server. The error; empty when the process runs.
    QString start(int servers) {
        QStringList lines = {QStringLiteral("tickTime=%1").arg(std::chrono::milliseconds(kTick).count()),
                             QStringLiteral("initLimit=10"),
                             QStringLiteral("syncLimit=2"),
                             QStringLiteral("dataDir=") + m_workspace.file(QStringLiteral("data")),
                             QStringLiteral("clientPort=2181"),
                             QStringLiteral("clientPortAddress=") + CutNetwork::forClients(m_number),
                             QStringLiteral("admin.enableServer=false"),
                             QStringLiteral("4lw.commands.whitelist=*"),
                             QStringLiteral("preAllocSize=64"),
                             QStringLiteral("forceSync=no")};
        for (int other = 0; other < servers; ++other)
            lines += QStringLiteral("server.%1=%2:2888:3888").arg(other + 1).arg(CutNetwork::among(other));
        const bool written = QDir().mkpath(m_workspace.file(QStringLiteral("data"))) &&
                             m_workspace.write(QStringLiteral("zoo.cfg"), lines.join(u'\n').toUtf8() + '\n') &&
                             m_workspace.write(QStringLiteral("data/myid"), QByteArray::number(m_number + 1));
        if (!written) return QStringLiteral("%1 can not be written").arg(m_workspace.path());
        const QStringList java = {QStringLiteral("-Xmx128m"),
                                  QStringLiteral("-XX:+UseSerialGC"),
                                  QStringLiteral("-XX:TieredStopAtLevel=1"),
                                  QStringLiteral("-XX:-UsePerfData"),
                                  QStringLiteral("-Dzookeeper.forceSync=no"),
                                  QStringLiteral("-Dzookeeper.fastleader.minNotificationInterval=100"),
                                  QStringLiteral("-Dzookeeper.fastleader.maxNotificationInterval=400"),
                                  QStringLiteral("-cp"),
                                  m_workspace.path() + QStringLiteral(":/usr/share/java/zookeeper.jar"),
                                  QStringLiteral("org.apache.zookeeper.server.quorum.QuorumPeerMain"),
                                  m_workspace.file(QStringLiteral("zoo.cfg"))};
        const QStringList inside = {QStringLiteral("netns"), QStringLiteral("exec"), CutNetwork::space(m_number),
                                    QStringLiteral("java")};
        return m_process.start(QStringLiteral("ip"), inside + java, m_workspace.path()) ? QString()
                                                                                        : m_process.lastOutput();
    }
    /// "leader", "follower"; empty: it does not serve.
    QByteArray mode() const {
        QTcpSocket socket;
        socket.connectToHost(CutNetwork::forClients(m_number), 2181);
        if (!socket.waitForConnected(200)) return {};
        socket.write("srvr");
        QByteArray answer;
        while (socket.waitForReadyRead(200))
            answer += socket.readAll();
        const qsizetype at = answer.indexOf("Mode: ");
        return at < 0 ? QByteArray() : answer.mid(at + 6).split('\n').front().trimmed();
    }
    QString lastOutput() const { return m_process.lastOutput(); }

private:
    int m_number;
    sandbox::Workspace m_workspace;
    sandbox::ProcessSupervisor m_process;
};

} // namespace lockscope::test
