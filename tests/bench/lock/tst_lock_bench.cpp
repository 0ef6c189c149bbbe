// SPDX-License-Identifier: Apache-2.0
#include "runtime/event_loop_runtime.h"
#include "sandbox/memcached_server.h"
#include "sandbox/redis_masters.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;

namespace {

struct Outcome {
    int status = -1;
    QByteArray out, err;
};

Outcome runBench(const QStringList& arguments) {
    QProcess process;
    process.start(QStringLiteral(LOCKSCOPE_BIN_DIR "/lock_bench"), arguments);
    Outcome outcome;
    if (!process.waitForFinished(60'000)) return outcome;
    outcome.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    outcome.out = process.readAllStandardOutput();
    outcome.err = process.readAllStandardError();
    return outcome;
}

} // namespace

/// The numbers that lock_bench prints must fit together: comparisons of speed rely on them.
class TestLockBench : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        m_runtime.spawn([this]() -> QCoro::Task<> {
            auto started = co_await m_server.start();
            if (started) started = co_await m_memcached.start();
            if (started) started = co_await m_masters.start();
            m_error = started ? QString() : started.error();
        });
        QTRY_VERIFY_WITH_TIMEOUT(m_error.has_value(), 20'000);
        QVERIFY2(m_error->isEmpty(), qPrintable(*m_error));
    }

    void figuresFitTogether_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<QByteArray>("workload");
        QTest::addColumn<int>("clients");
        QTest::addColumn<bool>("oneLock");
        QTest::newRow("seq") << QByteArray("redis-set") << QByteArray("seq") << 1 << false;
        QTest::newRow("conc4") << QByteArray("redis-reentrant") << QByteArray("conc4") << 4 << false;
        QTest::newRow("conc32") << QByteArray("redis-set") << QByteArray("conc32") << 32 << false;
        QTest::newRow("handoff3") << QByteArray("redis-reentrant") << QByteArray("handoff3") << 3 << true;
        QTest::newRow("turn3") << QByteArray("redis-reentrant") << QByteArray("turn3") << 3 << true;
        QTest::newRow("permits") << QByteArray("redis-semaphore") << QByteArray("handoff3") << 3 << true;
        QTest::newRow("wake1") << QByteArray("redis-reentrant") << QByteArray("wake1") << 2 << true;
    }
    void figuresFitTogether() {
        QFETCH(QByteArray, recipe);
        QFETCH(QByteArray, workload);
        QFETCH(int, clients);
        QFETCH(bool, oneLock);
        const Outcome run =
            runBench({QStringLiteral("--url"), m_server.url(), QStringLiteral("--recipe"), QString::fromUtf8(recipe),
                      QStringLiteral("--workload"), QString::fromUtf8(workload), QStringLiteral("--seconds"),
                      QStringLiteral("0.5"), QStringLiteral("--events"), QStringLiteral("--json")});
        QVERIFY2(run.status == 0, run.err.constData());
        QCOMPARE(run.out.count('\n'), 1);
        const QJsonObject object = QJsonDocument::fromJson(run.out).object();
        QCOMPARE(object[QStringLiteral("recipe")].toString().toUtf8(), recipe);
        QCOMPARE(object[QStringLiteral("workload")].toString().toUtf8(), workload);
        QCOMPARE(object[QStringLiteral("clients")].toInt(), clients);
        const double pairs = object[QStringLiteral("pairs")].toDouble();
        const double seconds = object[QStringLiteral("secs")].toDouble();
        const double perSecond = object[QStringLiteral("per_s")].toDouble();
        const double raw = object[QStringLiteral("raw_per_s")].toDouble();
        QVERIFY(pairs >= 1);
        QVERIFY(qAbs(pairs - perSecond * seconds) <= pairs / 100);
        QVERIFY(raw > 0);
        QVERIFY(qAbs(object[QStringLiteral("ratio")].toDouble() - perSecond / raw) < 0.01);
        const double half = object[QStringLiteral("p50_us")].toDouble();
        const double most = object[QStringLiteral("p99_us")].toDouble();
        QVERIFY(half > 0 && half <= most && most <= object[QStringLiteral("max_us")].toDouble());

        const QJsonArray events = object[QStringLiteral("events")].toArray();
        QVERIFY(events.size() >= qsizetype(pairs) && events.size() <= qsizetype(pairs) + clients * 10);
        std::vector<std::pair<double, double>> held; // from granted to the request to release
        std::map<int, int> byClient;
        for (const auto& value : events) {
            const QJsonArray one = value.toArray();
            QCOMPARE(one.size(), 5);
            for (int i = 1; i < 4; ++i)
                QVERIFY(one[i].toDouble() <= one[i + 1].toDouble());
            held.emplace_back(one[2].toDouble(), one[3].toDouble());
            ++byClient[one[0].toInt()];
        }
        QCOMPARE(int(byClient.size()), clients);
        if (!oneLock) return;
        std::sort(held.begin(), held.end());
        for (std::size_t i = 1; i < held.size(); ++i)
            QVERIFY(held[i - 1].second <= held[i].first); // nobody has it while another has
    }

    void everyWorkloadHasItsLimit_data() {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<bool>("polls");
        const QString file = QStringLiteral("sqlite://%1/locks.db").arg(m_folder.path());
        QTest::newRow("memcached-lease") << m_memcached.url() << QStringLiteral("memcached-lease") << true;
        QTest::newRow("redis-redlock") << m_masters.url() << QStringLiteral("redis-redlock") << true;
        QTest::newRow("sql-row") << file << QStringLiteral("sql-row") << true;
        QTest::newRow("sql-version") << file << QStringLiteral("sql-version") << false;
    }
    void everyWorkloadHasItsLimit() {
        QFETCH(QString, url);
        QFETCH(QString, recipe);
        QFETCH(bool, polls);
        for (const QString& workload : {QStringLiteral("seq"), QStringLiteral("handoff2"), QStringLiteral("turn2")}) {
            const Outcome run = runBench({QStringLiteral("--url"), url, QStringLiteral("--recipe"), recipe,
                                          QStringLiteral("--workload"), workload, QStringLiteral("--seconds"),
                                          QStringLiteral("0.3"), QStringLiteral("--json")});
            QVERIFY2(run.status == 0, run.err.constData());
            const QJsonObject object = QJsonDocument::fromJson(run.out).object();
            QVERIFY2(object[QStringLiteral("pairs")].toDouble() > 0, qPrintable(workload));
            const QJsonValue raw = object[QStringLiteral("raw_per_s")], ratio = object[QStringLiteral("ratio")];
            if (polls && workload != QStringLiteral("seq")) // how long waiters rest is no limit
                QVERIFY2(raw.isNull() && ratio.isNull(), qPrintable(workload));
            else
                QVERIFY2(raw.toDouble() > 0 && ratio.toDouble() > 0, qPrintable(workload));
        }
    }
    void nobodyWaitsWhereNobodyIsKeptOut() {
        const Outcome run = runBench({QStringLiteral("--url"), QStringLiteral("sqlite://%1/w.db").arg(m_folder.path()),
                                      QStringLiteral("--recipe"), QStringLiteral("sql-version"),
                                      QStringLiteral("--workload"), QStringLiteral("wake1")});
        QCOMPARE(run.status, 3);
        QVERIFY(run.err.contains("wake1"));
    }

    void theLimitOfMemcachedHasAsManyConnectionsAsWe_data() {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("workload");
        QTest::addColumn<int>("most"); ///< connections, by whoever measures
        for (const char* recipe : {"memcached-lease", "memcached-add"}) {
            const QString id = QString::fromLatin1(recipe);
            QTest::addRow("%s seq", recipe) << id << QStringLiteral("seq") << 8;
            QTest::addRow("%s conc40", recipe) << id << QStringLiteral("conc40") << 8;
        }
    }
    void theLimitOfMemcachedHasAsManyConnectionsAsWe() {
        QFETCH(QString, recipe);
        QFETCH(QString, workload);
        QFETCH(int, most);
        const int before = connectionsSoFar();
        const Outcome run = runBench({QStringLiteral("--url"), m_memcached.url(), QStringLiteral("--recipe"), recipe,
                                      QStringLiteral("--workload"), workload, QStringLiteral("--seconds"),
                                      QStringLiteral("0.1"), QStringLiteral("--json")});
        QVERIFY2(run.status == 0, run.err.constData());
        const QJsonObject object = QJsonDocument::fromJson(run.out).object();
        const double ours = object[QStringLiteral("per_s")].toDouble();
        const double raw = object[QStringLiteral("raw_per_s")].toDouble();
        QVERIFY(ours > 0 && raw > 0);
        QVERIFY(qAbs(object[QStringLiteral("ratio")].toDouble() - ours / raw) < 0.01);
        const int made = connectionsSoFar() - before;
        QVERIFY2(made >= 2 && made <= most, qPrintable(QString::number(made)));
    }

    void heldLocksAreRenewed() {
        const Outcome run =
            runBench({QStringLiteral("--url"), m_server.url(), QStringLiteral("--recipe"), QStringLiteral("redis-set"),
                      QStringLiteral("--workload"), QStringLiteral("held50"), QStringLiteral("--seconds"),
                      QStringLiteral("0.2"), QStringLiteral("--json")});
        QVERIFY2(run.status == 0, run.err.constData());
        const QJsonObject object = QJsonDocument::fromJson(run.out).object();
        QCOMPARE(object[QStringLiteral("lost")].toInt(-1), 0);
        QVERIFY(object.contains(QStringLiteral("cpu_percent")) && object.contains(QStringLiteral("latest_ms")));
    }

    void aTableForPeople() {
        const Outcome run = runBench({QStringLiteral("--url"), m_server.url(), QStringLiteral("--workload"),
                                      QStringLiteral("seq"), QStringLiteral("--seconds"), QStringLiteral("0.1")});
        QVERIFY2(run.status == 0, run.err.constData());
        QVERIFY(run.out.contains("redis-reentrant") && run.out.contains("seq") && !run.out.contains('{'));
    }

    void badUsage_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("option") << QStringList{QStringLiteral("--wat")};
        QTest::newRow("workload") << QStringList{QStringLiteral("--workload"), QStringLiteral("concX")};
        QTest::newRow("recipe") << QStringList{QStringLiteral("--recipe"), QStringLiteral("no-such")};
        QTest::newRow("url") << QStringList{QStringLiteral("--url"), QStringLiteral("gopher://x")};
        QTest::newRow("seconds") << QStringList{QStringLiteral("--seconds"), QStringLiteral("-1")};
        QTest::newRow("value") << QStringList{QStringLiteral("--url")};
    }
    void badUsage() {
        QFETCH(QStringList, arguments);
        const Outcome run = runBench(arguments);
        QCOMPARE(run.status, 2);
        QVERIFY(run.out.isEmpty() && run.err.startsWith("lock_bench: ") && run.err.count('\n') == 1);
    }

    void noServerThere() {
        const auto port = sandbox::freePort(m_runtime);
        QVERIFY(port.has_value());
        const Outcome run = runBench({QStringLiteral("--url"), QStringLiteral("redis://127.0.0.1:%1").arg(*port),
                                      QStringLiteral("--workload"), QStringLiteral("seq")});
        QCOMPARE(run.status, 3);
        QVERIFY(run.err.contains(QByteArray::number(*port)));
    }

private:
    /// That memcached has ever had.
    int connectionsSoFar() const {
        QTcpSocket socket;
        socket.connectToHost(QStringLiteral("127.0.0.1"), m_memcached.port());
        socket.write("stats\r\n");
        QByteArray said;
        while (!said.endsWith("END\r\n") && socket.waitForReadyRead(5000))
            said += socket.readAll();
        const QByteArray name = "total_connections ";
        const qsizetype at = said.indexOf(name) + name.size();
        return said.mid(at, said.indexOf('\r', at) - at).toInt();
    }
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
    sandbox::MemcachedServer m_memcached{m_runtime};
    sandbox::RedisMasters m_masters{m_runtime, 3};
    QTemporaryDir m_folder;
    std::optional<QString> m_error; ///< of the server's start, once it is known
};

QTEST_GUILESS_MAIN(TestLockBench)
#include "tst_lock_bench.moc"
