// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/recorder.h"

namespace lockscope::recipes {

/// Writes to the trace at which numbered step of its recipe a thread stands. Does nothing without a recorder.
struct Steps {
    trace::Recorder* recorder = nullptr;
    trace::EntityId thread = trace::kNoEntity;
    trace::EntityId lock = trace::kNoEntity;
    std::uint32_t current = 0;

    /// The thread has reached `step`; written only when it changes.
    void at(std::uint32_t step) {
        if (!recorder || step == current) return;
        current = step;
        recorder->emit(trace::EventKind::Step, thread, lock, 0, step);
    }
};

} // namespace lockscope::recipes
