// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/recorder.h"

namespace lockscope::recipes {

/// Tells the trace at which numbered step of its recipe one thread stands. Silent without a recorder.
struct Steps {
    trace::Recorder* recorder = nullptr;
    trace::EntityId thread = trace::kNoEntity;
    trace::EntityId lock = trace::kNoEntity;
    std::uint32_t current = 0;

    /// The thread stands there now: written once, when it came.
    void at(std::uint32_t step) {
        if (!recorder || step == current) return;
        current = step;
        recorder->emit(trace::EventKind::Step, thread, lock, 0, step);
    }
};

} // namespace lockscope::recipes
