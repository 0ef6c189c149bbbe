// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/process_supervisor.h"
#include "sandbox/workspace.h"
#include "subjects.h"
#include "trace/event.h"
#include "witness.h"

namespace lockscope::torture {

/// How hard it gets.
struct Plan {
    Nanos gentle = 3s; ///< nobody is stopped for as long as its lease could need
    Nanos rough = 2s;  ///< some are stopped for longer than that
    Nanos lease = 1200ms;
    int processes = 8, threads = 3;
    bool saboteur = false; ///< one more process frees what others hold: to be seen as a violation of `ownership`
};

/// An event in a process's life, at an instant of the common clock.
struct Fate {
    Nanos at{};
    trace::EventKind kind = trace::EventKind::None;
};

/// One process's life and its journal.
struct Life {
    QByteArray name;     ///< "A", after a restart "A2"
    QByteArray identity; ///< what the server knows it by
    QString journal;
    bool blocking = false; ///< its threads are the system's
    std::vector<Fate> fates;
};

/// Everything that was done to the processes, and where they wrote down what they did.
struct Chronicle {
    std::vector<Life> lives;
    std::vector<Fate> server;
    Nanos roughFrom{};
    std::vector<std::int64_t> counters; ///< at the end, by lock
    std::vector<Testimony> testimonies; ///< what the server itself said of its locks
    Nanos wallAhead{};                  ///< of the common clock: the servers', which counts from 1970
    QStringList defects;                ///< crashes, hangs, locks that cannot be had any more
};

/// Lets the processes fight, stops, continues, kills and restarts them, and the server where its locks survive that.
class Herd {
public:
    /// `origin`: of the runtime's clock, since that of std::chrono::steady_clock, which all processes share.
    Herd(Runtime& runtime, Nanos origin, const Subject& subject, Plan plan);
    /// Journals lie in a folder that goes with this object.
    QCoro::Task<> run();
    const Chronicle& chronicle() const { return m_chronicle; }

private:
    struct Slot {
        QByteArray letter;
        int generation = 0;
        bool blocking = false; ///< its threads are the system's
        std::unique_ptr<sandbox::ProcessSupervisor> process;
        std::size_t life = 0; ///< in the chronicle
        bool busy = false;    ///< something is being done to it
        bool alive = false;
    };
    void launch(Slot& slot);
    /// `as`: which kind of worker; empty: the one on an event loop.
    bool startWorker(sandbox::ProcessSupervisor& process, const Life& life, Nanos until, const QString& as);
    void befalls(const Slot& slot, trace::EventKind kind);
    QCoro::Task<> listen();
    void launchSaboteur();
    QCoro::Task<> torment(Nanos until);
    QCoro::Task<> stopAWhile(Slot& slot, Nanos length);
    QCoro::Task<> kill(Slot& slot);
    QCoro::Task<> strikeServer(Nanos until);
    QCoro::Task<> finish();
    QCoro::Task<bool> ends(sandbox::ProcessSupervisor* process, Nanos within);
    void defect(const QString& what) { m_chronicle.defects << what; }

    Runtime& m_runtime;
    const Subject& m_subject;
    Plan m_plan;
    sandbox::Workspace m_workspace;
    std::unique_ptr<Server> m_server;
    std::unique_ptr<Witness> m_witness;
    sandbox::ProcessSupervisor m_saboteur;
    std::vector<Slot> m_slots;
    Chronicle m_chronicle;
    Nanos m_origin;
    Nanos m_until{};
    bool m_rough = false;
    int m_tasks = 0;
};

} // namespace lockscope::torture
