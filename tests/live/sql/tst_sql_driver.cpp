// SPDX-License-Identifier: Apache-2.0
#include "live_sql.h"

using namespace lockscope;
using namespace lockscope::sql;
using namespace lockscope::test;
using Kind = Error::Kind;

class TestSqlDriver : public QObject {
    Q_OBJECT
    void engines() {
        QTest::addColumn<QByteArray>("engine");
        QTest::newRow("mariadb") << QByteArray("mariadb");
        QTest::newRow("postgresql") << QByteArray("postgresql");
        QTest::newRow("sqlite") << QByteArray("sqlite");
    }
    void servers() {
        QTest::addColumn<QByteArray>("engine");
        QTest::newRow("mariadb") << QByteArray("mariadb");
        QTest::newRow("postgresql") << QByteArray("postgresql");
    }
    static QByteArray sleepFor(const QByteArray& engine, const char* seconds) {
        return (engine == "mariadb" ? "SELECT SLEEP(" : "SELECT 1 FROM pg_sleep(") + QByteArray(seconds) + ")";
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_databases.start()); }

    void valuesComeBackAsTheyWent_data() { engines(); }
    void valuesComeBackAsTheyWent() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        (void)ask(driver, "DROP TABLE IF EXISTS things");
        const QByteArray text = engine == "mariadb" ? "VARBINARY(255)" : "TEXT";
        VERIFY_OK(ask(driver, "CREATE TABLE things (k BIGINT PRIMARY KEY, t " + text + " NULL)"));
        const QByteArrayList texts{"plain", "",          "it's \"quoted\"", "back\\slash' OR 1=1 --",
                                   "锁 🔒",  "question?", "new\nline\ttab",  "100% _like_",
                                   "$1 $$", "trailing  "};
        for (int i = 0; i < texts.size(); ++i) {
            const Result in =
                ask(driver, "INSERT INTO things (k, t) VALUES (?, ?)", sql::valuesOf(std::int64_t(i), texts[i]));
            VERIFY_OK(in);
            QCOMPARE(in->affected, 1);
        }
        const Result nothing = ask(driver, "INSERT INTO things (k, t) VALUES (?, ?)",
                                   sql::valuesOf(std::int64_t(-9'223'372'036'854'775'807), std::monostate()));
        VERIFY_OK(nothing);
        for (int i = 0; i < texts.size(); ++i) {
            const Result out = ask(driver, "SELECT k, t FROM things WHERE t = ?", sql::valuesOf(texts[i]));
            VERIFY_OK(out);
            QCOMPARE(out->rows.size(), std::size_t(1));
            QCOMPARE(out->number(), std::int64_t(i));
            QCOMPARE(out->text(0, 1), texts[i]);
            QVERIFY(!out->isNull(0, 1));
        }
        const Result null = ask(driver, "SELECT k, t FROM things WHERE t IS NULL");
        QCOMPARE(null->number(), std::int64_t(-9'223'372'036'854'775'807));
        QVERIFY(null->isNull(0, 1));
        // Rows that an UPDATE finds count, whether it changes them or not.
        QCOMPARE(ask(driver, "UPDATE things SET t = ? WHERE k < ?", sql::valuesOf(QByteArray("same"), std::int64_t(3)))
                     ->affected,
                 4);
        QCOMPARE(ask(driver, "UPDATE things SET t = ? WHERE k < ?", sql::valuesOf(QByteArray("same"), std::int64_t(3)))
                     ->affected,
                 4);
    }

    void errorsAreToldApart_data() { engines(); }
    void errorsAreToldApart() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        const Result missing = ask(driver, "SELECT * FROM nowhere_to_be_found");
        QVERIFY2(missing.error().kind == Kind::MissingTable, qPrintable(missing.error().message));
        QVERIFY(!missing.error().outcomeUnknown());
        (void)ask(driver, "DROP TABLE IF EXISTS keyed");
        VERIFY_OK(ask(driver, "CREATE TABLE keyed (k INTEGER PRIMARY KEY)"));
        VERIFY_OK(ask(driver, "INSERT INTO keyed VALUES (?)", sql::valuesOf(std::int64_t(1))));
        const Result twice = ask(driver, "INSERT INTO keyed VALUES (?)", sql::valuesOf(std::int64_t(1)));
        QVERIFY2(twice.error().kind == Kind::DuplicateKey, qPrintable(twice.error().message));
        const Result column = ask(driver, "SELECT not_there FROM keyed");
        QVERIFY2(column.error().kind == Kind::MissingTable, qPrintable(column.error().message));
        const Result nonsense = ask(driver, "SELEKT 1");
        QVERIFY2(nonsense.error().kind == Kind::Refused, qPrintable(nonsense.error().message));
        QVERIFY(!nonsense.error().message.isEmpty());
        // And the connection is as good as before.
        QCOMPARE(number(driver, "SELECT COUNT(*) FROM keyed"), 1);
    }

    void loginsThatFail_data() {
        QTest::addColumn<QByteArray>("engine");
        QTest::addColumn<QByteArray>("what");
        for (const char* engine : {"mariadb", "postgresql"}) {
            for (const char* what : {"password", "user", "database", "database of an odd name", "port",
                                     "host with the number of another error"})
                QTest::addRow("%s %s", engine, what) << QByteArray(engine) << QByteArray(what);
        }
    }
    void loginsThatFail() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, what);
        ConnectionUrl url = urlOf(m_databases.url(engine));
        Kind expected = Kind::AuthFailed;
        if (what == "password") url.password = QStringLiteral("very-secret");
        if (what == "user") url.user = QStringLiteral("nobody-we-know");
        if (what.startsWith("database")) {
            url.path = what == "database" ? QStringLiteral("no_such_database") : QStringLiteral("no_passwords_here");
            expected = Kind::NoDatabase;
        }
        if (what.startsWith("host")) url.endpoints[0].host = QStringLiteral("127.110.0.1");
        if (what == "port" || what.startsWith("host")) {
            url.endpoints[0].port = sandbox::freePort(m_runtime).value();
            expected = Kind::Unreachable;
        }
        SqlDriver driver(m_runtime, url);
        const auto opened = run(driver.open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().kind == expected, qPrintable(opened.error().message));
        QVERIFY(!opened.error().outcomeUnknown());
        QVERIFY2(opened.error().message.contains(url.endpoints[0].host), qPrintable(opened.error().message));
        QVERIFY(!opened.error().message.contains(QLatin1String("secret")));
        const Result asked = ask(driver, "SELECT 1");
        QVERIFY(asked.error().kind == expected);
    }

    void fileThatCannotBeOpened() {
        SqlDriver driver(m_runtime, urlOf(QStringLiteral("sqlite:///nowhere/at/all/locks.db")));
        const Result opened = ask(driver, "SELECT 1");
        QVERIFY2(opened.error().kind == Kind::Unreachable, qPrintable(opened.error().message));
        QVERIFY(opened.error().message.contains(QLatin1String("/nowhere/at/all/locks.db")));
    }

    void statementsAtOnceShareAFewConnections_data() { engines(); }
    void statementsAtOnceShareAFewConnections() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        (void)ask(driver, "DROP TABLE IF EXISTS counted");
        VERIFY_OK(ask(driver, "CREATE TABLE counted (k INTEGER PRIMARY KEY, n BIGINT)"));
        VERIFY_OK(ask(driver, "INSERT INTO counted VALUES (1, 0)"));
        std::vector<std::shared_ptr<Ending<Result>>> all;
        for (int i = 0; i < 200; ++i) {
            Statement add{"UPDATE counted SET n = n + ? WHERE k = 1", sql::valuesOf(std::int64_t(1))};
            all.push_back(beside(driver.execute(std::move(add))));
        }
        for (const auto& one : all) {
            QVERIFY(ends(one, 10'000ms));
            VERIFY_OK(*one->result);
        }
        QCOMPARE(number(driver, "SELECT n FROM counted"), 200);
        if (engine == "mariadb")
            QVERIFY(number(driver, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'lockscope'") <=
                    4);
    }

    void stoppedStatementsEndOnTheServer_data() { servers(); }
    void stoppedStatementsEndOnTheServer() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        std::stop_source stop;
        const auto sleeping = beside(driver.execute(Statement{sleepFor(engine, "30"), {}}, stop.get_token()));
        QTest::qWait(150);
        stop.request_stop();
        QVERIFY(ends(sleeping, 4000ms));
        QCOMPARE(sleeping->cancelled, std::optional(Cancelled::Why::Stopped));
        const QByteArray asleep =
            engine == "mariadb"
                ? "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%SLEEP(30%' AND ID <> "
                  "CONNECTION_ID()"
                : "SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30%' AND state = 'active' "
                  "AND pid <> pg_backend_pid()";
        QCOMPARE(number(driver, asleep), 0);
        for (int i = 0; i < 10; ++i)
            QCOMPARE(number(driver, "SELECT 7"), 7); // the word to end hits nobody else
    }

    void statementsThatTakeTooLongAreEnded_data() { servers(); }
    void statementsThatTakeTooLongAreEnded() {
        QFETCH(QByteArray, engine);
        DriverOptions options;
        options.statementTimeout = 300ms;
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)), options);
        const auto begun = std::chrono::steady_clock::now();
        const Result result = ask(driver, sleepFor(engine, "30"));
        QVERIFY(std::chrono::steady_clock::now() - begun < 5s);
        QVERIFY(!result);
        QVERIFY2(result.error().kind == Kind::Interrupted, qPrintable(result.error().message));
        QCOMPARE(number(driver, "SELECT 7"), 7);
    }

    void deadlocksAreTold_data() { servers(); }
    void deadlocksAreTold() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        (void)ask(driver, "DROP TABLE IF EXISTS pairs");
        VERIFY_OK(ask(driver, "CREATE TABLE pairs (k INTEGER PRIMARY KEY)"));
        VERIFY_OK(ask(driver, "INSERT INTO pairs VALUES (1), (2)"));
        auto one = run(driver.textSession());
        auto two = run(driver.textSession());
        VERIFY_OK(one);
        VERIFY_OK(two);
        const Statement a{"SELECT k FROM pairs WHERE k = ? FOR UPDATE", sql::valuesOf(std::int64_t(1))};
        const Statement b{"SELECT k FROM pairs WHERE k = ? FOR UPDATE", sql::valuesOf(std::int64_t(2))};
        (*one)->begin();
        (*two)->begin();
        VERIFY_OK(run((*one)->execute(a, 5s)));
        VERIFY_OK(run((*two)->execute(b, 5s)));
        const auto first = beside((*one)->execute(b, 8s));
        const auto second = beside((*two)->execute(a, 8s));
        QTRY_VERIFY_WITH_TIMEOUT(first->done || second->done, 7000);
        const bool firstLost = first->done && !*first->result;
        const auto& victim = firstLost ? first : second;
        auto& loser = firstLost ? *one : *two;
        auto& winner = firstLost ? *two : *one;
        QVERIFY2(victim->done && !*victim->result && victim->result->error().kind == Kind::Deadlock,
                 qPrintable(victim->done && !*victim->result ? victim->result->error().message : QString()));
        VERIFY_OK(run(loser->rollback()));
        QTRY_VERIFY_WITH_TIMEOUT(first->done && second->done, 7000);
        VERIFY_OK(firstLost ? *second->result : *first->result);
        VERIFY_OK(run(winner->commit()));
    }

    void waitsForLocksEndInTime_data() { servers(); }
    void waitsForLocksEndInTime() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        (void)ask(driver, "DROP TABLE IF EXISTS one_row");
        VERIFY_OK(ask(driver, "CREATE TABLE one_row (k INTEGER PRIMARY KEY)"));
        VERIFY_OK(ask(driver, "INSERT INTO one_row VALUES (1)"));
        auto holder = run(driver.textSession());
        QVERIFY(holder.has_value());
        auto waiter = run(driver.textSession());
        QVERIFY(waiter.has_value());
        const Statement row{"SELECT k FROM one_row WHERE k = ? FOR UPDATE", sql::valuesOf(std::int64_t(1))};
        (*holder)->begin();
        VERIFY_OK(run((*holder)->execute(row, 5s)));
        for (const auto wait : {250ms, 700ms}) {
            (*waiter)->begin();
            const auto begun = std::chrono::steady_clock::now();
            const Result waited = run((*waiter)->execute(row, wait));
            const auto took = std::chrono::steady_clock::now() - begun;
            QVERIFY(!waited);
            QVERIFY2(waited.error().kind == Kind::WaitExceeded, qPrintable(waited.error().message));
            QVERIFY(took >= wait);
            QVERIFY(took < wait + 2s);
            VERIFY_OK(run((*waiter)->rollback()));
            QVERIFY(!(*waiter)->broken());
        }
        VERIFY_OK(run((*holder)->commit()));
        (*waiter)->begin();
        VERIFY_OK(run((*waiter)->execute(row, 5s)));
        VERIFY_OK(run((*waiter)->commit()));
        (*waiter)->giveBack();
    }

    void theServersOwnLimitIsTold_data() { servers(); }
    void theServersOwnLimitIsTold() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        (void)ask(driver, "DROP TABLE IF EXISTS limited");
        VERIFY_OK(ask(driver, "CREATE TABLE limited (k INTEGER PRIMARY KEY)"));
        VERIFY_OK(ask(driver, "INSERT INTO limited VALUES (1)"));
        auto holder = run(driver.textSession());
        QVERIFY(holder.has_value());
        const Statement row{"SELECT k FROM limited WHERE k = ? FOR UPDATE", sql::valuesOf(std::int64_t(1))};
        (*holder)->begin();
        VERIFY_OK(run((*holder)->execute(row, 5s)));
        const bool maria = engine == "mariadb";
        VERIFY_OK(ask(driver, maria ? "SET GLOBAL innodb_lock_wait_timeout = 1"
                                    : "ALTER ROLE lockscope SET lock_timeout = 600"));
        SqlDriver later(m_runtime, urlOf(m_databases.url(engine))); // settings are read at the login
        auto waiter = run(later.textSession());
        QVERIFY(waiter.has_value());
        (*waiter)->begin();
        const Result waited = run((*waiter)->execute(row, kNever));
        VERIFY_OK(ask(driver,
                      maria ? "SET GLOBAL innodb_lock_wait_timeout = 50" : "ALTER ROLE lockscope RESET lock_timeout"));
        QVERIFY(!waited);
        QVERIFY2(waited.error().kind == Kind::WaitExceeded, qPrintable(waited.error().message));
        VERIFY_OK(run((*waiter)->rollback()));
        VERIFY_OK(run((*holder)->commit()));
    }

    void sessionsThatGoAwayFreeWhatTheyHeld_data() { servers(); }
    void sessionsThatGoAwayFreeWhatTheyHeld() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        (void)ask(driver, "DROP TABLE IF EXISTS left_alone");
        VERIFY_OK(ask(driver, "CREATE TABLE left_alone (k INTEGER PRIMARY KEY)"));
        VERIFY_OK(ask(driver, "INSERT INTO left_alone VALUES (1)"));
        const Statement row{"SELECT k FROM left_alone WHERE k = ? FOR UPDATE", sql::valuesOf(std::int64_t(1))};
        {
            auto holder = run(driver.textSession());
            QVERIFY(holder.has_value());
            (*holder)->begin();
            VERIFY_OK(run((*holder)->execute(row, 5s)));
        }
        auto next = run(driver.textSession());
        QVERIFY(next.has_value());
        (*next)->begin();
        VERIFY_OK(run((*next)->execute(row, 5s)));
        VERIFY_OK(run((*next)->commit()));
    }

    void statementsOfOneSessionTakeTurns_data() { servers(); }
    void statementsOfOneSessionTakeTurns() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        auto opened = run(driver.textSession());
        VERIFY_OK(opened);
        const std::shared_ptr<DriverSession> session = std::move(*opened).share();
        std::vector<std::shared_ptr<Ending<Result>>> all{beside(session->execute({sleepFor(engine, "0.3"), {}}))};
        for (int i = 0; i < 5; ++i)
            all.push_back(beside(session->execute({"SELECT " + QByteArray::number(i), {}})));
        const auto sign = beside(session->nextSign(50ms));
        for (std::size_t i = 0; i < all.size(); ++i) {
            QVERIFY(ends(all[i], 5000ms));
            VERIFY_OK(*all[i]->result);
            if (i > 0) QCOMPARE((*all[i]->result)->number(), std::int64_t(i) - 1);
        }
        QVERIFY(ends(sign, 5000ms));
        QVERIFY(sign->result == Sign::Alive);
        QVERIFY(!session->broken());
    }

    void whatAStoppedStatementFreesIsTold_data() { servers(); }
    void whatAStoppedStatementFreesIsTold() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        (void)ask(driver, "DROP TABLE IF EXISTS stopped_in");
        VERIFY_OK(ask(driver, "CREATE TABLE stopped_in (k INTEGER PRIMARY KEY)"));
        VERIFY_OK(ask(driver, "INSERT INTO stopped_in VALUES (1)"));
        auto holder = run(driver.textSession());
        QVERIFY(holder.has_value());
        auto rival = run(driver.textSession());
        QVERIFY(rival.has_value());
        const Statement row{"SELECT k FROM stopped_in WHERE k = ? FOR UPDATE", sql::valuesOf(std::int64_t(1))};
        (*holder)->begin();
        VERIFY_OK(run((*holder)->execute(row, 5s)));
        std::stop_source stop;
        const auto sleeping = beside((*holder)->execute({sleepFor(engine, "30"), {}}, kNever, stop.get_token()));
        QTest::qWait(100);
        stop.request_stop();
        QVERIFY(ends(sleeping, 4000ms));
        QCOMPARE(sleeping->cancelled, std::optional(Cancelled::Why::Stopped));
        (*rival)->begin();
        const bool freed = run((*rival)->execute(row, 500ms)).has_value();
        VERIFY_OK(run((*rival)->rollback()));
        QCOMPARE(freed, engine == "postgresql");
        QCOMPARE((*holder)->broken(), freed);
        QCOMPARE(run((*holder)->nextSign(30ms)), freed ? Sign::Broken : Sign::Alive);
        QCOMPARE(run((*holder)->commit()).has_value(), !freed);
    }

    void sessionsAreAsGoodAsNewAfterARollback_data() { servers(); }
    void sessionsAreAsGoodAsNewAfterARollback() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        auto session = run(driver.textSession());
        QVERIFY(session.has_value());
        (*session)->begin();
        VERIFY_OK(run((*session)->execute({"SELECT 1", {}})));
        QVERIFY(!run((*session)->execute({"SELECT * FROM nowhere_to_be_found", {}})));
        QCOMPARE((*session)->broken(), engine == "postgresql");
        VERIFY_OK(run((*session)->rollback()));
        QVERIFY(!(*session)->broken());
        (*session)->begin();
        VERIFY_OK(run((*session)->execute({"SELECT 1", {}})));
        VERIFY_OK(run((*session)->commit()));
        QVERIFY(run((*session)->nextSign(30ms)) == Sign::Alive);
    }

    void driversMayGoAwayWithCallsUnderWay_data() { servers(); }
    void driversMayGoAwayWithCallsUnderWay() {
        QFETCH(QByteArray, engine);
        std::vector<std::shared_ptr<Ending<Result>>> all;
        {
            SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
            VERIFY_OK(run(driver.open()));
            for (int i = 0; i < 8; ++i) // more than share connections: some wait for their turn
                all.push_back(beside(driver.execute(Statement{sleepFor(engine, "20"), {}})));
            QTest::qWait(50);
        }
        for (const auto& one : all) {
            QVERIFY(ends(one, 3000ms));
            QVERIFY2(one->result && !*one->result && one->result->error().kind == Kind::Disconnected,
                     qPrintable(*one->result ? QString() : one->result->error().message));
        }
    }

    void killedClientsLeaveAtOnce_data() { servers(); }
    void killedClientsLeaveAtOnce() {
        QFETCH(QByteArray, engine);
        std::shared_ptr<Ending<Result>> sleeping;
        const auto begun = std::chrono::steady_clock::now();
        {
            EventLoopRuntime client;
            SqlDriver driver(client, urlOf(m_databases.url(engine)));
            VERIFY_OK(run(driver.open()));
            sleeping = beside(driver.execute(Statement{sleepFor(engine, "20"), {}}));
            QTest::qWait(50);
            client.kill();
        }
        QVERIFY(sleeping->done);
        QCOMPARE(sleeping->cancelled, std::optional(Cancelled::Why::Killed));
        QVERIFY(std::chrono::steady_clock::now() - begun < 5s);
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlDriver)
#include "tst_sql_driver.moc"
