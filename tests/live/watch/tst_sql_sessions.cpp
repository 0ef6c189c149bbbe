// SPDX-License-Identifier: Apache-2.0
#include "inspect/kept_by.h"
#include "live_sql.h"
#include "someone.h"
#include "watching.h"

#include <QJsonDocument>

using namespace lockscope;
using namespace lockscope::test;

/// Sessions of databases that hold locks in the server's memory and keep each other waiting: what the watcher says of
/// them, against what the sessions did.
class TestSqlSessions : public QObject {
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

    void advisoryLocksOfPostgreSql() {
        Someone a(m_runtime, m_all.url("postgresql")), b(m_runtime, m_all.url("postgresql")),
            c(m_runtime, m_all.url("postgresql")), d(m_runtime, m_all.url("postgresql"));
        VERIFY_OK(a.ask("SELECT pg_advisory_lock(-4242)"));
        VERIFY_OK(d.ask("SELECT pg_advisory_lock_shared(12, -34)"));
        const auto second = waiting(b, "SELECT pg_advisory_lock(-4242)");
        QVERIFY(comesTrue([&] { return waitersOnServer() == 1; }));
        const auto third = waiting(c, "SELECT pg_advisory_lock(-4242)");
        QVERIFY(comesTrue([&] { return waitersOnServer() == 2; }));
        const LockReport report = look("postgresql");
        QCOMPARE(troubleOf(report), QByteArray());
        const LockRow *row = rowOf(report, "-4242"), *two = rowOf(report, "12,-34");
        QVERIFY(row && two);
        QCOMPARE(row->format, QByteArray("pg-advisory"));
        QVERIFY(!row->ttlMs && !row->neverExpires && inspect::keptBy(row->format) == inspect::KeptBy::Either);
        QCOMPARE(clientsOf(row->holders), QByteArrayList{a.name});
        QCOMPARE(waitersOf(*row), (QByteArrayList{b.name, c.name}));
        QVERIFY(row->waiters->front().about.contains("pg_advisory_lock(-4242)"));
        QCOMPARE(two->mode, QByteArray("shared"));
        QCOMPARE(clientsOf(two->holders), QByteArrayList{d.name});
        VERIFY_OK(a.ask("SELECT pg_advisory_unlock_all()"));
        QVERIFY(ends(second, 10s));
        VERIFY_OK(b.ask("SELECT pg_advisory_unlock_all()"));
        QVERIFY(ends(third, 10s));
    }

    /// It keeps all others out, whatever else it holds the lock for.
    void aSessionThatHoldsALockInBothWaysIsOneHolder() {
        Someone a(m_runtime, m_all.url("postgresql"));
        VERIFY_OK(a.ask("SELECT pg_advisory_lock_shared(900)"));
        VERIFY_OK(a.ask("SELECT pg_advisory_lock(900)"));
        const LockReport report = look("postgresql");
        QCOMPARE(troubleOf(report), QByteArray());
        const LockRow* row = rowOf(report, "900");
        QVERIFY(row);
        QCOMPARE(clientsOf(row->holders), QByteArrayList{a.name});
        QCOMPARE(row->mode, QByteArray("exclusive"));
        QCOMPARE(row->holders.front().mode, QByteArray("exclusive"));
        QCOMPARE(row->entries.size(), 1u); // to end it once is enough
        VERIFY_OK(a.ask("SELECT pg_advisory_unlock_all()"));
    }

    void aSessionKeepsTheNameThatItHadFirst() {
        Someone a(m_runtime, m_all.url("postgresql"));
        const QByteArray pid = QByteArray::number(qlonglong(a.session->serverId()));
        VERIFY_OK(a.ask("SET application_name = 'batch-02'"));
        Watching watch(m_runtime, m_all.url("postgresql"));
        QVERIFY(comesTrue([&] { return watch.last().complete; }));
        VERIFY_OK(a.ask("SELECT pg_advisory_lock(8812)"));
        QVERIFY(comesTrue([&] { return watch.row("8812") != nullptr; }));
        QCOMPARE(clientsOf(watch.row("8812")->holders), QByteArrayList{"batch-02 \u00b7 " + pid});
        QVERIFY(watch.row("8812")->holders.front().about.contains("pg_advisory_lock(8812)"));
        VERIFY_OK(a.ask("SET application_name = 'batch-03'"));
        // Its next statement is seen, and it is the same holder.
        VERIFY_OK(a.ask("SELECT 4711 -- a later one"));
        QVERIFY(comesTrue([&] { return watch.row("8812")->holders.front().about.contains("SELECT 4711"); }));
        QVERIFY(watch.row("8812")->holders.front().about.contains("idle: last statement: SELECT 4711"));
        QCOMPARE(clientsOf(watch.row("8812")->holders), QByteArrayList{"batch-02 \u00b7 " + pid});
        VERIFY_OK(a.ask("SELECT pg_advisory_unlock_all()"));
        QVERIFY(comesTrue([&] { return watch.row("8812") == nullptr; }));
        using What = inspect::LockChange::What;
        const std::vector<What>& happened = watch.happened["8812"];
        QVERIFY(happened.front() == What::Taken && happened.back() == What::Released);
        QVERIFY(std::ranges::find(happened, What::ChangedHands) == happened.end());
    }

    void aTableThatIsLockedIsSeenWithoutAWaiter() {
        Someone a(m_runtime, m_all.url("postgresql")), b(m_runtime, m_all.url("postgresql"));
        VERIFY_OK(a.ask("CREATE TABLE goods (name VARCHAR(20) PRIMARY KEY, amount INT)"));
        VERIFY_OK(a.ask("BEGIN"));
        VERIFY_OK(a.ask("INSERT INTO goods VALUES ('plums', 1)"));
        QVERIFY(!rowOf(look("postgresql"), "goods")); // an ordinary statement does not lock it
        VERIFY_OK(a.ask("LOCK TABLE goods IN SHARE ROW EXCLUSIVE MODE"));
        const LockReport alone = look("postgresql");
        const LockRow* const row = rowOf(alone, "goods");
        QVERIFY(row);
        QCOMPARE(row->format, QByteArray("pg-table"));
        QVERIFY(row->state == LockRow::State::Held && inspect::keptBy(row->format) == inspect::KeptBy::Transaction);
        QCOMPARE(clientsOf(row->holders), QByteArrayList{a.name});
        QVERIFY(row->entries.size() == 1 && row->entries.front().born > 0);
        // With a waiter it is the same row.
        VERIFY_OK(b.ask("BEGIN")); // else PostgreSQL refuses it
        const auto second = waiting(b, "LOCK TABLE goods");
        QVERIFY(comesTrue([&] { return waitersOnServer() == 1; }));
        const LockReport both = look("postgresql");
        QCOMPARE(std::ranges::count(both.locks, QByteArray("pg-table"), &LockRow::format), 1);
        QCOMPARE(clientsOf(rowOf(both, "goods")->holders), QByteArrayList{a.name});
        QCOMPARE(waitersOf(*rowOf(both, "goods")), QByteArrayList{b.name});
        VERIFY_OK(a.ask("COMMIT"));
        QVERIFY(ends(second, 10s));
        VERIFY_OK(b.ask("ROLLBACK"));
        VERIFY_OK(a.ask("DROP TABLE goods"));
        QVERIFY(!rowOf(look("postgresql"), "goods"));
    }

    void twoWritersShareATableThatAThirdOneWants() {
        Someone a(m_runtime, m_all.url("postgresql")), b(m_runtime, m_all.url("postgresql")),
            c(m_runtime, m_all.url("postgresql"));
        VERIFY_OK(a.ask("CREATE TABLE goods (name VARCHAR(20) PRIMARY KEY, amount INT)"));
        for (Someone* one : {&a, &b, &c})
            VERIFY_OK(one->ask("BEGIN"));
        VERIFY_OK(a.ask("INSERT INTO goods VALUES ('plums', 1)"));
        VERIFY_OK(b.ask("INSERT INTO goods VALUES ('pears', 1)"));
        Watching watch(m_runtime, m_all.url("postgresql"));
        QVERIFY(comesTrue([&] { return watch.last().complete; }));
        const auto third = waiting(c, "LOCK TABLE goods");
        QVERIFY(comesTrue([&] { return watch.row("goods") != nullptr; }));
        QCOMPARE(watch.row("goods")->holders.size(), 2u);
        QCOMPARE(watch.row("goods")->mode, QByteArray("shared"));
        VERIFY_OK(a.ask("COMMIT"));
        QVERIFY(comesTrue([&] { return watch.row("goods")->holders.size() == 1; }));
        QCOMPARE(watch.row("goods")->holders.front().mode, QByteArray("shared"));
        using What = inspect::LockChange::What;
        QVERIFY(watch.happened["goods"].front() == What::Found && watch.happened["goods"].back() == What::Left);
        VERIFY_OK(b.ask("COMMIT"));
        QVERIFY(ends(third, 10s));
        VERIFY_OK(c.ask("ROLLBACK"));
        VERIFY_OK(a.ask("DROP TABLE goods"));
    }

    /// Two transactions that insert the same key: the second one waits for the first one's end, and no row is there
    /// yet.
    void aTransactionThatAnotherOneWaitsFor() {
        Someone a(m_runtime, m_all.url("postgresql")), b(m_runtime, m_all.url("postgresql"));
        VERIFY_OK(a.ask("CREATE TABLE goods (name VARCHAR(20) PRIMARY KEY, amount INT)"));
        VERIFY_OK(a.ask("BEGIN"));
        VERIFY_OK(a.ask("INSERT INTO goods VALUES ('plums', 1)"));
        const auto second = waiting(b, "INSERT INTO goods VALUES ('plums', 2)");
        QVERIFY(comesTrue([&] { return waitersOnServer() == 1; }));
        const LockReport report = look("postgresql");
        const auto row = std::ranges::find(report.locks, QByteArray("pg-transaction"), &LockRow::format);
        QVERIFY(row != report.locks.end());
        QVERIFY2(row->name.startsWith("transaction "), row->name.constData());
        QCOMPARE(clientsOf(row->holders), QByteArrayList{a.name});
        QCOMPARE(waitersOf(*row), QByteArrayList{b.name});
        VERIFY_OK(a.ask("ROLLBACK"));
        QVERIFY(ends(second, 10s));
        VERIFY_OK(a.ask("DROP TABLE goods"));
    }

    void preparedTransactionsHoldWithoutASession() {
        sandbox::SqlServerOptions options;
        options.extraArguments << QStringLiteral("-c") << QStringLiteral("max_prepared_transactions=4");
        sandbox::PostgresServer server(m_runtime, options);
        VERIFY_EMPTY(test::start(server));
        Someone a(m_runtime, server.url()), b(m_runtime, server.url()), c(m_runtime, server.url());
        VERIFY_OK(a.ask("CREATE TABLE goods (name VARCHAR(20) PRIMARY KEY, amount INT)"));
        VERIFY_OK(a.ask("INSERT INTO goods VALUES ('pears', 2)"));
        VERIFY_OK(a.ask("BEGIN"));
        VERIFY_OK(a.ask("UPDATE goods SET amount = 0 WHERE name = 'pears'"));
        VERIFY_OK(a.ask("SELECT pg_advisory_xact_lock(77431708279170)"));
        VERIFY_OK(a.ask("PREPARE TRANSACTION 'transfer-1'"));
        const auto blocked = [&] {
            return number(a.client.driver, "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
        };
        const auto look = [&] {
            const auto watcher = watcherOf(m_runtime, server.url());
            return run(watcher->once());
        };
        const QByteArrayList holder{"prepared transaction transfer-1"};
        const auto row = waiting(b, "UPDATE goods SET amount = 3 WHERE name = 'pears'");
        QVERIFY(comesTrue([&] { return blocked() == 1; }));
        const LockReport rows = look();
        for (const char* name : {"goods:pears", "77431708279170 (Flyway)"}) {
            QVERIFY2(rowOf(rows, name), name);
            QCOMPARE(clientsOf(rowOf(rows, name)->holders), holder);
            QVERIFY(rowOf(rows, name)->entries.empty()); // no session that could be ended
        }
        VERIFY_OK(c.ask("BEGIN"));
        const auto table = waiting(c, "LOCK TABLE goods");
        QVERIFY(comesTrue([&] { return blocked() == 2; }));
        const LockReport tables = look();
        const LockRow* const whole = rowOf(tables, "goods");
        QVERIFY(whole && clientsOf(whole->holders).contains(holder.front()));
        QCOMPARE(waitersOf(*whole), QByteArrayList{c.name});
        VERIFY_OK(a.ask("ROLLBACK PREPARED 'transfer-1'"));
        QVERIFY(ends(row, 10s) && ends(table, 10s));
    }

    void namedLocksOfMariaDb() {
        Someone a(m_runtime, m_all.url("mariadb")), b(m_runtime, m_all.url("mariadb"));
        VERIFY_OK(a.ask("SELECT GET_LOCK('orders', 5)"));
        const auto second = waiting(b, "SELECT GET_LOCK('orders', 30)");
        QVERIFY(comesTrue([&] {
            return number(a.client.driver, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User "
                                           "lock'") == 1;
        }));
        const LockReport report = look("mariadb");
        QCOMPARE(troubleOf(report), QByteArray());
        const LockRow* row = rowOf(report, "orders");
        QVERIFY(row);
        QCOMPARE(row->format, QByteArray("get-lock"));
        QVERIFY(!row->ttlMs && !row->neverExpires && inspect::keptBy(row->format) == inspect::KeptBy::Session);
        QCOMPARE(clientsOf(row->holders), QByteArrayList{a.name});
        QCOMPARE(waitersOf(*row), QByteArrayList{b.name});
        // Nobody lists them by default, and that is said.
        const auto hidden = [](const inspect::WatchNote& note) {
            return note.kind == inspect::WatchNote::Kind::NamedLocksHidden;
        };
        const auto unlisted = std::ranges::find_if(report.notes, hidden);
        QVERIFY(unlisted != report.notes.end());
        QVERIFY(unlisted->examples.empty()); // the server, not this user's rights
        VERIFY_OK(a.ask("SELECT RELEASE_LOCK('orders')"));
        QVERIFY(ends(second, 10s));
        // Without a waiter, a name that is asked for is found all the same.
        QVERIFY(!rowOf(look("mariadb"), "orders"));
        const LockReport named = look("mariadb", QStringLiteral("orders"));
        QVERIFY(rowOf(named, "orders"));
        QCOMPARE(clientsOf(rowOf(named, "orders")->holders), QByteArrayList{b.name});
        // The plugin lists them. Since when each is held nobody tells: the lock was asked for long before.
        VERIFY_OK(ask(asker("mariadb").driver, "INSTALL SONAME 'metadata_lock_info'"));
        const LockReport listed = look("mariadb");
        VERIFY_OK(ask(asker("mariadb").driver, "UNINSTALL SONAME 'metadata_lock_info'"));
        QVERIFY(rowOf(listed, "orders"));
        QCOMPARE(clientsOf(rowOf(listed, "orders")->holders), QByteArrayList{b.name});
        QVERIFY(!rowOf(listed, "orders")->holders.front().sinceWallMs);
        // A statement may leave out the name that it waits for, as prepared ones do: nobody is said to have no waiters.
        const auto third = waiting(a, "SELECT GET_LOCK(CONCAT('ord', 'ers'), 10)");
        QVERIFY(comesTrue([&] {
            return number(asker("mariadb").driver,
                          "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User lock'") == 1;
        }));
        const LockReport nameless = look("mariadb", QStringLiteral("orders"));
        QVERIFY(rowOf(nameless, "orders"));
        QVERIFY(!rowOf(nameless, "orders")->waiterCount);
        const auto note = std::ranges::find_if(nameless.notes, hidden);
        QVERIFY(note != nameless.notes.end());
        QCOMPARE(note->count, 1);
        VERIFY_OK(b.ask("SELECT RELEASE_LOCK('orders')"));
        QVERIFY(ends(third, 10s));
        VERIFY_OK(a.ask("SELECT RELEASE_LOCK('orders')"));
    }

    /// Nothing lists who holds it, once nobody waits for it any more: its name is known from before.
    void theWaiterOfAKilledHolderHasTheLock() {
        Someone a(m_runtime, m_all.url("mariadb")), b(m_runtime, m_all.url("mariadb"));
        VERIFY_OK(a.ask("SELECT GET_LOCK('nightly report', 5)"));
        const auto second = waiting(b, "SELECT GET_LOCK('nightly report', 60)");
        Watching watch(m_runtime, m_all.url("mariadb"));
        QVERIFY(comesTrue([&] {
            const LockRow* const row = watch.row("nightly report");
            return row && clientsOf(row->holders) == QByteArrayList{a.name} && row->waiterCount == 1;
        }));
        VERIFY_OK(ask(asker("mariadb").driver, "KILL " + QByteArray::number(qlonglong(a.session->serverId()))));
        QVERIFY(ends(second, 10s));
        QVERIFY(comesTrue([&] {
            const LockRow* const row = watch.row("nightly report");
            return row && clientsOf(row->holders) == QByteArrayList{b.name} && row->waiterCount == 0;
        }));
        const auto& happened = watch.happened["nightly report"];
        QVERIFY(std::ranges::find(happened, LockChange::What::Released) == happened.end());
        VERIFY_OK(b.ask("SELECT RELEASE_LOCK('nightly report')"));
        QVERIFY(comesTrue([&] { return !watch.row("nightly report"); })); // nobody has it, and nobody wants it
    }

    /// Without the right PROCESS the server lists only the user's own connections.
    void waitersForNamedLocksAreNotKnownWithoutTheRight() {
        VERIFY_OK(ask(asker("mariadb").driver, "CREATE USER IF NOT EXISTS blind IDENTIFIED BY 'blind'"));
        VERIFY_OK(ask(asker("mariadb").driver, "GRANT SELECT ON *.* TO blind"));
        Someone a(m_runtime, m_all.url("mariadb"));
        VERIFY_OK(a.ask("SELECT GET_LOCK('orders', 5)"));
        QUrl url(m_all.url("mariadb"));
        url.setUserName(QStringLiteral("blind"));
        url.setPassword(QStringLiteral("blind"));
        const auto watcher = watcherOf(m_runtime, url.toString(), QStringLiteral("orders"));
        const LockReport blind = run(watcher->once());
        QCOMPARE(troubleOf(blind), QByteArray());
        QVERIFY(rowOf(blind, "orders") && !rowOf(blind, "orders")->waiterCount && !rowOf(blind, "orders")->waiters);
        QCOMPARE(rowOf(look("mariadb", QStringLiteral("orders")), "orders")->waiterCount,
                 std::optional<std::int64_t>(0));
        VERIFY_OK(a.ask("SELECT RELEASE_LOCK('orders')"));
    }

    void tablesThatStatementsOfMariaDbWaitFor() {
        Someone a(m_runtime, m_all.url("mariadb")), b(m_runtime, m_all.url("mariadb")),
            c(m_runtime, m_all.url("mariadb"));
        const auto waiters = [&] {
            return number(asker("mariadb").driver, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = "
                                                   "'Waiting for table metadata lock'");
        };
        VERIFY_OK(a.ask("CREATE TABLE goods (name VARCHAR(20) PRIMARY KEY, amount INT)"));
        VERIFY_OK(a.ask("INSERT INTO goods VALUES ('pears', 2)"));
        VERIFY_OK(a.ask("START TRANSACTION"));
        VERIFY_OK(a.ask("UPDATE goods SET amount = 0 WHERE name = 'pears'"));
        const auto second = waiting(b, "ALTER TABLE goods ADD COLUMN price INT");
        QVERIFY(comesTrue([&] { return waiters() == 1; }));
        const auto third = waiting(c, "SELECT COUNT(*) FROM goods");
        QVERIFY(comesTrue([&] { return waiters() == 2; }));
        letInnoDbRest();
        const auto tableIn = [](const LockReport& report) {
            return std::ranges::find(report.locks, QByteArray("mariadb-table"), &LockRow::format);
        };
        // By default nobody tells who has the table: then transactions that were open before stand in its content.
        const LockReport report = look("mariadb");
        QCOMPARE(troubleOf(report), QByteArray());
        const auto row = tableIn(report);
        QVERIFY(row != report.locks.end());
        QVERIFY2(row->name.endsWith(".goods"), row->name.constData());
        QVERIFY(row->state == LockRow::State::Held && row->holders.empty());
        QVERIFY(row->certainty == inspect::Certainty::Likely); // its name is a statement's
        QCOMPARE(waitersOf(*row), (QByteArrayList{b.name, c.name}));
        QVERIFY(row->waiters->front().about.contains("ALTER TABLE goods"));
        const auto candidate = [&](const inspect::RawKey& key) { return key.type == "open transaction, may hold it"; };
        QCOMPARE(std::ranges::count_if(row->raw, candidate), 1);
        QVERIFY(
            std::ranges::find_if(row->raw, candidate)->value.json().toString().startsWith(QString::fromUtf8(a.name)));
        // With the plugin the server tells it.
        VERIFY_OK(ask(asker("mariadb").driver, "INSTALL SONAME 'metadata_lock_info'"));
        letInnoDbRest();
        const LockReport told = look("mariadb");
        VERIFY_OK(ask(asker("mariadb").driver, "UNINSTALL SONAME 'metadata_lock_info'"));
        const auto known = tableIn(told);
        QVERIFY(known != told.locks.end());
        QCOMPARE(known->name, row->name);
        QCOMPARE(clientsOf(known->holders), QByteArrayList{a.name});
        QCOMPARE(waitersOf(*known), (QByteArrayList{b.name, c.name}));
        QVERIFY(known->certainty == inspect::Certainty::Certain && known->entries.size() == 1);
        const auto holding = [](const inspect::RawKey& key) { return key.type == "session that has it"; };
        QCOMPARE(std::ranges::count_if(known->raw, holding), 1);
        const QString mode = std::ranges::find_if(known->raw, holding)->value.json().toString();
        QVERIFY2(mode.startsWith(QLatin1String("SHARED_WRITE ")), qPrintable(mode)); // it has written in it
        VERIFY_OK(a.ask("ROLLBACK"));
        QVERIFY(ends(second, 10s) && ends(third, 10s));
        const LockReport after = look("mariadb");
        QVERIFY(tableIn(after) == after.locks.end());
        VERIFY_OK(a.ask("DROP TABLE goods"));
    }

    void aTableThatSomebodyHasToItselfHidesItsLocksOnly_data() {
        QTest::addColumn<QByteArray>("engine");
        for (const char* engine : {"mariadb", "postgresql"})
            QTest::newRow(engine) << QByteArray(engine);
    }
    void aTableThatSomebodyHasToItselfHidesItsLocksOnly() {
        QFETCH(QByteArray, engine);
        const bool postgres = engine == "postgresql";
        SqlClient client(m_runtime, m_all.url(engine));
        VERIFY_OK(client.prepare());
        const auto lease = client.recipe("sql-lease", "weekly");
        const Granted taken = acquire(*lease, request(5s, 60s));
        VERIFY_OK(taken);
        Someone a(m_runtime, m_all.url(engine)), b(m_runtime, m_all.url(engine));
        const QByteArray gate = postgres ? "SELECT pg_advisory_lock(91)" : "SELECT GET_LOCK('91', 60)";
        VERIFY_OK(b.ask(gate));
        Watching watch(m_runtime, m_all.url(engine), QStringLiteral("weekly,91"));
        const auto stateOf = [&](const QByteArray& name) {
            const LockRow* const row = watch.row(name);
            return row ? row->state : LockRow::State::Free;
        };
        const auto held = [&] {
            return stateOf("weekly") == LockRow::State::Held && stateOf("91") == LockRow::State::Held;
        };
        QVERIFY(comesTrue(held));
        if (postgres) VERIFY_OK(a.ask("BEGIN"));
        VERIFY_OK(a.ask(postgres ? "LOCK TABLE lockscope_locks IN ACCESS EXCLUSIVE MODE"
                                 : "LOCK TABLES lockscope_locks WRITE"));
        QVERIFY(comesTrue([&] { return stateOf("weekly") == LockRow::State::NotKnown; }, 15s));
        QVERIFY(stateOf("91") == LockRow::State::Held); // what lies elsewhere stays in sight
        const LockReport alone = look(engine);
        QCOMPARE(troubleOf(alone), QByteArray());
        QVERIFY(!alone.complete);
        VERIFY_OK(a.ask(postgres ? "ROLLBACK" : "UNLOCK TABLES"));
        QVERIFY(comesTrue(held, 15s));
        QCOMPARE(watch.outages, 0);
        using What = inspect::LockChange::What;
        const std::vector<What>& happened = watch.happened["weekly"];
        for (const What lie : {What::Released, What::Expired, What::Gone, What::Taken})
            QVERIFY(std::find(happened.begin() + 1, happened.end(), lie) == happened.end());
        VERIFY_OK(b.ask(postgres ? "SELECT pg_advisory_unlock_all()" : "SELECT RELEASE_ALL_LOCKS()"));
        VERIFY_OK(release(*lease, **taken));
    }

private:
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

QTEST_GUILESS_MAIN(TestSqlSessions)
#include "tst_sql_sessions.moc"
