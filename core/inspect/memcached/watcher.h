// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/looking_watcher.h"
#include "inspect/memcached/key_finder.h"
#include "ports/memcached/client.h"

namespace lockscope::inspect {

/// Watches keys of a memcached. The server tells nobody of changes, so it looks at each key again and again. The keys
/// are those that the user names, and with WatchOptions::listKeys those that KeyFinder finds.
class MemcachedWatcher : public LookingWatcher {
public:
    /// The address of the server that keeps a key.
    using WhereIs = std::function<QString(const QByteArray& key)>;
    /// Asks the server, or each of a ring, for its statistics.
    using Tells = std::function<memcached::Result<std::vector<memcached::Statistics>>(std::stop_token stop)>;
    /// Give it a client of its own; it can only read. Named are the names of `options` that have no wildcard.
    /// `whereIs`: of a ring of several servers, which are one to their clients: none may be away.
    /// `tells`: without it, the server is taken to work for as long as its answers are late, and its restarts are not
    /// known.
    MemcachedWatcher(memcached::Reader& reader, QString where, WatchOptions options = {}, WhereIs whereIs = {},
                     Tells tells = {});

protected:
    Answer<void> connect(std::stop_token stop) override;
    Answer<Look> look(Depth depth, Progress progress, std::stop_token stop) override;
    std::uint64_t requests() const override { return m_requests; }

private:
    /// Reads keys, and adds the locks among them to `found`. `listed`: they are of the server's list.
    QCoro::Task<std::expected<void, memcached::Error>> read(std::vector<memcached::ListedKey> keys, bool listed,
                                                            Look& found, std::stop_token stop);
    /// Reads the keys that are due.
    Answer<Look> readDue(Depth depth, Progress progress, std::stop_token stop);
    /// The servers' statistics; empty: not told.
    QCoro::Task<std::vector<memcached::Statistics>> askRuns(std::stop_token stop);
    /// The servers' processor time so far; nullopt: not known.
    QCoro::Task<std::optional<Nanos>> processorTime(std::stop_token stop);
    /// Compares the servers' runs with those known before, and keeps them. Whether one has lost its items since.
    bool compareRuns(const std::vector<memcached::Statistics>& told);
    /// A lock that was read.
    struct Read {
        QByteArray key;
        std::uint64_t unique = 0; ///< Mark::unique
        std::size_t row = 0;      ///< among those found
    };
    /// Asks when locks end that have just been read, and fills that in; what changed meanwhile stays not known.
    QCoro::Task<std::expected<void, memcached::Error>> readEnds(std::vector<Read> locks, Look& found,
                                                                std::stop_token stop);
    void runDown(std::vector<LockRow>& locks) const;
    QCoro::Task<std::expected<void, memcached::Error>> list(Depth depth, std::stop_token stop);

    memcached::Reader& m_reader;
    WhereIs m_whereIs;
    Tells m_tells;
    struct Run {
        memcached::Statistics told;
        Nanos at{}; ///< when it was told
    };
    std::map<QString, Run> m_runs;     ///< as told last, by the server's address
    std::vector<ServerEvent> m_events; ///< … that no look has told yet
    std::vector<QByteArray> m_eventsAt;
    std::vector<memcached::ListedKey> m_names; ///< that the user names
    std::optional<KeyFinder> m_finder;         ///< of other keys, if the user allows lists
    std::uint64_t m_requests = 0;
    bool m_tellsEnds = true; ///< until the server refuses
    bool m_toldSeconds = false;
    std::map<QByteArray, Nanos> m_toldAt; ///< when each lock's end was asked for, in this look
    Nanos m_way = kNever;                 ///< the shortest round trip so far
};

} // namespace lockscope::inspect
