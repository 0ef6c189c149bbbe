// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <QString>
#include <optional>

// Instants of a trace as text for people: by the local time of day where the trace knows it, so that they can be found
// in other people's logs; since the beginning in simulations, which happen on no day (trace/time_text.h).

namespace lockscope {

/// Whether its instants are told by the time of day.
bool tellsTimeOfDay(const trace::Trace& trace);

/// "14:32:07.253", with as many decimals as tell instants `scale` apart: none from 1 s on, milliseconds from 10 ms on
/// or where `scale` is 0, else microseconds. An instant of another day than the trace's first one has its date before
/// it: "11-28 00:00:02". Rounded down. kNever gives "never". Without a time of day: as instantText(t, scale).
QString instantText(const trace::Trace& trace, Nanos t, Nanos scale = Nanos(0));

/// "14:32:06 – 14:32:17"; to = kNever: "14:32:06 – now", with as many decimals as tell `from` and `now` apart.
QString intervalText(const trace::Trace& trace, Nanos from, Nanos to, Nanos now = kNever);

/// A clock of constant width as long as the day lasts: "14:32:07.253", or as clockText(t).
QString clockText(const trace::Trace& trace, Nanos t);

/// By which clock, and on which day: "UTC+1 · 2026-11-27". Empty without a time of day.
QString dayText(const trace::Trace& trace, Nanos t);

/// How far its origin is behind a full local day, 0 without a time of day: marks of an axis at multiples of a step
/// after that are round by the clock.
Nanos timeOfDayAtOrigin(const trace::Trace& trace);

/// The instant that is meant by a time of day, "14:32", "14:32:07" or "14:32:07.25": on the day of the trace's origin,
/// or on the next one when it was earlier in the day and the trace's end is nearer to that. Negative: it was before the
/// trace began; it may be later than the trace's end. nullopt: `text` is no time of day, or the trace knows none.
std::optional<Nanos> instantOfDay(const trace::Trace& trace, const QString& text);

} // namespace lockscope
