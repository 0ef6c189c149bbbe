// SPDX-License-Identifier: Apache-2.0
#include "inspect/kept_by.h"
#include "live_sql.h"
#include "someone.h"
#include "watching.h"

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
        QVERIFY(!row->ttlMs && !row->neverExpires && inspect::keptBy(row->format) == inspect::KeptBy::Session);
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
        VERIFY_OK(a.ask("SELECT 'a later one'"));
        QVERIFY(comesTrue([&] { return watch.row("8812")->holders.front().about.contains("a later one"); }));
        QCOMPARE(clientsOf(watch.row("8812")->holders), QByteArrayList{"batch-02 \u00b7 " + pid});
        VERIFY_OK(a.ask("SELECT pg_advisory_unlock_all()"));
        QVERIFY(comesTrue([&] { return watch.row("8812") == nullptr; }));
        using What = inspect::LockChange::What;
        const std::vector<What>& happened = watch.happened["8812"];
        QVERIFY(happened.front() == What::Taken && happened.back() == What::Released);
        QVERIFY(std::ranges::find(happened, What::ChangedHands) == happened.end());
    }

    void blockedRows_data() {
        QTest::addColumn<QByteArray>("engine");
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<QByteArray>("end"); // of the row's name
        QTest::newRow("postgresql") << QByteArray("postgresql") << QByteArray("pg-row") << QByteArray("goods:pears");
        QTest::newRow("mariadb") << QByteArray("mariadb") << QByteArray("innodb-row") << QByteArray(".goods:'pears'");
    }
    void blockedRows() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, format);
        QFETCH(QByteArray, end);
        Someone a(m_runtime, m_all.url(engine)), b(m_runtime, m_all.url(engine)), c(m_runtime, m_all.url(engine));
        const auto blocked = [&] { return engine == "mariadb" ? blockedInMariaDb(a) : waitersOnServer(); };
        VERIFY_OK(a.ask("CREATE TABLE goods (name VARCHAR(20) PRIMARY KEY, amount INT)"));
        VERIFY_OK(a.ask("INSERT INTO goods VALUES ('apples', 1), ('pears', 2)"));
        for (Someone* one : {&a, &b, &c})
            VERIFY_OK(one->ask("START TRANSACTION"));
        VERIFY_OK(a.ask("UPDATE goods SET amount = 0 WHERE name = 'pears'"));
        const auto second = waiting(b, "UPDATE goods SET amount = 3 WHERE name = 'pears'");
        QVERIFY(comesTrue([&] { return blocked() == 1; }));
        const auto third = waiting(c, "UPDATE goods SET amount = 4 WHERE name = 'pears'");
        QVERIFY(comesTrue([&] { return blocked() == 2; }));
        if (engine == "mariadb") letInnoDbRest();
        const LockReport report = look(engine);
        const auto row = std::ranges::find_if(report.locks, [&](const LockRow& each) { return each.format == format; });
        QVERIFY(row != report.locks.end());
        QVERIFY2(row->name.endsWith(end), row->name.constData());
        QVERIFY(!row->ttlMs && !row->neverExpires && inspect::keptBy(row->format) == inspect::KeptBy::Transaction);
        QCOMPARE(clientsOf(row->holders), QByteArrayList{a.name});
        QCOMPARE(waitersOf(*row), (QByteArrayList{b.name, c.name}));
        VERIFY_OK(a.ask("ROLLBACK"));
        QVERIFY(ends(second, 10s));
        VERIFY_OK(b.ask("ROLLBACK"));
        QVERIFY(ends(third, 10s));
        VERIFY_OK(c.ask("ROLLBACK"));
        VERIFY_OK(a.ask("DROP TABLE goods"));
    }

    void aRowLockedForUpdateIsSeenWithoutAWaiter() {
        SqlClient client(m_runtime, m_all.url("postgresql"));
        VERIFY_OK(client.prepare());
        const auto recipe = client.recipe("sql-for-update", "nightly");
        const Granted taken = acquire(*recipe, request(5s));
        VERIFY_OK(taken);
        const LockReport report = look("postgresql");
        const LockRow* row = rowOf(report, "lockscope_locks:nightly");
        QVERIFY(row);
        QCOMPARE(row->format, QByteArray("pg-row"));
        QCOMPARE(row->holders.size(), 1u);
        QCOMPARE(*row->waiterCount, 0);
        VERIFY_OK(release(*recipe, **taken));
        QVERIFY(!rowOf(look("postgresql"), "lockscope_locks:nightly"));
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
        QVERIFY(std::ranges::any_of(report.notes, hidden));
        VERIFY_OK(a.ask("SELECT RELEASE_LOCK('orders')"));
        QVERIFY(ends(second, 10s));
        // Without a waiter, a name that is asked for is found all the same.
        QVERIFY(!rowOf(look("mariadb"), "orders"));
        const LockReport named = look("mariadb", QStringLiteral("orders"));
        QVERIFY(rowOf(named, "orders"));
        QCOMPARE(clientsOf(rowOf(named, "orders")->holders), QByteArrayList{b.name});
        VERIFY_OK(b.ask("SELECT RELEASE_LOCK('orders')"));
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
