// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_reader.h"
#include "inspect/watch_notes.h"
#include "ports/redis/client.h"

#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace lockscope::inspect {

/// The contents of keys whose changes the server tells us of (CLIENT TRACKING): while it is silent they need not be
/// read again. Nothing changes for others: the server keeps a list of the keys that this connection asked for, about a
/// hundred bytes each, no more than a bound. Told are all writes, also by scripts, and deletions, expiries and
/// evictions.
///
/// Where the server does not allow it, no key is told of, and everything is read as if this class was not there.
class TrackedKeys {
public:
    /// `trusted`: how long the server's silence is believed. A proxy may swallow messages: before that time is over
    /// each key is in doubt once without having been told of, a few at each look.
    TrackedKeys(redis::ReadingPort& client, KeyReader& reader, Nanos trusted)
        : m_client(client), m_reader(reader), m_trusted(trusted) {}

    /// Hears of changes until stopped; calls `changed` when a content that was kept is no longer known. Throws
    /// Cancelled.
    QCoro::Task<> listen(std::function<void()> changed, std::stop_token stop);

    /// Begins a look: asks the server to tell, where that is due. `nowMs`: the present, by the clock that the ends of
    /// keys are measured by. Returns an error of the connection. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> begin(std::int64_t nowMs, std::stop_token stop);
    /// Whether the server has agreed to tell.
    bool tells() const { return m_connection != 0 && m_feed != 0; }
    /// Adds a key's content to `read`. False: it is not known, and must be read.
    bool recall(const WantedKey& wanted, KeysRead& read);
    /// Whether recall() would answer without the server: by the content, or by its knowledge that there is no such key.
    bool remembers(const WantedKey& wanted);
    /// The keys whose contents are not known any more since the last call: the server has told of a change, also of
    /// keys that were not there before, their end has come, or it is long ago that they were read.
    std::vector<QByteArray> takeDoubted();
    /// Whether more keys that are not there may be followed, too.
    bool hasRoomForGone() const { return m_gone < kMostGone; }
    /// Asks the server to tell of changes of these keys; to be followed by reading them. `together`: one command may
    /// name many keys, which a cluster's node does not allow. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> follow(std::vector<QByteArray> keys, bool together, std::stop_token stop);
    /// Keeps what was read of keys that are followed.
    void keep(std::span<const WantedKey> wanted, const KeysRead& read);
    /// Stands while a request to tell of keys is on its way. The server may tell of a change over the other connection
    /// before its answer is here, and then it tells of no further one: such a key is not followed.
    class Asking {
    public:
        explicit Asking(TrackedKeys& keys) : m_keys(keys) { ++m_keys.m_asking; }
        ~Asking() {
            if (--m_keys.m_asking == 0) m_keys.m_toldMeanwhile.clear();
        }
        Asking(const Asking&) = delete;
        Asking& operator=(const Asking&) = delete;

    private:
        TrackedKeys& m_keys;
    };
    /// The key's content is to be read again, whatever the server has told.
    void doubt(const QByteArray& key);
    /// Whether the server tells of changes of this key.
    bool follows(const QByteArray& key) const;
    /// Whether it is known that there is no such key, of whichever type.
    bool isGone(const QByteArray& key);
    /// Appends an EXISTS of these keys, and before it, where the server tells of changes, the request to tell of these.
    /// Returns how many commands that are. Send them while an Asking stands, up to takeWhether().
    std::size_t askWhether(const std::vector<QByteArray>& keys, bool tell, std::vector<redis::Args>& commands) const;
    /// Takes the results of these commands: none of the keys is there, and the server would tell if that changed.
    void takeWhether(const std::vector<QByteArray>& keys, std::span<const redis::Result> results);
    /// Forgets keys that nobody has asked for in such a time.
    void forgetUnused(Nanos longest);
    void clear() { forgetAll(); }

    /// The earliest end of a content that is known, in ms of the clock of begin(); missing: none.
    std::optional<std::int64_t> nextEnd();
    /// How changes are heard of, for people. `known`: keys of locks, followed or not.
    std::vector<WatchNote> notes(std::size_t known) const;
    /// Whether the server tells of changes of every key, of that many known ones.
    bool tellsOfAll(std::size_t known) const;

    /// Keys that one connection follows, at most: some ten megabytes of the server's memory.
    static constexpr std::size_t kMostKeys = 125'000;
    /// … of which so many are not there, at most.
    static constexpr std::size_t kMostGone = 25'000;

private:
    struct Entry {
        Nanos since{}, used{};           ///< when the server was asked to tell, and when the content was asked for
        bool followed = false;           ///< the server tells of the next change
        bool known = false;              ///< `seen` and `goneAs` are true still
        bool doubted = false;            ///< the server has told of a change of what `seen` has
        std::uint8_t goneAs = 0;         ///< types that the key does not have, as bits
        std::optional<KeySnapshot> seen; ///< its content; missing: not read yet, or there is none
    };
    struct Ending {
        std::int64_t atMs;
        QByteArray key;
    };
    struct Asked {
        Nanos at;
        QByteArray key;
    };
    bool isFull(std::size_t known) const;
    const Entry* remembered(const WantedKey& wanted);
    void forgetAll();
    void take(const redis::ChangedKeys& changed, const std::function<void()>& told);
    static void doubt(Entry& entry);
    void doubtOld(std::vector<QByteArray>& keys);
    bool isOld(const Entry& entry) const { return entry.used - entry.since > m_trusted; }
    void weigh(Entry& entry, const KeySnapshot* now);
    void findForgetting();
    void refused();
    bool listed(const redis::Result& caching, const redis::Result& answer) const;
    /// The entry of a key of which the server has just agreed to tell; nullptr: it has told already.
    Entry* put(const QByteArray& key);
    void noteEnd(const KeySnapshot& key);
    bool isStill(const Ending& ending) const;

    redis::ReadingPort& m_client;
    KeyReader& m_reader;
    Nanos m_trusted;
    std::shared_ptr<bool> m_alive = std::make_shared<bool>(true);
    std::int64_t m_feed = 0;        ///< the server's number of the connection that hears; 0: none
    std::int64_t m_leadsTo = 0;     ///< the number that the server was asked to tell
    std::uint32_t m_connection = 0; ///< the one over which it agreed; 0: none
    std::uint32_t m_askedOver = 0;  ///< the one that was asked over
    std::int64_t m_nowMs = 0;
    std::unordered_map<QByteArray, Entry> m_entries;
    std::vector<QByteArray> m_changed;
    std::deque<Asked> m_asked; ///< when the server was asked to tell, in that order; some were asked again since
    Nanos m_doubtedOld{};      ///< the last doubtOld()
    int m_asking = 0;          ///< requests on their way, and the keys whose changes were told meanwhile
    std::unordered_set<QByteArray> m_toldMeanwhile;
    std::size_t m_gone = 0;        ///< about how many entries are of keys that are not there
    std::vector<Ending> m_endings; ///< of contents that are known, and of some that are not any more; the next is first
    bool m_refused = false;        ///< the server, or this user's rights, do not allow it
    Nanos m_askAgain{};            ///< … and when that may have changed
    std::size_t m_most = kMostKeys;
    bool m_forgets = false;       ///< the server follows fewer keys than it was asked to
    int m_news = 0, m_noNews = 0; ///< messages that told of a change, and that did not
};

} // namespace lockscope::inspect
