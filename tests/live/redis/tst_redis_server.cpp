// SPDX-License-Identifier: Apache-2.0
#include "live_redis.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <csignal>
#include <sys/types.h>
#include <unistd.h>

using namespace lockscope;
using namespace lockscope::test;
using sandbox::RedisServer;
using sandbox::RedisServerOptions;

namespace {

bool processLives(qint64 pid) {
    // A zombie of somebody else's is not alive either.
    QFile stat(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!stat.open(QIODevice::ReadOnly)) return false;
    const QByteArray text = stat.readAll();
    return !text.mid(text.lastIndexOf(')') + 2).startsWith('Z');
}

} // namespace

class TestRedisServer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void startsOnAPortOfItsOwnAndEndsWithItsObject() {
        qint64 pid = 0;
        QString folder;
        {
            RedisServer server(m_runtime), second(m_runtime);
            VERIFY_STARTED(server);
            VERIFY_STARTED(second);
            QVERIFY(server.port() != second.port());
            QVERIFY(server.port() < 32'768);
            pid = server.process().pid();
            folder = server.workspace().path();
            QVERIFY(processLives(pid));
            const auto others = QFile::ReadGroup | QFile::ReadOther | QFile::ExeGroup | QFile::ExeOther;
            QVERIFY(!(QFileInfo(folder).permissions() & others));
        }
        QVERIFY(!processLives(pid));
        QVERIFY(!QDir(folder).exists());
    }
    void restartsOnTheSamePort() {
        RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        const auto port = server.port();
        for (int i = 0; i < 3; ++i) {
            run(server.stop());
            QVERIFY(!server.running());
            VERIFY_STARTED(server);
            QCOMPARE(server.port(), port);
        }
    }
    void tellsWhetherItsEndWasWanted() {
        RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        std::vector<bool> expected;
        connect(&server.process(), &sandbox::ProcessSupervisor::exited, this, [&](bool e) { expected.push_back(e); });
        ::kill(pid_t(server.process().pid()), SIGKILL); // somebody else does it
        QTRY_COMPARE(expected, (std::vector<bool>{false}));
        VERIFY_STARTED(server);
        server.kill();
        QTRY_COMPARE(expected, (std::vector<bool>{false, true}));
    }
    void pausedServerStopsAndEnds() {
        RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        server.pause();
        QVERIFY(server.paused());
        run(server.stop()); // a stopped process would not see SIGTERM
        QVERIFY(!server.running());
        QVERIFY(!server.paused());
    }
    void saysWhyItDoesNotStart() {
        RedisServerOptions options;
        options.extraLines = {QStringLiteral("no-such-setting 1")};
        RedisServer server(m_runtime, options);
        const auto started = run(server.start());
        QVERIFY(!started);
        QVERIFY2(started.error().contains(QLatin1String("no-such-setting")), qPrintable(started.error()));
    }
    void portThatIsTaken() {
        RedisServer first(m_runtime);
        VERIFY_STARTED(first);
        RedisServerOptions options;
        options.port = first.port();
        RedisServer second(m_runtime, options);
        QVERIFY(!run(second.start()));
        QVERIFY(first.running());
    }
    void startCanBeCancelled() {
        RedisServer server(m_runtime);
        std::stop_source stop;
        auto starting = server.start(stop.get_token());
        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(starting))), std::optional(Cancelled::Why::Stopped));
    }
    void passwordIsNotOnTheCommandLine() {
        RedisServerOptions options;
        options.password = QStringLiteral("hunter2");
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        QFile commandLine(QStringLiteral("/proc/%1/cmdline").arg(server.process().pid()));
        QVERIFY(commandLine.open(QIODevice::ReadOnly));
        QVERIFY(!commandLine.readAll().contains("hunter2"));
    }
    void serverDiesWithAProgramThatCrashes() {
        // This program again, as a victim: it starts a server, says its process id, and is killed.
        QProcess victim;
        victim.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--victim")});
        QVERIFY(victim.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(victim.canReadLine(), 20'000);
        const QList<QByteArray> said = victim.readLine().trimmed().split(' ');
        const qint64 pid = said.value(0).toLongLong();
        const QString folder = QString::fromUtf8(said.value(1));
        QVERIFY(pid > 0);
        QVERIFY(processLives(pid));
        QVERIFY(QDir(folder).exists());
        victim.kill();
        QVERIFY(victim.waitForFinished());
        QTRY_VERIFY(!processLives(pid));
        // Nobody was left to remove its folder; the next one does, this or another program's.
        const sandbox::Workspace next;
        QTRY_VERIFY(!QDir(folder).exists());
    }

private:
    EventLoopRuntime m_runtime;
};

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    if (application.arguments().contains(QStringLiteral("--victim"))) {
        EventLoopRuntime runtime;
        RedisServer server(runtime);
        if (!start(server).isEmpty()) return 1;
        printf("%lld %s\n", static_cast<long long>(server.process().pid()), qPrintable(server.workspace().path()));
        fflush(stdout);
        return application.exec();
    }
    TestRedisServer test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_redis_server.moc"
