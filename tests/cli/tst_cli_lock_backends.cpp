// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"
#include "terminal.h"

#include "runtime/event_loop_runtime.h"
#include "sandbox/etcd_server.h"
#include "sandbox/memcached_server.h"
#include "sandbox/postgres_server.h"
#include "sandbox/redis_server.h"
#include "sandbox/zookeeper_server.h"

#include <QElapsedTimer>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <csignal>
#include <qcoro/qcorotask.h>

using namespace lockscope;
using namespace lockscope::tests;

/// `lockscope lock` over every kind of URL.
class tst_cli_lock_backends : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_redis{m_runtime};
    sandbox::ZooKeeperServer m_zookeeper{m_runtime};
    sandbox::EtcdServer m_etcd{m_runtime};
    sandbox::MemcachedServer m_memcached{m_runtime};
    sandbox::PostgresServer m_postgres{m_runtime};
    QTemporaryDir m_files;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::map<QString, QString> m_urls;

    template <typename Server>
    void start(Server& server) {
        const std::expected<void, QString> started = QCoro::waitFor(server.start());
        QVERIFY2(started.has_value(), started ? "" : qPrintable(started.error()));
    }
    bool there(const char* name) const { return QFile::exists(m_folder->filePath(QLatin1String(name))); }
    void put(const char* name, const QByteArray& text = {}) const {
        QFile file(m_folder->filePath(QLatin1String(name)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    QByteArray content(const char* name) const {
        QFile file(m_folder->filePath(QLatin1String(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QStringList words(const QString& url, const QStringList& options, const char* script) const {
        return QStringList{QStringLiteral("lock")} + options +
               QStringList{url,
                           QStringLiteral("orders"),
                           QStringLiteral("--"),
                           QStringLiteral("sh"),
                           QStringLiteral("-c"),
                           QStringLiteral("cd '%1'; ").arg(m_folder->path()) + QString::fromUtf8(script)};
    }
    Ran run(const QString& url, const QStringList& options, const char* script) const {
        return program(words(url, options, script));
    }
    std::unique_ptr<QProcess> startProgram(const QString& url, const QStringList& options, const char* script) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(plainEnvironment());
        process->start(kProgram, words(url, options, script));
        return process;
    }
    static bool end(QProcess& process) {
        return QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 30'000);
    }
    /// It has come so far that a signal is its own to answer: a busy machine may take long to load a program.
    static bool hearsSignals(const QProcess& process) {
        return QTest::qWaitFor([&] { return ProcessLook::catches(QByteArray::number(process.processId()), SIGTERM); },
                               20'000);
    }
    static QStringList wait(const char* text) { return {QStringLiteral("--wait"), QLatin1String(text)}; }
    static QStringList options(const char* text) {
        return QString::fromLatin1(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    }
    void rows(const QStringList& backends) const {
        QTest::addColumn<QString>("url");
        for (const QString& backend : backends)
            QTest::newRow(qPrintable(backend)) << m_urls.at(backend);
    }
    void everyBackend() const {
        rows({QStringLiteral("redis"), QStringLiteral("zookeeper"), QStringLiteral("etcd"), QStringLiteral("memcached"),
              QStringLiteral("postgresql"), QStringLiteral("sqlite")});
    }

private Q_SLOTS:
    void initTestCase() {
        start(m_redis);
        start(m_zookeeper);
        start(m_etcd);
        start(m_memcached);
        start(m_postgres);
        m_urls = {
            {QStringLiteral("redis"), m_redis.url()},
            {QStringLiteral("zookeeper"), m_zookeeper.url()},
            {QStringLiteral("etcd"), m_etcd.url()},
            {QStringLiteral("memcached"), m_memcached.url()},
            {QStringLiteral("postgresql"), m_postgres.url()},
            {QStringLiteral("sqlite"), QStringLiteral("sqlite://") + m_files.filePath(QStringLiteral("locks.sqlite"))}};
    }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void theCommandRunsAndKnowsItsLock_data() { everyBackend(); }
    void theCommandRunsAndKnowsItsLock() { // the first one makes the table, where there is one
        QFETCH(QString, url);
        const Ran ran = run(url, wait("10s"), "echo $LOCKSCOPE_LOCK; exit 7");
        QVERIFY2(ran.status == 7, ran.told());
        QCOMPARE(ran.out, QByteArray("orders\n"));
        QVERIFY2(ran.err.isEmpty(), ran.told());
    }

    void tokensGrowWhereThereAreSome_data() {
        rows({QStringLiteral("redis"), QStringLiteral("zookeeper"), QStringLiteral("etcd"),
              QStringLiteral("postgresql"), QStringLiteral("sqlite")});
    }
    void tokensGrowWhereThereAreSome() {
        QFETCH(QString, url);
        const QByteArray first = run(url, wait("10s"), "echo $LOCKSCOPE_TOKEN").out.trimmed();
        const QByteArray second = run(url, wait("10s"), "echo $LOCKSCOPE_TOKEN").out.trimmed();
        QVERIFY2(first.toLongLong() > 0 && second.toLongLong() > first.toLongLong(), first + " then " + second);
    }

    void oneHoldsAndOthersAreTooLate_data() { everyBackend(); }
    void oneHoldsAndOthersAreTooLate() {
        QFETCH(QString, url);
        const auto holder = startProgram(url, wait("10s"), "touch in; until [ -e go ]; do sleep 0.02; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
        const Ran late = run(url, wait("200ms"), "touch ran");
        QVERIFY2(late.status == 124 && !there("ran"), late.told());
        const auto waiter = startProgram(url, wait("20s"), "touch ran");
        put("go");
        QVERIFY(end(*waiter) && end(*holder));
        QVERIFY2(waiter->exitCode() == 0 && there("ran"), waiter->readAllStandardError());
        QCOMPARE(holder->exitCode(), 0);
    }

    void aCounterWithoutAtomicityEndsExact_data() { everyBackend(); }
    void aCounterWithoutAtomicityEndsExact() {
        QFETCH(QString, url);
        put("counter", "0\n");
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int i = 0; i < 6; ++i)
            processes.push_back(startProgram(
                url, {}, "n=$(cat counter); sleep 0.02; echo $((n + 1)) > counter.$n; mv counter.$n counter"));
        for (const auto& process : processes) {
            QVERIFY(end(*process));
            QVERIFY2(process->exitCode() == 0, process->readAllStandardError());
        }
        QCOMPARE(content("counter"), QByteArray("6\n"));
    }

    void aKilledHolderFreesIt_data() {
        rows({QStringLiteral("zookeeper"), QStringLiteral("etcd"), QStringLiteral("memcached")});
    }
    void aKilledHolderFreesIt() {
        QFETCH(QString, url);
        const auto holder = startProgram(url, options("--lease 2s"), "touch in; sleep 600");
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
        holder->kill();
        QVERIFY(end(*holder));
        QElapsedTimer timer;
        timer.start();
        const Ran next = run(url, wait("20s"), "true");
        QVERIFY2(next.status == 0, next.told());
        QVERIFY2(timer.elapsed() < 9000, qPrintable(QString::number(timer.elapsed())));
    }

    void readersShareAndAWriterDoesNot_data() { rows({QStringLiteral("redis"), QStringLiteral("zookeeper")}); }
    void readersShareAndAWriterDoesNot() {
        QFETCH(QString, url);
        const QStringList shared{QStringLiteral("--shared")};
        const auto reader = startProgram(url, shared, "touch in; until [ -e go ]; do sleep 0.02; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
        const Ran another = run(url, shared + wait("10s"), "touch too");
        QVERIFY2(another.status == 0 && there("too"), another.told());
        // Take the lock of that recipe for writing.
        const QString recipe =
            url.startsWith(QStringLiteral("zookeeper")) ? QStringLiteral("zk-rw") : QStringLiteral("redis-rw");
        const Ran writer = run(url, QStringList{QStringLiteral("--recipe"), recipe} + wait("200ms"), "touch written");
        QVERIFY2(writer.status == 124 && !there("written"), writer.told());
        put("go");
        QVERIFY(end(*reader));
        QCOMPARE(reader->exitCode(), 0);
    }

    void permitsAreAsManyAsAskedFor_data() { rows({QStringLiteral("redis"), QStringLiteral("zookeeper")}); }
    void permitsAreAsManyAsAskedFor() {
        QFETCH(QString, url);
        const QStringList two{QStringLiteral("--permits"), QStringLiteral("2")};
        const QString named = url; // a name of its own: the lock above has another format
        const auto take = [&](const QStringList& more, const char* script) {
            QStringList all = words(named, two + more, script);
            all[all.indexOf(QStringLiteral("orders"))] = QStringLiteral("seats");
            return all;
        };
        std::vector<std::unique_ptr<QProcess>> holders;
        for (const char* script :
             {"touch in1; until [ -e go ]; do sleep 0.02; done", "touch in2; until [ -e go ]; do sleep 0.02; done"}) {
            holders.push_back(std::make_unique<QProcess>());
            holders.back()->start(kProgram, take({}, script));
        }
        QTRY_VERIFY_WITH_TIMEOUT(there("in1") && there("in2"), 10'000);
        const Ran third = program(take(wait("200ms"), "touch in3"));
        QVERIFY2(third.status == 124 && !there("in3"), third.told());
        put("go");
        for (const auto& holder : holders) {
            QVERIFY(end(*holder));
            QCOMPARE(holder->exitCode(), 0);
        }
        QCOMPARE(program(take(wait("5s"), "true")).status, 0);
    }

    void whatABackendDoesNotHaveIsSaid_data() {
        QTest::addColumn<QString>("backend");
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("contains");
        QTest::newRow("shared memcached")
            << QStringLiteral("memcached") << QStringLiteral("--shared") << QStringLiteral("shared holds");
        QTest::newRow("another backend's recipe")
            << QStringLiteral("etcd") << QStringLiteral("--recipe redis-set") << QStringLiteral("etcd-lease");
        QTest::newRow("mode of a recipe")
            << QStringLiteral("redis") << QStringLiteral("--shared --recipe redis-set") << QStringLiteral("redis-rw");
        QTest::newRow("both") << QStringLiteral("redis") << QStringLiteral("--shared --permits 2")
                              << QStringLiteral("exclude each other");
        QTest::newRow("a semaphore") << QStringLiteral("redis") << QStringLiteral("--recipe redis-semaphore")
                                     << QStringLiteral("--permits N");
        QTest::newRow("no permits") << QStringLiteral("redis") << QStringLiteral("--permits 0")
                                    << QStringLiteral("whole number");
    }
    void whatABackendDoesNotHaveIsSaid() {
        QFETCH(QString, backend);
        QFETCH(QString, options);
        QFETCH(QString, contains);
        const Ran ran = run(m_urls.at(backend), options.split(QLatin1Char(' ')), "touch ran");
        QVERIFY2(ran.status == 125 && QString::fromUtf8(ran.err).contains(contains), ran.told());
        QVERIFY(!there("ran"));
    }

    void aFileThatSomebodyHasLockedIsWaitedFor() {
        const QString url = m_urls.at(QStringLiteral("sqlite"));
        const Ran before = run(url, {}, "true"); // makes the table
        QVERIFY2(before.status == 0, before.told());
        const auto close = qScopeGuard([] { QSqlDatabase::removeDatabase(QStringLiteral("somebody")); });
        QSqlDatabase somebody = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("somebody"));
        somebody.setDatabaseName(url.section(QStringLiteral("://"), 1));
        QVERIFY(somebody.open() && QSqlQuery(somebody).exec(QStringLiteral("BEGIN EXCLUSIVE")));
        for (const char* text : {"0s", "1s"}) {
            QElapsedTimer timer;
            timer.start();
            const Ran late = run(url, wait(text), "touch ran");
            QVERIFY2(late.status == 124 && !there("ran"), late.told());
            QVERIFY2(timer.elapsed() < 4000, qPrintable(QString::number(timer.elapsed())));
        }
        const auto stopped = startProgram(url, wait("30s"), "touch ran");
        QVERIFY(hearsSignals(*stopped));
        QVERIFY(!QTest::qWaitFor([&] { return stopped->state() == QProcess::NotRunning; }, 500));
        QElapsedTimer timer;
        timer.start();
        stopped->terminate();
        QVERIFY(end(*stopped));
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(stopped->exitCode(), 128 + SIGTERM);
        const auto waiter = startProgram(url, wait("30s"), "touch ran");
        QVERIFY(waiter->waitForStarted());
        QVERIFY(!QTest::qWaitFor([&] { return waiter->state() == QProcess::NotRunning; }, 500));
        QVERIFY(!there("ran"));
        QVERIFY(QSqlQuery(somebody).exec(QStringLiteral("COMMIT")));
        somebody.close();
        somebody = QSqlDatabase();
        QVERIFY(end(*waiter));
        QVERIFY2(waiter->exitCode() == 0 && there("ran"), waiter->readAllStandardError());
    }

    void whoConnectsInVainIsStoppedAtOnce() {
        m_postgres.pause();
        const auto waiter = startProgram(m_urls.at(QStringLiteral("postgresql")), wait("30s"), "touch ran");
        const bool hears = hearsSignals(*waiter);
        const bool gaveUp = QTest::qWaitFor([&] { return waiter->state() == QProcess::NotRunning; }, 500);
        QElapsedTimer timer;
        timer.start();
        waiter->terminate();
        const bool ended = end(*waiter);
        m_postgres.resume();
        QVERIFY(hears && !gaveUp && ended);
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(waiter->exitCode(), 128 + SIGTERM);
    }

    /// The command has ended well, and only the server's silence keeps who asked for the end waiting.
    void whoGivesBackInVainIsStoppedSoon_data() {
        QTest::addColumn<QString>("backend");
        QTest::newRow("a database's client library") << QStringLiteral("postgresql");
        QTest::newRow("our own driver") << QStringLiteral("redis");
    }
    void whoGivesBackInVainIsStoppedSoon() {
        QFETCH(QString, backend);
        const QString url =
            m_urls.at(backend) + (m_urls.at(backend).contains(u'?') ? QStringLiteral("&") : QStringLiteral("?"));
        const auto holder = startProgram(url + QStringLiteral("timeout=30s"), options("--lease 2m"),
                                         "sleep 600 > /dev/null 2>&1 & echo $! > left; echo $$ > pid.new; "
                                         "mv pid.new pid; until [ -e go ]; do sleep 0.02; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("pid"), 10'000);
        const QByteArray pid = content("pid").trimmed(), left = content("left").trimmed();
        const auto pauseAll = [this](bool paused) {
            paused ? m_postgres.pause() : m_postgres.resume();
            paused ? m_redis.pause() : m_redis.resume();
        };
        pauseAll(true);
        put("go");
        const bool over = QTest::qWaitFor([&] { return ProcessLook::state(pid) == "Z"; }, 10'000);
        const bool gaveUp = QTest::qWaitFor([&] { return holder->state() == QProcess::NotRunning; }, 500);
        QElapsedTimer timer;
        timer.start();
        holder->terminate();
        const bool ended = end(*holder);
        pauseAll(false);
        QVERIFY(over && !gaveUp && ended);
        QVERIFY2(timer.elapsed() < 4000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(holder->exitCode(), 128 + SIGTERM);
        QVERIFY(holder->readAllStandardError().contains("is not given back"));
        QVERIFY(ProcessLook::alive(left)); // a lock that is not lost ends nothing
        QCOMPARE(::kill(pid_t(left.toInt()), SIGKILL), 0);
    }

    void aServerThatFallsSilentCostsTheLock() {
        const auto holder =
            startProgram(m_urls.at(QStringLiteral("memcached")), options("--lease 1500ms"),
                         "trap 'touch terminated; exit 0' TERM; touch in; while :; do sleep 0.02; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
        m_memcached.pause();
        QVERIFY(end(*holder));
        m_memcached.resume();
        QCOMPARE(holder->exitCode(), 123);
        QVERIFY(there("terminated"));
    }
};

QTEST_GUILESS_MAIN(tst_cli_lock_backends)
#include "tst_cli_lock_backends.moc"
