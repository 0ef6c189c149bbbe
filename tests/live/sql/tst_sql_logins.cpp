// SPDX-License-Identifier: Apache-2.0
#include "live_sql.h"
#include "tcp_relay.h"

using namespace lockscope;
using namespace lockscope::test;
using sql::SqlDriver;
using Kind = sql::Error::Kind;

/// TLS, passwords that need care, and the schema.
class TestSqlLogins : public QObject {
    Q_OBJECT
    static void servers() {
        QTest::addColumn<QByteArray>("engine");
        QTest::newRow("mariadb") << QByteArray("mariadb");
        QTest::newRow("postgresql") << QByteArray("postgresql");
    }
    static void engines() {
        servers();
        QTest::newRow("sqlite") << QByteArray("sqlite");
    }
    static sandbox::SqlServerOptions withTls() {
        sandbox::SqlServerOptions options;
        options.password = QStringLiteral("p@ss w:rd/%?#&=;é");
        options.tls = true;
        return options;
    }
    QByteArray cipher(const QByteArray& engine, SqlDriver& driver) {
        const QByteArray text =
            engine == "mariadb"
                ? "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'"
                : "SELECT cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        const sql::Result result = ask(driver, text);
        return result ? result->text() : QByteArray(result.error().message.toUtf8());
    }
    /// The columns of a table in order, as the server lists them.
    QByteArrayList columns(const QByteArray& engine, SqlDriver& driver, const QByteArray& table) {
        const QByteArray text = engine == "sqlite"
                                    ? "SELECT name FROM pragma_table_info('" + table + "') ORDER BY name"
                                    : "SELECT column_name FROM information_schema.columns WHERE table_name = '" +
                                          table + "' ORDER BY column_name";
        QByteArrayList names;
        const sql::Result result = ask(driver, text);
        for (std::size_t i = 0; result && i < result->rows.size(); ++i)
            names << result->text(i);
        return names;
    }
    /// All columns of a table of locks, or those that its first version had.
    static QByteArray lockColumns(const QByteArray& engine, bool first) {
        const QByteArray bytes = engine == "mariadb" ? "VARBINARY(255)" : "TEXT";
        const QByteArray time = engine == "mariadb" ? "DATETIME(6)" : engine == "postgresql" ? "timestamptz" : "TEXT";
        return "name " + bytes + " NOT NULL, recipe " + bytes + " NOT NULL, owner " + bytes +
               " NULL, version BIGINT NOT NULL DEFAULT 0, expires_at " + time + " NULL" +
               (first ? QByteArray() : ", acquired_at " + time + " NULL");
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_EMPTY(m_databases.start());
        VERIFY_EMPTY(m_plain.start());
        auto other = run(sandbox::TlsAuthority::make(m_runtime, m_databases.files, QStringLiteral("other-")));
        QVERIFY2(other, other ? "" : qPrintable(other.error()));
        m_other = *other;
    }

    void tlsWithTheRightAuthority_data() { servers(); }
    void tlsWithTheRightAuthority() {
        QFETCH(QByteArray, engine);
        SqlDriver driver(m_runtime, urlOf(m_databases.url(engine)));
        VERIFY_OK(run(driver.open()));
        QVERIFY2(cipher(engine, driver).startsWith("TLS_") || cipher(engine, driver).contains("GCM"),
                 cipher(engine, driver).constData());
        // Many records of TLS, out and in: what was decrypted already must not be waited for at the socket.
        const QByteArray text(3 * 1024 * 1024, 'x');
        const sql::Result echoed = ask(driver, "SELECT '" + text + "'");
        VERIFY_OK(echoed);
        QCOMPARE(echoed->text().size(), text.size());
    }
    // The relay runs on this thread: if a connection attempt kept it, the attempt would never end.
    void aHandshakeThatStandsStillIsGivenUp_data() {
        QTest::addColumn<QByteArray>("engine");
        QTest::addColumn<int>("bytes");
        for (const char* engine : {"mariadb", "postgresql"}) {
            for (const int bytes : {0, 1, 40, 100, 130, 300, 1000, 1800})
                QTest::addRow("%s %d", engine, bytes) << QByteArray(engine) << bytes;
        }
    }
    void aHandshakeThatStandsStillIsGivenUp() {
        QFETCH(QByteArray, engine);
        QFETCH(int, bytes);
        TcpRelay relay(m_runtime, m_databases.server(engine).port());
        ConnectionUrl url = urlOf(m_databases.url(engine));
        url.endpoints.front().port = relay.port();
        sql::DriverOptions hasty, patient;
        hasty.connectTimeout = 150ms;
        patient.connectTimeout = 60s;

        relay.standStillAfter(bytes);
        SqlDriver late(m_runtime, url, hasty), stopped(m_runtime, url, patient);
        const auto opened = run(late.open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().kind == Kind::ConnectTimeout, qPrintable(opened.error().message));

        std::stop_source stop;
        const auto opening = beside(stopped.open(stop.get_token()));
        QVERIFY(comesTrue([&] { return relay.connections == 2; }));
        stop.request_stop();
        QVERIFY(ends(opening, 5000ms));
        QVERIFY(opening->cancelled == Cancelled::Why::Stopped);

        SqlDriver waiting(m_runtime, url, patient);
        const auto again = beside(waiting.open());
        QVERIFY(comesTrue([&] { return relay.connections == 3; }));
        relay.holdAnswers(false);
        QVERIFY(ends(again, 60'000ms));
        VERIFY_OK(*again->result);
        QVERIFY(cipher(engine, waiting).startsWith("TLS_") || cipher(engine, waiting).contains("GCM"));
    }
    void tlsWithAnotherAuthority_data() { servers(); }
    void tlsWithAnotherAuthority() {
        QFETCH(QByteArray, engine);
        ConnectionUrl url = urlOf(m_databases.url(engine));
        url.tlsFiles.ca = m_other.ca;
        SqlDriver driver(m_runtime, url);
        const auto opened = run(driver.open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().kind == Kind::TlsFailed, qPrintable(opened.error().message));
    }
    void tlsWithoutAnAuthority_data() { servers(); }
    void tlsWithoutAnAuthority() {
        QFETCH(QByteArray, engine);
        ConnectionUrl url = urlOf(m_databases.url(engine));
        url.tlsFiles.ca.clear(); // the system's do not know our server
        SqlDriver driver(m_runtime, url);
        const auto opened = run(driver.open());
        QVERIFY(!opened);
        const Kind expected = engine == "mariadb" ? Kind::WrongUrl : Kind::TlsFailed;
        QVERIFY2(opened.error().kind == expected, qPrintable(opened.error().message));
    }
    /// The server could let it in a moment later: its sentence names the login, which is not wrong.
    void aLoginsOwnLimitIsNoWrongLogin_data() { servers(); }
    void aLoginsOwnLimitIsNoWrongLogin() {
        QFETCH(QByteArray, engine);
        SqlDriver administrator(m_runtime, urlOf(m_plain.url(engine)));
        if (engine == "mariadb") {
            VERIFY_OK(ask(administrator, "CREATE USER few@'%' IDENTIFIED BY 'few' WITH MAX_USER_CONNECTIONS 1"));
            VERIFY_OK(ask(administrator, "GRANT ALL ON *.* TO few@'%'"));
        } else {
            VERIFY_OK(ask(administrator, "CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT 1"));
        }
        ConnectionUrl url = urlOf(m_plain.url(engine));
        url.user = url.password = QStringLiteral("few");
        SqlDriver first(m_runtime, url), second(m_runtime, url);
        VERIFY_OK(run(first.open()));
        const auto refused = run(second.open());
        QVERIFY(!refused);
        QVERIFY2(refused.error().kind == Kind::TooMany, qPrintable(refused.error().message));
    }
    void tlsWithAServerThatHasNone_data() { servers(); }
    void tlsWithAServerThatHasNone() {
        QFETCH(QByteArray, engine);
        ConnectionUrl url = urlOf(m_plain.url(engine));
        VERIFY_OK(run(SqlDriver(m_runtime, url).open()));
        url.tls = true;
        url.tlsFiles.ca = m_other.ca;
        SqlDriver driver(m_runtime, url);
        const auto opened = run(driver.open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().kind == Kind::TlsFailed, qPrintable(opened.error().message));
        QVERIFY2(opened.error().message.contains(driver.where()), qPrintable(opened.error().message));
        QVERIFY(!ask(driver, "SELECT 1"));
    }
    void filesThatAreNotThere_data() { servers(); }
    void filesThatAreNotThere() {
        QFETCH(QByteArray, engine);
        ConnectionUrl url = urlOf(m_databases.url(engine));
        url.tlsFiles.ca = QStringLiteral("/nowhere/ca.pem");
        SqlDriver driver(m_runtime, url);
        const auto opened = run(driver.open());
        QVERIFY(opened.error().kind == Kind::WrongUrl);
        QVERIFY(opened.error().message.contains(url.tlsFiles.ca));
    }
    void withoutTlsItIsPlain_data() { servers(); }
    void withoutTlsItIsPlain() {
        QFETCH(QByteArray, engine);
        ConnectionUrl url = urlOf(m_databases.url(engine));
        url.tls = false;
        url.tlsFiles = {};
        SqlDriver driver(m_runtime, url);
        VERIFY_OK(run(driver.open()));
        QCOMPARE(cipher(engine, driver), QByteArray());
    }
    void wrongPasswordIsNeverShown_data() { servers(); }
    void wrongPasswordIsNeverShown() {
        QFETCH(QByteArray, engine);
        ConnectionUrl url = urlOf(m_databases.url(engine));
        url.password = QStringLiteral("Hu5h-hush");
        SqlDriver driver(m_runtime, url);
        const auto opened = run(driver.open());
        QVERIFY2(opened.error().kind == Kind::AuthFailed, qPrintable(opened.error().message));
        QVERIFY(!opened.error().message.contains(url.password));
        QVERIFY(!driver.where().contains(url.password));
    }

    void schemaIsMadeOnceByMany_data() { engines(); }
    void schemaIsMadeOnceByMany() {
        QFETCH(QByteArray, engine);
        std::vector<std::unique_ptr<SqlClient>> clients;
        std::vector<std::shared_ptr<Ending<sql::Result>>> endings;
        for (int i = 0; i < 6; ++i) {
            clients.push_back(std::make_unique<SqlClient>(m_runtime, m_databases.url(engine), QStringLiteral("crowd")));
            endings.push_back(beside(sql::prepareSchema(clients.back()->driver, clients.back()->tables, {})));
        }
        for (const auto& ending : endings) {
            QVERIFY(ends(ending, 10s));
            VERIFY_OK(*ending->result);
        }
        const auto recipe = clients.front()->recipe("sql-lease", "x");
        const Granted grant = acquire(*recipe, request());
        VERIFY_OK(grant);
        VERIFY_OK(release(*recipe, **grant));
        VERIFY_OK(clients.front()->prepare()); // nothing to do any more
        QCOMPARE(number(clients.front()->driver, "SELECT COUNT(*) FROM crowd_schema"), 1);
    }

    void olderSchemasAreBroughtUpToDate_data() { engines(); }
    void olderSchemasAreBroughtUpToDate() {
        QFETCH(QByteArray, engine);
        SqlClient fresh(m_runtime, m_databases.url(engine), QStringLiteral("fresh"));
        VERIFY_OK(fresh.prepare());
        SqlClient old(m_runtime, m_databases.url(engine), QStringLiteral("old"));
        VERIFY_OK(ask(old.driver, "CREATE TABLE old (" + lockColumns(engine, true) + ", PRIMARY KEY (name))"));
        VERIFY_OK(ask(old.driver, "CREATE TABLE old_schema (version INTEGER NOT NULL PRIMARY KEY)"));
        VERIFY_OK(ask(old.driver, "INSERT INTO old_schema VALUES (1)"));
        VERIFY_OK(ask(old.driver, "INSERT INTO old (name, recipe, version) VALUES ('kept', 'sql-lease', 41)"));
        const auto recipe = old.recipe("sql-lease", "kept");
        const Granted before = acquire(*recipe, request(0s));
        QVERIFY2(!before && before.error().kind == LockError::Kind::NotPrepared,
                 qPrintable(before ? QString() : before.error().message));
        VERIFY_OK(old.prepare());
        QCOMPARE(columns(engine, old.driver, "old"), columns(engine, fresh.driver, "fresh"));
        QCOMPARE(columns(engine, old.driver, "old_record"), columns(engine, fresh.driver, "fresh_record"));
        QCOMPARE(number(old.driver, "SELECT MAX(version) FROM old_schema"), sql::kSchemaVersion);
        const Granted after = acquire(*recipe, request(0s));
        VERIFY_OK(after);
        QCOMPARE((*after)->token, 42); // what was there is still there
        VERIFY_OK(release(*recipe, **after));
    }

    void tablesWithoutAVersionAreBroughtUpToDate_data() { engines(); }
    void tablesWithoutAVersionAreBroughtUpToDate() {
        QFETCH(QByteArray, engine);
        SqlClient fresh(m_runtime, m_databases.url(engine), QStringLiteral("fresh")),
            half(m_runtime, m_databases.url(engine), QStringLiteral("half"));
        VERIFY_OK(fresh.prepare());
        VERIFY_OK(ask(half.driver, "CREATE TABLE half (" + lockColumns(engine, true) + ", PRIMARY KEY (name))"));
        VERIFY_OK(half.prepare());
        QCOMPARE(columns(engine, half.driver, "half"), columns(engine, fresh.driver, "fresh"));
        QCOMPARE(columns(engine, half.driver, "half_record"), columns(engine, fresh.driver, "fresh_record"));
        QCOMPARE(number(half.driver, "SELECT MAX(version) FROM half_schema"), sql::kSchemaVersion);
        for (const char* id : {"sql-row", "sql-lease", "sql-version"}) {
            const auto recipe = half.recipe(id, QByteArray("half-") + id);
            const Granted grant = acquire(*recipe, request(0s));
            VERIFY_OK(grant);
            VERIFY_OK(release(*recipe, **grant));
        }
    }

    void tablesOfOthersAreLeftAlone_data() { engines(); }
    void tablesOfOthersAreLeftAlone() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_databases.url(engine), QStringLiteral("others"));
        VERIFY_OK(ask(client.driver, "CREATE TABLE others (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(80), owner "
                                     "VARCHAR(80))"));
        const sql::Result refused = client.prepare();
        QVERIFY(!refused);
        QVERIFY(refused.error().kind == Kind::Refused);
        QVERIFY2(refused.error().message.contains(QLatin1String("table=")), qPrintable(refused.error().message));
        QVERIFY2(refused.error().message.contains(QLatin1String(" others ")), qPrintable(refused.error().message));
        QCOMPARE(columns(engine, client.driver, "others"), (QByteArrayList{"id", "name", "owner"}));
        QVERIFY(columns(engine, client.driver, "others_schema").isEmpty());
        QVERIFY(columns(engine, client.driver, "others_record").isEmpty());
    }

    void tablesWithoutTheirKeyAreRefused_data() { engines(); }
    void tablesWithoutTheirKeyAreRefused() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_databases.url(engine), QStringLiteral("keyless"));
        const auto refused = [&] {
            const sql::Result done = client.prepare();
            return !done && done.error().kind == Kind::Refused &&
                   done.error().message.contains(QLatin1String("CREATE UNIQUE INDEX"));
        };
        VERIFY_OK(ask(client.driver, "CREATE TABLE keyless (" + lockColumns(engine, false) + ')'));
        QVERIFY(refused());
        QVERIFY(refused()); // and was not taken for prepared meanwhile
        VERIFY_OK(ask(client.driver, "CREATE UNIQUE INDEX both_columns ON keyless (name, recipe)"));
        QVERIFY(refused());
        if (engine == "mariadb") {
            VERIFY_OK(ask(client.driver, "CREATE UNIQUE INDEX the_beginning ON keyless (name(10))"));
        } else {
            VERIFY_OK(ask(client.driver, "CREATE UNIQUE INDEX some_rows ON keyless (name) WHERE owner IS NULL"));
            for (const char* id : {"sql-row", "sql-lease", "sql-version"}) {
                const Granted grant = acquire(*client.recipe(id, "x"), request(0s));
                QVERIFY2(!grant && grant.error().kind == LockError::Kind::Refused, id);
            }
            QCOMPARE(number(client.driver, "SELECT COUNT(*) FROM keyless"), 0);
        }
        QVERIFY(refused());
        VERIFY_OK(ask(client.driver, "CREATE UNIQUE INDEX the_name ON keyless (name)"));
        VERIFY_OK(client.prepare());
        const auto recipe = client.recipe("sql-row", "x"), other = client.recipe("sql-row", "x");
        const Granted grant = acquire(*recipe, request(0s));
        VERIFY_OK(grant);
        const Granted second = acquire(*other, request(0s));
        VERIFY_OK(second);
        QVERIFY(grant->has_value() && !second->has_value());
        VERIFY_OK(release(*recipe, **grant));
        VERIFY_OK(ask(client.driver, engine == "mariadb" ? "DROP INDEX the_name ON keyless" : "DROP INDEX the_name"));
        QVERIFY(refused()); // also after it was prepared
    }

    void newerSchemasAreRefused_data() { engines(); }
    void newerSchemasAreRefused() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_databases.url(engine), QStringLiteral("newer"));
        VERIFY_OK(client.prepare());
        VERIFY_OK(ask(client.driver, "INSERT INTO newer_schema VALUES (99)"));
        const sql::Result refused = client.prepare();
        QVERIFY(!refused);
        QVERIFY(refused.error().kind == Kind::Refused);
        QVERIFY2(refused.error().message.contains(QLatin1String("99")), qPrintable(refused.error().message));
    }

    void printedSchemaIsWhatIsMade_data() { engines(); }
    void printedSchemaIsWhatIsMade() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_databases.url(engine), QStringLiteral("printed"));
        const QString text = sql::schemaText(client.tables);
        for (const QString& statement : text.split(QLatin1String(";\n"), Qt::SkipEmptyParts))
            VERIFY_OK(ask(client.driver, statement.toUtf8()));
        VERIFY_OK(client.prepare()); // finds all of it
        SqlClient made(m_runtime, m_databases.url(engine), QStringLiteral("made"));
        VERIFY_OK(made.prepare());
        for (const char* table : {"", "_schema", "_record"}) {
            const QByteArrayList ours = columns(engine, client.driver, QByteArray("printed") + table);
            QVERIFY(!ours.isEmpty());
            QCOMPARE(ours, columns(engine, made.driver, QByteArray("made") + table));
        }
        QCOMPARE(number(client.driver, "SELECT MAX(version) FROM printed_schema"), sql::kSchemaVersion);
        for (const char* id : {"sql-row", "sql-lease", "sql-version"}) {
            const auto recipe = client.recipe(id, QByteArray("printed-") + id);
            const Granted grant = acquire(*recipe, request(0s));
            VERIFY_OK(grant);
            VERIFY_OK(release(*recipe, **grant));
        }
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime, withTls()};
    Databases m_plain{m_runtime};
    sandbox::TlsAuthority m_other;
};

QTEST_GUILESS_MAIN(TestSqlLogins)
#include "tst_sql_logins.moc"
