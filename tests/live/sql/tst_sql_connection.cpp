// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "live_sql.h"
#include "lock/distributed_lock.h"
#include "lock/named_lock.h"

using namespace lockscope;
using namespace lockscope::test;
using Event = DistributedLock::Event;

/// Locks over a URL, as programs use them.
class TestSqlConnection : public QObject {
    Q_OBJECT
    std::unique_ptr<Connection> connect(const QString& url) { return makeConnection(m_runtime, urlOf(url)); }
    static std::unique_ptr<DistributedLock> lockOf(Connection& connection, const QByteArray& id, const QByteArray& name,
                                                   LockOptions options = {}) {
        return std::make_unique<DistributedLock>(connection.lockClient(),
                                                 std::move(connection.makeRecipe(id, {name}).value()), options);
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_EMPTY(m_databases.start());
        for (const char* engine : {"mariadb", "postgresql", "sqlite"}) {
            const auto connection = connect(m_databases.url(engine));
            QCOMPARE(connection->backend(), QByteArray("sql"));
            QCOMPARE(connection->client().size(), 36);
            VERIFY_OK(run(connection->open()));
            QVERIFY(connection->schema().contains(QLatin1String("lockscope_locks")));
            VERIFY_OK(run(connection->prepare()));
            VERIFY_OK(run(connection->ping()));
        }
    }

    void lockAndUnlock_data() { recipeRows({"sql-row", "sql-lease", "sql-for-update", "sql-advisory", "sql-version"}); }
    void lockAndUnlock() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const auto a = connect(m_databases.url(engine)), b = connect(m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = lockOf(*a, id, name), theirs = lockOf(*b, id, name);
        VERIFY_OK(run(ours->lock()));
        QVERIFY(ours->stillMine());
        QTest::qWait(60);
        QVERIFY(ours->stillMine());
        if (id != "sql-version") {
            const auto refused = run(theirs->tryLockFor(50ms));
            VERIFY_OK(refused);
            QVERIFY(!*refused);
        }
        if (ours->recipe().token) QVERIFY(ours->token() > 0);
        if (ours->recipe().reentrant) {
            VERIFY_OK(run(ours->lock()));
            QCOMPARE(ours->holdCount(), 2);
            const auto one = run(ours->unlock());
            VERIFY_OK(one);
            QCOMPARE(*one, 1);
        }
        const auto left = run(ours->unlock());
        VERIFY_OK(left);
        QCOMPARE(*left, 0);
        const auto next = run(theirs->tryLockFor(3s));
        VERIFY_OK(next);
        QVERIFY(*next);
        VERIFY_OK(run(theirs->unlock()));
    }

    void guardsThatGoTogetherFreeTheLock_data() { recipeRows({"sql-lease", "sql-for-update", "sql-advisory"}); }
    void guardsThatGoTogetherFreeTheLock() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const auto a = connect(m_databases.url(engine)), b = connect(m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = lockOf(*a, id, name), theirs = lockOf(*b, id, name);
        QStringList lost;
        ours->listen([&](Event event, const QByteArray&, const QString& reason) {
            if (event == Event::Lost) lost << reason;
        });
        SlowBeside slow(m_runtime, m_databases.url(engine), engine);
        for (int round = 0; round < 3; ++round) {
            {
                const auto outer = run(ours->acquire({})), inner = run(ours->acquire({}));
                VERIFY_OK(outer);
                VERIFY_OK(inner);
                QCOMPARE(ours->holdCount(), 2);
            }
            const auto next = run(theirs->tryLockFor(2s));
            VERIFY_OK(next);
            QVERIFY2(*next, "it is still held");
            QCOMPARE(ours->holdCount(), 0);
            QVERIFY(!ours->stillMine());
            VERIFY_OK(run(theirs->unlock()));
        }
        QVERIFY2(lost.isEmpty(), qPrintable(lost.join(u'\n')));
        QVERIFY(slow.end());
    }

    void reentriesAtOnceAreCounted_data() { recipeRows({"sql-lease", "sql-for-update", "sql-advisory"}); }
    void reentriesAtOnceAreCounted() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const auto a = connect(m_databases.url(engine)), b = connect(m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = lockOf(*a, id, name), theirs = lockOf(*b, id, name);
        SlowBeside slow(m_runtime, m_databases.url(engine), engine);
        VERIFY_OK(run(ours->lock()));
        const auto second = beside(ours->lock()), third = beside(ours->lock());
        QVERIFY(ends(second, 5000ms) && ends(third, 5000ms));
        VERIFY_OK(*second->result);
        VERIFY_OK(*third->result);
        QCOMPARE(ours->holdCount(), 3);
        for (int left = 2; left >= 0; --left) {
            const auto refused = run(theirs->tryLock());
            VERIFY_OK(refused);
            QVERIFY(!*refused);
            const auto unlocked = run(ours->unlock());
            VERIFY_OK(unlocked);
            QCOMPARE(*unlocked, left);
        }
        const auto next = run(theirs->tryLockFor(2s));
        VERIFY_OK(next);
        QVERIFY(*next);
        VERIFY_OK(run(theirs->unlock()));
        QVERIFY(slow.end());
    }

    /// Whichever of the two the server is asked for first: afterwards it is held once, and can be freed.
    void reentriesMeetTheLastRelease_data() { recipeRows({"sql-lease", "sql-for-update", "sql-advisory"}); }
    void reentriesMeetTheLastRelease() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const auto a = connect(m_databases.url(engine)), b = connect(m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = lockOf(*a, id, name), theirs = lockOf(*b, id, name);
        SlowBeside slow(m_runtime, m_databases.url(engine), engine);
        for (const bool releaseFirst : {true, false}) {
            VERIFY_OK(run(ours->lock()));
            std::shared_ptr<Ending<std::expected<int, LockError>>> giving;
            if (releaseFirst) giving = beside(ours->unlock());
            const auto taking = beside(ours->lock());
            if (!releaseFirst) giving = beside(ours->unlock());
            QVERIFY(ends(taking, 8000ms) && ends(giving, 8000ms));
            VERIFY_OK(*taking->result);
            QVERIFY(**taking->result);
            VERIFY_OK(*giving->result);
            QCOMPARE(ours->holdCount(), 1);
            const auto refused = run(theirs->tryLock());
            VERIFY_OK(refused);
            QVERIFY2(!*refused, "somebody else got into it");
            VERIFY_OK(run(ours->unlock()));
            const auto next = run(theirs->tryLockFor(2s));
            VERIFY_OK(next);
            QVERIFY2(*next, "it is still held");
            VERIFY_OK(run(theirs->unlock()));
        }
        QVERIFY(slow.end());
    }

    void theWatchdogKeepsALease_data() { recipeRows({"sql-lease"}); }
    void theWatchdogKeepsALease() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const auto a = connect(m_databases.url(engine)), b = connect(m_databases.url(engine));
        const QByteArray name = freshName();
        LockOptions options;
        options.lease = 500ms;
        options.watchdog = 150ms;
        const auto ours = lockOf(*a, id, name, options), theirs = lockOf(*b, id, name, options);
        QStringList lost;
        ours->listen([&](Event event, const QByteArray&, const QString& reason) {
            if (event == Event::Lost) lost << reason;
        });
        VERIFY_OK(run(ours->lock()));
        const auto refused = run(theirs->tryLockFor(1200ms));
        VERIFY_OK(refused);
        QVERIFY(!*refused);
        QVERIFY(ours->stillMine());
        ours->stopWatchdog();
        const auto next = run(theirs->tryLockFor(5s));
        VERIFY_OK(next);
        QVERIFY(*next);
        QVERIFY(theirs->token() > 0);
        QVERIFY(comesTrue([&] { return !lost.isEmpty(); }, 2s));
        QVERIFY(!ours->stillMine());
        VERIFY_OK(run(theirs->unlock()));
    }

    void lossOfTheConnectionIsTold_data() { recipeRows({"sql-for-update", "sql-advisory"}); }
    void lossOfTheConnectionIsTold() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const auto a = connect(m_databases.url(engine)), b = connect(m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = lockOf(*a, id, name), theirs = lockOf(*b, id, name);
        QStringList lost;
        ours->listen([&](Event event, const QByteArray&, const QString& reason) {
            if (event == Event::Lost) lost << reason;
        });
        VERIFY_OK(run(ours->lock()));
        const auto begun = std::chrono::steady_clock::now();
        const auto forced = run(theirs->forceUnlock());
        VERIFY_OK(forced);
        QVERIFY(*forced);
        QVERIFY(comesTrue([&] { return !lost.isEmpty(); }, 5s));
        // The closed connection itself tells: sooner than the next sign of life was due.
        QVERIFY(std::chrono::steady_clock::now() - begun < 2500ms);
        QVERIFY(!ours->stillMine());
        QVERIFY(run(ours->unlock()).error().kind == LockError::Kind::NotOwner);
    }

    void tablesByAnotherName_data() { recipeRows({"sql-lease"}); }
    void tablesByAnotherName() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const auto usual = connect(m_databases.url(engine));
        const auto other = connect(m_databases.url(engine) + QStringLiteral("?table=my_own"));
        const QByteArray name = freshName();
        const auto early = lockOf(*other, id, name);
        QVERIFY(run(early->tryLock()).error().kind == LockError::Kind::NotPrepared);
        VERIFY_OK(run(other->prepare()));
        const auto one = lockOf(*usual, id, name), two = lockOf(*other, id, name);
        VERIFY_OK(run(one->lock()));
        const auto apart = run(two->tryLock());
        VERIFY_OK(apart);
        QVERIFY(*apart);
        VERIFY_OK(run(one->unlock()));
        VERIFY_OK(run(two->unlock()));
    }

    void readersAreRefusedOnMariaDb() {
        const auto connection = connect(m_databases.url("mariadb"));
        for (const QByteArray& recipe : {QByteArray("sql-advisory"), QByteArray()}) {
            LockOptions options;
            options.recipe = recipe;
            const auto made = makeLock(*connection, "prices", recipes::Mode::Shared, options);
            QVERIFY(!made && made.error().kind == LockError::Kind::NotSupported);
        }
    }

    void whatCannotBeIsSaid() {
        const auto wrongTable = connect(m_databases.url("sqlite") + QStringLiteral("?table=a%20b"));
        QVERIFY(run(wrongTable->open()).error().kind == LockError::Kind::InvalidArgument);
        QVERIFY(!wrongTable->makeRecipe("sql-lease", {"x"}));
        const auto connection = connect(m_databases.url("sqlite"));
        QVERIFY(connection->makeRecipe("redis-set", {"x"}).error().kind == LockError::Kind::NotSupported);
        QVERIFY(connection->makeRecipe("sql-advisory", {"x"}).error().kind == LockError::Kind::NotSupported);
        QVERIFY(connection->makeRecipe("sql-lease", {QByteArray()}).error().kind == LockError::Kind::Refused);
    }

    /// Where MariaDB cuts what is too long without a word, a lock would be lost as soon as it is taken.
    void clientsWithLongNames() {
        SqlClient admin(m_runtime, m_databases.url("mariadb"));
        VERIFY_OK(ask(admin.driver, "SET GLOBAL sql_mode = ''"));
        const auto longest = makeConnection(m_runtime, urlOf(m_databases.url("mariadb")), QByteArray(217, 'x'));
        const auto tooLong = makeConnection(m_runtime, urlOf(m_databases.url("mariadb")), QByteArray(218, 'x'));
        VERIFY_OK(run(longest->open()));
        VERIFY_OK(ask(admin.driver, "SET GLOBAL sql_mode = DEFAULT"));
        for (const char* id : {"sql-row", "sql-lease", "sql-version"}) {
            QVERIFY(tooLong->makeRecipe(id, {"x"}).error().kind == LockError::Kind::Refused);
            const auto lock = lockOf(*longest, id, freshName());
            for (const QByteArray& thread : {QByteArray("18446744073709551615"), QByteArray(300, 't')}) {
                VERIFY_OK(run(lock->lock(thread)));
                QVERIFY(lock->stillMine(thread));
                VERIFY_OK(run(lock->unlock(thread)));
            }
        }
    }

    void serversThatTakeNoWritesAreNotWell() {
        const auto maria = connect(m_databases.url("mariadb"));
        SqlClient admin(m_runtime, m_databases.url("mariadb"));
        VERIFY_OK(ask(admin.driver, "SET GLOBAL read_only = 1"));
        const auto ping = run(maria->ping());
        VERIFY_OK(ask(admin.driver, "SET GLOBAL read_only = 0"));
        QVERIFY(!ping);
        QVERIFY2(ping.error().kind == LockError::Kind::Refused, qPrintable(ping.error().message));
        VERIFY_OK(run(maria->ping()));
    }

    void replicasGrantNoLocksOfTheirOwn_data() { recipeRows({"sql-for-update", "sql-advisory"}); }
    void replicasGrantNoLocksOfTheirOwn() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        std::unique_ptr<sandbox::PostgresServer> standby;
        QString url = m_databases.url(engine);
        SqlClient admin(m_runtime, url);
        if (engine == "mariadb") {
            VERIFY_OK(ask(admin.driver, "CREATE OR REPLACE USER plain@'%' IDENTIFIED BY 'locks'"));
            VERIFY_OK(ask(admin.driver, "GRANT SELECT, INSERT, UPDATE, DELETE ON *.* TO plain@'%'"));
            VERIFY_OK(ask(admin.driver, "SET GLOBAL read_only = 1"));
            url.replace(QLatin1String("//lockscope:"), QLatin1String("//plain:"));
        } else {
            // A standby, although it is nobody's: it waits for what a master would send.
            standby = std::make_unique<sandbox::PostgresServer>(m_runtime);
            VERIFY_STARTED(*standby);
            run(standby->stop());
            QFile signal(standby->workspace().file(QStringLiteral("home/data/standby.signal")));
            QVERIFY(signal.open(QIODevice::WriteOnly));
            signal.close();
            VERIFY_STARTED(*standby);
            url = standby->url();
        }
        const auto connection = connect(url);
        const auto lock = lockOf(*connection, id, freshName());
        const auto refused = run(lock->tryLock());
        const auto waited = run(lock->tryLockFor(100ms));
        const auto ping = run(connection->ping());
        if (standby) {
            SqlClient promoter(m_runtime, url);
            QCOMPARE(number(promoter.driver, "SELECT pg_promote()"), 1);
            VERIFY_OK(promoter.prepare());
        } else {
            VERIFY_OK(ask(admin.driver, "SET GLOBAL read_only = 0"));
        }
        QVERIFY(!refused && !waited && !ping);
        QVERIFY2(refused.error().kind == LockError::Kind::Refused, qPrintable(refused.error().message));
        QCOMPARE(refused.error().message, ping.error().message);
        QCOMPARE(waited.error().message, ping.error().message);
        // It is the master now, which nobody believes an old connection.
        const auto taken = run(lock->tryLock());
        VERIFY_OK(taken);
        QVERIFY(*taken);
        VERIFY_OK(run(lock->unlock()));
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlConnection)
#include "tst_sql_connection.moc"
