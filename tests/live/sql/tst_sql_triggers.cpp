// SPDX-License-Identifier: Apache-2.0
#include "live_sql.h"

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;

/// People watch their tables by triggers. MariaDB then does not tell any more what LAST_INSERT_ID() was given.
class TestSqlTriggers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        VERIFY_EMPTY(m_databases.start());
        SqlClient client(m_runtime, m_databases.url("mariadb"));
        VERIFY_OK(client.prepare());
        VERIFY_OK(ask(client.driver, "CREATE TABLE watched (lock_name VARBINARY(255))"));
        VERIFY_OK(ask(client.driver, "CREATE TRIGGER watch AFTER UPDATE ON lockscope_locks FOR EACH ROW "
                                     "INSERT INTO watched VALUES (NEW.name)"));
    }

    void aLeaseIsTakenAndGivenBack() {
        SqlClient ours(m_runtime, m_databases.url("mariadb")), others(m_runtime, m_databases.url("mariadb"));
        const QByteArray name = freshName();
        const auto mine = ours.recipe("sql-lease", name), theirs = others.recipe("sql-lease", name);
        std::int64_t before = 0;
        for (int i = 0; i < 3; ++i) {
            const Granted grant = acquire(*mine, request(0s));
            VERIFY_OK(grant);
            QVERIFY(grant->has_value());
            QCOMPARE(
                (*grant)->token,
                std::int64_t(number(others.driver, "SELECT version FROM lockscope_locks WHERE name = '" + name + "'")));
            QVERIFY((*grant)->token > before);
            before = (*grant)->token;
            const Granted inVain = acquire(*theirs, request(0s));
            VERIFY_OK(inVain);
            QVERIFY(!inVain->has_value());
            VERIFY_OK(release(*mine, **grant));
        }
        QVERIFY(number(others.driver, "SELECT COUNT(*) FROM watched") >= 6);
    }

    void whoIsStoppedLeavesNothing() {
        SqlClient ours(m_runtime, m_databases.url("mariadb")), others(m_runtime, m_databases.url("mariadb"));
        const QByteArray name = freshName();
        const auto mine = ours.recipe("sql-lease", name), theirs = others.recipe("sql-lease", name);
        const Granted first = acquire(*mine, request(0s)); // makes the row
        VERIFY_OK(first);
        QVERIFY(first->has_value());
        VERIFY_OK(release(*mine, **first));
        for (int round = 0; round < 40; ++round) { // at ever later moments: between the two statements, too
            std::stop_source stop;
            const auto attempt = beside(mine->acquire(request(0s), stop.get_token()));
            m_runtime.callAt(m_runtime.monotonic() + std::chrono::microseconds(round * 50),
                             [stop]() mutable { stop.request_stop(); });
            if (round % 4 == 0) stop.request_stop();
            QVERIFY(ends(attempt, 5000ms));
            if (!attempt->cancelled) {
                VERIFY_OK(*attempt->result);
                QVERIFY((*attempt->result)->has_value());
                VERIFY_OK(release(*mine, ***attempt->result));
            }
            const Granted next = acquire(*theirs, request(2s));
            VERIFY_OK(next);
            QVERIFY2(next->has_value(), "a stopped attempt still holds the lock");
            VERIFY_OK(release(*theirs, **next));
        }
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlTriggers)
#include "tst_sql_triggers.moc"
