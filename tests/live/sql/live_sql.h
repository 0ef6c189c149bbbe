// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/driver.h"
#include "drivers/sql/driver_session.h"
#include "drivers/sql/schema.h"
#include "recipes/sql/sql_renewals.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/postgres_server.h"
#include "support/live.h"

namespace lockscope::test {

using sql::valuesOf;

inline sql::Result ask(sql::SqlDriver& port, const QByteArray& text, sql::Values values = {}) {
    sql::Statement statement{text, std::move(values)};
    return run(port.execute(std::move(statement)));
}

/// A single number that a statement gives.
inline qint64 number(sql::SqlDriver& port, const QByteArray& text) {
    const sql::Result result = ask(port, text);
    return result ? result->number() : -1;
}

/// The three databases of a test program: two servers, and a file.
class Databases {
public:
    explicit Databases(Runtime& runtime, sandbox::SqlServerOptions options = {})
        : maria(runtime, options), postgres(runtime, options) {}

    /// Empty when all is up.
    QString start() {
        const QString error = test::start(maria);
        return error.isEmpty() ? test::start(postgres) : error;
    }
    QString url(const QByteArray& engine) const {
        if (engine == "mariadb") return maria.url();
        if (engine == "postgresql") return postgres.url();
        return QStringLiteral("sqlite://") + files.file(QStringLiteral("locks.db"));
    }
    sandbox::SqlServer& server(const QByteArray& engine) {
        if (engine == "mariadb") return maria;
        return postgres;
    }

    sandbox::MariaDbServer maria;
    sandbox::PostgresServer postgres;
    sandbox::Workspace files;
};

/// One client process: a connection of its own, and recipes over it.
class SqlClient {
public:
    SqlClient(Runtime& r, const QString& url, const QString& table = QString::fromLatin1(sql::kDefaultTable),
              sql::DriverOptions options = {})
        : runtime(r),
          port(std::make_shared<sql::SqlDriver>(r, withTable(urlOf(url), table), options)),
          driver(*port),
          tables(port->tables()),
          uuid(r.randomUuid()) {}

    std::unique_ptr<recipes::Recipe> recipe(const QByteArray& id, const QByteArray& name) {
        recipes::SqlLock lock{*port, name, uuid};
        lock.pingEvery = 150ms;
        lock.renewals = renewals;
        return std::move(recipes::makeSqlRecipe(id, lock).value());
    }
    sql::Result prepare() { return run(sql::prepareSchema(driver, tables, {})); }

    Runtime& runtime;
    const std::shared_ptr<sql::SqlDriver> port;
    sql::SqlDriver& driver; ///< the port
    const sql::Tables& tables;
    QByteArray uuid;
    /// As a connection has it.
    std::shared_ptr<recipes::SqlRenewals> renewals = std::make_shared<recipes::SqlRenewals>(port);

private:
    static ConnectionUrl withTable(ConnectionUrl url, const QString& table) {
        url.options[QStringLiteral("table")] = table;
        return url;
    }
};

/// Starts the databases, and makes the tables of locks in each. Empty when all is up.
inline QString startWithTables(Runtime& runtime, Databases& databases) {
    QString error = databases.start();
    for (const char* engine : {"mariadb", "postgresql", "sqlite"}) {
        if (!error.isEmpty()) return error;
        const sql::Result made = SqlClient(runtime, databases.url(engine)).prepare();
        if (!made) error = made.error().message;
    }
    return error;
}

inline recipes::Request request(Nanos wait = kNever, Nanos lease = 30s, const QByteArray& thread = "1", int held = 0) {
    recipes::Request asked;
    asked.wait = wait;
    asked.lease = lease;
    asked.thread = thread;
    asked.held = held;
    return asked;
}

using Granted = std::expected<std::optional<recipes::Grant>, LockError>;

inline Granted acquire(recipes::Recipe& recipe, recipes::Request asked, std::stop_token stop = {}) {
    return run(recipe.acquire(std::move(asked), std::move(stop)));
}
inline std::expected<int, LockError> release(recipes::Recipe& recipe, const recipes::Grant& grant) {
    return run(recipe.release(grant, {}));
}

inline void verifyLocked(recipes::Recipe& recipe, bool expected) {
    const auto held = run(recipe.isLocked({}));
    VERIFY_OK(held);
    QCOMPARE(*held, expected);
}

/// Locks of a kind that the server keeps for connections: whatever is left when everybody let go is a leak.
inline qint64 locksOnServer(sql::SqlDriver& port, sandbox::MariaDbServer*) {
    // InnoDB refreshes its list of transactions only for readers that pause for more than 0.1 s.
    (void)ask(port, "DO SLEEP(0.12)");
    return number(port,
                  "SELECT (SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id <> "
                  "CONNECTION_ID()) + (SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User lock')");
}
inline qint64 locksOnServer(sql::SqlDriver& port, sandbox::PostgresServer*) {
    return number(port, "SELECT (SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory') + "
                        "(SELECT COUNT(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
                        "backend_type = 'client backend' AND xact_start IS NOT NULL)");
}

/// The present statements of a server's clients, for a message.
inline QByteArray clientsOnServer(sql::SqlDriver& port, sandbox::MariaDbServer*) {
    const sql::Result all = ask(port, "SELECT GROUP_CONCAT(CONCAT_WS(' ', ID, COMMAND, TIME, STATE, INFO) SEPARATOR "
                                      "'; ') FROM information_schema.PROCESSLIST");
    return all ? all->text() : all.error().message.toUtf8();
}
inline QByteArray clientsOnServer(sql::SqlDriver& port, sandbox::PostgresServer*) {
    const sql::Result all =
        ask(port, "SELECT string_agg(concat_ws(' ', pid, state, wait_event, now() - xact_start, now() - state_change, "
                  "query, (SELECT string_agg(concat(mode, ':', granted), ',') FROM pg_locks l WHERE l.pid = a.pid AND "
                  "locktype = 'advisory')), '; ') FROM pg_stat_activity a WHERE backend_type = 'client backend'");
    return all ? all->text() : all.error().message.toUtf8();
}

/// A test row for each engine and each of these recipes, where the engine has it.
inline void recipeRows(std::initializer_list<const char*> ids) {
    QTest::addColumn<QByteArray>("engine");
    QTest::addColumn<QByteArray>("id");
    for (const char* engine : {"mariadb", "postgresql", "sqlite"}) {
        for (const QByteArray id : ids) {
            const bool byConnection = id == "sql-for-update" || id == "sql-advisory";
            if (QByteArray(engine) == "sqlite" && byConnection) continue;
            QTest::addRow("%s %s", id.constData(), engine) << QByteArray(engine) << id;
        }
    }
}
inline void allThatAreHeld() {
    recipeRows({"sql-row", "sql-lease", "sql-for-update", "sql-advisory"});
}

/// A statement that takes long, of somebody else: while it is under way, no other answer is looked out for awake, and
/// what is asked for at once is under way at once.
class SlowBeside {
public:
    SlowBeside(Runtime& runtime, const QString& url, const QByteArray& engine) : m_driver(runtime, urlOf(url)) {
        sql::Statement sleep;
        sleep.text = engine == "mariadb" ? "SELECT SLEEP(30)" : "SELECT 1 FROM pg_sleep(30)";
        if (engine != "sqlite") m_ending = beside(m_driver.execute(std::move(sleep), m_stop.get_token()));
    }
    /// Ends it; false when it had ended by itself.
    bool end() {
        if (!m_ending) return true;
        m_stop.request_stop();
        return ends(m_ending, 5000ms) && m_ending->cancelled == Cancelled::Why::Stopped;
    }

private:
    sql::SqlDriver m_driver;
    std::stop_source m_stop;
    std::shared_ptr<Ending<sql::Result>> m_ending;
};

/// A lock name that no other test row uses.
inline QByteArray freshName() {
    static int last = 0;
    return "lock-" + QByteArray::number(++last);
}

} // namespace lockscope::test
