// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/verdict.h"

namespace lockscope::verdict {

// `at`: the instant that a picture shows. A violation that goes on is counted as far as that, and nothing later is
// told, as the trace may have been computed further; kNever: as far as the trace goes.

/// headline() of a violation as it stands at an instant.
QString headline(const Violation& violation, const trace::Trace& trace, Nanos at);
/// shortHeadline() as it stands at an instant.
QString shortHeadline(const Violation& violation, const trace::Trace& trace, Nanos at);
/// explain() as it stands at an instant.
QString explain(const Violation& violation, const trace::Trace& trace, Nanos at);

/// The end of a violation; while it goes on, the instant that it is counted to: `at`, or as far as the trace goes.
Nanos countedTo(const Violation& violation, const trace::Trace& trace, Nanos at);

/// explain() without its first sentence, where that only repeats headline(): the events that led to the violation, and
/// why the lock allowed it. Never empty. Translated.
QString why(const Violation& violation, const trace::Trace& trace, Nanos at = kNever);

/// The first sentence of explain(): who did what to which lock, when and for how long; of a deadlock, who waits for
/// whom. Never empty. Translated.
QString whatHappened(const Violation& violation, const trace::Trace& trace, Nanos at = kNever);

/// The longest of the usual sentences of why(), in the language in use: a view makes room for it before it knows which
/// ones will come. A few are longer still. Never empty.
QString longestUsualWhy();

} // namespace lockscope::verdict
