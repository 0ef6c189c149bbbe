// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"
#include "trace/recorder.h"

namespace lockscope::blocking::detail {

/// What writes the locks' history into a trace that somebody gave, on the runtime's thread, in times that count from
/// the runtime's beginning; nullptr when there is no trace.
std::unique_ptr<trace::Recorder> recorderFor(Runtime& runtime, const std::shared_ptr<trace::Trace>& trace);

} // namespace lockscope::blocking::detail
