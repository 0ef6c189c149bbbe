// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/trace_feed.h"
#include "runtime/virtual_scheduler.h"
#include "sim/content_look.h"
#include "sim/permit_owners.h"
#include "sim/redis/engine.h"
#include "sim/service.h"

#include <map>
#include <set>

namespace lockscope::sim {

/// The meaning of a plain string under a lock's key.
enum class Strings : std::uint8_t {
    AreLocks,     ///< the lock, held
    CountPermits, ///< a semaphore's number of free permits
};

class RedisServer;

/// The record of locks on simulated Redis servers: the locks on the servers that decide, written into the trace after
/// every command that changed them. One server decides, or a majority of several.
class RedisRecord {
public:
    using SessionId = RedisEngine::SessionId;

    /// `parent` of the Lock entities; `owner` names the thread that a party on a server stands for.
    RedisRecord(VirtualScheduler& scheduler, trace::Recorder& recorder, trace::EntityId parent,
                inspect::TraceFeed::Resolver owner);
    ~RedisRecord();
    RedisRecord(const RedisRecord&) = delete;
    RedisRecord& operator=(const RedisRecord&) = delete;
    /// Makes this record's locks one server's copies of `logical`'s locks. Call before watch().
    void copies(RedisRecord& logical);

    trace::EntityId lockEntity(const QByteArray& name) { return m_feed.lockEntity(name); }
    /// The lock's record is written to the trace; without it a plain string key is no lock. `keys`: what says who holds
    /// it. A lock of several keys is held by the one who holds all of them.
    void watch(const QByteArray& lockName, std::vector<QByteArray> keys, Strings strings = Strings::AreLocks);
    /// From now on these servers decide, `quorum` of them together. None: nobody does, and the record is not observed
    /// until somebody does again.
    void decidedBy(std::vector<RedisServer*> servers, std::size_t quorum = 1);
    /// Whether the service decides what the record says, where several are engines of one lock manager.
    void setDecides(bool decides);
    /// The keys to delete when an operator frees the lock by force.
    std::vector<QByteArray> keysOf(const QByteArray& lockName) const;

    /// The values of this recipe's keys name nobody, whatever a stranger may read in them: the owner is the thread that
    /// was the first to write one.
    void valuesNameNobody() { m_nameless = true; }

    // --- what the deciding servers tell ---
    /// `cause`: the thread behind the session whose command it was.
    void keyChanged(const RedisServer& server, const RedisEngine::KeyChange& change, trace::EntityId cause);
    /// A command has run; settle() follows.
    void ran(const RedisServer& server, SessionId session, const redis::Args& args, const redis::Reply& reply);
    /// Writes the records that changed.
    void settle();
    void left(const RedisServer& server, SessionId session);
    /// The server has died; call while its engine still has the data. If its disk keeps them, its copy cannot be told
    /// until it is back; else the copy is lost.
    void died(RedisServer& server);
    /// The server runs again, with the data that it has loaded.
    void booted(const RedisServer& server);
    /// A deciding server's clock may have been moved since the records were written.
    void clockMoved();

private:
    /// The result of a look at the servers; no row: the lock is not there.
    struct Found {
        std::optional<inspect::LockRow> row;
        Nanos exactDeadline = kNever;          ///< inspect::Sight::exactDeadline
        std::vector<inspect::RawKey> raw = {}; ///< every key that was looked at and is there
        /// Not known: it lies on disks of servers that do not run, or nobody decides. Then `exactDeadline` is when the
        /// first of these copies ends.
        bool unknown = false;
    };
    /// The keys that say who holds a lock, and how to read a plain string there.
    struct Watched {
        std::vector<QByteArray> keys;
        Strings strings = Strings::AreLocks;
        friend bool operator==(const Watched&, const Watched&) = default;
    };
    void write(const QByteArray& lockName, inspect::Sight sight);
    /// Names the holder of a value that names nobody: the thread whose command was the first to write it. A server that
    /// comes back with the value on its disk does not change that.
    void nameByValue(Found& found, trace::EntityId cause) const;
    /// Writes whose copy is the record, for a lock that several servers keep.
    void writeDecider(const QByteArray& lockName);
    /// Writes that this lock's record cannot be told from here on, or can again, if that is new.
    void setObserved(const QByteArray& lockName, bool observed);
    bool anyRuns() const;
    void writeAll(const inspect::Sight& sight);
    /// Looks again when a semaphore's permit, or a copy on a disk, ends: no command tells of that.
    void armEnd(Nanos due);
    /// Updates the feed with what the record has, for content that it held back.
    void writeHeldBack();
    Found lookAtLock(const QByteArray& lockName) const;
    static bool isThere(const Found& found);
    static Found lookAtLockOn(RedisServer& server, const QByteArray& lockName, const Watched& watched);
    static Found lookAtPart(RedisServer& server, const QByteArray& key, Strings strings);
    Found majority(const QByteArray& lockName) const;
    /// Whether a GETSET wrote into a lock that another has won: it returned something else than its sender had read
    /// before. The recipe that takes locks so knows then that the lock is not its own; the entry does not name anybody.
    bool losesRace(const RedisServer& server, SessionId session, const redis::Args& args,
                   const redis::Reply& reply) const;

    VirtualScheduler& m_scheduler;
    trace::Recorder& m_recorder;
    bool m_logical; ///< its locks belong to no server of their own
    VirtualScheduler::TimerId m_end = 0;
    Nanos m_endAt = kNever;
    std::shared_ptr<PermitOwners> m_permits = std::make_shared<PermitOwners>(); ///< copies share the lock's
    inspect::TraceFeed m_feed;
    ContentLook m_contentLook{m_scheduler, m_feed, [this] { writeHeldBack(); }};
    bool m_decides = true; ///< else the record is another service's
    std::vector<RedisServer*> m_deciders;
    std::size_t m_quorum = 1;
    std::set<QByteArray> m_unobserved; ///< locks
    bool m_nameless = false;
    std::map<QByteArray, Watched> m_watched;            ///< by lock
    std::map<QByteArray, inspect::RawValue> m_majority; ///< what the majority had written, by lock
    std::map<std::pair<trace::EntityId, QByteArray>, Found>
        m_onDisk; ///< holds in copies of dead servers that keep their data, by server and lock
    std::map<QByteArray, inspect::Sight> m_changed; ///< since the last settle()
    std::map<std::pair<trace::EntityId, SessionId>, std::map<QByteArray, QByteArray>>
        m_read; ///< what GET last told a session of watched keys
};

} // namespace lockscope::sim
