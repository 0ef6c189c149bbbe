// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/distributed_lock.h"
#include "scenario/scenario.h"
#include "sim/guarded_resource.h"

namespace lockscope::sim {

/// The present activity of a client's program.
enum class Doing : std::uint8_t { Nothing, Asking, Working };

/// Writes into the trace by which recipe a client asks for its lock, when that is another one than before.
class RecipeTold {
public:
    void tell(trace::Recorder& recorder, trace::EntityId thread, trace::EntityId lock, const QByteArray& recipe);

private:
    QByteArray m_told;
    trace::EntityId m_lock = trace::kNoEntity;
};

/// The environment of a client's program. `settings` may change while it runs: it reads them anew for each round.
struct ProgramContext {
    Runtime& runtime;
    const scenario::Scenario& settings;
    ResourcePort& resource;
    trace::EntityId thread = trace::kNoEntity;
    std::function<std::unique_ptr<DistributedLock>()> makeLock;
    /// The lock that the program uses now, nullptr while it does nothing with one: so that faults find it. Called
    /// whenever that changes.
    std::function<void(DistributedLock*, Doing)> doing;
    std::function<bool()> workHangs = nullptr; ///< the work stands still while this says so; nullptr: never
};

/// The program that every workload client runs, simulated or real, for ever: think, take the lock, write to the guarded
/// resource now and then while holding, give it up. Before each write a client that stops on a loss asks its lock
/// whether it still holds it, and so looks at its own clock. Ends by Cancelled only.
QCoro::Task<> runClientProgram(ProgramContext context);

} // namespace lockscope::sim
