// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "trace/trace.h"

namespace lockscope::experiment {

/// A client of a replay, and the thread that it stands for until its process ended.
struct ReplayClient {
    QString name;
    trace::EntityId thread = trace::kNoEntity;
    Nanos death = kNever;
};

struct ReplayFaults {
    std::vector<scenario::Fault> faults;
    QStringList notes; ///< sentences
};

/// The faults that rows between two instants tell of, for a scenario with these clients and with servers of its own.
/// Faults that no row describes, or that mean nothing there, are counted in a note.
ReplayFaults replayFaults(const trace::Trace& trace, const scenario::Scenario& scenario,
                          const std::vector<ReplayClient>& clients, Nanos from, Nanos to);

} // namespace lockscope::experiment
