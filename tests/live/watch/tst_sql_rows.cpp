// SPDX-License-Identifier: Apache-2.0
#include "inspect/kept_by.h"
#include "live_sql.h"
#include "someone.h"
#include "watching.h"

#include <QJsonDocument>

using namespace lockscope;
using namespace lockscope::test;

/// Rows that transactions have locked and others wait for: what the watcher says of them, against what the sessions
/// did.
class TestSqlRows : public QObject {
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
        VERIFY_OK(a.ask("CREATE TABLE goods (amount INT, name VARCHAR(20) PRIMARY KEY, email VARCHAR(20))"));
        VERIFY_OK(a.ask("INSERT INTO goods VALUES (1, 'apples', 'ann@x'), (2, 'pears', 'bob@x')"));
        for (Someone* one : {&a, &b, &c})
            VERIFY_OK(one->ask("START TRANSACTION"));
        VERIFY_OK(a.ask("UPDATE goods SET amount = 0 WHERE name = 'pears'"));
        const auto second = waiting(b, "UPDATE goods SET amount = 3, email = 'new@x' WHERE name = 'pears'");
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
        // The transaction's beginning is known, and not when it locked the row.
        QVERIFY(!row->holders.front().sinceWallMs && row->entries.front().born > 0);
        QVERIFY2(row->holders.front().about.contains("transaction open since 20"), row->holders.front().about);
        // Its key names the row; the rest of it, and the texts of statements, are nobody's business.
        const QByteArray all = QJsonDocument(inspect::toJson(*row)).toJson();
        QVERIFY2(all.contains("pears") && !all.contains("@x") && !all.contains("bob"), all);
        VERIFY_OK(a.ask("ROLLBACK"));
        QVERIFY(ends(second, 10s));
        VERIFY_OK(b.ask("ROLLBACK"));
        QVERIFY(ends(third, 10s));
        VERIFY_OK(c.ask("ROLLBACK"));
        VERIFY_OK(a.ask("DROP TABLE goods"));
    }

    /// Its first waiter waits for one of them only.
    void allThatShareARowHoldIt() {
        Someone a(m_runtime, m_all.url("postgresql")), b(m_runtime, m_all.url("postgresql")),
            c(m_runtime, m_all.url("postgresql")), writer(m_runtime, m_all.url("postgresql"));
        VERIFY_OK(a.ask("CREATE TABLE parts (name VARCHAR(20) PRIMARY KEY, amount INT)"));
        VERIFY_OK(a.ask("INSERT INTO parts VALUES ('bolts', 1)"));
        for (Someone* one : {&a, &b, &c}) {
            VERIFY_OK(one->ask("START TRANSACTION"));
            VERIFY_OK(one->ask("SELECT name FROM parts WHERE name = 'bolts' FOR SHARE"));
        }
        const auto waits = waiting(writer, "UPDATE parts SET amount = 2 WHERE name = 'bolts'");
        QVERIFY(comesTrue([&] { return waitersOnServer() == 1; }));
        const LockReport report = look("postgresql");
        const LockRow* row = rowOf(report, "parts:bolts");
        QVERIFY(row);
        QByteArrayList holders = clientsOf(row->holders), expected{a.name, b.name, c.name};
        std::ranges::sort(holders);
        std::ranges::sort(expected);
        QCOMPARE(holders, expected);
        QCOMPARE(row->mode, QByteArray("shared"));
        QCOMPARE(waitersOf(*row), QByteArrayList{writer.name});
        for (Someone* one : {&a, &b, &c})
            VERIFY_OK(one->ask("ROLLBACK"));
        QVERIFY(ends(waits, 10s));
        VERIFY_OK(a.ask("DROP TABLE parts"));
    }

    /// While a row goes from hand to hand, the number that it names is not the transaction that was waited for a moment
    /// ago, and mostly no list of several: to ask for such a list would fail, and each failure is a line in the log.
    void noQuestionFailsWhileARowIsHandedOn() {
        const QString url = m_all.url("postgresql");
        const auto failures = [this] {
            return number(asker().driver,
                          "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()");
        };
        Someone maker(m_runtime, url);
        VERIFY_OK(maker.ask("CREATE TABLE parts (name VARCHAR(20) PRIMARY KEY, amount INT)"));
        VERIFY_OK(maker.ask("INSERT INTO parts VALUES ('bolts', 1)"));
        const qint64 before = failures();
        QVERIFY(before >= 0);
        std::vector<std::unique_ptr<Someone>> writers;
        for (int i = 0; i < 4; ++i)
            writers.push_back(std::make_unique<Someone>(m_runtime, url));
        // Each holds the row for a moment, so that the others queue for it while the watch looks.
        const QByteArray loop =
            "DO $$ BEGIN FOR i IN 1..150 LOOP PERFORM 1 FROM parts WHERE name = 'bolts' FOR UPDATE; "
            "PERFORM pg_sleep(0.004); COMMIT; END LOOP; END $$";
        const auto first = waiting(*writers[0], loop), second = waiting(*writers[1], loop),
                   third = waiting(*writers[2], loop), fourth = waiting(*writers[3], loop);
        int queues = 0;
        {
            const auto watcher = watcherOf(m_runtime, url);
            while (!first->done || !second->done || !third->done || !fourth->done) {
                const LockReport report = run(watcher->once());
                QVERIFY2(!report.trouble, troubleOf(report));
                const LockRow* const row = rowOf(report, "parts:bolts");
                queues += row && !row->holders.empty();
            }
        }
        QVERIFY(queues > 0);
        writers.clear(); // a session that has ended has told its counts
        QTRY_COMPARE(number(asker().driver, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND "
                                            "pid <> pg_backend_pid()"),
                     0);
        QCOMPARE(failures(), before);
        VERIFY_OK(maker.ask("DROP TABLE parts"));
    }

    void rowsOfATableAreNamedByOneQuestion() {
        Someone a(m_runtime, m_all.url("postgresql")), b(m_runtime, m_all.url("postgresql")),
            c(m_runtime, m_all.url("postgresql"));
        VERIFY_OK(a.ask("CREATE TABLE goods (name VARCHAR(20) PRIMARY KEY, amount INT)"));
        VERIFY_OK(a.ask("INSERT INTO goods VALUES ('apples', 1), ('pears', 2)"));
        for (Someone* one : {&a, &b, &c})
            VERIFY_OK(one->ask("START TRANSACTION"));
        VERIFY_OK(a.ask("UPDATE goods SET amount = 0"));
        const auto second = waiting(b, "UPDATE goods SET amount = 3 WHERE name = 'apples'");
        QVERIFY(comesTrue([&] { return waitersOnServer() == 1; }));
        const LockReport one = look("postgresql");
        QVERIFY(rowOf(one, "goods:apples"));
        const auto third = waiting(c, "UPDATE goods SET amount = 4 WHERE name = 'pears'");
        QVERIFY(comesTrue([&] { return waitersOnServer() == 2; }));
        const LockReport both = look("postgresql");
        QVERIFY(rowOf(both, "goods:apples") && rowOf(both, "goods:pears"));
        QCOMPARE(both.commands, one.commands);
        VERIFY_OK(a.ask("ROLLBACK"));
        QVERIFY(ends(second, 10s) && ends(third, 10s));
        for (Someone* each : {&b, &c})
            VERIFY_OK(each->ask("ROLLBACK"));
        VERIFY_OK(a.ask("DROP TABLE goods"));
    }

    /// InnoDB finds the row by another index, and locks that index' entry first: the lock's name says of which.
    void anEntryOfAnotherIndexSaysWhich() {
        Someone a(m_runtime, m_all.url("mariadb")), b(m_runtime, m_all.url("mariadb"));
        VERIFY_OK(a.ask("CREATE TABLE goods (id INT PRIMARY KEY, name VARCHAR(20), amount INT, KEY by_name (name))"));
        VERIFY_OK(a.ask("INSERT INTO goods VALUES (7, 'pears', 1), (8, 'plums', 2)"));
        for (Someone* one : {&a, &b})
            VERIFY_OK(one->ask("START TRANSACTION"));
        VERIFY_OK(a.ask("UPDATE goods SET amount = 0 WHERE name = 'pears'"));
        const auto rowNamed = [&](const char* statement, const QByteArray& end) {
            const auto second = waiting(b, statement);
            if (!comesTrue([&] { return blockedInMariaDb(a) == 1; })) return QByteArray("nobody waits");
            letInnoDbRest();
            const LockReport report = look("mariadb");
            QByteArray names;
            for (const LockRow& row : report.locks)
                if (row.format == "innodb-row") names += row.name.endsWith(end) ? end : row.name;
            std::ignore = a.ask("ROLLBACK");
            return ends(second, 10s) ? names : QByteArray("it waits on");
        };
        const QByteArray entry = ".goods:'pears', 7 (index by_name)";
        QCOMPARE(rowNamed("UPDATE goods SET amount = 3 WHERE name = 'pears'", entry), entry);
        VERIFY_OK(b.ask("ROLLBACK"));
        for (Someone* one : {&a, &b})
            VERIFY_OK(one->ask("START TRANSACTION"));
        VERIFY_OK(a.ask("UPDATE goods SET amount = 0 WHERE name = 'pears'"));
        QCOMPARE(rowNamed("UPDATE goods SET amount = 3 WHERE id = 7", ".goods:7"), QByteArray(".goods:7"));
        VERIFY_OK(b.ask("ROLLBACK"));
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

    /// PostgreSQL tells of a row's lock only while somebody waits: nobody knows what becomes of it then.
    void aRowThatNobodyWaitsForAnyMoreIsNotReleased() {
        Someone a(m_runtime, m_all.url("postgresql")), b(m_runtime, m_all.url("postgresql"));
        VERIFY_OK(a.ask("CREATE TABLE goods (name VARCHAR(20) PRIMARY KEY, amount INT)"));
        VERIFY_OK(a.ask("INSERT INTO goods VALUES ('pears', 2)"));
        for (Someone* one : {&a, &b})
            VERIFY_OK(one->ask("BEGIN"));
        VERIFY_OK(a.ask("UPDATE goods SET amount = 0 WHERE name = 'pears'"));
        Watching watch(m_runtime, m_all.url("postgresql"));
        QVERIFY(comesTrue([&] { return watch.last().complete; }));
        const auto second = waiting(b, "UPDATE goods SET amount = 3 WHERE name = 'pears'");
        QVERIFY(comesTrue([&] { return watch.row("goods:pears") != nullptr; }));
        VERIFY_OK(a.ask("COMMIT"));
        QVERIFY(ends(second, 10s)); // it has the row now
        QVERIFY(comesTrue([&] { return watch.row("goods:pears") == nullptr; }));
        using What = inspect::LockChange::What;
        QCOMPARE(watch.happened["goods:pears"], (std::vector<What>{What::Found, What::NoLongerWaited}));
        VERIFY_OK(b.ask("ROLLBACK"));
        VERIFY_OK(a.ask("DROP TABLE goods"));
    }

    /// InnoDB counts locked rows and lists none while nobody waits.
    void rowsOfMariaDbThatNobodyWantsAreCounted() {
        Someone a(m_runtime, m_all.url("mariadb"));
        VERIFY_OK(a.ask("CREATE TABLE goods (name VARCHAR(20) PRIMARY KEY, amount INT)"));
        VERIFY_OK(a.ask("INSERT INTO goods VALUES ('apples', 1), ('pears', 2)"));
        VERIFY_OK(a.ask("START TRANSACTION"));
        VERIFY_OK(a.ask("UPDATE goods SET amount = 0 WHERE name = 'pears'"));
        LockReport report;
        const auto row = [&] {
            return std::ranges::find(report.locks, QByteArray("innodb-transaction"), &LockRow::format);
        };
        QVERIFY(comesTrue([&] {
            report = look("mariadb");
            return row() != report.locks.end();
        }));
        QCOMPARE(clientsOf(row()->holders), QByteArrayList{a.name});
        QVERIFY(row()->holders.front().about.contains("idle in transaction, transaction open since 20"));
        QVERIFY(row()->entries.size() == 1 && row()->entries.front().born > 0);
        // Somebody waits for one of its rows: the transaction goes on all the same, and has released nothing.
        const QByteArray name = row()->name;
        Watching watch(m_runtime, m_all.url("mariadb"));
        QVERIFY(comesTrue([&] { return watch.row(name) != nullptr; }));
        Someone b(m_runtime, m_all.url("mariadb"));
        const auto second = waiting(b, "UPDATE goods SET amount = 3 WHERE name = 'pears'");
        QVERIFY(comesTrue([&] {
            return std::ranges::any_of(watch.last().locks,
                                       [](const LockRow& one) { return one.format == "innodb-row"; });
        }));
        QVERIFY(watch.row(name));
        using What = inspect::LockChange::What;
        QCOMPARE(watch.happened[name], std::vector<What>{What::Found});
        VERIFY_OK(a.ask("ROLLBACK"));
        QVERIFY(ends(second, 10s));
        QVERIFY(comesTrue([&] { return watch.row(name) == nullptr; }));
        QCOMPARE(watch.happened[name], (std::vector<What>{What::Found, What::Released}));
        letInnoDbRest();
        report = look("mariadb");
        QVERIFY(row() == report.locks.end());
        VERIFY_OK(a.ask("DROP TABLE goods"));
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

QTEST_GUILESS_MAIN(TestSqlRows)
#include "tst_sql_rows.moc"
