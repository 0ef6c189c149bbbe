// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/driver.h"
#include "inspect/key_scan.h"
#include "inspect/lock_report.h"
#include "inspect/redis_recogniser.h"
#include "inspect/server_facts.h"

#include <deque>
#include <map>
#include <unordered_set>

namespace lockscope::inspect {

struct WatchOptions {
    std::vector<KeyPattern> patterns = usualLockNames(); ///< string keys that are locks by their name
    double commandsPerSecond = 1'000;                    ///< what watching may cost the server on average: about 1 %
    double firstPerSecond = 5'000;                       ///< … until every key has been looked at once
    double oncePerSecond = 10'000;                       ///< … of once(), whose answer somebody waits for
    Nanos shortestPeriod = 200ms;                        ///< between two looks while things change
    Nanos longestPeriod = 2s;                            ///< … while nothing does
    int scansPerLook = 40;                               ///< of about 500 keys each; there are four kinds of keys
    int scansOfOnce = 80'000;                            ///< bound of once(): about ten million keys
};

/// Finds and watches the locks on a running Redis. Read-only by construction: it sends SCAN, HLEN, HGETALL, HGET,
/// HSCAN, GETRANGE, LRANGE, LLEN, ZRANGE, ZCARD, PTTL, OBJECT IDLETIME, DBSIZE, INFO, TIME, PUBSUB, CONFIG GET and
/// CLIENT NO-TOUCH, and nothing else. It reads no value longer than a lock's, and keeps to a budget of commands, in
/// which a SCAN counts as many; keyspace notifications are used when somebody has switched them on.
///
/// Looking must not change what is looked at: a server that evicts the oldest keys takes one that was read for young.
/// From Redis 7.2 on our connection is marked for that (NO-TOUCH). Before it, such a server's keys are read only where
/// the name or a waiter says that it may be a lock, or where somebody else has used the key just now.
///
/// Give it a driver of its own: its work must not delay a client's.
class RedisWatcher {
public:
    explicit RedisWatcher(redis::RedisDriver& driver, WatchOptions options = {});

    /// One look at the whole keyspace, which takes its time on a big one: it keeps to its budget, too. `trouble` says
    /// when the server could not be read; not `complete`: there are more keys than it looks at. Throws Cancelled.
    QCoro::Task<LockReport> once(std::stop_token stop = {});

    /// Looks again and again, and reports each look, until cancelled. Trouble is reported too, once per outage, and the
    /// watch goes on when the server is back. Throws Cancelled: that is its only end.
    QCoro::Task<> watch(std::function<void(const LockReport&)> callback, std::stop_token stop = {});

    /// Commands sent since the beginning.
    std::uint64_t commandsSent() const { return m_reader.commands(); }

private:
    enum class Part : std::uint8_t { Everything, NewKeys };
    /// NewKeys: without the locks that are known already, for the slices of a search.
    QCoro::Task<LockReport> look(Part part, int scans, std::size_t keyLimit, std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> findCandidates(int scans, std::size_t keyLimit, std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> takeCandidates(std::size_t keyLimit, std::vector<WantedKey>& taken,
                                                            std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> leaveOldAlone(std::vector<WantedKey>& keys, std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> readLocks(Part part, std::vector<WantedKey> wanted,
                                                       std::vector<KeySnapshot>& snapshots, std::stop_token stop);
    QCoro::Task<> listen(std::stop_token stop);
    QCoro::Task<> pause(Nanos period, std::stop_token stop);
    void takeFacts();
    bool namedLikeLock(const QByteArray& key) const;
    void remember(const std::vector<KeySnapshot>& snapshots, const std::vector<LockRow>& rows);
    void forgetOld();
    void countProgress(LockReport& report) const;
    void countLoad(LockReport& report);
    /// It has gone past many times the keys that there are.
    bool scanIsEndless() const;
    /// What has been asked of the server so far, in commands of the simple kind.
    double cost() const;
    int scansWithin(double budget, Nanos period) const;

    redis::RedisDriver& m_driver;
    WatchOptions m_options;
    KeyReader m_reader;
    KeyScan m_scan;
    ServerFacts m_facts;
    RecogniserOptions m_recogniser;
    struct Known {
        const char* type;
        Nanos seen; ///< last time that it belonged to a lock
    };
    std::map<QByteArray, Known> m_known;    ///< keys of locks: read at every look
    std::deque<WantedKey> m_candidates;     ///< found by the scan, not read yet
    std::unordered_set<std::size_t> m_dull; ///< hashes of names that were read and are no locks: not read again soon
    Nanos m_dullSince{};
    std::int64_t m_leftAlone = 0;
    bool m_complete = false;
    LockReport m_last;
    std::deque<std::pair<Nanos, std::uint64_t>> m_load; ///< commands sent, at the looks of the last seconds
    Waiter* m_pausing = nullptr;
    bool m_notified = false;
};

} // namespace lockscope::inspect
