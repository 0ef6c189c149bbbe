// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/verdict.h"

namespace lockscope::verdict {

/// explain() without its first sentence, where that only repeats headline(): the events that led to the violation, and
/// why the lock allowed it. Never empty. Translated.
QString why(const Violation& violation, const trace::Trace& trace);

/// The first sentence of explain(): who did what to which lock, when and for how long; of a deadlock, who waits for
/// whom. Never empty. Translated.
QString whatHappened(const Violation& violation, const trace::Trace& trace);

/// The longest of the usual sentences of why(), in the language in use: a view makes room for it before it knows which
/// ones will come. A few are longer still. Never empty.
QString longestUsualWhy();

} // namespace lockscope::verdict
