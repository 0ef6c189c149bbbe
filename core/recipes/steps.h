// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/step_number.h"
#include "trace/recorder.h"

namespace lockscope::recipes {

/// Writes to the trace at which numbered step of its recipe a thread stands. Does nothing without a recorder.
struct Steps {
    trace::Recorder* recorder = nullptr;
    trace::EntityId thread = trace::kNoEntity;
    trace::EntityId lock = trace::kNoEntity;
    std::uint32_t current = 0;

    /// The thread has reached `step`; written only when it changes.
    void at(StepNumber step) {
        if (!recorder || step.number() == current) return;
        current = step.number();
        recorder->emit(trace::EventKind::Step, thread, lock, 0, current);
    }
    /// The thread has left the recipe: it neither holds the lock nor waits for it.
    void leave() { at(StepNumber()); }
};

} // namespace lockscope::recipes
