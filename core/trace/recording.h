// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <expected>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace lockscope::trace {

/// Why a recording could not be read or written. The message is a translated sentence or two: what, where, what to do.
struct RecordingError {
    enum class Kind : std::uint8_t {
        NotFound,     ///< no such file
        CannotOpen,   ///< not allowed, or the file is in use
        NotRecording, ///< some other kind of file
        Newer,        ///< written by a newer Lockscope
        Damaged,      ///< truncated or changed; what lies before the damage has been read
        WriteFailed,  ///< disk full, file gone, …
        Cancelled,
    };
    Kind kind = Kind::CannotOpen;
    QString message;
};

/// What a recording says about itself.
struct RecordingMeta {
    QByteArray scenario; ///< JSON text of a scenario, empty when there was none
    std::uint64_t seed = 0;
    QString recipe;                   ///< id
    QString origin;                   ///< "simulated", "sandbox" or an endpoint; never a password
    std::int64_t progressBoundNs = 0; ///< the bound that `progress` was judged by, 0 = not given

    // Written by the writer, whatever it is given here:
    QByteArray digest;     ///< of the whole trace; empty while not finished
    bool finished = false; ///< false: the program was killed while recording; all but the last second is there
    std::size_t rows = 0;
    std::int64_t originWallMs = 0;
    Nanos reached{};

    // Found out by the reader.
    enum class Seal : std::uint8_t {
        Missing, ///< an older recording, or one that is not finished: only its events are covered by a digest
        Whole,
        Broken, ///< something of the above was changed after it was recorded
    };
    Seal seal = Seal::Missing;
};

/// A violation as a recording stores it, so that one may query it with any SQLite tool. Readers judge anew.
struct RecordedViolation {
    QByteArray invariant;
    EntityId lock = kNoEntity;
    Nanos from{}, to{}; ///< to = kNever: was still going on
    QString actors, explanation;
};

/// Writes a growing trace into a recording, a piece at a time. Each piece is one transaction: whatever kills the
/// program, the file holds everything up to the last piece. Belongs to one thread; that need not be the trace's writer.
class RecordingWriter {
public:
    /// Makes the file, replacing one of that name.
    static std::expected<std::unique_ptr<RecordingWriter>, RecordingError>
    create(const QString& path, std::shared_ptr<const Trace> trace, const RecordingMeta& meta);
    ~RecordingWriter();

    /// Writes what came since the last time. After an error the next call tries again.
    std::expected<void, RecordingError> write();
    /// Replaces the stored violations.
    std::expected<void, RecordingError> writeViolations(const std::vector<RecordedViolation>& violations);
    /// Replaces what the recording says about itself: the scenario may have changed by hand.
    void setMeta(const RecordingMeta& meta);
    /// Writes the rest, its digest, and that the recording is whole. What the trace gets meanwhile is not in it.
    std::expected<void, RecordingError> finish();

private:
    struct Impl;
    explicit RecordingWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Saves a whole trace at once. The file appears under its name only when it is complete.
std::expected<void, RecordingError> saveRecording(const QString& path, std::shared_ptr<const Trace> trace,
                                                  const RecordingMeta& meta,
                                                  const std::vector<RecordedViolation>& violations = {});

/// Keeps a recording of a growing trace up to date from a thread of its own, twice a second and more.
class BackgroundRecording {
public:
    /// `onError` is called on the recording thread, once for each new kind of trouble; the recording goes on trying.
    static std::expected<std::unique_ptr<BackgroundRecording>, RecordingError>
    start(const QString& path, std::shared_ptr<const Trace> trace, const RecordingMeta& meta,
          std::function<void(const RecordingError&)> onError = {});
    /// As killed: what was written stays, and the recording is not marked as finished. Call finish() first.
    ~BackgroundRecording();
    /// Writes the rest and closes the file; waits for it. The last metadata and violations, when given, replace the
    /// first. The first error, if any; without room for the violations the rows are written all the same.
    std::expected<void, RecordingError> finish(const RecordingMeta* meta = nullptr,
                                               const std::vector<RecordedViolation>& violations = {});

private:
    struct Impl;
    explicit BackgroundRecording(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Reads a recording into a trace, growing it from the front so that others can look at what is there already. open()
/// and load() belong to one thread, usually a worker's; the trace may be read from any. One object reads once.
class RecordingReader {
public:
    explicit RecordingReader(const QString& path);
    ~RecordingReader();

    /// The trace that load() fills; there from the start, empty.
    std::shared_ptr<Trace> trace() const;

    /// Opens the file and reads what it says about itself and all names.
    std::expected<RecordingMeta, RecordingError> open();

    struct Progress {
        std::size_t rows = 0, total = 0;
    };
    /// Reads all rows, and what came since open() where the file is still being written: what is in it at one moment.
    /// Whoever writes it waits until the end. Calls `progress` about fifty times on the way, first after about 100 000
    /// rows. On damage and on cancellation the trace keeps what was read.
    std::expected<void, RecordingError> load(const std::function<void(Progress)>& progress = {},
                                             std::stop_token stop = {});
    /// What the file said about itself when open() or load() looked at it last.
    const RecordingMeta& meta() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// A whole recording at once, for programs without a window.
struct LoadedRecording {
    std::shared_ptr<Trace> trace;
    RecordingMeta meta;
    std::optional<RecordingError> damage; ///< the trace holds what lies before it
};
/// Reads it on the calling thread; a file that is none, or of a later format, is an error with a sentence.
std::expected<LoadedRecording, RecordingError> loadRecording(const QString& path);

} // namespace lockscope::trace
