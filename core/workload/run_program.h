// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "workload/client_locks.h"
#include "workload/client_world.h"

namespace lockscope::workload {

/// The environment of a client's program. References outlive it; `settings` and `workHangs` may change while it runs.
struct ProgramContext {
    Runtime& runtime;
    std::function<Connection&(const QByteArray& lock)> connectionOf;
    const scenario::Scenario& settings;
    scenario::Program program;
    ClientLocks& locks;
    ClientWorld& world;
    trace::EntityId thread = trace::kNoEntity;
    const bool& workHangs; ///< while it is true, the work stands still
};

/// Whether a program is gone through once: its last step thinks for as long as the run lasts, or longer. It is a course
/// of its own: a step that fails does not end it, and the next one follows.
bool runsOnce(const scenario::Program& program, Nanos until);

/// Runs a client's program, for ever: its steps in their order, in rounds. A step that fails ends its round: a lock was
/// not taken in time or cannot be had, or one that is waited for or signalled is not held. Locks still held then are
/// given back, the last taken first. A hold whose own deadline has passed is not given back: the lock may be another
/// client's by now.
///
/// Work writes to the resources of the locks that the client holds alone. Before each write a client that stops on a
/// loss asks its locks whether it still holds them, and so looks at its own clock. Ends by Cancelled only.
QCoro::Task<> runProgram(ProgramContext context);

} // namespace lockscope::workload
