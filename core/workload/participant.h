// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workload/client_locks.h"
#include "workload/client_world.h"
#include "workload/engines.h"
#include "workload/lock_plan.h"

namespace lockscope::workload {

/// A client process of a workload, simulated or real: its runtime, its connections, its identity, its locks and its
/// program. Restarting makes a new process with a new identity under the same name.
class Participant final {
public:
    /// Starts at once. `number` counts the clients from 0: it names the client and chooses its program. Recorder and
    /// settings outlive it; the settings may change, and are read anew in each round of the program.
    Participant(std::unique_ptr<ClientWorld> world, trace::Recorder& recorder, const scenario::Scenario& settings,
                int number);
    ~Participant();
    Participant(const Participant&) = delete;
    Participant& operator=(const Participant&) = delete;

    const QByteArray& name() const { return m_name; }
    trace::EntityId entity() const { return m_entity; }
    trace::EntityId thread() const { return m_thread; }
    /// The identity of the process that runs now, as servers see it.
    const QByteArray& uuid() const { return m_uuid; }
    Runtime::Life life() const { return m_runtime ? m_runtime->life() : Runtime::Life::Dead; }

    /// Whether it believes to hold the lock, in any mode.
    bool holds(const QByteArray& lock) const;
    /// It has asked for the lock and has no answer yet. A client that lost its lock and works on does not wait.
    bool waits(const QByteArray& lock) const;
    /// When the lock was granted or asked for last, whichever is the case now; trace time.
    Nanos since(const QByteArray& lock) const;

    void pause() { m_runtime->pause(); }
    void resume() { m_runtime->resume(); }
    /// As SIGKILL does: nothing is given back, the connections break.
    void kill();
    void restart();
    void setClockOffset(Nanos offset);
    Nanos clockOffset() const { return m_clockOffset; }
    /// Its clocks gain that many millionths from now on; the next process has true clocks again.
    void setDrift(std::int64_t ppm);
    std::int64_t drift() const { return m_drift; }
    /// Renewals stop; undone by `false`, from the next hold on, and by a restart.
    void stopWatchdog(bool stop);
    /// The work stands still, and notices nothing, while renewals go on; undone by `false`, and by a restart.
    void hangWork(bool hang) { m_workHangs = hang; }
    /// Changes to another engine of the scenario's lock manager, by its number in the configuration: with a manager for
    /// all processes, naively for this client only. False: the client is not running, so it asks nobody.
    bool switchEngine(int number);
    /// Makes good what was done to it: it runs, by true time, and renews its holds from the next one on.
    void heal();

private:
    void start();
    /// To the services that keep the program's locks.
    void connectTo(const scenario::Program& program);
    /// The connection to the service that keeps the lock, which is one of the program's.
    Connection& connectionFor(const QByteArray& lock);
    std::unique_ptr<AnyLock> makeLock(const QByteArrayList& names);
    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArrayList& names);
    /// Begins to use the scenario's engines, and writes into the trace by which recipe it asks as they change.
    void followEngines();
    /// Writes into the trace by which recipe the client asks for a lock, when that is another one than before.
    void tellRecipe(trace::EntityId lock, const QByteArray& recipe);
    /// Writes into the trace how many permits a lock has, when this client has not said so before.
    void tellCapacity(trace::EntityId lock, int permits);

    std::unique_ptr<ClientWorld> m_world;
    trace::Recorder& m_recorder;
    const scenario::Scenario& m_settings;
    int m_number;
    QByteArray m_name;
    std::uint64_t m_process = 0;
    trace::EntityId m_entity, m_thread;
    QByteArray m_uuid;
    std::map<trace::EntityId, QByteArray> m_recipeTold; ///< by lock
    std::map<trace::EntityId, int> m_capacityTold;      ///< by lock
    Nanos m_clockOffset{};
    std::int64_t m_drift = 0;
    bool m_watchdogStopped = false;
    bool m_workHangs = false;
    std::unique_ptr<Runtime> m_runtime;
    std::map<std::size_t, std::unique_ptr<Connection>>
        m_connections;                  ///< by the service's number, in use by the program
    std::unique_ptr<Engines> m_engines; ///< with a lock manager
    int m_engine = 0;                   ///< naively used, by its number
    ClientLocks m_locks;
};

} // namespace lockscope::workload
