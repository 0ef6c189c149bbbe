// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "live_sql.h"
#include "record_race.h"

using namespace lockscope;
using namespace lockscope::test;

/// Records that processes agree on by, kept in databases.
class TestSqlRecords : public QObject {
    Q_OBJECT
    std::unique_ptr<Connection> connect(const QString& url) { return makeConnection(m_runtime, urlOf(url)); }
    static void engines() {
        QTest::addColumn<QByteArray>("engine");
        for (const char* engine : {"mariadb", "postgresql", "sqlite"})
            QTest::newRow(engine) << QByteArray(engine);
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_databases.start()); }

    void oneOfTwoWritersWins_data() { engines(); }
    void oneOfTwoWritersWins() {
        QFETCH(QByteArray, engine);
        const auto a = connect(m_databases.url(engine)), b = connect(m_databases.url(engine));
        QVERIFY(a->records() && b->records());
        // Both make the table, too: nobody has prepared the database.
        VERIFY_EMPTY(raceOfWriters(m_runtime, *a->records(), *b->records(), "race 'of\" \\writers 锁"));
        const auto other = run(a->records()->read("another", {}));
        VERIFY_OK(other);
        QVERIFY(!other->there);
        VERIFY_OK(run(a->prepare())); // finds the table
        QVERIFY(a->schema().contains(QLatin1String("lockscope_locks_record")));
        QVERIFY(run(b->records()->read("race 'of\" \\writers 锁", {})).value().there);
        const auto tooLong = run(a->records()->read(QByteArray(256, 'n'), {}));
        QVERIFY(!tooLong && tooLong.error().kind == LockError::Kind::Refused);
    }

    void recordsOutlastTheServer_data() { engines(); }
    void recordsOutlastTheServer() {
        QFETCH(QByteArray, engine);
        {
            const auto before = connect(m_databases.url(engine));
            const auto written = run(before->records()->replace("kept", {}, "value", {}));
            VERIFY_OK(written);
            QVERIFY(*written);
        }
        if (engine != "sqlite") {
            run(m_databases.server(engine).stop());
            VERIFY_EMPTY(test::start(m_databases.server(engine)));
        }
        const auto after = connect(m_databases.url(engine));
        const auto found = run(after->records()->read("kept", {}));
        VERIFY_OK(found);
        QVERIFY(found->there);
        QCOMPARE(found->value, QByteArray("value"));
    }

    void oneOfTwoManagersWins() {
        const QStringList urls{m_databases.url("mariadb"), m_databases.url("postgresql"), m_databases.url("sqlite")};
        for (const QString& url : urls)
            VERIFY_OK(run(connect(url)->prepare()));
        VERIFY_EMPTY(raceOfManagers(m_runtime, managerOver(urls, "sql-lease")));
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlRecords)
#include "tst_sql_records.moc"
