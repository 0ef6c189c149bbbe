// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_scan.h"
#include "inspect/redis/recogniser.h"
#include "inspect/redis/server_facts.h"
#include "inspect/redis/unread_keys.h"
#include "inspect/watch_options.h"

#include <deque>
#include <set>
#include <unordered_set>

namespace lockscope::inspect {

/// Finds the keys of a server that may belong to locks, a slice of its keyspace at a time. Strings, of which a server
/// has most, are told from locks here, by their length and then by their value; other candidates are only named.
///
/// Looking must not change the server: if it evicts the least recently used keys, reading a key postpones its eviction.
/// From Redis 7.2 on our connection is marked for that (NO-TOUCH). Before it, such a server's keys are read only where
/// the name or a waiter says that it may be a lock, or where another client has used the key just now.
class LockSearch {
public:
    /// `known`: a key of a lock that was found already; it is not found again.
    LockSearch(KeyReader& reader, ServerFacts& facts, Runtime& runtime, const WatchOptions& options,
               std::function<bool(const QByteArray&)> known);

    /// Looks at the next slice. Returns the error that it ended by. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> advance(std::stop_token stop);
    /// Begins again, as if nothing had been seen.
    void restart();

    /// Candidates that wait to be read: keys whose names are like locks' come first. At most `limit`.
    std::vector<WantedKey> take(std::size_t limit);
    void putBack(std::vector<WantedKey> keys);
    bool hasCandidates() const { return !m_candidates.empty(); }
    /// A candidate was read and is no lock: it is not looked at again for a while.
    void dismiss(const QByteArray& key, KeyJob::End why = KeyJob::End::Dull);

    /// The whole keyspace has been gone through at least once.
    bool wentThrough() const { return m_scan.rounds() > 0; }
    int rounds() const { return m_scan.rounds(); }
    std::int64_t scans() const { return std::int64_t(m_scan.calls()); }
    /// True when the search has passed many times as many keys as there have been: a server that only speaks Redis'
    /// protocol may never say that a round is over.
    bool isEndless() const;
    /// How long a round takes beside the looks: so late a new lock may be found. 0: not known yet.
    Nanos roundTime() const;
    /// About how many keys have been looked at.
    std::int64_t keysPassed() const;
    std::int64_t keysLooked() const { return m_looked; }
    /// A hash was read: it may be a lock, or certainly is none.
    void noteHash(const QByteArray& key, bool mayBe) {
        m_names.learn(LikeNames::Trait::DullHash, key, !mayBe);
        m_names.learn(LikeNames::Trait::LockHash, key, mayBe);
    }
    const UnreadKeys& unread() const { return m_unread; }
    /// Keys that lie here, of slots for which another node of the cluster answers: some of the latest round's.
    const std::set<QByteArray>& elsewhere() const { return m_elsewhere; }
    void noteElsewhere(const std::vector<QByteArray>& keys);
    std::int64_t leftAlone() const { return m_leftAlone; }
    const RecogniserOptions& recogniser() const { return m_recogniser; }
    RecogniserOptions& recogniser() { return m_recogniser; }

private:
    /// Makes candidates of what a slice has found, once doubtful keys are told from locks. `others`: those that are of
    /// another type than their names said.
    QCoro::Task<std::optional<redis::Error>> sift(std::vector<WantedKey> found, std::vector<QByteArray>& others,
                                                  std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> leaveOldAlone(std::vector<WantedKey>& keys, std::stop_token stop);
    bool namedLikeLock(const QByteArray& key) const;
    bool skips(const QByteArray& key) const;
    void endRound();
    void forgetDull();

    KeyReader& m_reader;
    ServerFacts& m_facts;
    Runtime& m_runtime;
    const WatchOptions& m_options;
    std::function<bool(const QByteArray&)> m_known;
    RecogniserOptions m_recogniser;
    LikeNames m_names;
    KeyScan m_scan;
    std::deque<WantedKey> m_candidates;
    std::unordered_set<std::size_t> m_dull; ///< hashes of names that were read and are no locks: not read again soon
    Nanos m_dullSince{};
    Nanos m_roundBegan{}, m_roundTook{}; ///< the present round; the last one, if it was not the first
    std::int64_t m_leftAlone = 0;
    std::int64_t m_looked = 0;
    std::int64_t m_mostThere = 0; ///< keys that there have been in this round: they may be thrown away meanwhile
    UnreadKeys m_unread;
    std::set<QByteArray> m_elsewhere;
};

} // namespace lockscope::inspect
