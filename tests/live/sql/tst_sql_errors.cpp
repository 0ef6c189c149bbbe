// SPDX-License-Identifier: Apache-2.0
#include "live_sql.h"

using namespace lockscope;
using namespace lockscope::sql;
using namespace lockscope::test;
using Kind = Error::Kind;

/// Errors of servers and files during a statement or a transaction, and how they are reported.
class TestSqlErrors : public QObject {
    Q_OBJECT
    static void servers() {
        QTest::addColumn<QByteArray>("engine");
        QTest::newRow("mariadb") << QByteArray("mariadb");
        QTest::newRow("postgresql") << QByteArray("postgresql");
    }
    static Statement connectionId(const QByteArray& engine) {
        return {engine == "mariadb" ? "SELECT CONNECTION_ID()" : "SELECT pg_backend_pid()", {}};
    }
    /// Ends a connection as an administrator does.
    static Result end(SqlDriver& admin, const QByteArray& engine, std::int64_t id) {
        return ask(admin, engine == "mariadb" ? "KILL ?" : "SELECT pg_terminate_backend(?)", sql::valuesOf(id));
    }
    static void makeTable(SqlDriver& port, const QByteArray& name) {
        (void)ask(port, "DROP TABLE IF EXISTS " + name);
        VERIFY_OK(ask(port, "CREATE TABLE " + name + " (k INTEGER PRIMARY KEY)"));
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_EMPTY(m_databases.start());
        for (const char* engine : {"mariadb", "postgresql", "sqlite"}) {
            SqlClient client(m_runtime, m_databases.url(engine));
            VERIFY_OK(client.prepare());
        }
    }

    void connectionsKilledInATransaction_data() { servers(); }
    void connectionsKilledInATransaction() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine))), admin(m_runtime, urlOf(m_databases.url(engine)));
        makeTable(admin, "killed");
        auto session = run(driver.textSession());
        VERIFY_OK(session);
        const auto id = run((*session)->execute(connectionId(engine)));
        VERIFY_OK(id);
        (*session)->begin();
        VERIFY_OK(run((*session)->execute({"INSERT INTO killed VALUES (?)", sql::valuesOf(std::int64_t(1))})));
        VERIFY_OK(end(admin, engine, id->number()));
        const Result next = run((*session)->execute({"INSERT INTO killed VALUES (2)", {}}));
        QVERIFY(!next);
        QVERIFY2(next.error().kind == Kind::Disconnected, qPrintable(next.error().message));
        QVERIFY((*session)->broken());
        const auto committed = run((*session)->commit());
        QVERIFY(!committed);
        QVERIFY2(committed.error().connectionLost(), qPrintable(committed.error().message));
        QCOMPARE(number(admin, "SELECT COUNT(*) FROM killed"), 0);
        QCOMPARE(number(driver, "SELECT 7"), 7); // on another connection
    }

    void connectionsKilledInAStatement_data() { servers(); }
    void connectionsKilledInAStatement() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine))), admin(m_runtime, urlOf(m_databases.url(engine)));
        auto session = run(driver.textSession());
        QVERIFY(session.has_value());
        const auto id = run((*session)->execute(connectionId(engine)));
        QVERIFY(id.has_value());
        const auto asleep =
            beside((*session)->execute({engine == "mariadb" ? "SELECT SLEEP(30)" : "SELECT 1 FROM pg_sleep(30)", {}}));
        const QByteArray running =
            engine == "mariadb" ? "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP%'"
                                : "SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE 'SELECT 1 FROM pg_sleep%'";
        QVERIFY(comesTrue([&] { return number(admin, running) == 1; }, 5s));
        VERIFY_OK(end(admin, engine, id->number()));
        QVERIFY(ends(asleep, 5000ms));
        QVERIFY(!*asleep->result);
        QVERIFY2(asleep->result->error().kind == Kind::Disconnected, qPrintable(asleep->result->error().message));
        QVERIFY(asleep->result->error().outcomeUnknown());
        QVERIFY((*session)->broken());
    }

    void theServersLimitOnStatements_data() { servers(); }
    void theServersLimitOnStatements() {
        QFETCH(QByteArray, engine);
        const bool maria = engine == "mariadb";
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        auto session = run(driver.textSession());
        QVERIFY(session.has_value());
        VERIFY_OK(run(
            (*session)->execute({maria ? "SET SESSION max_statement_time = 0.2" : "SET statement_timeout = 200", {}})));
        const Result ended =
            run((*session)->execute({maria ? "SELECT COUNT(*) FROM information_schema.COLUMNS a, "
                                             "information_schema.COLUMNS b, information_schema.COLUMNS c"
                                           : "SELECT 1 FROM pg_sleep(30)",
                                     {}}));
        QVERIFY(!ended);
        QVERIFY2(ended.error().kind == Kind::Interrupted, qPrintable(ended.error().message));
        QVERIFY(recipes::lockError(ended.error()).kind == LockError::Kind::Refused);
        QVERIFY(!(*session)->broken());
        QCOMPARE(run((*session)->execute({"SELECT 7", {}})).value().number(), 7);
    }

    void waitsOutlastTheServersLimitOnStatements_data() {
        QTest::addColumn<QByteArray>("engine");
        QTest::addColumn<QByteArray>("id");
        for (const char* engine : {"mariadb", "postgresql"}) {
            for (const char* id : {"sql-for-update", "sql-advisory"})
                QTest::addRow("%s %s", id, engine) << QByteArray(engine) << QByteArray(id);
        }
    }
    void waitsOutlastTheServersLimitOnStatements() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const bool maria = engine == "mariadb";
        SqlDriver admin(m_runtime, urlOf(m_databases.url(engine)));
        VERIFY_OK(ask(admin, maria ? "SET GLOBAL max_statement_time = 1"
                                   : "ALTER ROLE lockscope SET statement_timeout = 1000"));
        const auto client = [&] { // settings are read at the login
            return std::make_unique<SqlClient>(m_runtime, m_databases.url(engine),
                                               QString::fromLatin1(sql::kDefaultTable));
        };
        const auto one = client(), other = client();
        const QByteArray name = freshName();
        const auto held = one->recipe(id, name), wanted = other->recipe(id, name);
        const Granted grant = acquire(*held, request());
        const auto waiting = beside(wanted->acquire(request(20s), {}));
        const bool early = ends(waiting, 2300ms);
        VERIFY_OK(
            ask(admin, maria ? "SET GLOBAL max_statement_time = 0" : "ALTER ROLE lockscope RESET statement_timeout"));
        VERIFY_OK(grant);
        QVERIFY2(!early, early && !*waiting->result ? qPrintable(waiting->result->error().message) : "");
        VERIFY_OK(release(*held, **grant));
        QVERIFY(ends(waiting, 5000ms));
        VERIFY_OK(*waiting->result);
        QVERIFY(waiting->result->value().has_value());
        VERIFY_OK(release(*wanted, *waiting->result->value()));
    }

    void idleTransactionsThatTheServerEnds() {
        SqlDriver driver(m_runtime, urlOf(m_databases.url("postgresql")));
        makeTable(driver, "idle");
        auto session = run(driver.textSession());
        QVERIFY(session.has_value());
        VERIFY_OK(run((*session)->execute({"SET idle_in_transaction_session_timeout = 150", {}})));
        (*session)->begin();
        VERIFY_OK(run((*session)->execute({"INSERT INTO idle VALUES (1)", {}})));
        // The connection itself tells, and not the sign of life that would be due in a minute.
        const auto sign = beside((*session)->nextSign(60s));
        QVERIFY(ends(sign, 5000ms));
        QVERIFY(*sign->result == Sign::Broken);
        QVERIFY((*session)->broken());
        QCOMPARE(number(driver, "SELECT COUNT(*) FROM idle"), 0);
    }

    void limitsOnWaitsAreLeftAloneByWhatDoesNotWait() {
        SqlDriver driver(m_runtime, urlOf(m_databases.url("postgresql")));
        auto session = run(driver.textSession());
        QVERIFY(session.has_value());
        Statement limit{"SHOW lock_timeout", {}};
        QCOMPARE(run((*session)->execute(limit, 5s)).value().text(), QByteArray("5s"));
        limit.waits = false;
        QCOMPARE(run((*session)->execute(limit, 7s)).value().text(), QByteArray("5s"));
        limit.waits = true;
        QCOMPARE(run((*session)->execute(limit, 7s)).value().text(), QByteArray("7s"));
        QCOMPARE(run((*session)->execute(limit)).value().text(), QByteArray("0"));
    }

    void signsThatNobodyWantsAnyMore() {
        SqlDriver driver(m_runtime, urlOf(m_databases.url("mariadb")));
        auto session = run(driver.textSession());
        std::stop_source stop;
        const auto sign = beside((*session)->nextSign(60s, stop.get_token()));
        QVERIFY(!sign->done);
        stop.request_stop();
        QVERIFY(ends(sign, 2000ms));
        QVERIFY(!sign->cancelled); // a short hold's end throws nothing
        QVERIFY(*sign->result == Sign::Alive);
    }

    void filesThatStayLocked() {
        DriverOptions options;
        options.statementTimeout = 300ms;
        SqlDriver holder(m_runtime, urlOf(m_databases.url("sqlite")));
        SqlClient other(m_runtime, m_databases.url("sqlite"), QString::fromLatin1(sql::kDefaultTable), options);
        makeTable(holder, "busy");
        auto session = run(holder.textSession());
        QVERIFY(session.has_value());
        (*session)->begin();
        VERIFY_OK(run((*session)->execute({"INSERT INTO busy VALUES (1)", {}})));
        const Result refused = ask(other.driver, "INSERT INTO busy VALUES (2)");
        QVERIFY(!refused);
        QVERIFY2(refused.error().kind == Kind::WaitExceeded, qPrintable(refused.error().message));
        QVERIFY(!refused.error().outcomeUnknown());
        const auto recipe = other.recipe("sql-lease", "busy");
        const Granted denied = acquire(*recipe, request(0s));
        VERIFY_OK(denied);
        QVERIFY(!denied->has_value());                                  // not taken in time, and no error
        QCOMPARE(number(other.driver, "SELECT COUNT(*) FROM busy"), 0); // reading goes on
        VERIFY_OK(run((*session)->commit()));
        const Granted granted = acquire(*recipe, request(0s));
        VERIFY_OK(granted);
        QVERIFY(granted->has_value());
        VERIFY_OK(release(*recipe, **granted));
    }

    void filesThatAreLockedForAMoment() {
        SqlDriver holder(m_runtime, urlOf(m_databases.url("sqlite"))),
            other(m_runtime, urlOf(m_databases.url("sqlite")));
        makeTable(holder, "moment");
        auto session = run(holder.textSession());
        QVERIFY(session.has_value());
        (*session)->begin();
        VERIFY_OK(run((*session)->execute({"INSERT INTO moment VALUES (1)", {}})));
        const auto waiting = beside(other.execute({"INSERT INTO moment VALUES (2)", {}}));
        QVERIFY(!comesTrue([&] { return waiting->done; }, 100ms));
        VERIFY_OK(run((*session)->commit()));
        QVERIFY(ends(waiting, 5000ms));
        VERIFY_OK(*waiting->result);
        QCOMPARE(number(holder, "SELECT COUNT(*) FROM moment"), 2);
    }

    void preparedStatementsThatAreForgotten() {
        // As behind a pooler: whoever is there now has never heard of what was prepared. In transactions, where
        // PostgreSQL knows it by a name that can be taken from it; MariaDB gets the values in the text there.
        SqlDriver driver(m_runtime, urlOf(m_databases.url("postgresql")));
        auto session = run(driver.textSession());
        QVERIFY(session.has_value());
        for (int round = 0; round < 3; ++round) {
            (*session)->begin();
            const Result sum = run((*session)->execute({"SELECT ?::bigint + 1", sql::valuesOf(std::int64_t(round))}));
            VERIFY_OK(sum);
            QCOMPARE(sum->number(), round + 1);
            VERIFY_OK(run((*session)->commit()));
            if (round == 0) VERIFY_OK(run((*session)->execute({"DEALLOCATE ALL", {}})));
        }
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlErrors)
#include "tst_sql_errors.moc"
