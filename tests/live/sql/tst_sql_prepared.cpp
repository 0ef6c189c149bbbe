// SPDX-License-Identifier: Apache-2.0
#include "live_sql.h"
#include <lockscope/mutex.h>

#include <mutex>

using namespace lockscope;
using namespace lockscope::test;

/// A blocking client makes the tables of its locks by itself, and says what to do where it may not.
class TestSqlPrepared : public QObject {
    Q_OBJECT
    void engines() {
        QTest::addColumn<QByteArray>("engine");
        for (const char* engine : {"mariadb", "postgresql"})
            QTest::newRow(engine) << QByteArray(engine);
    }
    /// The URL of the account that may read and write rows, and create nothing.
    std::string plain(const QByteArray& engine, const QString& table) const {
        QString url = m_databases.url(engine);
        const QString login = url.section(u'/', 2, 2).section(u'@', 0, -2);
        url.replace(QStringLiteral("://") + login + u'@', QStringLiteral("://plain:plain@"));
        return (url + QStringLiteral("?table=") + table).toStdString();
    }
    std::string owner(const QByteArray& engine, const QString& table) const {
        return (m_databases.url(engine) + QStringLiteral("?table=") + table).toStdString();
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_EMPTY(m_databases.start());
        SqlClient maria(m_runtime, m_databases.url("mariadb")), postgres(m_runtime, m_databases.url("postgresql"));
        VERIFY_OK(ask(maria.driver, "CREATE USER plain@'%' IDENTIFIED BY 'plain'"));
        VERIFY_OK(ask(postgres.driver, "CREATE ROLE plain LOGIN PASSWORD 'plain'"));
    }

    void aClientMakesItsTables_data() { engines(); }
    void aClientMakesItsTables() {
        QFETCH(QByteArray, engine);
        blocking::Client client(owner(engine, QStringLiteral("made")));
        blocking::Mutex orders(client, "orders");
        const std::lock_guard guard(orders);
        QVERIFY(orders.token() > 0);
    }

    void whereTheyAreNoRightIsNeeded_data() { engines(); }
    void whereTheyAreNoRightIsNeeded() {
        QFETCH(QByteArray, engine);
        { const blocking::Client client(owner(engine, QStringLiteral("granted"))); }
        SqlClient owner(m_runtime, m_databases.url(engine));
        for (const QByteArray table : {"granted", "granted_schema", "granted_record"}) {
            const QByteArray whom = engine == "mariadb" ? "plain@'%'" : "plain";
            VERIFY_OK(ask(owner.driver, "GRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " TO " + whom));
        }
        blocking::Client client(plain(engine, QStringLiteral("granted")));
        blocking::Mutex orders(client, "orders");
        QVERIFY(orders.try_lock());
        orders.unlock();
    }

    void whoMayNotMakeThemIsToldTheOption_data() { engines(); }
    void whoMayNotMakeThemIsToldTheOption() {
        QFETCH(QByteArray, engine);
        if (engine == "mariadb") { // to be let into the database at all
            SqlClient owner(m_runtime, m_databases.url(engine));
            VERIFY_OK(ask(owner.driver, "CREATE TABLE door (a INTEGER)"));
            VERIFY_OK(ask(owner.driver, "GRANT SELECT ON door TO plain@'%'"));
        }
        try {
            const blocking::Client client(plain(engine, QStringLiteral("missing")));
            QFAIL("it was prepared");
        } catch (const LockException& refused) {
            QVERIFY2(QByteArray(refused.what()).contains("ClientOptions::prepare = false"), refused.what());
        }
        blocking::Client client(plain(engine, QStringLiteral("missing")), {.prepare = false});
        blocking::Mutex orders(client, "orders");
        try {
            orders.lock();
            QFAIL("it was taken");
        } catch (const LockException& unprepared) {
            const QByteArray told = unprepared.what();
            // MariaDB does not tell who may not look whether there is a table.
            QVERIFY2(engine == "mariadb" || told.contains("ClientOptions::prepare"), told);
        }
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlPrepared)
#include "tst_sql_prepared.moc"
