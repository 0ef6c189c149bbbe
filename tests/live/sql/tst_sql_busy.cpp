// SPDX-License-Identifier: Apache-2.0
// Rows, tables and files that somebody else has locked, who may not even know of locks like ours.
#include "live_sql.h"

#include <QSqlDatabase>
#include <QSqlQuery>

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;
using Clock = std::chrono::steady_clock;

namespace {

/// Somebody with a SQLite file to himself.
class FileHolder {
public:
    /// The kind of journal decides whether other clients may read meanwhile.
    FileHolder(const QString& url, const QString& journal) {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("holder"));
        database.setDatabaseName(urlOf(url).path);
        // The journal stays what it is until the last one before us has closed the file.
        m_holds = database.open() &&
                  comesTrue([&] { return exec(QStringLiteral("PRAGMA journal_mode = ") + journal); }, 5s) &&
                  comesTrue([&] { return exec(QStringLiteral("BEGIN EXCLUSIVE")); }, 5s);
    }
    ~FileHolder() {
        QSqlDatabase::database(QStringLiteral("holder")).close();
        QSqlDatabase::removeDatabase(QStringLiteral("holder"));
    }
    bool holds() const { return m_holds; }
    bool letGo() { return exec(QStringLiteral("COMMIT")); }

private:
    static bool exec(const QString& text) {
        return QSqlQuery(QSqlDatabase::database(QStringLiteral("holder"))).exec(text);
    }
    bool m_holds = false;
};

} // namespace

class TestSqlBusy : public QObject {
    Q_OBJECT
    static void serversAndRecipes() {
        QTest::addColumn<QByteArray>("engine");
        QTest::addColumn<QByteArray>("id");
        for (const char* engine : {"mariadb", "postgresql"}) {
            for (const char* id : {"sql-lease", "sql-row"})
                QTest::addRow("%s %s", id, engine) << QByteArray(engine) << QByteArray(id);
        }
    }
    static void journals() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QString>("journal");
        for (const char* id : {"sql-lease", "sql-row"}) {
            for (const char* journal : {"WAL", "DELETE"})
                QTest::addRow("%s %s", id, journal) << QByteArray(id) << QString::fromLatin1(journal);
        }
    }
    SqlClient client(const QByteArray& engine) {
        return {m_runtime, m_databases.url(engine), QString::fromLatin1(sql::kDefaultTable)};
    }
    static qint64 waiters(sql::SqlDriver& port) {
        if (port.dialect() == sql::Dialect::PostgreSql)
            return number(port, "SELECT COUNT(*) FROM pg_locks WHERE NOT granted");
        return number(port, "SELECT CAST(VARIABLE_VALUE AS SIGNED) FROM information_schema.GLOBAL_STATUS "
                            "WHERE VARIABLE_NAME = 'INNODB_ROW_LOCK_CURRENT_WAITS'");
    }
    /// A transaction of somebody who has the lock's row.
    std::shared_ptr<sql::DriverSession> rowHolder(SqlClient& somebody, const QByteArray& id, const QByteArray& name) {
        if (id == "sql-lease") { // a row that nobody holds
            const auto recipe = somebody.recipe(id, name);
            const Granted grant = acquire(*recipe, request(5s));
            if (!grant || !*grant || !release(*recipe, **grant)) return nullptr;
        }
        auto opened = run(somebody.driver.textSession());
        if (!opened) return nullptr;
        const std::shared_ptr<sql::DriverSession> session = std::move(*opened).share();
        session->begin();
        sql::Statement statement;
        if (id == "sql-lease")
            statement.text = "SELECT version FROM " + somebody.tables.locks + " WHERE name = ? FOR UPDATE";
        else
            statement.text = "INSERT INTO " + somebody.tables.locks + " (name, recipe) VALUES (?, 'sql-row')";
        statement.values = valuesOf(name);
        return run(session->execute(statement)) ? session : nullptr;
    }
    /// A try and a timed try come to nothing, each in its time.
    static void verifyKeptOut(Recipe& recipe) {
        for (const Nanos wait : {Nanos(0s), Nanos(700ms)}) {
            const auto begun = Clock::now();
            const Granted refused = acquire(recipe, request(wait));
            const auto took = Clock::now() - begun;
            VERIFY_OK(refused);
            QVERIFY(!refused->has_value());
            QVERIFY(took >= wait);
            QVERIFY2(took < wait + 1500ms, QByteArray::number(qint64(took / 1ms)).constData());
        }
    }
    static void verifyTaken(Recipe& recipe, const std::shared_ptr<Ending<Granted>>& waiting) {
        QVERIFY(ends(waiting, 5000ms));
        VERIFY_OK(*waiting->result);
        QVERIFY((*waiting->result)->has_value());
        VERIFY_OK(release(recipe, ***waiting->result));
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(startWithTables(m_runtime, m_databases)); }
    void cleanup() { m_databases.maria.resume(); }

    void lockedFiles_data() { journals(); }
    void lockedFiles() {
        QFETCH(QByteArray, id);
        QFETCH(QString, journal);
        SqlClient ours = client("sqlite");
        const auto recipe = ours.recipe(id, freshName());
        FileHolder holder(m_databases.url("sqlite"), journal);
        QVERIFY(holder.holds());
        verifyKeptOut(*recipe);
        const auto waiting = beside(recipe->acquire(request(20s, 1s), {}));
        // Longer than one statement of one with such a lease is tried.
        QVERIFY(!ends(waiting, 1200ms));
        QVERIFY(holder.letGo());
        verifyTaken(*recipe, waiting);
    }

    void waitersForALockedFileAreStoppedAtOnce_data() { journals(); }
    void waitersForALockedFileAreStoppedAtOnce() {
        QFETCH(QByteArray, id);
        QFETCH(QString, journal);
        SqlClient ours = client("sqlite");
        const auto recipe = ours.recipe(id, freshName());
        FileHolder holder(m_databases.url("sqlite"), journal);
        QVERIFY(holder.holds());
        std::stop_source stop;
        const auto waiting = beside(recipe->acquire(request(), stop.get_token()));
        QVERIFY(!ends(waiting, 100ms));
        stop.request_stop();
        QVERIFY(ends(waiting, 10s));
        QCOMPARE(waiting->cancelled, std::optional(Cancelled::Why::Stopped));
        QVERIFY(holder.letGo());
        const Granted next = acquire(*recipe, request(0s));
        VERIFY_OK(next);
        QVERIFY2(next->has_value(), "the stopped attempt still holds the lock");
        VERIFY_OK(release(*recipe, **next));
    }

    void readersOfALockedFile() {
        SqlClient ours = client("sqlite");
        const auto recipe = ours.recipe("sql-version", freshName());
        FileHolder holder(m_databases.url("sqlite"), QStringLiteral("DELETE"));
        QVERIFY(holder.holds());
        verifyKeptOut(*recipe);
        const auto waiting = beside(recipe->acquire(request(20s), {}));
        QVERIFY(!ends(waiting, 50ms));
        QVERIFY(holder.letGo());
        verifyTaken(*recipe, waiting);
    }

    void lockedRows_data() { serversAndRecipes(); }
    void lockedRows() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient ours = client(engine), somebody = client(engine);
        const QByteArray name = freshName();
        const auto recipe = ours.recipe(id, name);
        const auto holder = rowHolder(somebody, id, name);
        QVERIFY(holder);
        verifyKeptOut(*recipe);
        QVERIFY(comesTrue([&] { return waiters(somebody.driver) == 0; }));
        const auto waiting = beside(recipe->acquire(request(20s, 1s), {}));
        QVERIFY(!ends(waiting, 1200ms)); // longer than one statement
        QVERIFY(comesTrue([&] { return waiters(somebody.driver) == 1; }));
        VERIFY_OK(run(holder->rollback()));
        verifyTaken(*recipe, waiting);
    }

    void waitersForLockedRowsAreStoppedAtOnce_data() { serversAndRecipes(); }
    void waitersForLockedRowsAreStoppedAtOnce() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient ours = client(engine), somebody = client(engine);
        const QByteArray name = freshName();
        const auto recipe = ours.recipe(id, name);
        const auto holder = rowHolder(somebody, id, name);
        QVERIFY(holder);
        std::stop_source stop;
        const auto waiting = beside(recipe->acquire(request(), stop.get_token()));
        QVERIFY(comesTrue([&] { return waiters(somebody.driver) == 1; }));
        stop.request_stop();
        QVERIFY(ends(waiting, 5000ms)); // what was ended there need not be taken back, which would wait as well
        QCOMPARE(waiting->cancelled, std::optional(Cancelled::Why::Stopped));
        VERIFY_OK(run(holder->rollback()));
        const Granted next = acquire(*recipe, request(2s));
        VERIFY_OK(next);
        QVERIFY2(next->has_value(), "the stopped attempt still holds the lock");
        VERIFY_OK(release(*recipe, **next));
    }

    void reentriesWaitForNoRow_data() {
        QTest::addColumn<QByteArray>("engine");
        QTest::newRow("mariadb") << QByteArray("mariadb");
        QTest::newRow("postgresql") << QByteArray("postgresql");
    }
    void reentriesWaitForNoRow() {
        QFETCH(QByteArray, engine);
        SqlClient ours = client(engine), somebody = client(engine);
        const QByteArray name = freshName();
        const auto recipe = ours.recipe("sql-lease", name);
        const Granted first = acquire(*recipe, request(5s));
        VERIFY_OK(first);
        auto opened = run(somebody.driver.textSession());
        VERIFY_OK(opened);
        const std::shared_ptr<sql::DriverSession> holder = std::move(*opened).share();
        holder->begin();
        sql::Statement row;
        row.text = "SELECT version FROM " + somebody.tables.locks + " WHERE name = ? FOR UPDATE";
        row.values = valuesOf(name);
        VERIFY_OK(run(holder->execute(row)));
        const auto begun = Clock::now();
        const Granted refused = acquire(*recipe, request(0s, 30s, "1", 1));
        VERIFY_OK(refused);
        QVERIFY(!refused->has_value());
        QVERIFY(Clock::now() - begun < 1500ms);
        VERIFY_OK(run(holder->rollback()));
        const Granted second = acquire(*recipe, request(0s, 30s, "1", 1));
        VERIFY_OK(second);
        QCOMPARE((*second)->holds, 2);
    }

    void aServerThatTakesNoWrites() {
        SqlClient ours = client("mariadb"), fresh = client("mariadb");
        const QByteArray name = freshName();
        const auto recipe = ours.recipe("sql-lease", name), unmade = fresh.recipe("sql-lease", freshName());
        const Granted made = acquire(*recipe, request(5s));
        VERIFY_OK(made);
        VERIFY_OK(release(*recipe, **made));
        sql::SqlDriver admin(m_runtime, urlOf(m_databases.url("mariadb")));
        auto opened = run(admin.textSession());
        VERIFY_OK(opened);
        const std::shared_ptr<sql::DriverSession> backup = std::move(*opened).share();
        sql::Statement statement;
        statement.text = "FLUSH TABLES WITH READ LOCK";
        VERIFY_OK(run(backup->execute(statement)));
        verifyKeptOut(*recipe);
        const auto withoutARow = beside(unmade->acquire(request(0s), {}));
        QVERIFY(ends(withoutARow, 5000ms));
        VERIFY_OK(*withoutARow->result);
        QVERIFY(!(*withoutARow->result)->has_value());
        const auto waiting = beside(recipe->acquire(request(20s), {}));
        QVERIFY(!ends(waiting, 50ms));
        statement.text = "UNLOCK TABLES";
        VERIFY_OK(run(backup->execute(statement)));
        verifyTaken(*recipe, waiting);
    }

    // MariaDB locks a row before it looks whether it is one of those that are meant.
    void anotherRecipesRowIsToldOf() {
        SqlClient ours = client("mariadb"), theirs = client("mariadb");
        const QByteArray name = freshName();
        const auto holding = theirs.recipe("sql-for-update", name);
        const Granted held = acquire(*holding, request(5s));
        VERIFY_OK(held);
        const auto begun = Clock::now();
        const Granted refused = acquire(*ours.recipe("sql-lease", name), request(700ms));
        QVERIFY(!refused);
        QVERIFY2(refused.error().kind == LockError::Kind::ForeignFormat, qPrintable(refused.error().message));
        QVERIFY(Clock::now() - begun < 2s);
        VERIFY_OK(release(*holding, **held));
    }

    // A server that does not answer does not say either that another client is in the way.
    void aServerThatStandsStillIsNotBusy() {
        sql::DriverOptions options;
        options.connectTimeout = 1s;
        options.cancelTimeout = 400ms;
        SqlClient ours(m_runtime, m_databases.url("mariadb"), QString::fromLatin1(sql::kDefaultTable), options);
        const auto recipe = ours.recipe("sql-lease", freshName());
        const Granted warm = acquire(*recipe, request(5s));
        VERIFY_OK(warm);
        VERIFY_OK(release(*recipe, **warm));
        m_databases.maria.pause();
        for (int i = 0; i < 2; ++i) { // over a connection, and without one
            const Granted failed = acquire(*recipe, request(300ms));
            QVERIFY(!failed);
            QVERIFY2(failed.error().kind == (i == 0 ? LockError::Kind::OutcomeUnknown : LockError::Kind::Unreachable),
                     qPrintable(failed.error().message));
        }
    }

    void whoIsStoppedWaitsForNoServer() {
        SqlClient ours = client("mariadb");
        const auto recipe = ours.recipe("sql-lease", freshName());
        const Granted warm = acquire(*recipe, request(5s));
        VERIFY_OK(warm);
        VERIFY_OK(release(*recipe, **warm));
        m_databases.maria.pause();
        std::stop_source stop;
        const auto waiting = beside(recipe->acquire(request(), stop.get_token()));
        QVERIFY(!ends(waiting, 50ms));
        stop.request_stop();
        QVERIFY(ends(waiting, 5000ms));
        QCOMPARE(waiting->cancelled, std::optional(Cancelled::Why::Stopped));
    }

    void theUrlSaysHowLongAFileIsWaitedFor() {
        SqlClient patient = client("sqlite");
        VERIFY_OK(patient.prepare());
        const FileHolder holder(m_databases.url("sqlite"), QStringLiteral("DELETE"));
        QVERIFY(holder.holds());
        sql::SqlDriver brief(m_runtime, urlOf(m_databases.url("sqlite") + QStringLiteral("?timeout=300ms")));
        const auto begun = Clock::now();
        const sql::Result refused = ask(brief, "DELETE FROM lockscope_locks");
        const auto took = Clock::now() - begun;
        QVERIFY(!refused);
        QVERIFY2(took >= 290ms && took < 5s, qPrintable(QString::number(took / 1ms))); // without the option: 10 s
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlBusy)
#include "tst_sql_busy.moc"
