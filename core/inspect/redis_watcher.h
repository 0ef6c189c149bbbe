// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/driver.h"
#include "inspect/key_scan.h"
#include "inspect/lock_report.h"
#include "inspect/redis_recogniser.h"

#include <deque>
#include <map>
#include <unordered_set>

namespace lockscope::inspect {

struct WatchOptions {
    std::vector<KeyPattern> patterns = usualLockNames(); ///< string keys that are locks by their name
    double commandsPerSecond = 1'000;                    ///< what watching may cost the server on average: about 1 %
    double firstPerSecond = 5'000;                       ///< … until every key has been looked at once
    Nanos shortestPeriod = 200ms;                        ///< between two looks while things change
    Nanos longestPeriod = 2s;                            ///< … while nothing does
    int scansPerLook = 40;                               ///< of about 500 keys each
    int scansOfOnce = 20'000;                            ///< bound of once(): about ten million keys
};

/// Finds and watches the locks on a running Redis. Read-only by construction: it sends SCAN, HLEN, HGETALL, GETRANGE,
/// LRANGE, ZRANGE, PTTL, TIME, PUBSUB and CONFIG GET, and nothing else. It reads no value longer than a lock's, and
/// keeps to a budget of commands; keyspace notifications are used when somebody has switched them on.
///
/// Give it a driver of its own: its work must not delay a client's.
class RedisWatcher {
public:
    explicit RedisWatcher(redis::RedisDriver& driver, WatchOptions options = {});

    /// One look at the whole keyspace. `trouble` says when the server could not be read. Throws Cancelled.
    QCoro::Task<LockReport> once(std::stop_token stop = {});

    /// Looks again and again, and reports each look, until cancelled. Trouble is reported too, once per outage, and the
    /// watch goes on when the server is back. Throws Cancelled: that is its only end.
    QCoro::Task<> watch(std::function<void(const LockReport&)> callback, std::stop_token stop = {});

    /// Commands sent since the beginning.
    std::uint64_t commandsSent() const { return m_reader.commands(); }

private:
    QCoro::Task<LockReport> look(int scans, std::size_t keyLimit, std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> findCandidates(int scans, std::size_t keyLimit, std::stop_token stop);
    std::vector<WantedKey> takeCandidates(std::size_t keyLimit);
    QCoro::Task<std::optional<redis::Error>> readLocks(std::vector<WantedKey> wanted,
                                                       std::vector<KeySnapshot>& snapshots, std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> readSubscriptions(std::stop_token stop);
    QCoro::Task<> listen(std::stop_token stop);
    QCoro::Task<> pause(Nanos period, std::stop_token stop);
    void remember(const std::vector<KeySnapshot>& snapshots, const std::vector<LockRow>& rows);
    void countLoad(LockReport& report);

    redis::RedisDriver& m_driver;
    WatchOptions m_options;
    KeyReader m_reader;
    KeyScan m_scan;
    struct Known {
        const char* type;
        Nanos seen; ///< last time that it belonged to a lock
    };
    std::map<QByteArray, Known> m_known;    ///< keys of locks: read at every look
    std::deque<WantedKey> m_candidates;     ///< found by the scan, not read yet
    std::unordered_set<std::size_t> m_dull; ///< hashes of names that were read and are no locks: not read again soon
    Nanos m_dullSince{};
    bool m_complete = false;
    std::optional<Subscriptions> m_subscriptions;
    std::int64_t m_serverWallMs = 0;
    LockReport m_last;
    std::deque<std::pair<Nanos, std::uint64_t>> m_load; ///< commands sent, at the looks of the last seconds
    Waiter* m_pausing = nullptr;
    bool m_notified = false;
};

} // namespace lockscope::inspect
