// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/recording.h"

#include <optional>

namespace lockscope::trace {

/// Tells of a recording's errors, of each kind once for as long as it goes on: a full disk stays full for many writes.
class RecordingErrors {
public:
    explicit RecordingErrors(std::function<void(const RecordingError&)> tell) : m_tell(std::move(tell)) {}
    /// Takes the outcome of a write.
    void take(const std::expected<void, RecordingError>& written) {
        const bool isTold = !written && m_told == written.error().kind;
        if (!written && m_tell && !isTold) m_tell(written.error());
        m_told = written ? std::nullopt : std::optional(written.error().kind);
    }

private:
    std::function<void(const RecordingError&)> m_tell;
    std::optional<RecordingError::Kind> m_told; ///< of the failure that goes on
};

} // namespace lockscope::trace
