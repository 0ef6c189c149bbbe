// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

namespace lockscope::trace {

/// Whether a row says that a client gives some permits of a hold back, Event::value of them, and keeps the others: its
/// belief goes on, and no Released follows. Each other ReleaseSent, of value 0, gives a whole hold back.
constexpr bool givesBackPart(const Event& event) {
    return event.kind == EventKind::ReleaseSent && event.value > 0;
}

} // namespace lockscope::trace
