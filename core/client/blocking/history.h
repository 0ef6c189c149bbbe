// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"
#include "runtime/runtime.h"
#include "trace/recorder.h"

#include <expected>
#include <lockscope/history.h>

namespace lockscope::blocking::detail {

/// Writes the history of locks on the runtime's thread; times count from the runtime's start. A trace has one writer,
/// and one beginning of its times: while this lives, and for ever once it has written, no other may.
class HistoryWriter {
public:
    /// Refused when another writes the history, or has written it.
    static std::expected<std::unique_ptr<HistoryWriter>, LockError> make(Runtime& runtime,
                                                                         std::shared_ptr<History> history);
    ~HistoryWriter();
    HistoryWriter(const HistoryWriter&) = delete;
    HistoryWriter& operator=(const HistoryWriter&) = delete;

    trace::Recorder& recorder() { return m_recorder; }
    bool writes(const std::shared_ptr<History>& history) const { return m_history == history; }

private:
    HistoryWriter(Runtime& runtime, std::shared_ptr<History> history);
    std::shared_ptr<History> m_history;
    trace::Recorder m_recorder;
};

} // namespace lockscope::blocking::detail
