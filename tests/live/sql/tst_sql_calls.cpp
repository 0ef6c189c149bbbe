// SPDX-License-Identifier: Apache-2.0
#include "backends/sql/client_calls.h"
#include "backends/sql/client_handle.h"
#include "live_sql.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace lockscope;
using namespace lockscope::sql;
using namespace lockscope::test;
using Now = ClientCalls::Now;

/// The client libraries' calls that never wait, one connection at a time and without a driver around them.
class TestSqlCalls : public QObject {
    Q_OBJECT
    /// A connection opened by QtSql, its calls and its socket.
    struct Open {
        Open(Databases& databases, const QByteArray& engine)
            : dialect(engine == "mariadb" ? Dialect::MySql : Dialect::PostgreSql) {
            const Settings settings = settingsOf(urlOf(databases.url(engine)), {}).value();
            database = QSqlDatabase::addDatabase(settings.plugin, QStringLiteral("calls"));
            database.setHostName(settings.host);
            database.setPort(settings.port);
            database.setDatabaseName(settings.database);
            database.setUserName(settings.user);
            database.setPassword(settings.password);
            database.setConnectOptions(settings.options);
            if (!database.open()) return;
            calls = ClientCalls::on(*database.driver(), dialect, settings.where);
            socket = duplicateSocket(*database.driver(), dialect);
        }
        ~Open() {
            calls.reset();
            if (socket >= 0) ::close(socket);
            database.close();
            database = QSqlDatabase();
            QSqlDatabase::removeDatabase(QStringLiteral("calls"));
        }
        Open(const Open&) = delete;
        Open& operator=(const Open&) = delete;

        /// Waits for the socket as long as the calls say that there is something to wait for.
        Result finish(Now now) {
            while (now != Now::Done) {
                pollfd look{socket, short(now == Now::Writes ? POLLIN | POLLOUT : POLLIN), 0};
                if (::poll(&look, 1, 10'000) <= 0) return std::unexpected(Error{});
                now = calls->goOn((look.revents & ~POLLOUT) != 0, (look.revents & POLLOUT) != 0);
            }
            return calls->answer();
        }
        Result ask(const QByteArray& text) { return finish(calls->begin(text)); }

        Dialect dialect;
        QSqlDatabase database;
        std::unique_ptr<ClientCalls> calls;
        int socket = -1;
    };
    static void engines() {
        QTest::addColumn<QByteArray>("engine");
        QTest::newRow("mariadb") << QByteArray("mariadb");
        QTest::newRow("postgresql") << QByteArray("postgresql");
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_databases.start()); }

    // Else every statement would go by a thread, and nobody would notice but by the clock.
    void theClientLibrariesHaveThem_data() { engines(); }
    void theClientLibrariesHaveThem() {
        QFETCH(QByteArray, engine);
        const Open open(m_databases, engine);
        QVERIFY(open.database.isOpen());
        QVERIFY(open.calls);
        QVERIFY(open.socket >= 0);
    }

    void theLastStatementOfATextAnswers_data() { engines(); }
    void theLastStatementOfATextAnswers() {
        QFETCH(QByteArray, engine);
        Open open(m_databases, engine);
        const bool mySql = open.dialect == Dialect::MySql;
        VERIFY_OK(open.ask("CREATE TEMPORARY TABLE called (k INTEGER PRIMARY KEY, t VARCHAR(20), b BOOLEAN)"));
        const Result rows = open.ask("INSERT INTO called VALUES (1, 'one', TRUE), (2, NULL, FALSE); "
                                     "UPDATE called SET t = 'eins' WHERE k = 1; SELECT k, t, b FROM called ORDER BY k");
        VERIFY_OK(rows);
        QCOMPARE(rows->rows.size(), std::size_t(2));
        QCOMPARE(rows->number(0, 0), 1);
        QCOMPARE(rows->text(0, 1), QByteArray("eins"));
        QCOMPARE(rows->number(0, 2), 1);
        QVERIFY(rows->isNull(1, 1));
        QCOMPARE(rows->number(1, 2), 0);
        const Result changed = open.ask("UPDATE called SET t = 'same'");
        VERIFY_OK(changed);
        QCOMPARE(changed->affected, 2);
        QVERIFY(changed->rows.empty());
        if (!mySql) return;
        const Result numbered = open.ask("UPDATE called SET k = LAST_INSERT_ID(k + 40) WHERE k = 2");
        VERIFY_OK(numbered);
        QCOMPARE(numbered->insertId, 42);
    }

    void theFirstErrorOfATextAnswers_data() { engines(); }
    void theFirstErrorOfATextAnswers() {
        QFETCH(QByteArray, engine);
        Open open(m_databases, engine);
        const Result failed = open.ask("SELECT 1; SELECT * FROM nowhere_at_all; SELECT * FROM nor_here");
        QVERIFY(!failed);
        QVERIFY2(failed.error().kind == Error::Kind::MissingTable, qPrintable(failed.error().message));
        QVERIFY2(failed.error().message.contains(QLatin1String("nowhere_at_all")), qPrintable(failed.error().message));
        const Result next = open.ask("SELECT 7"); // and nothing of it is left over
        VERIFY_OK(next);
        QCOMPARE(next->number(), 7);
    }

    // What does not fit into the socket's buffers goes out as the server takes it, and nobody waits for that.
    void longTextsTakeTheirTime_data() { engines(); }
    void longTextsTakeTheirTime() {
        QFETCH(QByteArray, engine);
        Open open(m_databases, engine);
        const QByteArray text(15 * 1024 * 1024, 'x');
        m_databases.server(engine).pause();
        const Now now = open.calls->begin("SELECT '" + text + "'");
        m_databases.server(engine).resume();
        QCOMPARE(now, Now::Writes);
        const Result echoed = open.finish(now);
        VERIFY_OK(echoed);
        QCOMPARE(echoed->text().size(), text.size());
    }

    void valuesOfWhatWasPrepared() {
        Open open(m_databases, "postgresql");
        QVERIFY(open.calls->takesValues());
        VERIFY_OK(open.ask("PREPARE called_with AS SELECT $1::bigint + 1, $2::text, $3::text"));
        const Values values = recipes::valuesOf(std::int64_t(41), QByteArray("it's 锁"), std::monostate());
        const Result result = open.finish(open.calls->beginPrepared("called_with", values));
        VERIFY_OK(result);
        QCOMPARE(result->number(), 42);
        QCOMPARE(result->text(0, 1), QByteArray("it's 锁"));
        QVERIFY(result->isNull(0, 2));
        const Result unknown = open.finish(open.calls->beginPrepared("never_prepared", {}));
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().code, QByteArray("26000"));
    }

    void aConnectionThatEndsIsAnError_data() { engines(); }
    void aConnectionThatEndsIsAnError() {
        QFETCH(QByteArray, engine);
        Open open(m_databases, engine);
        // Not waited for: it is still under way when the connection ends.
        const Now now = open.calls->begin(engine == "mariadb" ? "SELECT SLEEP(60)" : "SELECT pg_sleep(60)");
        QCOMPARE(now, Now::Reads);
        ::shutdown(open.socket, SHUT_RDWR);
        const Result ended = open.finish(now);
        QVERIFY(!ended);
        QVERIFY2(ended.error().kind == Error::Kind::Disconnected, qPrintable(ended.error().message));
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlCalls)
#include "tst_sql_calls.moc"
