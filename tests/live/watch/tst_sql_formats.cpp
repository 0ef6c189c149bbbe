// SPDX-License-Identifier: Apache-2.0
#include "inspect/releaser.h"
#include "inspect/sql/formats/int_lock.h"
#include "live_sql.h"
#include "watching.h"

#include <QDateTime>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::test;

/// Tables as libraries leave them, whose locks need more than the table itself to be read.
class TestSqlFormats : public QObject {
    Q_OBJECT
private:
    LockReport look(const QByteArray& engine, const QString& match = {}) {
        const auto watcher = watcherOf(m_runtime, m_all.url(engine), match);
        return run(watcher->once());
    }
    void does(SqlClient& client, const QByteArray& text) {
        const sql::Result done = ask(client.driver, text);
        QVERIFY2(done, done ? "" : qPrintable(done.error().message));
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_all.start()); }

    void quartzInstancesCheckIn_data() { engines(); }
    void quartzInstancesCheckIn() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_all.url(engine));
        // As Quartz' tables_*.sql have it.
        does(client, "CREATE TABLE QRTZ_SCHEDULER_STATE (SCHED_NAME VARCHAR(120) NOT NULL, INSTANCE_NAME VARCHAR(200) "
                     "NOT NULL, LAST_CHECKIN_TIME BIGINT NOT NULL, CHECKIN_INTERVAL BIGINT NOT NULL, "
                     "PRIMARY KEY (SCHED_NAME, INSTANCE_NAME))");
        const auto checksIn = [&](const char* instance, std::int64_t agoMs) {
            does(client, "INSERT INTO QRTZ_SCHEDULER_STATE VALUES ('shop', '" + QByteArray(instance) + "', " +
                             QByteArray::number(QDateTime::currentMSecsSinceEpoch() - agoMs) + ", 20000)");
        };
        checksIn("node-1", 0);
        checksIn("node-2", 60'000); // later than its interval and the 7.5 s that Quartz waits
        const LockReport report = look(engine);
        const LockRow *alive = rowOf(report, "shop:node-1"), *late = rowOf(report, "shop:node-2");
        QVERIFY(alive && late);
        QCOMPARE(alive->format, QByteArray("qrtz_scheduler"));
        QCOMPARE(alive->backend, engine);
        QCOMPARE(alive->certainty, Certainty::Likely);
        QCOMPARE(alive->mode, QByteArray("exclusive"));
        QCOMPARE(clientsOf(alive->holders), QByteArrayList{"node-1"});
        QVERIFY2(alive->ttlMs && *alive->ttlMs > 17'000 && *alive->ttlMs <= 28'500,
                 qPrintable(QString::number(alive->ttlMs.value_or(-1))));
        QVERIFY(!alive->waiters && !alive->token && alive->entries.empty()); // nobody may free it
        QCOMPARE(late->state, LockRow::State::Free);
        does(client, "DROP TABLE QRTZ_SCHEDULER_STATE");
    }

    void aSpringLockHasTheNameThatIsAskedFor_data() { engines(); }
    void aSpringLockHasTheNameThatIsAskedFor() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_all.url(engine));
        const QByteArray time = engine == "mariadb" ? "DATETIME(3)" : engine == "postgresql" ? "timestamp(3)" : "TEXT";
        // Since Spring Integration 7.
        does(client,
             "CREATE TABLE INT_LOCK (LOCK_KEY CHAR(36), REGION VARCHAR(100), CLIENT_ID CHAR(36), CREATED_DATE " + time +
                 ", EXPIRED_AFTER " + time + ", PRIMARY KEY (LOCK_KEY, REGION))");
        const auto locks = [&](const QByteArray& key) {
            does(client, "INSERT INTO INT_LOCK VALUES ('" + key +
                             "', 'DEFAULT', '0b0f9b4e-0000-4000-8000-000000000001', '2026-01-01 00:00:00', "
                             "'2999-01-01 00:00:00')");
        };
        locks("acbd18db-4cc2-385c-adef-654fccc4a4d8"); // foo
        locks(intLockKey("order:42"));
        const LockReport all = look(engine), named = look(engine, QStringLiteral("DEFAULT:foo,DEFAULT:order:42"));
        QVERIFY(rowOf(all, "DEFAULT:acbd18db-4cc2-385c-adef-654fccc4a4d8") && !rowOf(all, "DEFAULT:foo"));
        const LockRow *foo = rowOf(named, "DEFAULT:foo"), *order = rowOf(named, "DEFAULT:order:42");
        QVERIFY(foo && order);
        QCOMPARE(named.locks.size(), 2u);
        QCOMPARE(foo->state, LockRow::State::Held);
        QCOMPARE(foo->format, QByteArray("int_lock"));
        QCOMPARE(clientsOf(foo->holders), QByteArrayList{"0b0f9b4e-0000-4000-8000-000000000001"});
        // Freed by force, by that name.
        const auto releaser = inspect::makeReleaser(m_runtime, urlOf(m_all.url(engine)), realDiallers());
        QVERIFY(releaser);
        const auto freed = run((*releaser)->free(*order, {}));
        QVERIFY2(freed, freed ? "" : qPrintable(freed.error()));
        QCOMPARE(*freed, inspect::Freed::Freed);
        const LockReport after = look(engine);
        QCOMPARE(after.locks.size(), 1u);
        QVERIFY(rowOf(after, "DEFAULT:acbd18db-4cc2-385c-adef-654fccc4a4d8"));
        does(client, "DROP TABLE INT_LOCK");
    }

    void keysAreMadeAsJavaMakesThem() {
        QCOMPARE(intLockKey("foo"), QByteArray("acbd18db-4cc2-385c-adef-654fccc4a4d8"));
        QCOMPARE(intLockKey("ACBD18DB-4CC2-385C-ADEF-654FCCC4A4D8"), // a name that is a UUID
                 QByteArray("acbd18db-4cc2-385c-adef-654fccc4a4d8"));
        LockRow row;
        row.name = "DEFAULT:acbd18db-4cc2-385c-adef-654fccc4a4d8";
        nameIntLock(row, {"DEFAULT:", "DEFAULT:bar", "OTHER:foo", "foo"});
        QCOMPARE(row.name, QByteArray("DEFAULT:acbd18db-4cc2-385c-adef-654fccc4a4d8"));
        nameIntLock(row, {"DEFAULT:foo"});
        QCOMPARE(row.name, QByteArray("DEFAULT:foo"));
    }

private:
    static void engines() {
        QTest::addColumn<QByteArray>("engine");
        for (const char* engine : {"mariadb", "postgresql", "sqlite"})
            QTest::newRow(engine) << QByteArray(engine);
    }

    EventLoopRuntime m_runtime;
    Databases m_all{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlFormats)
#include "tst_sql_formats.moc"
