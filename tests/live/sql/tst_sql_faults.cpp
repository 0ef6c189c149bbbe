// SPDX-License-Identifier: Apache-2.0
#include "live_sql.h"
#include "tcp_relay.h"

#include <csignal>

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;
using sql::DriverOptions;
using sql::SqlDriver;
using Kind = sql::Error::Kind;

class TestSqlFaults : public QObject {
    Q_OBJECT
    static void servers() {
        QTest::addColumn<QByteArray>("engine");
        QTest::newRow("mariadb") << QByteArray("mariadb");
        QTest::newRow("postgresql") << QByteArray("postgresql");
    }
    static void serversAndSessions() { recipeRows({"sql-for-update", "sql-advisory"}); }
    static DriverOptions impatient() {
        DriverOptions options;
        options.connectTimeout = 1s;
        options.statementTimeout = 400ms;
        options.cancelTimeout = 400ms;
        options.silence = 300ms;
        return options;
    }
    /// A process on this port still has the server's end of a connection: each of PostgreSQL's dies by itself.
    static bool hasConnections(std::uint16_t port) {
        QFile file(QStringLiteral("/proc/net/tcp"));
        if (!file.open(QIODevice::ReadOnly)) return false;
        const QByteArray here = ':' + QByteArray::number(port, 16).toUpper().rightJustified(4, '0');
        constexpr int kLocal = 1, kState = 3;
        for (const QByteArray& line : file.readAll().split('\n')) {
            const QByteArrayList fields = line.simplified().split(' ');
            if (fields.size() > kState && fields[kLocal].endsWith(here) && fields[kState] == "01") return true;
        }
        return false;
    }
    /// How many wait on the server for a lock.
    static qint64 waiters(sql::SqlDriver& port) {
        if (port.dialect() == sql::Dialect::PostgreSql)
            return number(port, "SELECT COUNT(*) FROM pg_locks WHERE NOT granted");
        return number(port, "SELECT (SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock') + "
                            "(SELECT CAST(VARIABLE_VALUE AS SIGNED) FROM information_schema.GLOBAL_STATUS "
                            "WHERE VARIABLE_NAME = 'INNODB_ROW_LOCK_CURRENT_WAITS')");
    }
    QString restart(const QByteArray& engine) { return start(m_databases.server(engine)); }
    QString urlThrough(const TcpRelay& relay, const QByteArray& engine) {
        return m_databases.url(engine).replace(QString::number(m_databases.server(engine).port()),
                                               QString::number(relay.port()));
    }

    /// MySQL's COM_STMT_EXECUTE, whose statement becomes one that the server has never heard of.
    static bool makeUnknown(QByteArray& request) {
        constexpr int kCommand = 4, kStatement = 5, kStatementSize = 4;
        constexpr char kExecute = 0x17;
        if (request.size() <= kStatement + kStatementSize || request[kCommand] != kExecute) return false;
        request.replace(kStatement, kStatementSize, QByteArray("\xff\xff\xff\0", kStatementSize));
        return true;
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(startWithTables(m_runtime, m_databases)); }
    void cleanup() {
        for (const char* engine : {"mariadb", "postgresql"}) {
            m_databases.server(engine).resume();
            if (!m_databases.server(engine).running()) VERIFY_EMPTY(restart(engine));
        }
    }

    // As when somebody in between goes on with another server: outside of a transaction, where values stand beside what
    // was prepared. It is carried out all the same, and once.
    void preparedStatementsOfAnotherServer_data() { servers(); }
    void preparedStatementsOfAnotherServer() {
        QFETCH(QByteArray, engine);
        SqlDriver admin(m_runtime, urlOf(m_databases.url(engine)));
        (void)ask(admin, "DROP TABLE IF EXISTS elsewhere");
        VERIFY_OK(ask(admin, "CREATE TABLE elsewhere (k BIGINT PRIMARY KEY)"));
        int unknown = 0; // outlives the relay, which counts in it
        TcpRelay relay(m_runtime, m_databases.server(engine).port());
        SqlDriver driver(m_runtime, urlOf(urlThrough(relay, engine)));
        for (std::int64_t k = 0; k < 6; ++k) {
            if (k == 3 && engine == "mariadb")
                relay.changeRequest = [&unknown](QByteArray& request) { unknown += makeUnknown(request) ? 1 : 0; };
            if (k == 3 && engine == "postgresql") VERIFY_OK(ask(driver, "DEALLOCATE ALL"));
            const sql::Result put = ask(driver, "INSERT INTO elsewhere VALUES (?)", valuesOf(k));
            VERIFY_OK(put);
            QCOMPARE(put->affected, 1);
        }
        QCOMPARE(number(admin, "SELECT COUNT(*) FROM elsewhere"), 6);
        QCOMPARE(relay.connections, 1);
        // Asked for in vain, found out, and asked for once more by a text; and not again.
        if (engine == "mariadb") QCOMPARE(unknown, 2);
    }

    void serverKilledAndBack_data() { servers(); }
    void serverKilledAndBack() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)), impatient());
        QCOMPARE(number(driver, "SELECT 7"), 7);
        const QByteArray sleep = engine == "mariadb" ? "SELECT SLEEP(20)" : "SELECT 1 FROM pg_sleep(20)";
        DriverOptions patient;
        SqlDriver waiting(m_runtime, urlOf(m_databases.url(engine)), patient);
        const auto during = beside(waiting.execute({sleep, {}}));
        QTest::qWait(150);
        m_databases.server(engine).kill();
        QVERIFY(ends(during, 3000ms));
        QVERIFY2(during->result->error().kind == Kind::Disconnected, qPrintable(during->result->error().message));
        QVERIFY(comesTrue([&] { return !m_databases.server(engine).running(); }, 5s));
        // Its last processes may still be about to go.
        QVERIFY(comesTrue(
            [&] {
                const sql::Result down = ask(driver, "SELECT 7");
                return !down && down.error().kind == Kind::Unreachable;
            },
            3s));
        VERIFY_EMPTY(restart(engine));
        QCOMPARE(number(driver, "SELECT 7"), 7); // a connection that the server ended is not used again
        QCOMPARE(number(waiting, "SELECT 7"), 7);
    }

    // A grant of a server that has died since is no grant any more: its successor may have given the lock to somebody
    // else.
    void aGrantOfADeadServerIsNone_data() { serversAndSessions(); }
    void aGrantOfADeadServerIsNone() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient holder(m_runtime, m_databases.url(engine));
        const auto held = holder.recipe(id, "dead");
        const auto grant = run(held->acquire(request(), {}));
        VERIFY_OK(grant);
        EventLoopRuntime slow;
        SqlClient waiter(slow, m_databases.url(engine));
        const auto late = waiter.recipe(id, "dead");
        const auto waiting = beside(late->acquire(request(6s), {}));
        SqlDriver onlooker(m_runtime, urlOf(m_databases.url(engine)));
        QVERIFY(comesTrue([&] { return waiters(onlooker) == 1; }));
        slow.pause();
        VERIFY_OK(run(held->release(**grant, {})));
        QVERIFY(comesTrue([&] { return waiters(onlooker) == 0; })); // it has the lock, and does not listen
        m_databases.server(engine).kill();
        const auto gone = [&] {
            return !m_databases.server(engine).running() && !hasConnections(m_databases.server(engine).port());
        };
        QVERIFY(comesTrue(gone, 5s));
        slow.resume();
        QVERIFY(ends(waiting, 9000ms)); // it has waited for the server to come back
        QVERIFY(!*waiting->result);
        QVERIFY2((*waiting->result).error().kind == LockError::Kind::Unreachable,
                 qPrintable((*waiting->result).error().message));
    }

    void restartBetweenTwoStatementsIsNotNoticed_data() { servers(); }
    void restartBetweenTwoStatementsIsNotNoticed() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        QCOMPARE(number(driver, "SELECT 7"), 7);
        run(m_databases.server(engine).stop());
        VERIFY_EMPTY(restart(engine));
        QCOMPARE(number(driver, "SELECT 7"), 7);
    }

    void serverThatStandsStill_data() { servers(); }
    void serverThatStandsStill() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)), impatient());
        QCOMPARE(number(driver, "SELECT 7"), 7);
        m_databases.server(engine).pause();
        auto begun = std::chrono::steady_clock::now();
        const sql::Result late = ask(driver, "SELECT 7");
        QVERIFY(!late);
        QVERIFY2(late.error().kind == Kind::StatementTimeout, qPrintable(late.error().message));
        QVERIFY(late.error().outcomeUnknown());
        QVERIFY(std::chrono::steady_clock::now() - begun < 4s);
        begun = std::chrono::steady_clock::now();
        const sql::Result noConnection = ask(driver, "SELECT 7");
        QVERIFY(!noConnection);
        QVERIFY2(noConnection.error().kind == Kind::ConnectTimeout, qPrintable(noConnection.error().message));
        QVERIFY(!noConnection.error().outcomeUnknown());
        QVERIFY(std::chrono::steady_clock::now() - begun < 4s);
        std::stop_source stop;
        const auto stopped = beside(driver.execute({"SELECT 7", {}}, stop.get_token()));
        stop.request_stop();
        QVERIFY(ends(stopped, 4000ms));
        m_databases.server(engine).resume();
        QVERIFY(comesTrue([&] { return number(driver, "SELECT 7") == 7; }, 5s));
    }

    void holdsOutlastAServerThatStandsStill_data() { serversAndSessions(); }
    void holdsOutlastAServerThatStandsStill() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const QString table = QString::fromLatin1(sql::kDefaultTable);
        DriverOptions options;
        options.silence = 300ms;
        SqlClient a(m_runtime, m_databases.url(engine), table, options), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const Granted grant = acquire(*ours, request());
        QVERIFY(run(ours->news(**grant, {})).value().kind == HoldNews::Kind::Kept);
        m_databases.server(engine).pause();
        const auto silent = run(ours->news(**grant, {}));
        VERIFY_OK(silent);
        QVERIFY(silent->kind == HoldNews::Kind::Suspended);
        m_databases.server(engine).resume();
        const auto back = run(ours->news(**grant, {}));
        VERIFY_OK(back);
        QVERIFY(back->kind == HoldNews::Kind::Kept);
        QVERIFY(!acquire(*theirs, request(100ms)).value().has_value());
        VERIFY_OK(release(*ours, **grant));
        const Granted next = acquire(*theirs, request(3s));
        QVERIFY(next->has_value());
        VERIFY_OK(release(*theirs, **next));
    }

    void stoppedReentriesAreNotCountedTwice_data() { recipeRows({"sql-advisory"}); }
    void stoppedReentriesAreNotCountedTwice() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const Granted first = acquire(*ours, request());
        VERIFY_OK(first);
        // Sent, and stopped before there is an answer.
        m_databases.server(engine).pause();
        std::stop_source stop;
        const auto again = beside(ours->acquire(request(kNever, 30s, "1", 1), stop.get_token()));
        stop.request_stop();
        m_databases.server(engine).resume();
        QVERIFY(ends(again, 5000ms));
        Grant last = **first;
        if (!again->cancelled) {
            VERIFY_OK(*again->result);
            last = ***again->result;
        }
        for (; last.holds > 0; --last.holds)
            VERIFY_OK(release(*ours, last));
        const Granted next = acquire(*theirs, request(1s));
        VERIFY_OK(next);
        QVERIFY2(next->has_value(), "the stopped attempt is still counted on the server");
        VERIFY_OK(release(*theirs, **next));
    }

    /// PostgreSQL grants it to a process that cannot look before its time is over, and keeps it for the connection.
    void whatIsGrantedAtTheLastInstantIsFree() {
        const QString url = m_databases.url("postgresql");
        SqlClient a(m_runtime, url), b(m_runtime, url), c(m_runtime, url);
        const QByteArray name = freshName();
        const auto ours = a.recipe("sql-advisory", name), theirs = b.recipe("sql-advisory", name);
        const Granted first = acquire(*ours, request());
        VERIFY_OK(first);
        const Nanos begun = m_runtime.monotonic();
        const auto late = beside(theirs->acquire(request(800ms), {}));
        const auto waits = [&] {
            return number(c.driver, "SELECT COALESCE(MAX(pid), 0) FROM pg_locks WHERE locktype = 'advisory' "
                                    "AND NOT granted");
        };
        QVERIFY(comesTrue([&] { return waits() > 0; }, 700ms));
        const auto waiter = static_cast<pid_t>(waits());
        QCOMPARE(::kill(waiter, SIGSTOP), 0);
        VERIFY_OK(release(*ours, **first));
        const bool over = comesTrue([&] { return m_runtime.monotonic() - begun > 830ms; }, 3s);
        QCOMPARE(::kill(waiter, SIGCONT), 0);
        QVERIFY(over);
        QVERIFY(ends(late, 5000ms));
        VERIFY_OK(*late->result);
        QVERIFY(!(*late->result)->has_value());
        const Granted next = acquire(*ours, request(1s));
        VERIFY_OK(next);
        QVERIFY2(next->has_value(), "nobody has the lock, and an idle connection keeps it");
        VERIFY_OK(release(*ours, **next));
    }

    void holdsAreLostWithTheServer_data() { serversAndSessions(); }
    void holdsAreLostWithTheServer() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine));
        const auto ours = a.recipe(id, freshName());
        const Granted grant = acquire(*ours, request());
        const auto hearing = beside(ours->news(**grant, {}));
        const auto waiting = beside(ours->acquire(request(2s, 30s, "2"), {}));
        QTest::qWait(50);
        m_databases.server(engine).kill();
        while (!hearing->done || hearing->result->value().kind != HoldNews::Kind::Lost) {
            QVERIFY(ends(hearing, 3000ms));
            if (hearing->result->value().kind == HoldNews::Kind::Lost) break;
            hearing->done = false;
            hearing->result = run(ours->news(**grant, {}));
            hearing->done = true;
        }
        QVERIFY(ends(waiting, 3000ms));
        QVERIFY(!*waiting->result);
        QVERIFY2(waiting->result->error().kind == LockError::Kind::Unreachable,
                 qPrintable(waiting->result->error().message));
        QVERIFY(release(*ours, **grant).error().kind == LockError::Kind::NotOwner);
        QVERIFY(comesTrue([&] { return !m_databases.server(engine).running(); }, 5s));
        VERIFY_EMPTY(restart(engine));
        const Granted again = acquire(*ours, request(5s));
        VERIFY_OK(again);
        QVERIFY(again->has_value());
        VERIFY_OK(release(*ours, **again));
    }

    /// InnoDB lets all but one of several that wait to insert the same row die of a deadlock when the first one is
    /// rolled back: nobody's wait ends by that.
    void waitersForANewRowOutlastItsRollback() {
        SqlClient other(m_runtime, m_databases.url("mariadb"));
        const QByteArray name = freshName();
        auto opened = run(other.driver.textSession());
        VERIFY_OK(opened);
        const std::shared_ptr<sql::DriverSession> session = std::move(*opened).share();
        session->begin();
        sql::Statement insert;
        insert.text = "INSERT INTO " + other.tables.locks + " (name, recipe, version) VALUES (?, 'sql-lease', 0)";
        insert.values = {name};
        VERIFY_OK(run(session->execute(insert)));

        std::vector<std::unique_ptr<SqlClient>> clients;
        std::vector<std::unique_ptr<recipes::Recipe>> locks;
        std::vector<std::shared_ptr<Ending<Granted>>> waiting;
        for (int i = 0; i < 4; ++i) {
            clients.push_back(std::make_unique<SqlClient>(m_runtime, m_databases.url("mariadb")));
            locks.push_back(clients.back()->recipe("sql-lease", name));
            waiting.push_back(beside(locks.back()->acquire(request(20s), {})));
        }
        QVERIFY(comesTrue([&] { return waiters(other.driver) >= 4; }, 10s));
        VERIFY_OK(run(session->rollback()));
        session->giveBack();

        std::set<std::int64_t> tokens;
        for (int done = 0; done < 4; ++done) { // one after the other
            const auto granted = [&] {
                return std::ranges::find_if(waiting, [](const auto& one) { return one && one->done; });
            };
            QVERIFY(comesTrue([&] { return granted() != waiting.end(); }, 15s));
            const auto found = granted();
            const Granted grant = *(*found)->result;
            VERIFY_OK(grant);
            QVERIFY(grant->has_value());
            QVERIFY(tokens.empty() || *tokens.rbegin() < (*grant)->token);
            tokens.insert((*grant)->token);
            VERIFY_OK(release(*locks[std::size_t(found - waiting.begin())], **grant));
            found->reset();
        }
    }

    void leasesOutlastARestart_data() { servers(); }
    void leasesOutlastARestart() {
        QFETCH(QByteArray, engine);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe("sql-lease", name), theirs = b.recipe("sql-lease", name);
        const Granted grant = acquire(*ours, request());
        run(m_databases.server(engine).stop());
        VERIFY_EMPTY(restart(engine));
        QVERIFY(!acquire(*theirs, request(0s)).value().has_value());
        const auto renewed = run(ours->renew(**grant, {}));
        VERIFY_OK(renewed);
        QVERIFY(*renewed);
        VERIFY_OK(release(*ours, **grant));
        const Granted next = acquire(*theirs, request(0s));
        QVERIFY(next->has_value());
        QVERIFY((*next)->token > (*grant)->token);
        VERIFY_OK(release(*theirs, **next));
    }

    void cutInTheMiddleOfAnAnswer_data() { servers(); }
    void cutInTheMiddleOfAnAnswer() {
        QFETCH(QByteArray, engine);
        TcpRelay relay(m_runtime, m_databases.server(engine).port());
        SqlClient direct(m_runtime, m_databases.url(engine));
        SqlClient a(m_runtime, urlThrough(relay, engine));
        const auto theirs = direct.recipe("sql-lease", "cut");
        for (const qint64 bytes : {0, 1, 3, 6}) {
            const auto ours = a.recipe("sql-lease", "cut");
            const Granted warm = acquire(*ours, request());
            VERIFY_OK(warm);
            VERIFY_OK(release(*ours, **warm));
            relay.cutNextAnswerAfter(bytes); // of the acquiring statement: it ran, and nobody says so
            const Granted lost = acquire(*ours, request(0s));
            QVERIFY(!lost);
            QVERIFY2(lost.error().kind == LockError::Kind::OutcomeUnknown, qPrintable(lost.error().message));
            const Granted next = acquire(*theirs, request(0s)); // it was taken back
            VERIFY_OK(next);
            QVERIFY2(next->has_value(), "a lost answer left the lock taken");
            VERIFY_OK(release(*theirs, **next));

            const Granted held = acquire(*ours, request());
            VERIFY_OK(held);
            relay.cutNextAnswerAfter(bytes); // of the release: asked again, it is free
            VERIFY_OK(release(*ours, **held));
            QVERIFY(!release(*ours, **held));
        }
    }

    /// The answer is lost and the taking back, too: whoever asks again must not wait behind what he left himself.
    void whatIsLeftBehindIsUndoneByTheNextTry_data() { servers(); }
    void whatIsLeftBehindIsUndoneByTheNextTry() {
        QFETCH(QByteArray, engine);
        TcpRelay relay(m_runtime, m_databases.server(engine).port());
        SqlClient direct(m_runtime, m_databases.url(engine));
        SqlClient a(m_runtime, urlThrough(relay, engine));
        const auto ours = a.recipe("sql-lease", "left"), theirs = direct.recipe("sql-lease", "left");
        const Granted warm = acquire(*ours, request());
        VERIFY_OK(warm);
        VERIFY_OK(release(*ours, **warm));
        relay.closed = true; // to all but the connection that there is
        relay.cutNextAnswerAfter(0);
        const Granted lost = acquire(*ours, request(0s));
        QVERIFY(!lost);
        QVERIFY2(lost.error().kind == LockError::Kind::OutcomeUnknown, qPrintable(lost.error().message));
        const Granted kept = acquire(*theirs, request(0s));
        VERIFY_OK(kept);
        QVERIFY(!*kept); // it has run on the server
        relay.closed = false;
        const Granted next = acquire(*ours, request(10s));
        VERIFY_OK(next);
        QVERIFY2(next->has_value(), "it waits behind itself");
        VERIFY_OK(release(*ours, **next));
    }

    void nonsenseInsteadOfAnAnswer_data() { servers(); }
    void nonsenseInsteadOfAnAnswer() {
        QFETCH(QByteArray, engine);
        TcpRelay relay(m_runtime, m_databases.server(engine).port());
        SqlDriver driver(m_runtime, urlOf(urlThrough(relay, engine)), impatient());
        const QByteArrayList lies{"HTTP/1.1 400 Bad Request\r\n\r\n", QByteArray(64, '\xff'), QByteArray(300, '\0'),
                                  "220 mail.example ESMTP\r\n"};
        for (const QByteArray& lie : lies) {
            QVERIFY(comesTrue([&] { return number(driver, "SELECT 7") == 7; }, 5s));
            relay.replaceNextAnswer(lie);
            const auto begun = std::chrono::steady_clock::now();
            const sql::Result result = ask(driver, "SELECT 7");
            QVERIFY2(!result || result->number() != 7, lie.constData());
            QVERIFY(std::chrono::steady_clock::now() - begun < 5s);
        }
        relay.replaceNextAnswer({});
        SqlDriver greeted(m_runtime, urlOf(urlThrough(relay, engine)), impatient());
        relay.replaceNextAnswer("220 mail.example ESMTP\r\n"); // to the very first word
        const auto opened = run(greeted.open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().kind == Kind::Unreachable || opened.error().kind == Kind::ConnectTimeout,
                 qPrintable(opened.error().message));
        QCOMPARE(number(greeted, "SELECT 7"), 7);
    }

    void slowAnswersAreWaitedFor_data() { servers(); }
    void slowAnswersAreWaitedFor() {
        QFETCH(QByteArray, engine);
        TcpRelay relay(m_runtime, m_databases.server(engine).port());
        SqlDriver driver(m_runtime, urlOf(urlThrough(relay, engine)), impatient());
        QCOMPARE(number(driver, "SELECT 7"), 7);
        relay.holdAnswers(true);
        const auto slow = beside(driver.execute({"SELECT 7", {}}));
        QTest::qWait(200);
        QVERIFY(!slow->done);
        relay.holdAnswers(false);
        QVERIFY(ends(slow, 2000ms));
        QCOMPARE((*slow->result)->number(), 7);
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlFaults)
#include "tst_sql_faults.moc"
