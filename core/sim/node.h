// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/trace_feed.h"
#include "runtime/virtual_scheduler.h"
#include "sim/redis/engine.h"
#include "trace/recorder.h"

#include <deque>

namespace lockscope::sim {

/// A simulated Redis server process: an engine with a life and a wall clock of its own. Writes the record of its locks
/// into the trace after every command that changed them.
class Node {
public:
    enum class Life : std::uint8_t { Running, Paused, Dead };

    /// `owner` names the thread that a party on the server stands for; `client` the thread behind a session.
    Node(VirtualScheduler& scheduler, trace::Recorder& recorder, const QByteArray& id, std::uint64_t seed,
         inspect::TraceFeed::Resolver owner);
    ~Node();

    trace::EntityId entity() const { return m_entity; }
    const QByteArray& id() const { return m_id; }
    Life life() const { return m_life; }
    /// RedisEngine::steps()
    std::uint64_t steps() const { return m_engine.steps(); }
    trace::EntityId lockEntity(const QByteArray& name) { return m_feed.lockEntity(name); }
    /// The lock's record is written to the trace; without it a plain string key is no lock. `keys`: what says who holds
    /// it. A lock of several keys is held by the one who holds all of them.
    void watch(const QByteArray& lockName, std::vector<QByteArray> keys);
    void watch(const QByteArray& lockName) { watch(lockName, {lockName}); }

    /// A connection of that thread. The node tells `push` of published messages and `broken` when the process dies.
    RedisEngine::SessionId connect(trace::EntityId thread, std::function<void(const RedisEngine::Push&)> push,
                                   std::function<void()> broken);
    /// The other side is gone. Commands that arrived before are still run, when the process is paused: later.
    void disconnect(RedisEngine::SessionId session);

    /// A command arrives; `answer` is called when it has run (later, if the process is paused). False: nobody is there.
    bool deliver(RedisEngine::SessionId session, redis::Args args, std::function<void(redis::Reply)> answer);

    void pause();
    void resume();
    /// The process dies; its data are gone with it.
    void kill();
    void start();
    /// Its wall clock, `offset` away from true time from now on.
    void setClockOffset(Nanos offset);
    /// Frees a lock as an operator would, with DEL.
    void forceRelease(const QByteArray& lockName);

private:
    struct Session {
        trace::EntityId thread = trace::kNoEntity;
        std::function<void(const RedisEngine::Push&)> push;
        std::function<void()> broken;
        std::map<QByteArray, QByteArray> read = {}; ///< what GET last told it of watched keys
    };
    struct Arrival {
        RedisEngine::SessionId session;
        redis::Args args;
        std::function<void(redis::Reply)> answer;
        bool end = false; ///< of the connection, instead of a command
    };
    std::int64_t clockUs() const;
    void run(const Arrival& arrival);
    /// Whether a GETSET wrote into a lock that another has won: it returned something else than its sender had read
    /// before. The recipe that takes locks so knows then that the lock is not its own; the entry does not name anybody.
    bool losesRace(const Arrival& arrival, const redis::Reply& reply) const;
    void noteRead(const Arrival& arrival, const redis::Reply& reply);
    /// Writes the records that changed, and arms the timer for the next expiry.
    void settle();
    void writeRecords();
    void writeRecord(const QByteArray& lockName, inspect::Sight sight);
    /// The result of a look at the server; no row: the lock is not there.
    struct Found {
        std::optional<inspect::LockRow> row;
        Nanos exactDeadline = kNever;          ///< inspect::Sight::exactDeadline
        std::vector<inspect::RawKey> raw = {}; ///< every key that was looked at and is there
    };
    Found lookAtLock(const QByteArray& lockName);
    Found lookAtPart(const QByteArray& key);
    /// Its clock may have been moved since the records were written.
    void tellMovedDeadlines();
    /// Looks again when a content that was held back may be written.
    void armSecondLook();
    void armExpiry();
    void expire();

    VirtualScheduler& m_scheduler;
    trace::Recorder& m_recorder;
    QByteArray m_id;
    trace::EntityId m_entity;
    RedisEngine m_engine;
    inspect::TraceFeed m_feed;
    RedisEngine::SessionId m_observer; ///< looks at keys for the record
    Life m_life = Life::Running;
    Nanos m_clockOffset{};
    VirtualScheduler::TimerId m_expiry = 0;
    Nanos m_expiryAt = kNever;
    VirtualScheduler::TimerId m_secondLook = 0;
    std::map<RedisEngine::SessionId, Session> m_sessions;
    std::deque<Arrival> m_waiting;                           ///< arrived while paused
    std::map<QByteArray, std::vector<QByteArray>> m_watched; ///< keys by lock
    std::map<QByteArray, inspect::Sight> m_changed;          ///< since the last settle()
    bool m_observing = false;
};

} // namespace lockscope::sim
