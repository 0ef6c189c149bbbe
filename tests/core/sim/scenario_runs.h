// SPDX-License-Identifier: Apache-2.0
// Built-in scenarios and what stands in the traces of their runs.
#pragma once
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "sim/probe.h"

#include <QTest>

namespace lockscope::tests {

/// A path that a scenario promises is walked in each of so many runs.
inline constexpr std::uint64_t kSeeds = 20;

inline scenario::Scenario builtin(const char* id) {
    auto loaded = scenario::loadScenario(QString::fromLatin1(id));
    if (!loaded) qFatal("%s", qPrintable(loaded.error().front().toString()));
    return *std::move(loaded);
}

inline std::vector<trace::Event> rows(const trace::Trace& trace, trace::EventKind kind) {
    std::vector<trace::Event> found;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (trace.kindAt(i) == kind) found.push_back(trace.at(i));
    return found;
}

/// Rows with a text that begins so: requests, replies, changes of settings.
inline std::vector<trace::Event> messages(const trace::Trace& trace, trace::EventKind kind, const QByteArray& begin) {
    std::vector<trace::Event> found = rows(trace, kind);
    std::erase_if(found, [&](const trace::Event& event) { return !trace.entity(event.aux).name.startsWith(begin); });
    return found;
}

inline verdict::Outcome outcome(const experiment::RunReport& report, verdict::Invariant invariant) {
    return report.verdict.outcomes[std::size_t(invariant)];
}

/// Since sim::resetProbes().
inline std::uint64_t reachedSoFar(sim::Probe probe) {
    return sim::probeCounts()[std::size_t(probe)];
}

/// The reason in a RecordFreed.
inline trace::FreedBy reasonOf(const trace::Event& freed) {
    return trace::FreedBy(freed.flags & trace::kFreedByMask);
}

} // namespace lockscope::tests
