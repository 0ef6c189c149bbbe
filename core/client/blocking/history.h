// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"
#include "trace/recorder.h"

namespace lockscope::blocking::detail {

/// A recorder that writes lock history into `trace`, on the runtime's thread; times count from the runtime's start.
/// nullptr when `trace` is nullptr.
std::unique_ptr<trace::Recorder> recorderFor(Runtime& runtime, const std::shared_ptr<trace::Trace>& trace);

} // namespace lockscope::blocking::detail
