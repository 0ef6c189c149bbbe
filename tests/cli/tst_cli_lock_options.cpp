// SPDX-License-Identifier: GPL-3.0-or-later
#include "lock_place.h"

#include <QElapsedTimer>

using namespace lockscope;
using namespace lockscope::tests;

/// The options of `lockscope lock`.
class tst_cli_lock_options : public QObject, LockPlace {
    Q_OBJECT
    /// lock [options] URL orders -- sh -c SCRIPT, in the test's folder.
    QStringList words(const QStringList& options, const QString& script) const {
        return QStringList{QStringLiteral("lock")} + options +
               QStringList{m_server->url(),      QStringLiteral("orders"),
                           QStringLiteral("--"), QStringLiteral("sh"),
                           QStringLiteral("-c"), QStringLiteral("cd '%1'; ").arg(m_folder->path()) + script};
    }
    Ran run(const QStringList& options, const char* script) const {
        return program(words(options, QString::fromUtf8(script)));
    }

private Q_SLOTS:
    void initTestCase() { startServer(); }
    void init() {
        newFolder();
        redis({QStringLiteral("FLUSHALL")});
    }
    void cleanupTestCase() { m_server.reset(); }

    void withoutATokenNothingStays() {
        const Ran ran = run({QStringLiteral("--no-token")}, "echo [$LOCKSCOPE_TOKEN]");
        QVERIFY2(ran.status == 0 && ran.out == "[]\n", ran.told());
        QCOMPARE(redis({QStringLiteral("DBSIZE")}), QByteArray("0"));
        QVERIFY(run({}, "test \"$LOCKSCOPE_TOKEN\"").status == 0);
        QCOMPARE(redis({QStringLiteral("DBSIZE")}), QByteArray("1")); // the counter
    }

    void aBareNumberIsOneOfSeconds_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("leastMs");
        QTest::newRow("0") << QStringLiteral("0") << 0;
        QTest::newRow("1") << QStringLiteral("1") << 1000;
        QTest::newRow("0.5") << QStringLiteral("0.5") << 500;
    }
    void aBareNumberIsOneOfSeconds() {
        QFETCH(QString, text);
        QFETCH(int, leastMs);
        QProcess holder;
        holder.start(kProgram, words({}, QStringLiteral("touch in; until [ -e go ]; do sleep 0.02; done")));
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
        QElapsedTimer timer;
        timer.start();
        const Ran waited = run({QStringLiteral("--wait"), text}, "true");
        QVERIFY2(waited.status == 124, waited.told());
        QVERIFY(timer.elapsed() >= leastMs);
        put("go", {});
        QVERIFY(QTest::qWaitFor([&] { return holder.state() == QProcess::NotRunning; }, 30'000));
        for (const char* wrong : {"-1", "5x", "1e3", "."})
            QCOMPARE(run({QStringLiteral("--wait=") + QLatin1String(wrong)}, "true").status, 125);
    }

    /// A recipe that does not exist is answered by those that these servers have.
    void recipesAreThoseOfTheServers() {
        const Ran redis = run({QStringLiteral("--recipe"), QStringLiteral("nope")}, "true");
        QVERIFY2(redis.status == 125 && redis.err.contains("known are redis-") && !redis.err.contains("zk-mutex") &&
                     !redis.err.contains("redis-redlock"),
                 redis.told());
        for (const char* wrong : {"nope", "zk-mutex"}) {
            const Ran file = program({QStringLiteral("lock"), QStringLiteral("--recipe"), QLatin1String(wrong),
                                      QStringLiteral("sqlite://") + path("locks.db"), QStringLiteral("orders"),
                                      QStringLiteral("--"), QStringLiteral("true")});
            QVERIFY2(file.status == 125 && file.err.contains("known are sql-row, sql-lease, sql-version\n"),
                     file.told());
        }
        // Each way to call it is a line that can be told from others.
        for (const QByteArray& line : redis.err.trimmed().split('\n'))
            QVERIFY2(line.startsWith("lockscope: "), redis.told());
    }

    void aRedisIsNoSentinel() {
        const QString url = QStringLiteral("redis+sentinel://127.0.0.1:%1/mymaster").arg(m_server->port());
        const Ran ran = program({QStringLiteral("lock"), QStringLiteral("--wait"), QStringLiteral("5s"), url,
                                 QStringLiteral("orders"), QStringLiteral("--"), QStringLiteral("true")});
        QVERIFY2(ran.status == 125 && ran.err.contains("is a Redis server and no Sentinel"), ran.told());
        QVERIFY2(!ran.err.contains("unknown command"), ran.told());
    }

    void anUnsafeRecipeIsWarnedOf() {
        const Ran ran = run({QStringLiteral("--recipe"), QStringLiteral("redis-setnx")}, "echo in");
        QVERIFY2(ran.status == 0 && ran.out == "in\n" && ran.err.contains("unsafe"), ran.told());
    }
};

QTEST_GUILESS_MAIN(tst_cli_lock_options)
#include "tst_cli_lock_options.moc"
