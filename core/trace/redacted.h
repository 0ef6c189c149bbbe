// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

namespace lockscope::trace {

/// A copy of a trace without anybody's names, to be shown to others: clients, locks, servers and resources are
/// "client-1", "lock-1", …, in the order in which they turned up; equal names stay equal. Lockscope's own
/// texts are kept: roles, formats, recipes, settings; contents, commands, reasons and addresses become "…".
std::shared_ptr<const Trace> redacted(const Trace& trace);

} // namespace lockscope::trace
