// SPDX-License-Identifier: Apache-2.0
#include "verdict/why_unknown.h"

#include "trace/look_back.h"
#include "trace/trace_time.h"
#include "verdict/words.h"

#include <map>

namespace lockscope::verdict {

namespace {

/// Nothing of the kind that the invariant is about was ever seen.
QString neverSeen(Invariant invariant) {
    switch (invariant) {
    case Invariant::MutualExclusion:
    case Invariant::Progress:
        return Words::tr("Nobody told what the clients believed.");
    case Invariant::StaleWrite:
        return Words::tr("Neither the clients' beliefs nor writes were observed.");
    case Invariant::Ownership:
        return Words::tr("The servers' record was not observed, or named nobody.");
    case Invariant::Reentrancy:
    case Invariant::Fifo:
    case Invariant::TokenOrder:
    case Invariant::NoDeadlock:
        break;
    }
    return Words::tr("Neither the clients' beliefs nor the servers' record were observed.");
}

/// The write that could not be judged since then: in a simulation that is certain only when the servers are back.
Nanos unjudgedWrite(Nanos since, const trace::Trace& trace) {
    std::map<trace::EntityId, Nanos> writes; // the first one of each lock without a token
    std::size_t row = trace.upperBound(since);
    for (const std::size_t last = trace::firstRowBefore(row); row-- > last && !trace.ofRealServers();) {
        const trace::EventKind kind = trace.kindAt(row);
        if (kind != trace::EventKind::WriteAccepted && kind != trace::EventKind::RecordUnobserved) continue;
        const trace::Event e = trace.at(row);
        if (kind == trace::EventKind::WriteAccepted && e.value == 0)
            writes[trace.entity(e.subject).parent] = e.time();
        else if (const auto write = writes.find(e.subject);
                 kind == trace::EventKind::RecordUnobserved && write != writes.end())
            return write->second;
    }
    return since;
}

} // namespace

QString whyUnknown(const Verdict& verdict, Invariant invariant, const trace::Trace& trace) {
    const auto index = static_cast<std::size_t>(invariant);
    if (verdict.outcomes[index] != Outcome::Unknown) return {};
    const Nanos since = verdict.unknownSince[index];
    if (since == Nanos(0) || since == kNever) return neverSeen(invariant);
    const QString at =
        instantText(trace, invariant == Invariant::StaleWrite ? unjudgedWrite(since, trace) : since, Nanos(0));
    switch (invariant) {
    case Invariant::StaleWrite:
        return Words::tr("The write at %1 could not be judged: the record did not show whether its client held the "
                         "lock.")
            .arg(at);
    case Invariant::Progress:
        return Words::tr("At %1 a client had waited for too long, and the record could not be seen meanwhile: nobody "
                         "knows whether the lock could be given.")
            .arg(at);
    case Invariant::Ownership:
        return Words::tr("From %1 on the record could not be seen for some time: nobody knows whose the lock was.")
            .arg(at);
    default:
        return neverSeen(invariant);
    }
}

} // namespace lockscope::verdict
