// SPDX-License-Identifier: Apache-2.0
// How long a first look at many locks takes on the other kinds of servers, how long the next one takes while nothing
// changes, and what the looks cost the server. The servers are our own.
#include "bench_program.h"
#include "drivers/dial.h"
#include "drivers/etcd/driver.h"
#include "drivers/sql/driver.h"
#include "drivers/sql/driver_session.h"
#include "drivers/zookeeper/driver.h"
#include "inspect/make_watcher.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/etcd_server.h"
#include "sandbox/postgres_server.h"
#include "sandbox/zookeeper_server.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <qcoro/qcorotask.h>

using namespace lockscope;
using namespace lockscope::bench;

namespace {

constexpr int kContenders = 10; // of each lock on ZooKeeper
constexpr int kAtATime = 500;

template <typename T>
bool fine(const T& result) {
    if (!result) qCritical("%s", qPrintable(result.error().message));
    return bool(result);
}

struct Bench {
    EventLoopRuntime& runtime;
    bool json;
    bool whole = true;

    /// Looks twice; `locks` is how many there are, and `waiters` how many wait for them.
    void look(const char* kind, const QString& url, int entries, std::size_t locks, std::int64_t waiters = -1) {
        inspect::WatchOptions options;
        const auto watcher = inspect::makeWatcher(runtime, *parseConnectionUrl(url), realDiallers(), options);
        QElapsedTimer time;
        time.start();
        const inspect::LockReport first = QCoro::waitFor((*watcher)->once());
        const qint64 firstMs = time.restart();
        const inspect::LockReport second = QCoro::waitFor((*watcher)->once());
        const qint64 secondMs = time.elapsed();
        const auto serverMs = [](Nanos spent) { return std::chrono::duration<double, std::milli>(spent).count(); };
        const bool all =
            !first.trouble && first.complete && first.locks.size() == locks && second.locks.size() == locks;
        std::int64_t waiting = 0;
        for (const inspect::LockRow& row : first.locks)
            waiting += row.waiterCount.value_or(0);
        if (waiters >= 0 && waiting != waiters) {
            qCritical("%s: %lld waiters of %lld", kind, static_cast<long long>(waiting),
                      static_cast<long long>(waiters));
            whole = false;
        }
        if (!all)
            qCritical("%s: %zu locks of %zu, %s", kind, first.locks.size(), locks,
                      first.trouble ? qPrintable(first.trouble->message) : "nothing refused");
        whole = whole && all;
        const QJsonObject line{{QStringLiteral("name"), QStringLiteral("watch-") + QLatin1String(kind)},
                               {QStringLiteral("entries"), entries},
                               {QStringLiteral("locks"), qint64(locks)},
                               {QStringLiteral("waiters"), qint64(waiting)},
                               {QStringLiteral("ms"), firstMs},
                               {QStringLiteral("again_ms"), secondMs},
                               {QStringLiteral("server_ms"), serverMs(first.serverTime)},
                               {QStringLiteral("requests"), qint64(first.commands)},
                               {QStringLiteral("requests_again"), qint64(second.commands - first.commands)},
                               {QStringLiteral("whole"), all}};
        if (json)
            printLine(line);
        else
            std::printf("%s: %d entries of %zu locks: first look %lld ms (%.0f ms of the server), again %lld ms, %llu "
                        "requests\n",
                        kind, entries, locks, static_cast<long long>(firstMs), serverMs(first.serverTime),
                        static_cast<long long>(secondMs), static_cast<unsigned long long>(first.commands));
        std::fflush(stdout);
    }
};

/// Queues of kContenders nodes each, as Curator makes them.
QCoro::Task<bool> fillZooKeeper(zookeeper::ZooKeeperDriver& driver, int nodes) {
    std::vector<QCoro::Task<zookeeper::Result<zookeeper::CreatedNode>>> made;
    const auto wait = [&made]() -> QCoro::Task<bool> {
        bool good = true;
        for (auto& one : made) {
            const auto done = co_await one;
            good = good && fine(done);
        }
        made.clear();
        co_return good;
    };
    const QByteArray uuid = "0dd4b2a4-5b1e-4c39-9a39-0c9f2b3d7e11";
    for (int lock = 0; lock < nodes / kContenders; ++lock) {
        const QByteArray path = "/bench-" + QByteArray::number(lock);
        made.push_back(driver.create(path, {}, zookeeper::NodeMode::Persistent));
        for (int i = 0; i < kContenders; ++i)
            made.push_back(
                driver.create(path + "/_c_" + uuid + "-lock-", {}, zookeeper::NodeMode::EphemeralSequential));
        if (int(made.size()) < kAtATime) continue;
        const bool good = co_await wait();
        if (!good) co_return false;
    }
    const bool good = co_await wait();
    co_return good;
}

/// Mutexes of etcd's own client, one key each.
QCoro::Task<bool> fillEtcd(etcd::EtcdDriver& driver, int keys) {
    constexpr int kOperations = 100; // of a transaction; the server allows 128
    constexpr int kPerLease = 1000;
    std::int64_t lease = 0;
    for (int key = 0; key < keys;) {
        if (key % kPerLease == 0) {
            lease = 0x1000 + key;
            const auto granted = co_await driver.grantLease(lease, std::chrono::seconds(3600));
            if (!fine(granted)) co_return false;
        }
        etcd::Transaction puts;
        for (int i = 0; i < kOperations && key < keys; ++i, ++key)
            puts.then.push_back(etcd::Operation::put(
                "bench-" + QByteArray::number(key) + '/' + QByteArray::number(qulonglong(lease), 16), {}, lease));
        const auto done = co_await driver.run(std::move(puts));
        if (!fine(done)) co_return false;
    }
    co_return true;
}

/// Rows of ShedLock, and advisory locks of a session: as long as it lives. nullptr: that failed.
QCoro::Task<std::shared_ptr<sql::DriverSession>> fillPostgreSql(sql::SqlDriver& driver, int rows) {
    auto opened = co_await driver.textSession();
    if (!fine(opened)) co_return std::shared_ptr<sql::DriverSession>();
    const std::shared_ptr<sql::DriverSession> session = std::move(*opened).share();
    const QByteArray count = QByteArray::number(rows);
    const QByteArrayList texts{
        "CREATE TABLE shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp, locked_at timestamp, locked_by "
        "varchar(255))",
        "INSERT INTO shedlock SELECT 'job-' || g, now() + interval '1 hour', now(), 'host-' || g FROM "
        "generate_series(1, " +
            count + " - 1) g",
        "SELECT count(pg_advisory_lock(g)) FROM generate_series(1, " + count + " - 1) g"};
    for (const QByteArray& text : texts) {
        sql::Statement statement{text, {}};
        const auto done = co_await session->execute(std::move(statement));
        if (!fine(done)) co_return std::shared_ptr<sql::DriverSession>();
    }
    co_return session;
}

/// Sessions of a PostgreSQL that wait for each other: a queue of kQueue behind each of some rows, and every session
/// holds `each` advisory locks meanwhile. A server process takes some megabytes, so the rows are many and not the
/// sessions.
class Blocked {
public:
    static constexpr int kQueue = 10;

    Blocked(EventLoopRuntime& runtime, const QString& url) : m_runtime(runtime), m_url(url) {}
    ~Blocked() { m_waits.clear(); }

    bool fill(int sessions, int each) {
        const int rows = sessions / kQueue;
        const QByteArray many = QByteArray::number(rows);
        if (!ask(open(), "CREATE TABLE goods AS SELECT g AS id, 0 AS amount FROM generate_series(1, " + many + ") g") ||
            !ask(0, "ALTER TABLE goods ADD PRIMARY KEY (id)") || !ask(0, "BEGIN") ||
            !ask(0, "UPDATE goods SET amount = 1"))
            return false;
        for (int i = 0; i < sessions; ++i) {
            const int one = open();
            const QByteArray from = QByteArray::number(i * each + 1), to = QByteArray::number((i + 1) * each);
            if (one < 0 ||
                !ask(one, "SELECT count(pg_advisory_lock(g)) FROM generate_series(" + from + ", " + to + ") g"))
                return false;
            sql::Statement wait{"UPDATE goods SET amount = 2 WHERE id = " + QByteArray::number(i % rows + 1), {}};
            m_waits.push_back(m_sessions[std::size_t(one)]->execute(std::move(wait)));
        }
        // Each is asked until the server says that it waits.
        for (int tries = 0; tries < 600; ++tries) {
            sql::Statement count{"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'", {}};
            const auto told = QCoro::waitFor(m_sessions[0]->execute(std::move(count)));
            if (!fine(told)) return false;
            if (told->number() == sessions) return true;
            QCoro::waitFor(m_runtime.sleep(100ms)); // a server does not tell when a session begins to wait
        }
        qCritical("not all sessions wait");
        return false;
    }

private:
    int open() {
        m_drivers.push_back(std::make_unique<sql::SqlDriver>(m_runtime, *parseConnectionUrl(m_url)));
        bool open = false;
        const auto connect = [this, &open]() -> QCoro::Task<> {
            auto opened = co_await m_drivers.back()->textSession();
            open = fine(opened);
            if (open) m_sessions.push_back(std::move(*opened).share());
        };
        QCoro::waitFor(connect());
        if (!open) return -1;
        return int(m_sessions.size()) - 1;
    }
    bool ask(int session, const QByteArray& text) {
        if (session < 0) return false;
        sql::Statement statement{text, {}};
        return fine(QCoro::waitFor(m_sessions[std::size_t(session)]->execute(std::move(statement))));
    }

    EventLoopRuntime& m_runtime;
    QString m_url;
    std::vector<std::unique_ptr<sql::SqlDriver>> m_drivers;
    std::vector<std::shared_ptr<sql::DriverSession>> m_sessions; ///< the first one holds the rows
    std::vector<QCoro::Task<sql::Result>> m_waits;
};

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const Arguments arguments{{"entries", "20000"}, {"rows", "5000"}, {"blocked", "200"}};
    const int entries = arguments.number("entries"), rows = arguments.number("rows");

    EventLoopRuntime runtime;
    Bench bench{runtime, arguments.json()};
    {
        sandbox::ZooKeeperServer server(runtime);
        if (!started(QCoro::waitFor(server.start()))) return kFailed;
        zookeeper::DriverOptions options;
        zookeeper::ZooKeeperDriver driver(runtime, *parseConnectionUrl(server.url()), options);
        if (!QCoro::waitFor(fillZooKeeper(driver, entries))) return kFailed;
        bench.look("zookeeper", server.url(), entries, std::size_t(entries / kContenders));
    }
    {
        sandbox::EtcdServer server(runtime);
        if (!started(QCoro::waitFor(server.start()))) return kFailed;
        etcd::EtcdDriver driver(runtime, *parseConnectionUrl(server.url()));
        if (!QCoro::waitFor(fillEtcd(driver, entries))) return kFailed;
        bench.look("etcd", server.url(), entries, std::size_t(entries));
    }
    {
        sandbox::SqlServerOptions options;
        options.extraArguments = {QStringLiteral("-c"), QStringLiteral("max_locks_per_transaction=512")};
        sandbox::PostgresServer server(runtime, options);
        if (!started(QCoro::waitFor(server.start()))) return kFailed;
        sql::SqlDriver driver(runtime, *parseConnectionUrl(server.url()));
        const auto session = QCoro::waitFor(fillPostgreSql(driver, rows));
        if (!session) return kFailed;
        bench.look("postgresql", server.url(), 2 * (rows - 1), 2 * std::size_t(rows - 1));
    }
    if (const int sessions = arguments.number("blocked") / Blocked::kQueue * Blocked::kQueue; sessions > 0) {
        const int each = std::max(rows / sessions, 1), queues = sessions / Blocked::kQueue;
        sandbox::SqlServerOptions options;
        options.extraArguments = {QStringLiteral("-c"), QStringLiteral("max_connections=%1").arg(sessions + 20)};
        sandbox::PostgresServer server(runtime, options);
        if (!started(QCoro::waitFor(server.start()))) return kFailed;
        Blocked blocked(runtime, server.url());
        if (!blocked.fill(sessions, each)) return kFailed;
        bench.look("postgresql-blocked", server.url(), sessions * each, std::size_t(sessions * each + queues),
                   sessions);
        runtime.kill(); // nobody waits for the statements that wait
    }
    return bench.whole ? 0 : kFailed;
}
