// SPDX-License-Identifier: Apache-2.0
#include "inspect/kept_by.h"
#include "inspect/releaser.h"
#include "live_sql.h"
#include "someone.h"
#include "watching.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>

using namespace lockscope;
using namespace lockscope::test;

/// Watched databases: what the watcher says of our locks and of sessions that block each other, against what each
/// server itself says.
class TestSqlWatcher : public QObject {
    Q_OBJECT
private:
    LockReport look(const QByteArray& engine, const QString& match = {}) {
        const auto watcher = watcherOf(m_runtime, m_all.url(engine), match);
        return run(watcher->once());
    }
    static QByteArray troubleOf(const LockReport& report) {
        return report.trouble ? report.trouble->message.toUtf8() : QByteArray();
    }
private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_all.start()); }

    void aDatabaseWithoutLocks_data() { engines(); }
    void aDatabaseWithoutLocks() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_all.url(engine));
        (void)ask(client.driver, "DROP TABLE IF EXISTS lockscope_locks"); // another test may have made it
        const LockReport report = look(engine);
        QCOMPARE(troubleOf(report), QByteArray());
        QVERIFY(report.complete && report.locks.empty());
        QVERIFY(report.server && !report.server->version.isEmpty());
        // Looking has made nothing.
        QVERIFY(!ask(client.driver, "SELECT COUNT(*) FROM lockscope_locks"));
    }

    void leasesAndRows_data() { engines(); }
    void leasesAndRows() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_all.url(engine));
        VERIFY_OK(client.prepare());
        const auto lease = client.recipe("sql-lease", "orders"), row = client.recipe("sql-row", "stock");
        const Granted leased = acquire(*lease, request(5s, 20s));
        VERIFY_OK(leased);
        const Granted taken = acquire(*row, request(5s));
        VERIFY_OK(taken);
        const LockReport report = look(engine);
        QCOMPARE(troubleOf(report), QByteArray());
        const LockRow *orders = rowOf(report, "orders"), *stock = rowOf(report, "stock");
        QVERIFY(orders && stock);
        QCOMPARE(orders->format, QByteArray("sql-lease"));
        QCOMPARE(orders->backend, engine);
        QCOMPARE(clientsOf(orders->holders), QByteArrayList{client.uuid});
        QCOMPARE(orders->holders.front().thread.value_or("?"), QByteArray("1"));
        QCOMPARE(orders->token, std::optional<std::int64_t>((*leased)->token));
        const auto seen = run(client.driver.look("orders"));
        VERIFY_OK(seen);
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(seen->left).count();
        // Each runs down from its question, which a server may answer late: either may be the smaller by that.
        QVERIFY2(orders->ttlMs && std::abs(*orders->ttlMs - left) < 5000,
                 qPrintable(QString::number(orders->ttlMs.value_or(-1))));
        QCOMPARE(stock->format, QByteArray("sql-row"));
        QVERIFY(stock->neverExpires);
        QCOMPARE(clientsOf(stock->holders), QByteArrayList{client.uuid});
        VERIFY_OK(release(*lease, **leased));
        VERIFY_OK(release(*row, **taken));
        const LockReport after = look(engine);
        QVERIFY(!rowOf(after, "orders") && !rowOf(after, "stock"));
    }

    /// Locks are found behind any number of tables that are called after locks and hold none.
    void amongManyTables_data() { engines(); }
    void amongManyTables() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_all.url(engine));
        QByteArray lastError;
        const auto does = [&](const QByteArray& text) {
            const sql::Result done = ask(client.driver, text);
            if (!done) lastError = done.error().message.toUtf8();
        };
        constexpr int kTables = 210;
        for (int i = 0; i < kTables; ++i) {
            const QByteArray number = QByteArray::number(i);
            does("CREATE TABLE a" + number + "_lock (id INT, name VARCHAR(9))");
        }
        does("CREATE TABLE zz_shedlock_many (name VARCHAR(64) PRIMARY KEY, lock_until " +
             QByteArray(engine == "mariadb"      ? "DATETIME(3)"
                        : engine == "postgresql" ? "timestamp(3)"
                                                 : "TEXT") +
             ", locked_at " +
             QByteArray(engine == "mariadb"      ? "DATETIME(3)"
                        : engine == "postgresql" ? "timestamp(3)"
                                                 : "TEXT") +
             ", locked_by VARCHAR(255))");
        does("INSERT INTO zz_shedlock_many VALUES ('behind', '2999-01-01 00:00:00', '2026-01-01 00:00:00', 'host-1')");
        const LockReport report = look(engine);
        for (int i = 0; i < kTables; ++i)
            does("DROP TABLE a" + QByteArray::number(i) + "_lock");
        does("DROP TABLE zz_shedlock_many");
        QCOMPARE(lastError, QByteArray());
        QCOMPARE(troubleOf(report), QByteArray());
        QVERIFY(rowOf(report, "behind"));
        // In each of them a row may be locked, which PostgreSQL tells of: no more than 200 are asked, and that is said.
        const bool bounded = std::ranges::any_of(report.notes, [](const inspect::WatchNote& note) {
            return note.kind == inspect::WatchNote::Kind::ListBounded && note.count == 200;
        });
        QCOMPARE(bounded, engine == "postgresql");
        QCOMPARE(report.complete, engine != "postgresql");
    }

    void tablesOfOtherLibraries_data() { engines(); }
    void tablesOfOtherLibraries() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_all.url(engine));
        const auto does = [&](const QByteArray& text) {
            const sql::Result done = ask(client.driver, text);
            QVERIFY2(done, done ? "" : qPrintable(done.error().message));
        };
        const QByteArray time = engine == "mariadb" ? "DATETIME(3)" : engine == "postgresql" ? "timestamp(3)" : "TEXT";
        does("CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until " + time + ", locked_at " + time +
             ", locked_by VARCHAR(255))");
        does("INSERT INTO shedlock VALUES ('report', '2999-01-01 00:00:00', '2026-01-01 00:00:00', 'host-1')");
        if (engine == "postgresql") does("INSERT INTO shedlock VALUES ('endless', 'infinity', '2026-01-01', 'host-3')");
        if (engine == "postgresql") does("INSERT INTO shedlock VALUES ('never', '-infinity', '-infinity', 'host-4')");
        does("INSERT INTO shedlock VALUES ('over', '2001-01-01 00:00:00', '2001-01-01 00:00:00', 'host-2')");
        does("CREATE TABLE INT_LOCK (LOCK_KEY CHAR(36), REGION VARCHAR(100), CLIENT_ID CHAR(36), CREATED_DATE " + time +
             ", PRIMARY KEY (LOCK_KEY, REGION))");
        does("INSERT INTO INT_LOCK VALUES ('acbd18db-4cc2-385c-adef-654fccc4a4d8', 'DEFAULT', "
             "'0b0f9b4e-0000-4000-8000-000000000001', '2026-01-01 00:00:00')");
        const QByteArray flag = engine == "postgresql" ? "true" : "1";
        does("CREATE TABLE DATABASECHANGELOGLOCK (ID INT PRIMARY KEY, LOCKED " +
             QByteArray(engine == "postgresql" ? "boolean" : "INT") + ", LOCKGRANTED " + time +
             ", LOCKEDBY VARCHAR(255))");
        does("INSERT INTO DATABASECHANGELOGLOCK VALUES (1, " + flag + ", '2026-01-01 00:00:00', 'laptop (10.0.0.7)')");
        const QByteArray key = engine == "mariadb" ? "`key`" : "\"key\"";
        does("CREATE TABLE cache_locks (" + key + " VARCHAR(255) PRIMARY KEY, owner VARCHAR(255), expiration INT)");
        does("INSERT INTO cache_locks VALUES ('laravel_mail', 'abc', 2147483647)");

        const LockReport report = look(engine);
        QCOMPARE(troubleOf(report), QByteArray());
        using Role = inspect::ServerIdentity::Role;
        QCOMPARE(report.server->role, engine == "sqlite" ? Role::Unknown : Role::Master);
        const LockRow *held = rowOf(report, "report"), *over = rowOf(report, "over"),
                      *mail = rowOf(report, "laravel_mail"),
                      *spring = rowOf(report, "DEFAULT:acbd18db-4cc2-385c-adef-654fccc4a4d8");
        QVERIFY(held && over && mail && spring);
        QCOMPARE(held->format, QByteArray("shedlock"));
        QCOMPARE(clientsOf(held->holders), QByteArrayList{"host-1"});
        QVERIFY(held->state == LockRow::State::Held && over->state == LockRow::State::Free);
        if (engine == "postgresql") {
            const LockRow *endless = rowOf(report, "endless"), *never = rowOf(report, "never");
            QVERIFY(endless && never);
            QVERIFY(endless->state == LockRow::State::Held && endless->neverExpires && !endless->ttlMs);
            QCOMPARE(clientsOf(endless->holders), QByteArrayList{"host-3"});
            QCOMPARE(never->state, LockRow::State::Free);
        }
        QCOMPARE(spring->format, QByteArray("int_lock"));
        QCOMPARE(mail->format, QByteArray("laravel"));
        QVERIFY(mail->ttlMs.value_or(0) > 0);
        const auto liquibase =
            std::ranges::find_if(report.locks, [](const LockRow& row) { return row.format == "liquibase"; });
        QVERIFY(liquibase != report.locks.end());
        QCOMPARE(clientsOf(liquibase->holders), QByteArrayList{"laptop (10.0.0.7)"});

        // Each is taken away only as it was seen: first while it is another's, then as it is.
        const auto releaser = inspect::makeReleaser(m_runtime, urlOf(m_all.url(engine)), realDiallers());
        QVERIFY(releaser);
        for (const LockRow* row : {held, spring, mail}) {
            LockRow other = *row;
            other.entries.front().value = "somebody else";
            const auto commands = (*releaser)->commands(*row);
            QVERIFY2(commands, commands ? "" : qPrintable(commands.error()));
            QVERIFY2(commands->front().contains(row->entries.front().value), commands->front().constData());
            const auto kept = run((*releaser)->free(other));
            QVERIFY2(kept, kept ? "" : qPrintable(kept.error()));
            QVERIFY(*kept == inspect::Freed::NotAsSeen);
        }
        QCOMPARE(rowOf(look(engine), "report")->state, LockRow::State::Held);
        LockRow older = *held;
        older.entries.front().born -= 1; // an earlier hold of the same host
        QVERIFY(run((*releaser)->free(older)) == inspect::Freed::NotAsSeen);
        for (const LockRow* row : {held, spring, mail}) {
            const auto freed = run((*releaser)->free(*row));
            QVERIFY2(freed, freed ? "" : qPrintable(freed.error()));
            QVERIFY(*freed == inspect::Freed::Freed);
        }
        const LockReport after = look(engine);
        QCOMPARE(rowOf(after, "report")->state, LockRow::State::Free);
        QVERIFY(!rowOf(after, spring->name) && !rowOf(after, "laravel_mail"));
        QVERIFY(!(*releaser)->commands(*liquibase)); // nothing tells one hold of that host from the next
        for (const char* table : {"shedlock", "INT_LOCK", "DATABASECHANGELOGLOCK", "cache_locks"})
            does("DROP TABLE " + QByteArray(table));
    }

    void aTableThatTheUserNames_data() { engines(); }
    void aTableThatTheUserNames() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_all.url(engine));
        const QByteArray time = engine == "mariadb" ? "DATETIME(3)" : engine == "postgresql" ? "timestamptz" : "TEXT";
        const auto does = [&](const QByteArray& text) {
            const sql::Result done = ask(client.driver, text);
            QVERIFY2(done, done ? "" : qPrintable(done.error().message));
        };
        does("CREATE TABLE jobs (job VARCHAR(64) PRIMARY KEY, node VARCHAR(64), expires " + time + ", epoch BIGINT)");
        does("INSERT INTO jobs VALUES ('nightly', 'host-1', '2999-01-01 00:00:00', 1790000000)");
        does("INSERT INTO jobs VALUES ('over', 'host-2', '2001-01-01 00:00:00', 32472144000000)");
        does("INSERT INTO jobs VALUES ('free', NULL, '2999-01-01 00:00:00', NULL)");
        does("INSERT INTO jobs VALUES ('stuck', 'host-3', NULL, NULL)");
        const auto lookAt = [&](const char* options) {
            const QString url = m_all.url(engine);
            const QString more = (url.contains(u'?') ? u'&' : u'?') + QString::fromLatin1(options);
            const auto watcher = watcherOf(m_runtime, url + more);
            return run(watcher->once());
        };
        const LockReport report = lookAt("table=jobs&name=job&owner=node&until=expires");
        QCOMPARE(troubleOf(report), QByteArray());
        const LockRow *nightly = rowOf(report, "nightly"), *over = rowOf(report, "over"), *free = rowOf(report, "free"),
                      *stuck = rowOf(report, "stuck");
        QVERIFY(nightly && over && free && stuck);
        QCOMPARE(nightly->format, QByteArray("table"));
        QCOMPARE(nightly->backend, engine);
        QCOMPARE(clientsOf(nightly->holders), QByteArrayList{"host-1"});
        QVERIFY(nightly->ttlMs.value_or(0) > 900LL * 365 * 86'400'000);
        QVERIFY(over->state == LockRow::State::Free && free->state == LockRow::State::Free);
        QVERIFY(stuck->state == LockRow::State::Held && stuck->neverExpires);
        const auto missing = [](const LockReport& of) {
            const auto note =
                std::ranges::find(of.notes, inspect::WatchNote::Kind::TableMissing, &inspect::WatchNote::kind);
            return note == of.notes.end() ? QByteArray("none") : note->examples.at(0);
        };
        QCOMPARE(missing(report), QByteArray("none"));
        // As a number since 1970, and without an owner.
        const LockReport numbers = lookAt("table=jobs&name=job&until=epoch");
        QVERIFY(rowOf(numbers, "over")->state == LockRow::State::Held && rowOf(numbers, "over")->holders.empty());
        QVERIFY(rowOf(numbers, "nightly")->state == LockRow::State::Free);
        QCOMPARE(missing(lookAt("table=jobs&name=job&owner=host")), QByteArray("jobs.host"));
        QCOMPARE(missing(lookAt("table=jots&name=job")), QByteArray("jots"));
        // Nobody knows what its clients expect of a row: it is not freed by force.
        const auto releaser = inspect::makeReleaser(m_runtime, urlOf(m_all.url(engine)), realDiallers());
        QVERIFY(releaser && !(*releaser)->commands(*nightly));
        does("DROP TABLE jobs");
        for (const char* wrong : {"table=jobs&owner=node", "name=job"}) {
            const QString url = m_all.url(engine);
            const auto made = inspect::makeWatcher(
                m_runtime, urlOf(url + (url.contains(u'?') ? u'&' : u'?') + QString::fromLatin1(wrong)),
                realDiallers());
            QVERIFY(!made && made.error().contains(u"table= and name="));
        }
    }

    void quartzLocksARow_data() {
        QTest::addColumn<QByteArray>("engine");
        QTest::newRow("postgresql") << QByteArray("postgresql");
        QTest::newRow("mariadb") << QByteArray("mariadb");
    }
    void quartzLocksARow() {
        QFETCH(QByteArray, engine);
        const bool postgres = engine == "postgresql";
        Someone a(m_runtime, m_all.url(engine)), b(m_runtime, m_all.url(engine));
        VERIFY_OK(a.ask("CREATE TABLE QRTZ_LOCKS (SCHED_NAME VARCHAR(120) NOT NULL, LOCK_NAME VARCHAR(40) NOT NULL, "
                        "PRIMARY KEY (SCHED_NAME, LOCK_NAME))"));
        VERIFY_OK(a.ask("INSERT INTO QRTZ_LOCKS VALUES ('shop', 'TRIGGER_ACCESS'), ('bank', 'TRIGGER_ACCESS')"));
        // As Quartz does it.
        const QByteArray lock =
            "SELECT * FROM QRTZ_LOCKS WHERE SCHED_NAME = 'shop' AND LOCK_NAME = 'TRIGGER_ACCESS' FOR UPDATE";
        VERIFY_OK(a.ask("START TRANSACTION"));
        VERIFY_OK(a.ask(lock));
        const auto quartz = [](const LockReport& report) {
            return std::ranges::find(report.locks, QByteArray("qrtz_locks"), &LockRow::format);
        };
        if (postgres) { // seen without a waiter
            const LockReport report = look(engine);
            const auto row = quartz(report);
            QVERIFY(row != report.locks.end());
            QCOMPARE(row->name, QByteArray("qrtz_locks:shop:TRIGGER_ACCESS"));
            QCOMPARE(clientsOf(row->holders), QByteArrayList{a.name});
        }
        VERIFY_OK(b.ask("START TRANSACTION"));
        const auto second = waiting(b, lock);
        QVERIFY(comesTrue([&] { return (postgres ? waitersOnServer() : blockedInMariaDb(a)) == 1; }));
        if (!postgres) letInnoDbRest();
        const LockReport report = look(engine);
        const auto row = quartz(report);
        QVERIFY(row != report.locks.end());
        QVERIFY2(row->name.toLower().contains("qrtz_locks:") && row->name.contains("TRIGGER_ACCESS") &&
                     row->name.contains("shop"),
                 row->name);
        QVERIFY(inspect::keptBy(row->format) == inspect::KeptBy::Transaction);
        QCOMPARE(clientsOf(row->holders), QByteArrayList{a.name});
        QCOMPARE(waitersOf(*row), QByteArrayList{b.name});
        VERIFY_OK(a.ask("ROLLBACK"));
        QVERIFY(ends(second, 10s));
        VERIFY_OK(b.ask("ROLLBACK"));
        VERIFY_OK(a.ask("DROP TABLE QRTZ_LOCKS"));
    }

    /// A login with the rights that app/README.md names, and no others, sees what the administrator sees.
    void theRightsThatAreNamedSuffice_data() { quartzLocksARow_data(); }
    void theRightsThatAreNamedSuffice() {
        QFETCH(QByteArray, engine);
        const bool postgres = engine == "postgresql";
        SqlClient owner(m_runtime, m_all.url(engine));
        VERIFY_OK(owner.prepare());
        const QByteArray login = postgres ? "looker" : "looker@'%'";
        for (const QByteArray& right :
             {postgres ? "CREATE ROLE looker LOGIN PASSWORD 'look'" : "CREATE USER " + login + " IDENTIFIED BY 'look'",
              "GRANT SELECT ON lockscope_locks TO " + login,
              (postgres ? "GRANT pg_read_all_stats TO " : "GRANT PROCESS, REPLICA MONITOR ON *.* TO ") + login})
            VERIFY_OK(ask(owner.driver, right));
        const auto lease = owner.recipe("sql-lease", "orders");
        const Granted held = acquire(*lease, request(5s, 20s));
        VERIFY_OK(held);
        Someone a(m_runtime, m_all.url(engine)), b(m_runtime, m_all.url(engine));
        const QByteArray gate = postgres ? "SELECT pg_advisory_lock(77)" : "SELECT GET_LOCK('77', 60)";
        VERIFY_OK(a.ask(gate));
        const auto second = waiting(b, gate);
        const QByteArray blocked = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE state = 'User lock'";
        QVERIFY(comesTrue([&] { return (postgres ? waitersOnServer() : number(owner.driver, blocked)) == 1; }));
        QUrl url(m_all.url(engine));
        url.setUserName(QStringLiteral("looker"));
        url.setPassword(QStringLiteral("look"));
        const auto watcher = watcherOf(m_runtime, url.toString());
        const LockReport seen = run(watcher->once()), all = look(engine);
        QCOMPARE(troubleOf(seen), QByteArray());
        QVERIFY(seen.complete && seen.server->role == inspect::ServerIdentity::Role::Master);
        QCOMPARE(seen.locks.size(), all.locks.size());
        for (const LockRow& row : all.locks) {
            const LockRow* const its = rowOf(seen, row.name);
            QVERIFY2(its && its->format == row.format, row.name);
            QCOMPARE(clientsOf(its->holders), clientsOf(row.holders));
            QCOMPARE(waitersOf(*its), waitersOf(row));
        }
        QVERIFY(rowOf(seen, "77")->waiters->front().about.contains(gate)); // another user's statement
        // Other servers list named locks to this user, too, or to nobody: here the right is missing.
        const auto hidden =
            std::ranges::find(seen.notes, inspect::WatchNote::Kind::NamedLocksHidden, &inspect::WatchNote::kind);
        QCOMPARE(hidden != seen.notes.end(), !postgres);
        if (!postgres) QCOMPARE(hidden->examples, std::vector<QByteArray>{"performance_schema"});
        if (postgres) {
            VERIFY_OK(ask(owner.driver, "REVOKE pg_read_all_stats FROM looker"));
            const LockReport less = run(watcherOf(m_runtime, url.toString())->once());
            QVERIFY(rowOf(less, "77") && !rowOf(less, "77")->waiters->front().about.contains("privilege"));
        }
        VERIFY_OK(a.ask(postgres ? "SELECT pg_advisory_unlock_all()" : "SELECT RELEASE_ALL_LOCKS()"));
        QVERIFY(ends(second, 10s));
        VERIFY_OK(release(*lease, **held));
    }

    void aPostgreSqlNamesItsFollowers() {
        QVERIFY(look("postgresql").server->replicas.empty());
        const QStringList versions =
            QDir(QStringLiteral("/usr/lib/postgresql")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QVERIFY(!versions.isEmpty());
        const QTemporaryDir folder;
        QProcess follower; // takes the changes and applies none: so nobody knows how far behind it is
        follower.start(QStringLiteral("/usr/lib/postgresql/%1/bin/pg_receivewal").arg(versions.back()),
                       {QStringLiteral("--directory"), folder.path(), QStringLiteral("--no-loop"),
                        QStringLiteral("--dbname"), m_all.url("postgresql")});
        QVERIFY(follower.waitForStarted());
        const auto replicas = [&] { return look("postgresql").server->replicas; };
        QVERIFY2(comesTrue([&] { return replicas().size() == 1 && replicas().front().inStep; }, 20s),
                 follower.readAllStandardError());
        QCOMPARE(replicas().front().address, QByteArray("127.0.0.1"));
        QCOMPARE(replicas().front().behind, -1);
        follower.terminate();
        QVERIFY(follower.waitForFinished());
        QVERIFY(comesTrue([&] { return replicas().empty(); }, 20s));
    }

    void aMariaDbTellsOfItsReplication() {
        using Role = inspect::ServerIdentity::Role;
        sandbox::SqlServerOptions first, second;
        first.extraArguments = QStringList{QStringLiteral("--log-bin=log"), QStringLiteral("--server-id=1")};
        second.extraArguments = QStringList{QStringLiteral("--server-id=2")};
        sandbox::MariaDbServer primary(m_runtime, first), replica(m_runtime, second);
        VERIFY_STARTED(primary);
        VERIFY_STARTED(replica);
        const auto seen = [this](const sandbox::SqlServer& server) {
            return run(watcherOf(m_runtime, server.url())->once()).server.value_or(inspect::ServerIdentity());
        };
        QVERIFY(seen(primary).role == Role::Master && seen(primary).replicas.empty());
        SqlClient there(m_runtime, replica.url());
        const QByteArray port = QByteArray::number(urlOf(primary.url()).endpoints.front().port);
        VERIFY_OK(ask(there.driver, "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = " + port +
                                        ", MASTER_USER = 'lockscope', MASTER_PASSWORD = 'locks'"));
        VERIFY_OK(ask(there.driver, "START SLAVE"));
        QVERIFY(comesTrue([&] { return seen(replica).behindSeconds == 0; }, 20s));
        QVERIFY(seen(replica).role == Role::Replica);
        QCOMPARE(seen(replica).master, "127.0.0.1:" + port);
        const auto replicas = seen(primary).replicas;
        QCOMPARE(replicas.size(), 1u);
        QCOMPARE(replicas.front().address, QByteArray("127.0.0.1"));
        QVERIFY(replicas.front().inStep && replicas.front().behind < 0); // how far, its master does not tell
        VERIFY_OK(ask(there.driver, "STOP SLAVE"));
        QCOMPARE(seen(replica).behindSeconds, -1); // nobody knows
    }

    void changesAreTold_data() { engines(); }
    void changesAreTold() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_all.url(engine));
        VERIFY_OK(client.prepare());
        Watching watch(m_runtime, m_all.url(engine));
        QVERIFY(comesTrue([&] { return watch.last().complete; }));
        const auto lease = client.recipe("sql-lease", "watched");
        const Granted taken = acquire(*lease, request(5s, 20s));
        VERIFY_OK(taken);
        QVERIFY(comesTrue([&] { return watch.row("watched") != nullptr; }, 15s));
        VERIFY_OK(release(*lease, **taken));
        QVERIFY(comesTrue([&] { return watch.row("watched") == nullptr; }, 15s));
        using What = inspect::LockChange::What;
        QVERIFY(watch.happened["watched"] == (std::vector<What>{What::Taken, What::Released}));
    }

    void theServerRefusesWritesOfAReader_data() { engines(); }
    void theServerRefusesWritesOfAReader() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_all.url(engine));
        VERIFY_OK(client.prepare());
        const auto reader = realDiallers().sqlReader(m_runtime, urlOf(m_all.url(engine)));
        VERIFY_OK(run(reader->select("SELECT COUNT(*) FROM lockscope_locks", {}, {})));
        const auto refused = run(reader->select("DELETE FROM lockscope_locks", {}, {}));
        QVERIFY(!refused);
    }

private:
    static void engines() {
        QTest::addColumn<QByteArray>("engine");
        for (const char* engine : {"mariadb", "postgresql", "sqlite"})
            QTest::newRow(engine) << QByteArray(engine);
    }
    /// Sessions of PostgreSQL that wait for a lock, as the server says.
    qint64 waitersOnServer() {
        return number(asker().driver, "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    }
    SqlClient& asker(const QByteArray& engine = "postgresql") {
        std::unique_ptr<SqlClient>& its = m_askers[engine];
        if (!its) its = std::make_unique<SqlClient>(m_runtime, m_all.url(engine));
        return *its;
    }

    EventLoopRuntime m_runtime;
    Databases m_all{m_runtime};
    std::map<QByteArray, std::unique_ptr<SqlClient>> m_askers;
};

QTEST_GUILESS_MAIN(TestSqlWatcher)
#include "tst_sql_watcher.moc"
