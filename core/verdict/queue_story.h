// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/verdict.h"

namespace lockscope::verdict {

/// How the waiter that was overtaken had lost its place in the server's queue, of a violation of the queue's order;
/// empty: the trace does not tell. Translated. `length`: instants are rounded by it.
QString lostPlaceText(const Violation& violation, Nanos length, const trace::Trace& trace);

} // namespace lockscope::verdict
