// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/client_calls.h"
#include "live_sql.h"

#include <poll.h>
#include <sys/socket.h>

using namespace lockscope;
using namespace lockscope::sql;
using namespace lockscope::test;
using Now = ClientCalls::Now;

/// The client libraries' calls that never wait, one connection at a time and without a driver around them.
class TestSqlCalls : public QObject {
    Q_OBJECT
    static sandbox::SqlServerOptions withTls() {
        sandbox::SqlServerOptions options;
        options.tls = true;
        return options;
    }
    /// An open connection.
    struct Open {
        Open(Databases& databases, const QByteArray& way)
            : dialect(way.startsWith("mariadb") ? Dialect::MySql : Dialect::PostgreSql) {
            ConnectionUrl url = urlOf(databases.url(engineOf(way)));
            if (!way.endsWith("+tls")) {
                url.tls = false;
                url.tlsFiles = {};
            }
            const Settings settings = settingsOf(url).value();
            calls = ClientCalls::make(settings);
            opened = finish(calls->beginConnecting(settings.host.toUtf8()));
        }

        /// Waits for the socket as long as the calls say that there is something to wait for.
        Result finish(Now now) {
            while (now != Now::Done) {
                pollfd look{calls->socket(), short(now == Now::Writes ? POLLIN | POLLOUT : POLLIN), 0};
                if (::poll(&look, 1, 10'000) <= 0) return std::unexpected(Error{});
                now = calls->goOn((look.revents & ~POLLOUT) != 0, (look.revents & POLLOUT) != 0);
            }
            return calls->answer();
        }
        Result ask(const QByteArray& text) { return finish(calls->begin(text)); }

        Dialect dialect;
        std::unique_ptr<ClientCalls> calls;
        Result opened;
    };
    static void engines() {
        QTest::addColumn<QByteArray>("engine");
        for (const char* way : {"mariadb", "mariadb+tls", "postgresql", "postgresql+tls"})
            QTest::newRow(way) << QByteArray(way);
    }
    static QByteArray engineOf(const QByteArray& way) { return way.split('+').first(); }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_databases.start()); }

    void connectionsAreOpenAndAsWished_data() { engines(); }
    void connectionsAreOpenAndAsWished() {
        QFETCH(QByteArray, engine);
        const Open open(m_databases, engine);
        VERIFY_OK(open.opened);
        QCOMPARE(open.calls->encrypted(), engine.endsWith("+tls"));
        QVERIFY(open.calls->socket() >= 0);
    }

    // Not for the connection, nor for the login, nor in the middle of a handshake.
    void nobodyWaitsForAServerToLetThemIn_data() { engines(); }
    void nobodyWaitsForAServerToLetThemIn() {
        QFETCH(QByteArray, engine);
        ConnectionUrl url = urlOf(m_databases.url(engineOf(engine)));
        url.tls = engine.endsWith("+tls");
        if (!url.tls) url.tlsFiles = {};
        sandbox::SqlServer& server = m_databases.server(engineOf(engine));
        int steps = 0;
        for (bool in = false; !in; ++steps) {
            // Stopped before one more step each time: this thread, which would have to let it go on, must not wait.
            auto calls = ClientCalls::make(settingsOf(url).value());
            Now now = calls->beginConnecting("127.0.0.1");
            const auto ready = [&](int within) {
                pollfd look{calls->socket(), short(now == Now::Writes ? POLLIN | POLLOUT : POLLIN), 0};
                if (::poll(&look, 1, within) <= 0) return false;
                now = calls->goOn((look.revents & ~POLLOUT) != 0, (look.revents & POLLOUT) != 0);
                return true;
            };
            for (int step = 0; step < steps && now != Now::Done; ++step)
                QVERIFY(ready(10'000));
            server.pause();
            while (now != Now::Done && ready(50)) {
            }
            server.resume();
            while (now != Now::Done)
                QVERIFY(ready(10'000));
            VERIFY_OK(calls->answer());
            in = steps > 12;
        }
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

    // With TLS, too, where the library reads by another one that has to be told not to wait.
    void nobodyWaitsForAStoppedServer_data() { engines(); }
    void nobodyWaitsForAStoppedServer() {
        QFETCH(QByteArray, engine);
        Open open(m_databases, engine);
        m_databases.server(engineOf(engine)).pause();
        const Now now = open.calls->begin("SELECT 7"); // on this thread, which lets the server go on
        m_databases.server(engineOf(engine)).resume();
        QCOMPARE(now, Now::Reads);
        const Result answer = open.finish(now);
        VERIFY_OK(answer);
        QCOMPARE(answer->number(), 7);
    }

    // A text that does not fit into the socket's buffers goes out as the server takes it, and nobody waits for that.
    void longTextsTakeTheirTime_data() { engines(); }
    void longTextsTakeTheirTime() {
        QFETCH(QByteArray, engine);
        Open open(m_databases, engine);
        const QByteArray text(15 * 1024 * 1024, 'x');
        m_databases.server(engineOf(engine)).pause();
        const Now now = open.calls->begin("SELECT '" + text + "'");
        m_databases.server(engineOf(engine)).resume();
        QCOMPARE(now, Now::Writes);
        const Result echoed = open.finish(now);
        VERIFY_OK(echoed);
        QCOMPARE(echoed->text().size(), text.size());
    }

    void valuesOfWhatWasPrepared_data() { engines(); }
    void valuesOfWhatWasPrepared() {
        QFETCH(QByteArray, engine);
        Open open(m_databases, engine);
        const bool mySql = open.dialect == Dialect::MySql;
        VERIFY_OK(open.finish(open.calls->beginPreparing("sum", mySql ? "SELECT ? + 1, ?, ?"
                                                                      : "SELECT ?::bigint + 1, ?::text, ?::text")));
        const QByteArray longText(70'000, 'x'); // in a packet of its own, and no cell is made for it
        for (const QByteArray& text : {QByteArray("it's 锁"), longText, QByteArray()}) {
            const Values values = sql::valuesOf(std::int64_t(41), text, std::monostate());
            const Result result = open.finish(open.calls->beginPrepared("sum", values));
            VERIFY_OK(result);
            QCOMPARE(result->rows.size(), std::size_t(1));
            QCOMPARE(result->number(), 42);
            QCOMPARE(result->text(0, 1), text);
            QVERIFY(!result->isNull(0, 1));
            QVERIFY(result->isNull(0, 2));
        }
    }

    void changesByWhatWasPrepared_data() { engines(); }
    void changesByWhatWasPrepared() {
        QFETCH(QByteArray, engine);
        Open open(m_databases, engine);
        VERIFY_OK(open.ask("CREATE TEMPORARY TABLE changed (k BIGINT PRIMARY KEY, t VARCHAR(20))"));
        VERIFY_OK(open.finish(open.calls->beginPreparing("put", "INSERT INTO changed VALUES (?, ?)")));
        VERIFY_OK(open.finish(open.calls->beginPreparing("below", "SELECT k, t FROM changed WHERE k < ? ORDER BY k")));
        for (std::int64_t k = 0; k < 300; ++k) {
            const Result put =
                open.finish(open.calls->beginPrepared("put", sql::valuesOf(k - 1, QByteArray::number(int(k)))));
            VERIFY_OK(put);
            QCOMPARE(put->affected, 1);
            QVERIFY(put->rows.empty());
        }
        const Result all = open.finish(open.calls->beginPrepared("below", sql::valuesOf(std::int64_t(200))));
        VERIFY_OK(all);
        QCOMPARE(all->rows.size(), std::size_t(201));
        QCOMPARE(all->number(0, 0), -1);
        QCOMPARE(all->text(200, 1), QByteArray("200"));
        const Result none = open.finish(open.calls->beginPrepared("below", sql::valuesOf(std::int64_t(-5))));
        VERIFY_OK(none);
        QVERIFY(none->rows.empty());
        const Result twice =
            open.finish(open.calls->beginPrepared("put", sql::valuesOf(std::int64_t(7), QByteArray("again"))));
        QVERIFY(!twice);
        QVERIFY2(twice.error().kind == Error::Kind::DuplicateKey, qPrintable(twice.error().message));
        const Result next = open.ask("SELECT 7"); // and nothing of it is left over
        VERIFY_OK(next);
        QCOMPARE(next->number(), 7);
    }

    void whatCannotBePreparedIsAnError_data() { engines(); }
    void whatCannotBePreparedIsAnError() {
        QFETCH(QByteArray, engine);
        Open open(m_databases, engine);
        const Result failed = open.finish(open.calls->beginPreparing("nowhere", "SELECT ? FROM nowhere_at_all"));
        QVERIFY(!failed);
        QVERIFY2(failed.error().kind == Error::Kind::MissingTable, qPrintable(failed.error().message));
        const Result next = open.ask("SELECT 7");
        VERIFY_OK(next);
        QCOMPARE(next->number(), 7);
    }

    void aConnectionThatEndsIsAnError_data() { engines(); }
    void aConnectionThatEndsIsAnError() {
        QFETCH(QByteArray, engine);
        Open open(m_databases, engine);
        // Not waited for: it is still under way when the connection ends.
        const Now now = open.calls->begin(engine.startsWith("mariadb") ? "SELECT SLEEP(60)" : "SELECT pg_sleep(60)");
        QCOMPARE(now, Now::Reads);
        ::shutdown(open.calls->socket(), SHUT_RDWR);
        const Result ended = open.finish(now);
        QVERIFY(!ended);
        QVERIFY2(ended.error().kind == Error::Kind::Disconnected, qPrintable(ended.error().message));
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime, withTls()};
};

QTEST_GUILESS_MAIN(TestSqlCalls)
#include "tst_sql_calls.moc"
