// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/recording.h"

namespace lockscope::trace {

/// As BackgroundRecording, of a trace that nobody else reads: rows leave memory as soon as they are in the file, so
/// that a recording may go on for days. Names stay in memory: each is written once, and its id lasts to the end. While
/// the file cannot be written, rows wait in memory.
class ForgetfulRecording {
public:
    /// Replaces a file of that name. The writer goes on writing `trace`, and reads no row of it but the last. `onError`
    /// is called on the recording's thread, once per new kind of error; the recording keeps trying.
    static std::expected<std::unique_ptr<ForgetfulRecording>, RecordingError>
    start(const QString& path, const std::shared_ptr<Trace>& trace, const RecordingMeta& meta,
          std::function<void(const RecordingError&)> onError = {});
    /// As if the program were killed: see BackgroundRecording.
    ~ForgetfulRecording();
    /// Writes the rest, waits for that, and closes the file. The digest of all rows takes one pass through the file.
    std::expected<void, RecordingError> finish();

private:
    struct Impl;
    explicit ForgetfulRecording(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace lockscope::trace
