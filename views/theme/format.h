// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/trace_time.h"

#include <QString>

namespace lockscope::views {

/// "—": there is none. Never to be used for "we do not know".
QString none();
/// "unknown": this format does not say.
QString unknown();
/// "never": no deadline.
QString never();

// Shorter names for the functions of trace/time_text.h and trace/trace_time.h.

/// durationText(): "4.2 s".
QString duration(Nanos d);
/// An instant of a trace, to the millisecond: "6.812 s", "1:06.812", or "14:32:07.253" (trace/trace_time.h).
QString instant(const trace::Trace& trace, Nanos t);
/// An instant of a trace where there is little room: "6.0 s", "1:06.8", or "14:32:07".
QString instantShort(const trace::Trace& trace, Nanos t);
/// intervalText(): "6.0 – 7.2 s", or "14:32:06 – 14:32:17"; with to = kNever "6.0 s – now".
QString interval(const trace::Trace& trace, Nanos from, Nanos to, Nanos now = kNever);
/// Thousands kept apart by thin spaces: "1 284".
QString count(std::int64_t n);
/// Large and approximate: "950", "1.02 M", "38 k".
QString countShort(double n);
/// "2.1 kB", "950 B".
QString bytes(double n);
/// "1×", "0.25×", "100×".
QString speedText(double speed);

} // namespace lockscope::views
