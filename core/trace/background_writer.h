// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/recording.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace lockscope::trace {

/// Keeps a recording of a growing trace up to date from a thread of its own, four times a second. Serves
/// BackgroundRecording and ForgetfulRecording.
class BackgroundWriter {
public:
    struct Plan {
        QString path;
        std::shared_ptr<const Trace> trace;
        RecordingMeta meta;
        std::function<void(const RecordingError&)> onError; ///< see BackgroundRecording
        /// The rows before this one are in the file for good. Called on the recording's thread; may be missing.
        std::function<void(std::size_t row)> onWritten;
    };
    explicit BackgroundWriter(Plan plan) : m_plan(std::move(plan)) {}
    /// As if the program were killed.
    ~BackgroundWriter() = default;
    BackgroundWriter(const BackgroundWriter&) = delete;
    BackgroundWriter& operator=(const BackgroundWriter&) = delete;

    /// Makes the file, and begins. Called once, first.
    std::expected<void, RecordingError> start();
    /// See BackgroundRecording.
    std::expected<void, RecordingError> finish(const RecordingMeta* meta,
                                               const std::vector<RecordedViolation>& violations);

private:
    void run(std::stop_token stop);
    bool waitForStop(std::stop_token stop);

    Plan m_plan;
    std::mutex m_mutex; ///< protects what the recording thread and its owner share: m_started, m_finishing
    std::condition_variable_any m_changed;
    std::optional<std::expected<void, RecordingError>> m_started;
    bool m_finishing = false;
    // Handed over by starting and by joining the thread:
    std::optional<RecordingMeta> m_lastMeta;
    std::vector<RecordedViolation> m_violations;
    std::expected<void, RecordingError> m_result;
    std::jthread m_thread; ///< last: it uses all of the above
};

} // namespace lockscope::trace
