// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

#include <algorithm>

namespace lockscope::trace {

/// Whether Event::value is an instant.
inline bool valueIsInstant(EventKind kind) {
    switch (kind) {
    case EventKind::BelievedUntil:
    case EventKind::RecordHeld:
    case EventKind::RecordRenewed:
    case EventKind::RecordDeadline:
    case EventKind::RecordHolder:
    case EventKind::RecordRenewalMissed:
    case EventKind::RecordRenewalsStopped:
        return true;
    default:
        return false;
    }
}

/// An instant by a time that begins later by `begins`, which may be negative. Negative instants mean something else,
/// and stay; one before the beginning is the beginning.
inline std::int64_t shiftedInstant(std::int64_t instant, Nanos begins) {
    if (instant < 0) return instant;
    if (begins < Nanos(0) && instant > INT64_MAX + begins.count()) return INT64_MAX; // a server may tell any end
    return std::max<std::int64_t>(instant - begins.count(), 0);
}

/// A row by a time that begins later by `begins`, which may be negative.
inline Event shifted(Event event, Nanos begins) {
    event.at = shiftedInstant(event.at, begins);
    if (valueIsInstant(event.kind)) event.value = shiftedInstant(event.value, begins);
    if (event.kind == EventKind::RecordSince) event.value -= begins.count(); // it may be before the beginning
    return event;
}

} // namespace lockscope::trace
