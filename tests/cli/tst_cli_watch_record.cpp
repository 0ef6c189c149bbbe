// SPDX-License-Identifier: GPL-3.0-or-later
// `watch --record` keeps the last stretch of a watch, within bounds, in files that can be opened.
#include "program.h"
#include "sandbox/redis_server.h"

#include "runtime/event_loop_runtime.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <qcoro/qcorotask.h>

using namespace lockscope;
using namespace lockscope::tests;

namespace {
const QString kOwner = QStringLiteral("285475da-9152-4c83-822a-67ee2f116a79"); ///< as Redisson names a client
} // namespace

class tst_cli_watch_record : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;
    QTemporaryDir m_folder;

    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    void redis(const QStringList& words) const {
        const QStringList port{QStringLiteral("-p"), QString::number(m_server->port())};
        QCOMPARE(QProcess::execute(QStringLiteral("redis-cli"), port + words), 0);
    }
    /// Ends the watch when it has told that.
    static void endWhenTold(QProcess& watch, const char* word) {
        QByteArray told;
        const auto tells = [&] {
            told += watch.readAllStandardOutput();
            return told.contains(word);
        };
        QTRY_VERIFY_WITH_TIMEOUT(tells(), 60'000);
        watch.terminate();
        QVERIFY(watch.waitForFinished(20'000));
    }

private Q_SLOTS:
    void initTestCase() {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        const auto started = QCoro::waitFor(m_server->start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        redis({QStringLiteral("hset"), QStringLiteral("orders"), kOwner + QStringLiteral(":1"), QStringLiteral("1")});
        redis({QStringLiteral("pexpire"), QStringLiteral("orders"), QStringLiteral("600000")});
    }

    /// The first file takes the second one's place again and again; both tell of the lock, each by itself.
    void theLastStretchIsKept() {
        const QString now = path("night.lockscope"), before = path("night.before.lockscope");
        QProcess watch;
        watch.start(kProgram,
                    {QStringLiteral("watch"), m_server->url(), QStringLiteral("--interval"), QStringLiteral("100ms"),
                     QStringLiteral("--record"), now, QStringLiteral("--keep"), QStringLiteral("2s")});
        QVERIFY(watch.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(now), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(before), 20'000);
        const QDateTime first = QFileInfo(before).birthTime();
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(before).birthTime() != first, 20'000); // turned once more
        redis({QStringLiteral("del"), QStringLiteral("orders")});
        endWhenTold(watch, "released");
        if (QTest::currentTestFailed()) return;

        for (const QString& file : {now, before}) {
            const Ran csv = program(
                {QStringLiteral("export"), file, QStringLiteral("--to"), QStringLiteral("csv"), QStringLiteral("-")});
            QVERIFY2(csv.status == 0, csv.told());
            QVERIFY2(csv.out.contains("record-held," + kOwner.toUtf8() + " · 1,orders"), csv.told());
            const double until =
                program({QStringLiteral("check"), file, QStringLiteral("--json")}).object()[u"until_ms"].toDouble();
            QVERIFY2(until > 0 && until < 10'000, qPrintable(QString::number(until)));
        }
        QVERIFY(
            program({QStringLiteral("export"), now, QStringLiteral("--to"), QStringLiteral("csv"), QStringLiteral("-")})
                .out.contains("record-freed"));
    }

    /// Many locks that change hands fill the files again and again: together they stay as small as they were told to
    /// be.
    void theFilesStaySmall() {
        constexpr std::int64_t kMost = 1'000'000;
        constexpr int kLocks = 1000;
        const QString now = path("busy.lockscope"), before = path("busy.before.lockscope");
        QProcess watch;
        watch.start(kProgram,
                    {QStringLiteral("watch"), m_server->url(), QStringLiteral("--interval"), QStringLiteral("100ms"),
                     QStringLiteral("--record"), now, QStringLiteral("--max-bytes"), QStringLiteral("1M")});
        QVERIFY(watch.waitForStarted());
        const QString handOn = QStringLiteral("for i = 1, %1 do redis.call('set', 'lock:' .. i, "
                                              "redis.sha1hex(ARGV[1] .. i), 'px', 600000) end")
                                   .arg(kLocks);
        int round = 0, turned = 0;
        QDateTime last;
        const auto turn = [&] {
            redis({QStringLiteral("eval"), handOn, QStringLiteral("0"), QString::number(++round)});
            watch.readAllStandardOutput();
            const QDateTime born = QFileInfo(before).exists() ? QFileInfo(before).birthTime() : QDateTime();
            if (born != last) ++turned;
            last = born;
            return turned >= 3;
        };
        QTRY_VERIFY_WITH_TIMEOUT(turn(), 90'000);
        redis({QStringLiteral("set"), QStringLiteral("lock:1"), QStringLiteral("the last holder"), QStringLiteral("px"),
               QStringLiteral("600000")});
        endWhenTold(watch, "the last holder");
        if (QTest::currentTestFailed()) return;
        const qint64 size = QFileInfo(now).size() + QFileInfo(before).size();
        QVERIFY2(size > kMost / 4, qPrintable(QString::number(size)));
        // The reports that came while a file was full are in it, too: each of them is a tenth of it, and a busy machine
        // lets more than one come.
        QVERIFY2(size < kMost + kMost / 2, qPrintable(QString::number(size)));
        for (const QString& file : {now, before}) {
            const Ran csv = program(
                {QStringLiteral("export"), file, QStringLiteral("--to"), QStringLiteral("csv"), QStringLiteral("-")});
            QVERIFY2(csv.status == 0, csv.err.constData());
            // Each begins with all that was held then.
            QVERIFY(csv.out.count("record-held,") >= kLocks);
            QCOMPARE(csv.out.contains("the last holder"), file == now);
        }
        QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral("busy*")}, QDir::Files).size(), 2);
        redis({QStringLiteral("eval"), QStringLiteral("for i = 1, 1000 do redis.call('del', 'lock:' .. i) end"),
               QStringLiteral("0")});
    }

    /// As when a service is started again: what the one before had seen is not gone.
    void theWatchBeforeIsKept() {
        const QString now = path("again.lockscope"), before = path("again.before.lockscope");
        for (const char* name : {"lock:first", "lock:second"}) {
            redis({QStringLiteral("set"), QLatin1String(name), QStringLiteral("somebody"), QStringLiteral("px"),
                   QStringLiteral("600000")});
            QProcess watch;
            watch.start(kProgram, {QStringLiteral("watch"), m_server->url(), QStringLiteral("--record"), now});
            QVERIFY(watch.waitForStarted());
            endWhenTold(watch, name);
            if (QTest::currentTestFailed()) return;
            redis({QStringLiteral("del"), QLatin1String(name)});
        }
        for (const bool second : {false, true}) {
            const Ran csv = program({QStringLiteral("export"), second ? now : before, QStringLiteral("--to"),
                                     QStringLiteral("csv"), QStringLiteral("-")});
            QVERIFY2(csv.status == 0, csv.told());
            QCOMPARE(csv.out.contains("lock:first"), !second);
            QCOMPARE(csv.out.contains("lock:second"), second);
        }
    }

    void locksOfEqualNamesAreToldByTheirServers() {
        sandbox::RedisServer other(m_runtime);
        const auto started = QCoro::waitFor(other.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        const auto take = [](const sandbox::RedisServer& server) {
            return QProcess::execute(QStringLiteral("redis-cli"),
                                     {QStringLiteral("-p"), QString::number(server.port()), QStringLiteral("hset"),
                                      QStringLiteral("jobs"), kOwner + QStringLiteral(":1"), QStringLiteral("1")});
        };
        QCOMPARE(take(*m_server), 0);
        QCOMPARE(take(other), 0);
        const QString file = path("two.lockscope");
        QProcess watch;
        watch.start(kProgram, {QStringLiteral("watch"), m_server->url(), other.url(), QStringLiteral("--record"), file,
                               QStringLiteral("--ignore"), QStringLiteral("orders")});
        QByteArray told;
        const auto seen = [&] {
            told += watch.readAllStandardOutput();
            return told.count("jobs") >= 2;
        };
        QTRY_VERIFY2_WITH_TIMEOUT(seen(), told.constData(), 60'000);
        watch.terminate();
        QVERIFY(watch.waitForFinished(20'000));
        const double until =
            program({QStringLiteral("check"), file, QStringLiteral("--json")}).object()[u"until_ms"].toDouble();
        const Ran diff = program({QStringLiteral("diff"), file, QStringLiteral("--from"), QStringLiteral("0s"),
                                  QStringLiteral("--to"), QString::number(qint64(until)) + QStringLiteral("ms")});
        for (const sandbox::RedisServer* const server : {m_server.get(), &other})
            QVERIFY2(diff.out.contains(":" + QByteArray::number(server->port()) + ": “jobs”"), diff.told());
    }

    void boundsNeedARecording() {
        const Ran keep =
            program({QStringLiteral("watch"), m_server->url(), QStringLiteral("--keep"), QStringLiteral("1h")});
        QVERIFY2(keep.status == 2 && keep.err.contains("needs --record"), keep.told());
        const Ran size = program({QStringLiteral("watch"), m_server->url(), QStringLiteral("--record"),
                                  path("x.lockscope"), QStringLiteral("--max-bytes"), QStringLiteral("many")});
        QVERIFY2(size.status == 2 && size.err.contains("no size such as 200M"), size.told());
        const Ran once = program({QStringLiteral("watch"), m_server->url(), QStringLiteral("--once"),
                                  QStringLiteral("--record"), path("x.lockscope")});
        QVERIFY2(once.status == 2 && once.err.contains("leave --once out"), once.told());
        QVERIFY(!QFileInfo::exists(path("x.lockscope")));
    }
};

QTEST_GUILESS_MAIN(tst_cli_watch_record)
#include "tst_cli_watch_record.moc"
