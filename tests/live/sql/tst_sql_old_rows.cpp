// SPDX-License-Identifier: Apache-2.0
// Rows that stay behind: of locks that nobody uses any more, and of a wait for a standby that was cancelled.
#include "live_sql.h"

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;

class TestSqlOldRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(startWithTables(m_runtime, m_databases)); }

    /// PostgreSQL calls a commit a success whose wait for a standby was cancelled. A client that asked for that has no
    /// lock, and leaves none.
    void aCancelledWaitForAStandbyIsNoGrant() {
        const QString url = m_databases.url("postgresql");
        SqlClient admin(m_runtime, url);
        // Our server commits without waiting for anything; this test's clients do wait, unlike the administrator.
        VERIFY_OK(ask(admin.driver, "ALTER ROLE CURRENT_USER SET synchronous_commit = 'on'"));
        SqlClient a(m_runtime, url), b(m_runtime, url);
        const QByteArray name = freshName();
        const auto ours = a.recipe("sql-lease", name), theirs = b.recipe("sql-lease", name);
        const Granted first = acquire(*ours, request());
        VERIFY_OK(first); // its row is there, its connection too
        VERIFY_OK(release(*ours, **first));
        VERIFY_OK(ask(admin.driver, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'"));
        VERIFY_OK(ask(admin.driver, "SELECT pg_reload_conf()"));
        const auto waits = [&] {
            return number(admin.driver, "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        };
        // The server makes that its own after a while: until then it is granted.
        std::stop_source stop;
        std::shared_ptr<Ending<Granted>> stopped;
        bool standing = false;
        for (int tries = 0; tries < 50 && !standing; ++tries) {
            stopped = beside(ours->acquire(request(), stop.get_token()));
            QVERIFY(comesTrue([&] { return stopped->done || waits() > 0; }));
            standing = !stopped->done;
            if (!standing) VERIFY_OK(release(*ours, stopped->result->value().value()));
        }
        stop.request_stop();
        const bool ended = ends(stopped, 15s);
        VERIFY_OK(ask(admin.driver, "ALTER ROLE CURRENT_USER RESET synchronous_commit"));
        VERIFY_OK(ask(admin.driver, "ALTER SYSTEM RESET synchronous_standby_names"));
        VERIFY_OK(ask(admin.driver, "SELECT pg_reload_conf()"));
        QVERIFY(standing);
        QVERIFY(ended);
        QVERIFY2(stopped->cancelled, "a grant for somebody who no longer wants it");
        const Granted next = acquire(*theirs, request(10s)); // its lease is half a minute
        VERIFY_OK(next);
        QVERIFY2(next->has_value(), "nobody has the lock, and its row says otherwise");
        VERIFY_OK(release(*theirs, **next));
    }

    /// A row that nobody has used for 30 days is deleted when another one is made; its lock begins with greater tokens.
    void rowsThatNobodyUsesGo_data() { engines(); }
    void rowsThatNobodyUsesGo() {
        QFETCH(QByteArray, engine);
        SqlClient a(m_runtime, m_databases.url(engine));
        VERIFY_OK(a.prepare());
        const QByteArray names[] = {freshName(), freshName(), freshName()}; // long free, lately used, long held
        std::vector<Grant> grants;
        for (const QByteArray& name : names) {
            const auto recipe = a.recipe("sql-lease", name);
            const Granted grant = acquire(*recipe, request());
            VERIFY_OK(grant);
            grants.push_back(**grant);
            if (name != names[2]) VERIFY_OK(release(*recipe, grants.back()));
        }
        const QByteArray past = engine == "mariadb"      ? "UTC_TIMESTAMP(6) - INTERVAL 31 DAY"
                                : engine == "postgresql" ? "clock_timestamp() - interval '31 days'"
                                                         : "strftime('%Y-%m-%d %H:%M:%f', 'now', '-31 days')";
        for (const QByteArray& name : {names[0], names[2]})
            VERIFY_OK(
                ask(a.driver, "UPDATE " + a.tables.locks + " SET expires_at = " + past + " WHERE name = ?", {name}));
        const auto there = [&](const QByteArray& name) {
            const sql::Result found =
                ask(a.driver, "SELECT COUNT(*) FROM " + a.tables.locks + " WHERE name = ?", {name});
            return found && found->number() == 1;
        };
        SqlClient b(m_runtime, m_databases.url(engine));
        const auto other = b.recipe("sql-lease", freshName());
        const Granted made = acquire(*other, request());
        VERIFY_OK(made);
        QVERIFY(comesTrue([&] { return !there(names[0]); }));
        QVERIFY(there(names[1]));
        QVERIFY2(there(names[2]), "it has an owner");
        VERIFY_OK(release(*other, **made));
        const auto again = b.recipe("sql-lease", names[0]);
        const Granted next = acquire(*again, request());
        VERIFY_OK(next);
        QVERIFY((*next)->token > grants[0].token);
        VERIFY_OK(release(*again, **next));
    }

    /// A person may keep everybody out for good: nanoseconds cannot count so far.
    void aRowThatEndsInTheYear9999IsHeld_data() { engines(); }
    void aRowThatEndsInTheYear9999IsHeld() {
        QFETCH(QByteArray, engine);
        SqlClient a(m_runtime, m_databases.url(engine));
        VERIFY_OK(a.prepare());
        const QByteArray name = freshName();
        const auto recipe = a.recipe("sql-lease", name);
        const Granted grant = acquire(*recipe, request());
        VERIFY_OK(grant);
        VERIFY_OK(ask(a.driver, "UPDATE " + a.tables.locks + " SET expires_at = '9999-12-31 00:00:00' WHERE name = ?",
                      {name}));
        QCOMPARE(run(recipe->isLocked({})).value(), true);
        const auto holders = run(recipe->holders({}));
        VERIFY_OK(holders);
        QCOMPARE(holders->size(), std::size_t(1));
        QVERIFY(holders->front().left > 365 * 24h);
        VERIFY_OK(release(*recipe, **grant));
    }

private:
    static void engines() {
        QTest::addColumn<QByteArray>("engine");
        for (const char* engine : {"mariadb", "postgresql", "sqlite"})
            QTest::newRow(engine) << QByteArray(engine);
    }
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlOldRows)
#include "tst_sql_old_rows.moc"
