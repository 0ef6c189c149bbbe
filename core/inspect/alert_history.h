// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/alert_watch.h"
#include "trace/event.h"

#include <stop_token>

namespace lockscope::trace {
class Trace;
}

namespace lockscope::inspect {

/// An alert and when it was over.
struct PastAlert {
    Alert alert;                ///< as it was when it began; its `since` is an instant of the trace
    std::optional<Nanos> until; ///< missing: it stood at the end of the trace
};

/// A connection of a trace, and by which rules its locks are judged.
struct JudgedConnection {
    trace::EntityId id = trace::kNoEntity; ///< see trace/connection.h; kNoEntity: all locks of the trace
    std::vector<AlertRule> rules;
    friend bool operator==(const JudgedConnection&, const JudgedConnection&) = default;
};

/// At most so many alerts are kept of a connection: the latest.
inline constexpr std::size_t kMostPastAlerts = 10'000;

/// The alerts that a watcher with these rules would have told while the trace was recorded: AlertWatch over the reports
/// that the trace keeps. Each connection has a list, in the order in which its alerts began. A long trace of many locks
/// is looked at in larger steps of time, so that an alert may begin some seconds late. Returns early, with what was
/// found so far, once `stop` was requested.
std::vector<std::vector<PastAlert>>
alertsIn(const trace::Trace& trace, const std::vector<JudgedConnection>& connections, const std::stop_token& stop = {});

} // namespace lockscope::inspect
