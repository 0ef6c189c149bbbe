// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"
#include "runtime/runtime.h"
#include "trace/recorder.h"

namespace lockscope {

/// One client process as its locks see it. `runtime` and `recorder` must outlive the locks and their coroutines.
struct LockClient {
    Runtime& runtime;
    QByteArray uuid;                           ///< identity on the servers; 36 characters
    trace::Recorder* recorder = nullptr;       ///< nullptr: no trace
    trace::EntityId entity = trace::kNoEntity; ///< this client in the trace

    /// The thread's entity in the trace; kNoEntity without a recorder.
    trace::EntityId thread(const QByteArray& number) const {
        if (!recorder) return trace::kNoEntity;
        return recorder->trace().intern(trace::EntityKind::Thread, number, entity);
    }
};

} // namespace lockscope
