// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/client_names.h"
#include "inspect/redis/key_groups.h"
#include "inspect/redis/lock_search.h"
#include "inspect/redis/look_scope.h"
#include "inspect/redis/tracked_keys.h"
#include "inspect/watcher.h"
#include "ports/redis/client.h"

#include <map>
#include <set>

namespace lockscope::inspect {

/// A port's error, as watchers tell it.
WatchTrouble troubleOf(const redis::Error& error);

/// Finds and watches the locks on a running Redis. To watch, it sends SCAN, TYPE, STRLEN, GETRANGE, MEMORY USAGE, HLEN,
/// HSTRLEN, HGETALL, HGET, HSCAN, LLEN, LRANGE, ZCARD, ZRANGE, PTTL, EXISTS, OBJECT IDLETIME, DBSIZE, INFO, TIME,
/// PUBSUB, CLUSTER NODES, CONFIG GET, CLIENT NO-TOUCH, CLIENT ID, CLIENT LIST, CLIENT TRACKING and CLIENT CACHING, and
/// nothing else.
/// It reads nothing longer than a lock's, and takes no more of the server's time than its options allow.
///
/// In watch() the server tells of changes of known locks' keys, which are read again only then; where it does not, they
/// are read at every look. Keyspace notifications, too, are used when somebody has switched them on.
///
/// The least rights for all of that, as an ACL of Redis 7: `resetkeys %R~* &* -@all +ping +scan +type +strlen +getrange
/// +memory|usage +hlen +hstrlen +hgetall +hget +hscan +llen +lrange +zcard +zrange +pttl +exists +object|idletime
/// +dbsize +info +time +pubsub +cluster|nodes +config|get +client|setname +client|id +client|list +client|tracking
/// +client|caching +subscribe +psubscribe`, and from 7.2 on `+client|no-touch`, which older servers do not know.
class RedisWatcher : public Watcher {
public:
    /// Give it a client of its own: its work must not delay another's.
    explicit RedisWatcher(redis::Client& client, WatchOptions options = {});

    QCoro::Task<std::expected<void, WatchTrouble>> open(std::stop_token stop = {}) override;
    QCoro::Task<LockReport> once(std::stop_token stop = {}, Callback progress = {}) override;
    QCoro::Task<> watch(Callback callback, std::stop_token stop = {}) override;
    WatchStatus status() const override;
    void onStatus(std::function<void()> callback) override;
    std::optional<Nanos> unansweredSince() override { return m_reader.unansweredSince(); }
    WatchLoad load() const override { return {m_client.commandsSent(), m_reader.serverTime()}; }
    std::optional<ServerIdentity> identity() const override { return m_facts.identity(); }
    QString where() const override { return m_client.where(); }
    const LockRow* lastSeen(const QByteArray& lockName) const override;

    /// Looks for these locks first, as they were seen elsewhere: on a server that this one replaces.
    void expect(const std::vector<LockRow>& rows);
    /// Another server was looked at for these locks, which have moved there: they are not kept here any longer.
    void leave(const std::vector<LockRow>& rows);
    /// The next look comes as if a change had been told.
    void lookSoon() override { wake(m_told); }
    /// Keys that lie here, of slots for which another node of the cluster answers: some of those that were met lately.
    const std::set<QByteArray>& elsewhere() const { return m_search.elsewhere(); }
    /// Changes which locks are wanted; the search begins again.
    void setNames(NameFilter names);

    /// Commands sent since the beginning.
    std::uint64_t commandsSent() const { return m_reader.commands(); }
    /// How long the server may have worked for them, at most.
    Nanos serverTime() const { return m_reader.serverTime(); }

private:
    QCoro::Task<LockReport> look(std::size_t candidates, std::stop_token stop);
    /// The locks that the next look is at, and the keys that it reads. `candidates` are always among them.
    LookScope scopeOf(const std::vector<WantedKey>& candidates);
    LookScope wholeScope(const std::vector<WantedKey>& candidates) const;
    /// Keys of locks that somebody waits for, as far as their channels tell.
    void addWaitedFor(const Subscriptions& subscriptions, std::vector<WantedKey>& keys) const;
    /// Keys whose content is not known any more, or whose meaning changes with time.
    std::vector<WantedKey> keysInDoubt();
    void joinKeysOf(const LockRow& row);
    void noteUntold(const LookScope& scope, const KeysRead& read, const std::vector<LockRow>& rows);
    /// Puts the rows of a look in the place of those that its scope has had.
    void tellRows(LookScope& scope, std::vector<LockRow> rows, LockReport& report);
    QCoro::Task<std::optional<redis::Error>> readLocks(std::vector<WantedKey> first, KeysRead& read,
                                                       std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> readCompanions(KeysRead& read, std::stop_token stop);
    /// The companions of one key, of which it is not known whether they are there.
    struct Group {
        std::vector<WantedKey> keys;
        std::vector<QByteArray> names;
        bool follow = false; ///< its key is followed, so they are worth it, too
    };
    /// Appends to `wanted` those of the groups that may be there.
    QCoro::Task<std::optional<redis::Error>> askWhether(std::span<Group> groups, std::vector<WantedKey>& wanted,
                                                        std::stop_token stop);
    /// Looks at the keyspace until `end` or for one round, as fast as the reader's share allows. True: the round is
    /// over.
    QCoro::Task<bool> search(Nanos end, std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> readPart(std::vector<WantedKey> wanted, KeysRead& part,
                                                      std::stop_token stop);
    /// The present, by the clock that the ends of keys are measured by.
    std::int64_t nowMs() const;
    /// Sets `why` and ends a pause.
    void wake(bool& why);
    QCoro::Task<> pause(Nanos period, std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> askFacts(std::stop_token stop);
    /// Databases of the server were exchanged for each other, perhaps this one: nothing is known of it any more.
    void doubtAll();
    /// Locks were held at the last look, and no key of any of them is there.
    bool lostAll(const KeysRead& read) const;
    /// A lock that was held at the last look has no key any more.
    bool lostSight(const KeysRead& read, const LookScope& scope) const;
    QCoro::Task<std::optional<redis::Error>> readGoneAgain(const LookScope& scope, KeysRead& read,
                                                           std::stop_token stop);
    void settleDoubts(std::vector<LockRow>& rows) const;
    /// Leaves locks in `rows` whose keys another node of the cluster has now: they moved, and nobody has released them.
    void keepMoved(const LookScope& scope, const KeysRead& read, std::vector<LockRow>& rows);
    std::vector<const LockRow*> lastRowsIn(const LookScope& scope) const;
    void takeFacts();
    /// TTLs as they are now, whenever they were read.
    void age(std::vector<KeySnapshot>& keys);
    void remember(const KeysRead& read, const std::vector<LockRow>& rows);
    /// Ends a look at all locks that began then.
    void forgetOld(Nanos began);
    void describe(LockReport& report);
    void countLoad(LockReport& report);

    redis::ReadingPort m_client; ///< so that nothing here can write
    WatchOptions m_options;
    KeyReader m_reader;
    ServerFacts m_facts;
    struct Known {
        const char* type;
        Nanos seen; ///< last time that it belonged to a lock
    };
    std::map<QByteArray, Known> m_known; ///< keys of locks: read at every look
    std::set<QByteArray> m_moved;        ///< locks that another node of the cluster has now
    Nanos m_rememberedAt{};              ///< when the last look's keys were noted there
    LockSearch m_search;
    TrackedKeys m_tracked;
    KeyGroups m_groups;
    std::optional<Subscriptions> m_lastSubscriptions; ///< those of the last look
    Nanos m_wholeDue{};                               ///< the next look at all locks
    ClientNames m_clients;
    bool m_mostAreLocks = false; ///< of the candidates that were read last
    bool m_complete = false;
    bool m_searchRefused = false;     ///< this user may not go through the keys
    std::vector<LockRow> m_lastLocks; ///< their times are as of m_agedMs
    std::int64_t m_agedMs = 0, m_keysAgedMs = 0;
    std::set<QByteArray> m_untold;                      ///< known keys of whose changes nobody tells
    std::set<QByteArray> m_timely;                      ///< keys of locks that change with time
    bool m_changed = false;                             ///< the last look has seen another thing change than times
    std::vector<ServerEvent> m_events;                  ///< not told yet
    std::deque<std::pair<Nanos, std::uint64_t>> m_load; ///< commands sent, at the looks of the last seconds
    bool m_swapped = false;                             ///< databases were exchanged since the last look
    bool m_fresh = false;                               ///< the last look has found new locks
    Waiter* m_pausing = nullptr;
    bool m_notified = false; ///< something has happened on the server
    bool m_told = false;     ///< … to a key that is followed
};

} // namespace lockscope::inspect
