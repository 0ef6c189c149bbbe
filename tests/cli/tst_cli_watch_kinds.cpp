// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include "runtime/event_loop_runtime.h"
#include "sandbox/etcd_server.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/memcached_server.h"
#include "sandbox/postgres_server.h"
#include "sandbox/zookeeper_server.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <csignal>
#include <qcoro/qcorotask.h>

using namespace lockscope;
using namespace lockscope::tests;

/// `lockscope watch` on every kind of server but Redis, which has tests of its own: against the locks that
/// `lockscope lock` holds and waits for there.
class tst_cli_watch_kinds : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    sandbox::ZooKeeperServer m_zookeeper{m_runtime};
    sandbox::EtcdServer m_etcd{m_runtime};
    sandbox::MemcachedServer m_memcached{m_runtime};
    sandbox::PostgresServer m_postgres{m_runtime};
    sandbox::MariaDbServer m_mariadb{m_runtime};
    QTemporaryDir m_folder;

    template <typename Server>
    void start(Server& server) {
        const std::expected<void, QString> started = QCoro::waitFor(server.start());
        QVERIFY2(started.has_value(), started ? "" : qPrintable(started.error()));
    }
    std::unique_ptr<QProcess> start(const QStringList& words) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(plainEnvironment());
        process->start(kProgram, words);
        return process;
    }
    /// Holds or waits for the lock until its input ends, and says "in" when it holds it.
    std::unique_ptr<QProcess> lock(const QString& url, const QString& id, const QStringList& options = {}) const {
        return start(QStringList{u"lock"_qs, u"--id"_qs, id} + options +
                     QStringList{url, u"orders"_qs, u"--"_qs, u"sh"_qs, u"-c"_qs, u"echo in; cat >/dev/null"_qs});
    }
    enum class Still { Yes, No };
    /// Stops a server where it stands, with its connections, or lets it go on.
    void stand(const QString& kind, Still still) {
        const auto each = [&](auto& server) { still == Still::Yes ? server.pause() : server.resume(); };
        if (kind == u"zookeeper") each(m_zookeeper);
        if (kind == u"etcd") each(m_etcd);
        if (kind == u"memcached") each(m_memcached);
        if (kind == u"postgresql") each(m_postgres);
        if (kind == u"mariadb") each(m_mariadb);
    }
    static bool isIn(QProcess& process) {
        return QTest::qWaitFor([&] { return process.bytesAvailable() > 0; }, 20'000);
    }
    static bool ends(QProcess& process) {
        process.closeWriteChannel();
        return QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 30'000);
    }
    /// The URL with the lock's name for a server that lists none.
    static QString watched(const QString& url) {
        return url.startsWith(QLatin1String("memcached:")) ? url + QStringLiteral("?match=orders") : url;
    }
    static QJsonObject orders(const QString& url) {
        const Ran ran =
            program({QStringLiteral("watch"), watched(url), QStringLiteral("--once"), QStringLiteral("--json")});
        for (const QJsonValue& lock : ran.object()[u"locks"].toArray())
            if (lock[u"name"].toString() == QLatin1String("orders")) return lock.toObject();
        return {};
    }

private Q_SLOTS:
    void initTestCase() {
        start(m_zookeeper);
        start(m_etcd);
        start(m_memcached);
        start(m_postgres);
        start(m_mariadb);
    }

    void holderAndWaitersAreSeen_data() {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("format");
        QTest::addColumn<bool>("namesClients"); // else it tells leases or sessions
        QTest::addColumn<bool>("countsWaiters");
        QTest::newRow("zookeeper") << m_zookeeper.url() << u"curator-mutex"_qs << true << true;
        QTest::newRow("etcd") << m_etcd.url() << u"etcd-mutex"_qs << false << true;
        QTest::newRow("memcached") << m_memcached.url() << u"memcached-lease"_qs << true << false;
        QTest::newRow("postgresql") << m_postgres.url() << u"sql-lease"_qs << true << false;
        QTest::newRow("mariadb") << m_mariadb.url() << u"sql-lease"_qs << true << false;
        QTest::newRow("sqlite") << u"sqlite://"_qs + m_folder.filePath(u"locks.sqlite"_qs) << u"sql-lease"_qs << true
                                << false;
    }
    void holderAndWaitersAreSeen() {
        QFETCH(QString, url);
        QFETCH(QString, format);
        QFETCH(bool, namesClients);
        QFETCH(bool, countsWaiters);
        const auto holder = lock(url, QStringLiteral("billing-1"));
        QVERIFY2(isIn(*holder), holder->readAllStandardError());
        const auto waiter = lock(url, QStringLiteral("billing-2"));
        if (countsWaiters) QTRY_COMPARE_WITH_TIMEOUT(orders(url)[u"waiter_count"], QJsonValue(1), 20'000);
        const QJsonObject seen = orders(url);
        QCOMPARE(seen[u"state"].toString(), QStringLiteral("held"));
        QCOMPARE(seen[u"format"].toString(), format);
        QCOMPARE(seen[u"holders"].toArray().size(), 1);
        if (namesClients) QCOMPARE(seen[u"holders"][0][u"client"].toString(), QStringLiteral("billing-1"));
        const Ran people = program({QStringLiteral("watch"), watched(url), QStringLiteral("--once")});
        QVERIFY2(people.status == 0 && people.out.contains("orders"), people.told());

        QVERIFY(ends(*holder));
        QVERIFY2(isIn(*waiter), waiter->readAllStandardError());
        const QJsonObject later = orders(url);
        QCOMPARE(later[u"holders"].toArray().size(), 1);
        if (namesClients) QCOMPARE(later[u"holders"][0][u"client"].toString(), QStringLiteral("billing-2"));
        QVERIFY(ends(*waiter));
        QCOMPARE(holder->exitCode() + waiter->exitCode(), 0);
        QVERIFY(orders(url)[u"state"].toString() != QLatin1String("held"));
    }

    /// Which of them read beside each other, and which wants to be alone.
    void waitersSayHowTheyWant() {
        const QString url = m_zookeeper.url();
        const QStringList writes{u"--recipe"_qs, u"zk-rw"_qs}, reads{u"--recipe"_qs, u"zk-rw"_qs, u"--shared"_qs};
        const auto holder = lock(url, u"billing-1"_qs, writes);
        QVERIFY2(isIn(*holder), holder->readAllStandardError());
        const auto reader = lock(url, u"billing-2"_qs, reads);
        QTRY_COMPARE_WITH_TIMEOUT(orders(url)[u"waiter_count"], QJsonValue(1), 20'000);
        const auto writer = lock(url, u"billing-3"_qs, writes);
        QTRY_COMPARE_WITH_TIMEOUT(orders(url)[u"waiter_count"], QJsonValue(2), 20'000);
        const QJsonObject seen = orders(url);
        QCOMPARE(seen[u"waiters"][0][u"mode"].toString(), u"shared"_qs);
        QCOMPARE(seen[u"waiters"][1][u"mode"].toString(), u"exclusive"_qs);
        const Ran people = program({u"watch"_qs, url, u"--once"_qs});
        QVERIFY2(people.out.contains("2 waiting: billing-2") && people.out.contains(" to read, billing-3") &&
                     people.out.contains(" to write"),
                 people.told());
        for (const auto& each : {&holder, &reader, &writer})
            QVERIFY(ends(**each));
    }

    void aServerThatStandsStillIsToldAtOnceAndIsAGap_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("url");
        QTest::newRow("zookeeper") << u"zookeeper"_qs << m_zookeeper.url();
        QTest::newRow("etcd") << u"etcd"_qs << m_etcd.url();
        QTest::newRow("memcached") << u"memcached"_qs << m_memcached.url();
        QTest::newRow("postgresql") << u"postgresql"_qs << m_postgres.url();
        QTest::newRow("mariadb") << u"mariadb"_qs << m_mariadb.url();
    }
    void aServerThatStandsStillIsToldAtOnceAndIsAGap() {
        QFETCH(QString, kind);
        QFETCH(QString, url);
        const QString file = m_folder.filePath(kind + u".lockscope"_qs);
        const auto watcher = start({u"watch"_qs, watched(url), u"--record"_qs, file, u"--json"_qs});
        const auto holder = lock(url, u"billing-1"_qs);
        QVERIFY2(isIn(*holder), holder->readAllStandardError());
        QByteArray out, err;
        const auto says = [&](const char* word) {
            out += watcher->readAllStandardOutput();
            err += watcher->readAllStandardError();
            return out.contains(word) || err.contains(word);
        };
        QTRY_VERIFY2_WITH_TIMEOUT(says("\"taken\"") || says("\"found\""), (out + err).constData(), 20'000);
        QElapsedTimer silent;
        silent.start();
        stand(kind, Still::Yes);
        const bool told = QTest::qWaitFor([&] { return says("has not answered for 2"); }, 20'000);
        const qint64 after = silent.elapsed();
        stand(kind, Still::No);
        QVERIFY2(told, err.constData());
        QVERIFY2(after < 7'000, qPrintable(QString::number(after))); // sooner than sessions and questions time out
        QTRY_VERIFY2_WITH_TIMEOUT(says("answers again"), err.constData(), 30'000);
        watcher->terminate();
        QVERIFY(watcher->waitForFinished(20'000));
        ends(*holder); // it may have lost the lock meanwhile

        const auto diff = [&](qint64 fromMs, qint64 toMs) {
            return program({u"diff"_qs, file, u"--from"_qs, u"%1ms"_qs.arg(fromMs), u"--to"_qs, u"%1ms"_qs.arg(toMs),
                            u"--json"_qs});
        };
        const double until = program({u"check"_qs, file, u"--json"_qs}).object()[u"until_ms"].toDouble();
        const Ran all = diff(0, qint64(until));
        QJsonObject gap;
        for (const QByteArray& line : all.out.split('\n'))
            if (const QJsonObject one = QJsonDocument::fromJson(line).object(); one[u"change"] == u"not-seen"_qs)
                gap = one;
        QVERIFY2(gap[u"after"].toDouble() > gap[u"before"].toDouble(), all.told());
        // Within the gap it is not "nothing has changed".
        const qint64 middle = qint64((gap[u"before"].toDouble() + gap[u"after"].toDouble()) / 2 / 1e6);
        const Ran within = diff(middle, middle + 1);
        QVERIFY2(within.status == 4 && within.out.contains("not-seen") && within.out.contains("was not seen"),
                 within.told());
    }

    void aChangeIsALineUntilInterrupted_data() {
        QTest::addColumn<QString>("url");
        QTest::newRow("zookeeper") << m_zookeeper.url();
        QTest::newRow("etcd") << m_etcd.url();
        QTest::newRow("memcached") << m_memcached.url();
        QTest::newRow("postgresql") << m_postgres.url();
        QTest::newRow("mariadb") << m_mariadb.url();
    }
    void aChangeIsALineUntilInterrupted() {
        QFETCH(QString, url);
        const auto watcher = start({QStringLiteral("watch"), watched(url), QStringLiteral("--json")});
        QByteArray out;
        const auto told = [&](const char* event) {
            out += watcher->readAllStandardOutput();
            return out.contains(QByteArray("\"event\": \"") + event + '"');
        };
        const auto holder = lock(url, QStringLiteral("billing-3"));
        QVERIFY2(isIn(*holder), holder->readAllStandardError());
        QTRY_VERIFY2_WITH_TIMEOUT(told("taken") || told("found"), out.constData(), 20'000);
        QVERIFY(ends(*holder));
        QTRY_VERIFY2_WITH_TIMEOUT(told("released"), out.constData(), 20'000);
        ::kill(pid_t(watcher->processId()), SIGINT);
        QVERIFY(QTest::qWaitFor([&] { return watcher->state() == QProcess::NotRunning; }, 30'000));
        QCOMPARE(watcher->exitStatus(), QProcess::NormalExit);
        QCOMPARE(watcher->exitCode(), 0);
    }

    void aServerThatIsNotThereIsNoEmptyList_data() {
        QTest::addColumn<QString>("scheme");
        for (const char* scheme : {"zookeeper", "etcd", "memcached", "postgresql", "mysql"})
            QTest::newRow(scheme) << QString::fromLatin1(scheme);
    }
    void aServerThatIsNotThereIsNoEmptyList() {
        QFETCH(QString, scheme);
        const Ran ran = program({QStringLiteral("watch"), scheme + QStringLiteral("://secret:hidden@127.0.0.1:1/x"),
                                 QStringLiteral("--once"), QStringLiteral("--json")});
        QVERIFY2(ran.status != 0 && !ran.err.isEmpty(), ran.told());
        QVERIFY2(!ran.err.contains("hidden") && !ran.out.contains("hidden"), ran.told());
    }
};

QTEST_GUILESS_MAIN(tst_cli_watch_kinds)
#include "tst_cli_watch_kinds.moc"
