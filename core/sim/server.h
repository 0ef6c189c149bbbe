// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/virtual_scheduler.h"
#include "sim/network.h"
#include "trace/recorder.h"

#include <deque>
#include <functional>

namespace lockscope::sim {

/// Objects that all servers of a world share.
struct Grounds {
    VirtualScheduler& scheduler;
    trace::Recorder& recorder;
    Network& network;
};

/// The data that a process finds on its disk when it starts: everything it had written (it was only killed), only the
/// data that had reached the disk itself (its machine lost power), or nothing.
enum class Disk : std::uint8_t { Kept, Flushed, Empty };

/// A simulated server process of any kind: its life, its wall clock, its timers, and the work that arrives for it.
/// While it is paused, all of that waits, and is done in order when it goes on; what a dead one was sent is refused.
/// Its disk belongs to its machine: it stalls on when the process is killed.
class Server {
public:
    enum class Life : std::uint8_t { Running, Paused, Dead };
    using Work = std::function<void()>;

    Server(Grounds grounds, QByteArray id);
    virtual ~Server() = default;
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    const QByteArray& id() const { return m_id; }
    trace::EntityId entity() const { return m_entity; }
    Life life() const { return m_life; }

    void pause();
    void resume();
    /// The process dies; its machine goes on, and delivers what the process had sent.
    void kill();
    /// The machine loses its power: data not sent yet are gone, no client is told, and the disk has the flushed data
    /// only.
    void crash();
    /// Starts a dead process again, with the data on its disk.
    void start();
    /// As start(), with a new disk.
    void startEmpty();
    /// Nothing reaches its disk from now on, until it is free again. A new disk is free.
    void stallDisk();
    void freeDisk();
    bool diskStalls() const { return m_diskStalls; }
    /// Whether it does what comes: it runs, and does not stand still before its disk.
    bool acts() const { return m_life == Life::Running && !m_stands; }
    /// Counts the machine's losses of power.
    std::uint64_t crashes() const { return m_crashes; }
    /// Its wall clock, `offset` away from true time from now on, and faster than it by `ppm` millionths.
    void setClock(Nanos offset, std::int64_t ppm = 0);
    Nanos clockOffset() const;
    /// By how many millionths it is fast.
    std::int64_t clockPpm() const { return m_clockPpm; }
    /// Its wall clock, µs since 1970.
    std::int64_t clockUs() const;
    /// The true time at which its wall clock shows `us`; kNever beyond all that can be simulated.
    Nanos instantOf(std::int64_t us) const;

    /// Something arrives from the network: done now, or after the pause. False: the process is dead. Only work that
    /// has to wait is kept as a Work, which takes memory of its own.
    template <typename F>
    bool arrive(F&& work) {
        if (m_life == Life::Dead) return false;
        if (!acts())
            m_waiting.emplace_back(std::forward<F>(work));
        else
            work();
        return true;
    }
    /// Its machine breaks off all connections of that client.
    virtual void hangUpOn(Party client) = 0;

protected:
    /// Calls back after a time of its monotonic clock, unless the process dies before; after the pause, if it is paused
    /// by then.
    void after(Nanos delay, Work work);
    /// Done when the disk has it: now, or, in order, when it is free again; not at all if the process dies before.
    void onDisk(Work work);
    /// The process waits for its disk, and does nothing else until that is free: all that comes waits, as while it is
    /// paused. Precondition: diskStalls().
    void standStill();
    const Grounds& grounds() const { return m_grounds; }
    Nanos now() const { return m_grounds.scheduler.now(); }

    // Hooks of each kind of server. They are called after the server's state has changed.
    /// It is paused, or stands still before its disk.
    virtual void paused() {}
    /// Before the work that has waited.
    virtual void resumed() {}
    /// How it ended.
    enum class Death : std::uint8_t { Killed, Crashed };
    virtual void died(Death) {}
    virtual void booted(Disk) {}
    virtual void clockSet() {}
    virtual void diskStalled() {}
    /// Before the work that has waited for it. A paused process learns of it when it goes on.
    virtual void diskFreed() {}

private:
    void goOn();
    void drain();
    void diskAnswers();
    void die(Death death);
    void boot(Disk disk);
    Grounds m_grounds;
    QByteArray m_id;
    trace::EntityId m_entity;
    Life m_life = Life::Running;
    std::uint64_t m_crashes = 0;
    Death m_death = Death::Killed;   ///< the last one
    std::uint64_t m_incarnation = 1; ///< timers of a process that died do not ring in the next one
    std::deque<Work> m_waiting;      ///< arrived, or due, while it did not act
    bool m_diskStalls = false;
    bool m_diskNews = false;    ///< it is free again, and the process does not know it yet
    bool m_stands = false;      ///< before its disk
    std::deque<Work> m_forDisk; ///< waits for the disk
    Nanos m_clockBase{};        ///< offset at m_clockSince
    Nanos m_clockSince{};
    std::int64_t m_clockPpm = 0;
};

} // namespace lockscope::sim
