// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "trace/recording.h"
#include "verdict/verdict.h"

namespace lockscope::session {

/// The bounds by which a run with these settings is judged. `progress` may take the lease, what the recipe grants a
/// dead first waiter, and the tries that fail: by time-outs, and by messages that the network loses. Changes of the
/// lease and of the recipe, as the trace tells them, are followed.
verdict::Bounds boundsFor(const scenario::Scenario& scenario);
/// The bounds by which a recording's run is judged.
verdict::Bounds boundsFor(const trace::RecordingMeta& meta);
/// The scenario with a liveness phase after its end: everything is healed there, and the run goes on until `progress`
/// has been owed for as long as the recipe's bound. Unchanged, if it has such a phase.
scenario::Scenario withLiveness(scenario::Scenario scenario);
/// The silence after which that server's service ends a client's session in a simulation; 0: it has no sessions.
Nanos sessionTimeout(const scenario::Scenario& scenario, const QString& server);

} // namespace lockscope::session
