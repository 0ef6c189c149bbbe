// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/recording.h"

namespace lockscope::trace {

/// How much of a recording that goes on for hours is kept.
struct RecordingBounds {
    Nanos keep = kNever;                ///< the time that the files reach back together, at least half of it
    std::int64_t mostBytes = INT64_MAX; ///< of both files together
};

/// The file with what came before: "night.before.lockscope" beside "night.lockscope".
QString fileBefore(const QString& path);

/// Tells when a file that is being written is to take the place of the one before it. Rows reach a file some time after
/// they came: it is full sooner by as much as it grows between two questions, so that both files stay within the
/// bounds.
class HalfFull {
public:
    /// `since`: how long ago the file was begun.
    bool operator()(const QString& path, Nanos since, const RecordingBounds& bounds);

private:
    std::int64_t m_size = 0, m_growth = 0; ///< bytes: when it was last asked about; the most between two questions
};

/// Gives a full file's place to a new one: it takes the place of the one before it. An error is a sentence; then the
/// new file replaces the full one.
std::expected<void, QString> makeRoomFor(const QString& path);

/// Records the end of a growing trace within bounds: in the file of that name, and what was before it in a second one.
/// When the first has half of what may be kept, it takes the second one's place, and a new one begins with the world as
/// it is then. Works on a thread of its own. Killed at any time, the files have all but the last second, or what comes
/// while past() reads them. Rows that are in a file leave memory.
class RingRecording {
public:
    /// Replaces files of these names. `onError`: called on the recording's thread, once per new kind of error.
    static std::unique_ptr<RingRecording> start(const QString& path, std::shared_ptr<const Trace> trace,
                                                const RecordingMeta& meta, const RecordingBounds& bounds,
                                                std::function<void(const RecordingError&)> onError = {});
    /// Writes the rest, and waits for that.
    ~RingRecording();
    /// As Excerpt::goOnIn(); the former trace is complete.
    void goOnIn(std::shared_ptr<const Trace> trace, std::size_t row);

    struct Kept {
        Nanos span{};           ///< how far the files reach back together
        std::int64_t bytes = 0; ///< of both
    };
    /// As it was half a second ago at most. Any thread; asks no disk.
    Kept kept() const;

    /// A recording, read back. Its first rows say how the world was at `from`, and since when that was so is not
    /// told; rows after that are those that the recorded trace had, at their times and with equal ids.
    struct Past {
        std::shared_ptr<Trace> trace; ///< by the recorded trace's time; the caller's own
        Nanos from{};
    };
    /// Reads both files, all that has happened by now included: takes up to seconds. Any thread but the recording's
    /// own. The error is a sentence: nothing is recorded, or the present file cannot be read.
    std::expected<Past, RecordingError> past() const;

private:
    struct Impl;
    explicit RingRecording(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace lockscope::trace
