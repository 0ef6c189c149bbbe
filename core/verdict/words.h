// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

namespace lockscope::verdict {

/// How explanations write a length of time: "250 µs", "80 ms", "1.2 s", "3 m 12 s", "8 h 12 m".
QString lengthText(Nanos length);

/// How they write an instant: seconds from the origin with as many decimals as tell instants `scale` apart, minutes
/// from 60 s on: "6.0 s", "6.012 s", "3 m 12.0 s".
QString instantText(Nanos t, Nanos scale);

/// The actor of a belief as a student calls it: "A" for the first thread of client A, "A · 2" for the second.
QString actorText(trace::EntityId thread, const trace::Trace& trace);

/// "A", "A and B", "A, B and C" in the user's language.
QString actorsText(const std::vector<trace::EntityId>& threads, const trace::Trace& trace);

/// Sentences one after the other, as the user's language spaces them.
QString paragraph(const QStringList& sentences);

} // namespace lockscope::verdict
