// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/redis/driver.h"
#include "inspect/lock_change.h"
#include "inspect/redis/info.h"
#include "inspect/redis/watcher.h"
#include "live_redis.h"

namespace lockscope::test {
using namespace lockscope::inspect;
using namespace lockscope::redis;
using sandbox::RedisServer;
using sandbox::RedisServerOptions;

inline constexpr char kA[] = "285475da-9152-4c83-822a-67ee2f116a79";
inline constexpr char kFarAway[] = "99999999999999"; // a deadline in the year 5138
inline constexpr char kB[] = "9d6a39e4-27a9-4c1b-8a6e-2f1c0f3a5b77";

inline QByteArray owner(const char* client, int thread) {
    return QByteArray(client) + ':' + QByteArray::number(thread);
}

inline const LockRow* rowOf(const LockReport& report, const QByteArray& name) {
    for (const LockRow& row : report.locks)
        if (row.name == name) return &row;
    return nullptr;
}

/// A Redis of our own, a client that takes locks there, and a connection that watches them.
class WatchedRedis : public QObject {
protected:
    void begin() {
        m_client = std::make_unique<RedisDriver>(m_runtime, urlOf(m_server));
        QVERIFY(call(*m_client, {"FLUSHALL"}));
        QVERIFY(call(*m_client, {"CONFIG", "SET", "notify-keyspace-events", ""}));
        m_watched = std::make_unique<RedisDriver>(m_runtime, urlOf(m_server));
    }
    void end() {
        m_server.resume();
        m_client.reset();
        m_watched.reset();
    }

    /// A watch that runs until it goes out of scope.
    struct Watch {
        Watch(WatchedRedis& test, WatchOptions options = {})
            : watcher(*test.m_watched, std::move(options)),
              task(howCancelled(watcher.watch(
                  [this](const LockReport& report) {
                      if (report.trouble) ++outages;
                      searchesAgain += m_last.complete && !report.complete;
                      happened.insert(happened.end(), report.events.begin(), report.events.end());
                      for (const LockChange& change : changesBetween(m_last, report))
                          if (change.kind == LockChange::Kind::Vanished) ended[change.row.name] = change.what;
                      shortest = m_last.period > 0ns ? std::min(shortest, report.period) : report.period;
                      m_last = report;
                      ++reports;
                  },
                  stop.get_token()))) {}
        ~Watch() {
            stop.request_stop();
            run(std::move(task));
        }
        const LockReport& last() const { return m_last; }
        int reports = 0, outages = 0;
        int searchesAgain = 0; ///< how often all was known to be found, and then not any more
        std::vector<ServerEvent> happened;
        std::map<QByteArray, LockChange::What> ended; ///< how the locks went that are gone
        Nanos shortest{};
        std::stop_source stop;
        RedisWatcher watcher;
        LockReport m_last;
        QCoro::Task<std::optional<Cancelled::Why>> task;
    };

    LockReport lookOnce() {
        RedisWatcher watcher(*m_watched);
        return run(watcher.once());
    }
    void takeRedisson(const QByteArray& name, const QByteArray& field, int holds, int ttlMs) {
        QVERIFY(call(*m_client, {"HSET", name, field, QByteArray::number(holds)}));
        QVERIFY(call(*m_client, {"PEXPIRE", name, QByteArray::number(ttlMs)}));
    }

    EventLoopRuntime m_runtime;
    RedisServer m_server{m_runtime};
    std::unique_ptr<RedisDriver> m_client, m_watched;
};

} // namespace lockscope::test
