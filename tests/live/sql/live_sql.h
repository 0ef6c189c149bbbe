// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/driver.h"
#include "recipes/sql/sql_recipe.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/postgres_server.h"

#include <QEventLoop>
#include <QTest>
#include <QTimer>

namespace lockscope::test {

/// Runs a coroutine to its end on the event loop of the test. QCoro::waitFor wants default-constructible results.
template <typename T>
T run(QCoro::Task<T>&& task) {
    using Slot = std::conditional_t<std::is_void_v<T>, bool, T>;
    std::optional<Slot> result;
    std::exception_ptr failure;
    QEventLoop loop;
    bool done = false;
    const auto finish = [&](QCoro::Task<T> waited) -> QCoro::Task<> {
        try {
            if constexpr (std::is_void_v<T>) {
                co_await waited;
                result.emplace(true);
            } else {
                result.emplace(co_await std::move(waited));
            }
        } catch (...) {
            failure = std::current_exception();
        }
        done = true;
        loop.quit();
    };
    const QCoro::Task<> finishing = finish(std::move(task));
    if (!done) loop.exec();
    if (failure) std::rethrow_exception(failure);
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// A coroutine that runs beside the test, and what came of it.
template <typename T>
struct Ending {
    std::optional<T> result;
    std::optional<Cancelled::Why> cancelled;
    bool done = false;
    Nanos at{};
};

template <typename T>
QCoro::Task<> watchTask(QCoro::Task<T> task, std::shared_ptr<Ending<T>> ending) {
    const auto begun = std::chrono::steady_clock::now();
    try {
        ending->result.emplace(co_await std::move(task));
    } catch (const Cancelled& cancelled) {
        ending->cancelled = cancelled.why();
    }
    ending->at = std::chrono::steady_clock::now() - begun;
    ending->done = true;
}

/// Lets a coroutine run on its own.
template <typename T>
std::shared_ptr<Ending<T>> beside(QCoro::Task<T> task) {
    auto ending = std::make_shared<Ending<T>>();
    (void)watchTask(std::move(task), ending);
    return ending;
}

/// Runs the event loop until something is so, or until it took too long. Looks at every turn, unlike QTRY_VERIFY.
template <typename Condition>
bool comesTrue(Condition condition, std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    QTimer beat; // something to wake up for
    beat.start(2);
    while (!condition() && std::chrono::steady_clock::now() < end)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    return condition();
}
template <typename T>
bool ends(const std::shared_ptr<Ending<T>>& ending, std::chrono::milliseconds limit) {
    return comesTrue([&] { return ending->done; }, limit);
}

inline ConnectionUrl urlOf(const QString& text) {
    return parseConnectionUrl(text).value();
}

/// Starts a server; the text of what went wrong, empty when it is up.
inline QString start(sandbox::SqlServer& server) {
    const auto started = run(server.start());
    return started ? QString() : started.error();
}

inline sql::Result ask(sql::Port& port, const QByteArray& text, sql::Values values = {}) {
    sql::Statement statement{text, std::move(values)};
    return run(port.execute(std::move(statement)));
}

/// A single number that a statement gives.
inline qint64 number(sql::Port& port, const QByteArray& text) {
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
          driver(r, urlOf(url), options),
          tables(sql::tablesOf(driver.dialect(), table)),
          uuid(r.randomUuid()) {}

    std::unique_ptr<recipes::Recipe> recipe(const QByteArray& id, const QByteArray& name) {
        recipes::SqlLock lock{driver, name, uuid, tables};
        lock.pingEvery = 150ms;
        return std::move(recipes::makeSqlRecipe(id, lock).value());
    }
    sql::Result prepare() { return run(sql::prepareSchema(driver, tables, {})); }

    Runtime& runtime;
    sql::SqlDriver driver;
    sql::Tables tables;
    QByteArray uuid;
};

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

/// Locks of a kind that the server keeps for connections: whatever is left when everybody let go is a leak.
inline qint64 locksOnServer(sql::Port& port, sandbox::MariaDbServer*) {
    return number(port,
                  "SELECT (SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id <> "
                  "CONNECTION_ID()) + (SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User lock')");
}
inline qint64 locksOnServer(sql::Port& port, sandbox::PostgresServer*) {
    return number(port, "SELECT (SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory') + "
                        "(SELECT COUNT(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
                        "backend_type = 'client backend' AND xact_start IS NOT NULL)");
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

/// A lock name that no other test row uses.
inline QByteArray freshName() {
    static int last = 0;
    return "lock-" + QByteArray::number(++last);
}

} // namespace lockscope::test

#define VERIFY_EMPTY(text)                                                                                             \
    do {                                                                                                               \
        const QString error = text;                                                                                    \
        QVERIFY2(error.isEmpty(), qPrintable(error));                                                                  \
    } while (false)
/// Of an expected; evaluates it once.
#define VERIFY_OK(expected)                                                                                            \
    do {                                                                                                               \
        const auto& outcome = (expected);                                                                              \
        QVERIFY2(outcome.has_value(), outcome ? "" : qPrintable(outcome.error().message));                             \
    } while (false)
