// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/process_supervisor.h"

namespace lockscope::sandbox {

/// Waits for the end of a process, at once when it does not run; false when it still runs after `patience`. Throws
/// Cancelled. `process` must outlive the call.
QCoro::Task<bool> hasEnded(Runtime& runtime, ProcessSupervisor& process, Nanos patience, std::stop_token stop = {});

/// Asks a process to end, and kills it when it has not done so after some seconds. Throws Cancelled. `process` must
/// outlive the call.
QCoro::Task<> endProcess(Runtime& runtime, ProcessSupervisor& process, std::stop_token stop = {});

} // namespace lockscope::sandbox
