// SPDX-License-Identifier: Apache-2.0
// PostgreSQL behind a pooler that gives each transaction another of the server's processes.
#include "live_sql.h"
#include "pg_bouncer.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {

/// Takes a lock again and again, and counts in a way that loses counts as soon as two do so at once.
QCoro::Task<> countUnder(recipes::Recipe& recipe, Runtime& runtime, int rounds, int& counter, QString& error) {
    for (int i = 0; i < rounds && error.isEmpty(); ++i) {
        const auto granted = co_await recipe.acquire(request(30s), {});
        if (!granted || !*granted) {
            error = granted ? QStringLiteral("not within its time") : granted.error().message;
            co_return;
        }
        const int seen = counter;
        co_await runtime.sleep(1ms); // not waited for: time for another to count, if the lock let it
        counter = seen + 1;
        const auto left = co_await recipe.release(**granted, {});
        if (!left) error = left.error().message;
    }
}

} // namespace

class TestSqlPooler : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    sandbox::PostgresServer m_server{m_runtime};
    PgBouncer m_transactions{m_runtime, m_server, PgBouncer::Mode::Transaction};
    PgBouncer m_sessions{m_runtime, m_server, PgBouncer::Mode::Session};

    QString sessionUrl() const { return m_sessions.url() + QStringLiteral("?pooler=session"); }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_server);
        VERIFY_EMPTY(m_transactions.start());
        VERIFY_EMPTY(m_sessions.start());
        SqlClient first(m_runtime, m_transactions.url());
        QVERIFY(first.prepare().has_value());
    }

    void whatAConnectionKeepsIsRefused() {
        SqlClient client(m_runtime, m_transactions.url());
        const auto refused = acquire(*client.recipe("sql-advisory", "orders"), request(1s));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, LockError::Kind::NotSupported);
        QVERIFY2(refused.error().message.contains(QLatin1String("pooler=session")),
                 qPrintable(refused.error().message));
        sql::SqlDriver direct(m_runtime, urlOf(m_server));
        QCOMPARE(number(direct, "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'"), 0);
    }

    void aPoolerThatKeepsSessionsIsBelievedWhenToldSo() {
        SqlClient a(m_runtime, sessionUrl()), b(m_runtime, sessionUrl()), untold(m_runtime, m_sessions.url());
        const auto of = [](SqlClient& client) { return client.recipe("sql-advisory", "orders"); };
        const auto mine = of(a), yours = of(b), refused = of(untold);
        const auto held = acquire(*mine, request());
        QVERIFY(held && *held);
        const auto taken = acquire(*yours, request(50ms));
        QVERIFY(taken && !*taken);
        QVERIFY(release(*mine, **held).has_value());
        const auto next = acquire(*yours, request());
        QVERIFY(next && *next);
        QVERIFY(release(*yours, **next).has_value());
        const auto notTold = acquire(*refused, request());
        QVERIFY(!notTold && notTold.error().kind == LockError::Kind::NotSupported);
    }

    void anUnknownPoolerIsAMistake() {
        SqlClient client(m_runtime, m_sessions.url() + QStringLiteral("?pooler=statement"));
        const auto opened = run(client.driver.open());
        QVERIFY(!opened && opened.error().kind == sql::Error::Kind::WrongUrl);
        QVERIFY(opened.error().message.contains(QLatin1String("session")));
    }

    // Prepared under one name on servers that both come to, one's statement would be run for the other.
    void eachGetsTheAnswerToItsOwnStatement() {
        sql::SqlDriver a(m_runtime, urlOf(m_transactions.url())), b(m_runtime, urlOf(m_transactions.url()));
        for (int round = 0; round < 50; ++round) {
            sql::Statement plus{"SELECT ?::bigint + 1", sql::valuesOf(std::int64_t(round))};
            sql::Statement times{"SELECT ?::bigint * 100", sql::valuesOf(std::int64_t(round))};
            const auto sum = beside(a.execute(plus)), other = beside(a.execute(plus));
            const auto product = beside(b.execute(times));
            QVERIFY(ends(sum, 5000ms) && ends(other, 5000ms) && ends(product, 5000ms));
            QVERIFY2(*sum->result && *product->result, "refused");
            QCOMPARE((*sum->result)->number(), round + 1);
            QCOMPARE((*other->result)->number(), round + 1);
            QCOMPARE((*product->result)->number(), round * 100);
        }
    }

    void locksExclude_data() {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"sql-row", "sql-lease", "sql-for-update"})
            QTest::newRow(id) << QByteArray(id);
    }
    void locksExclude() {
        QFETCH(QByteArray, id);
        constexpr int kClients = 4, kRounds = 10;
        std::vector<std::unique_ptr<SqlClient>> clients;
        std::vector<std::unique_ptr<recipes::Recipe>> locks;
        std::vector<QCoro::Task<>> counting;
        int counter = 0;
        QString error;
        for (int i = 0; i < kClients; ++i) {
            clients.push_back(std::make_unique<SqlClient>(m_runtime, m_transactions.url()));
            locks.push_back(clients.back()->recipe(id, "counted-" + id));
        }
        for (const auto& lock : locks)
            counting.push_back(countUnder(*lock, m_runtime, kRounds, counter, error));
        for (auto& one : counting)
            run(std::move(one));
        QVERIFY2(error.isEmpty(), qPrintable(error));
        QCOMPARE(counter, kClients * kRounds);
    }

    // Nobody can end a statement behind a pooler; the server itself has to know for how long it may be kept out.
    void lockedRowsKeepOutInTime() {
        SqlClient ours(m_runtime, m_transactions.url());
        const auto recipe = ours.recipe("sql-lease", "kept-out");
        const auto made = acquire(*recipe, request(5s));
        QVERIFY(made && *made);
        QVERIFY(release(*recipe, **made).has_value());
        sql::SqlDriver direct(m_runtime, urlOf(m_server));
        auto opened = run(direct.textSession());
        VERIFY_OK(opened);
        const std::shared_ptr<sql::DriverSession> holder = std::move(*opened).share();
        holder->begin();
        sql::Statement row;
        row.text = "SELECT version FROM " + ours.tables.locks + " WHERE name = 'kept-out' FOR UPDATE";
        VERIFY_OK(run(holder->execute(row)));
        for (const Nanos wait : {Nanos(0s), Nanos(700ms)}) {
            const auto begun = std::chrono::steady_clock::now();
            const auto refused = acquire(*recipe, request(wait));
            VERIFY_OK(refused);
            QVERIFY(!refused->has_value());
            const auto took = std::chrono::steady_clock::now() - begun;
            QVERIFY(took >= wait && took < wait + 1500ms);
        }
        const auto waiting = beside(recipe->acquire(request(20s), {}));
        QVERIFY(comesTrue([&] { return number(direct, "SELECT COUNT(*) FROM pg_locks WHERE NOT granted") == 1; }));
        VERIFY_OK(run(holder->rollback()));
        QVERIFY(ends(waiting, 5000ms) && *waiting->result && **waiting->result);
        QVERIFY(release(*recipe, ***waiting->result).has_value());
        // The limit was that one statement's and stays with nobody.
        for (int i = 0; i < 4; ++i) {
            const sql::Result limit = ask(ours.driver, "SHOW lock_timeout");
            VERIFY_OK(limit);
            QCOMPARE(limit->text(), QByteArray("0"));
        }
    }

    void waitsOutlastTheServersLimitOnStatements() {
        sql::SqlDriver admin(m_runtime, urlOf(m_server));
        QVERIFY(ask(admin, "ALTER ROLE lockscope SET statement_timeout = 1000").has_value());
        PgBouncer fresh(m_runtime, m_server, PgBouncer::Mode::Transaction); // settings are read at the login
        VERIFY_EMPTY(fresh.start());
        SqlClient holder(m_runtime, fresh.url()), waiter(m_runtime, fresh.url());
        QCOMPARE(ask(waiter.driver, "SHOW statement_timeout").value().text(), QByteArray("1s"));
        const auto held = holder.recipe("sql-for-update", "long"), wanted = waiter.recipe("sql-for-update", "long");
        const auto grant = acquire(*held, request());
        const auto waiting = beside(wanted->acquire(request(20s), {}));
        const bool early = ends(waiting, 2300ms);
        QVERIFY(ask(admin, "ALTER ROLE lockscope RESET statement_timeout").has_value());
        QVERIFY(grant && *grant);
        QVERIFY2(!early, early && !*waiting->result ? qPrintable(waiting->result->error().message) : "");
        QVERIFY(release(*held, **grant).has_value());
        QVERIFY(ends(waiting, 5000ms) && *waiting->result && waiting->result->value());
        QVERIFY(release(*wanted, *waiting->result->value()).has_value());
        QCOMPARE(ask(waiter.driver, "SHOW statement_timeout").value().text(), QByteArray("1s")); // of others
    }

    // The process that it waited on may be at work for somebody else when it is to be ended.
    void aStoppedWaitLeavesOthersAlone() {
        SqlClient holder(m_runtime, m_transactions.url()), waiter(m_runtime, m_transactions.url());
        const auto held = holder.recipe("sql-for-update", "stopped"),
                   wanted = waiter.recipe("sql-for-update", "stopped");
        const auto grant = acquire(*held, request());
        QVERIFY(grant && *grant);
        std::stop_source stop;
        const auto waiting = beside(wanted->acquire(request(), stop.get_token()));
        sql::SqlDriver direct(m_runtime, urlOf(m_server));
        QVERIFY(comesTrue([&] { return number(direct, "SELECT COUNT(*) FROM pg_locks WHERE NOT granted") == 1; }));
        sql::Statement slow;
        slow.text = "SELECT 7 FROM pg_sleep(1)"; // still at work when the wait beside it is stopped
        const auto other = beside(waiter.driver.execute(slow));
        stop.request_stop();
        QVERIFY(ends(waiting, 5000ms));
        QCOMPARE(waiting->cancelled, std::optional(Cancelled::Why::Stopped));
        QVERIFY(ends(other, 5000ms) && *other->result);
        QCOMPARE((*other->result)->number(), 7);
        QVERIFY(release(*held, **grant).has_value());
        const auto next = acquire(*wanted, request(10s));
        QVERIFY(next && *next);
        QVERIFY(release(*wanted, **next).has_value());
    }
};

QTEST_GUILESS_MAIN(TestSqlPooler)
#include "tst_sql_pooler.moc"
