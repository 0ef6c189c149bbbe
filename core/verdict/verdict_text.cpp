// SPDX-License-Identifier: Apache-2.0
#include "trace/time_text.h"
#include "trace/trace_time.h"
#include "verdict/verdict.h"
#include "verdict/why.h"
#include "verdict/words.h"

namespace lockscope::verdict {

QString invariantName(Invariant invariant) {
    switch (invariant) {
    case Invariant::MutualExclusion:
        return Words::tr("mutual exclusion");
    case Invariant::StaleWrite:
        return Words::tr("no stale write");
    case Invariant::Ownership:
        return Words::tr("ownership");
    case Invariant::Progress:
        return Words::tr("progress");
    case Invariant::Reentrancy:
        return Words::tr("reentrancy");
    case Invariant::Fifo:
        return Words::tr("queue order");
    case Invariant::TokenOrder:
        return Words::tr("token order");
    case Invariant::NoDeadlock:
        return Words::tr("no deadlock");
    }
    return {};
}

QString invariantMeaning(Invariant invariant) {
    switch (invariant) {
    case Invariant::MutualExclusion:
        return Words::tr("No two clients believe at one time that they hold the lock, unless they share it as readers "
                         "or within its permits.");
    case Invariant::StaleWrite:
        return Words::tr("The guarded resource never accepts a write from a client that no longer holds the lock.");
    case Invariant::Ownership:
        return Words::tr("No client releases or renews a hold that is not its own.");
    case Invariant::Progress:
        return Words::tr(
            "While a live, connected client waits and nobody alive holds the lock, it is granted in time.");
    case Invariant::Reentrancy:
        return Words::tr("Hold counts rise and fall by one, and the lock is free at zero.");
    case Invariant::Fifo:
        return Words::tr("A lock that promises fairness is granted in the order in which it was asked for.");
    case Invariant::TokenOrder:
        return Words::tr("Fencing tokens grow with every new holder.");
    case Invariant::NoDeadlock:
        return Words::tr("Nobody waits for a lock whose holder waits, directly or through others, for one of theirs.");
    }
    return {};
}

namespace {

/// The state of things while an invariant is violated, as it begins a headline.
QString violationName(Invariant invariant) {
    switch (invariant) {
    case Invariant::MutualExclusion:
        return Words::tr("mutual exclusion violated");
    case Invariant::StaleWrite:
        return Words::tr("stale write");
    case Invariant::Ownership:
        return Words::tr("ownership violated");
    case Invariant::Progress:
        return Words::tr("no progress");
    case Invariant::Reentrancy:
        return Words::tr("hold count wrong");
    case Invariant::Fifo:
        return Words::tr("queue order violated");
    case Invariant::TokenOrder:
        return Words::tr("token order violated");
    case Invariant::NoDeadlock:
        return Words::tr("deadlock");
    }
    return {};
}

} // namespace

Nanos countedTo(const Violation& v, const trace::Trace& trace, Nanos at) {
    return std::max(v.to == kNever ? std::min(at, trace.reached()) : v.to, v.from);
}

QString headline(const Violation& v, const trace::Trace& trace, Nanos at) {
    const QString name = violationName(v.invariant);
    const Nanos length = countedTo(v, trace, at) - v.from;
    const QString from = instantText(trace, v.from, length);
    if (v.to == kNever)
        //: %1 a violation, such as "deadlock"; %2 how long, %3 when it began.
        return Words::tr("%1 for %2 so far, since %3").arg(name, lengthText(v.from, v.from + length), from);
    if (length == 0ns) return Words::tr("%1 at %2").arg(name, from);
    return Words::tr("%1 for %2, from %3").arg(name, lengthText(v.from, v.from + length), from);
}

QString shortHeadline(const Violation& v, const trace::Trace& trace, Nanos at) {
    const QString name = violationName(v.invariant);
    const Nanos end = countedTo(v, trace, at);
    if (v.to == kNever) return Words::tr("%1 for %2 so far").arg(name, lengthText(v.from, end));
    if (end == v.from) return headline(v, trace, at);
    return Words::tr("%1 for %2").arg(name, lengthText(v.from, end));
}

QString headline(const Violation& v, const trace::Trace& trace) {
    return headline(v, trace, kNever);
}

QString shortHeadline(const Violation& v, const trace::Trace& trace) {
    return shortHeadline(v, trace, kNever);
}

} // namespace lockscope::verdict
