// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

namespace lockscope::verdict {

/// The row that says why a server does not run at row `end`: it was paused, or died; nullopt: it runs, or nothing is
/// told of it nearby.
std::optional<trace::Event> standstillBefore(trace::EntityId server, std::size_t end, const trace::Trace& trace);

} // namespace lockscope::verdict
