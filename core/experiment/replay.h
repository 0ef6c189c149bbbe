// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "trace/recording.h"

#include <expected>

namespace lockscope::experiment {

/// A stretch of a trace as a scenario, for "what if the lease were 30 s?".
struct Replay {
    scenario::Scenario scenario; ///< format 2
    QStringList notes;           ///< what it leaves out or assumes, each a sentence
};

/// Makes a scenario of what happened between two instants. Each thread that used a lock becomes a client with a program
/// of its own that goes through its steps once: it asks when the thread asked, and works for as long as the thread
/// held; how long it waits is for the simulator to say. Faults are those that rows tell of, at their instants: clients
/// paused and killed, servers stopped and started, links cut, clocks moved, settings changed. Where the trace was
/// simulated, `meta` has the scenario, whose servers, network and locks are taken; else the lease, the watchdog and the
/// latency are measured, and the recipe is told by the locks' formats.
///
/// An error is a sentence: the stretch is empty, or nobody used a lock in it. The trace may grow meanwhile.
std::expected<Replay, QString> replayOf(const trace::Trace& trace, const trace::RecordingMeta& meta, Nanos from,
                                        Nanos to);

} // namespace lockscope::experiment
