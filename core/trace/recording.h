// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <expected>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace lockscope::trace {

/// Why a recording could not be read or written. The message is translated, one or two sentences: what, where, what to
/// do.
struct RecordingError {
    enum class Kind : std::uint8_t {
        NotFound,     ///< no such file
        CannotOpen,   ///< not allowed, or the file is in use
        NotRecording, ///< some other kind of file
        Newer,        ///< written by a newer Lockscope
        Damaged,      ///< truncated or changed; the rows before the damage have been read
        WriteFailed,  ///< disk full, file gone, …
        Cancelled,
    };
    Kind kind = Kind::CannotOpen;
    QString message;
};

/// A recording's description of itself.
struct RecordingMeta {
    QByteArray scenario; ///< JSON text of the scenario; empty when there was none
    std::uint64_t seed = 0;
    QString recipe;                   ///< id
    QString origin;                   ///< "simulated", "sandbox" or an endpoint; never a password
    std::int64_t progressBoundNs = 0; ///< the time bound with which invariant `progress` was judged, 0 = not given

    // Set by the writer; values given here are ignored:
    QByteArray digest;     ///< the digest of the whole trace; empty while not finished
    bool finished = false; ///< false: the program was killed while recording; at most the last second is missing
    std::size_t rows = 0;
    std::int64_t originWallMs = 0;
    Nanos reached{};

    // Set by the reader:
    enum class Seal : std::uint8_t {
        Missing, ///< an older or unfinished recording: a digest covers only its events
        Whole,
        Broken, ///< the metadata above were changed after recording
    };
    Seal seal = Seal::Missing;
};

/// A violation as a recording stores it, for queries with any SQLite tool. Lockscope judges again when it reads.
struct RecordedViolation {
    QByteArray invariant;
    EntityId lock = kNoEntity;
    Nanos from{}, to{}; ///< to = kNever: it was still going on
    QString actors, explanation;
};

/// Writes a growing trace into a recording, piece by piece. Each piece is one transaction, so after a crash the file
/// contains everything up to the last piece. Belongs to one thread, which need not be the trace's writer.
class RecordingWriter {
public:
    /// Creates the file; replaces an existing one of that name.
    static std::expected<std::unique_ptr<RecordingWriter>, RecordingError>
    create(const QString& path, std::shared_ptr<const Trace> trace, const RecordingMeta& meta);
    ~RecordingWriter();

    /// Writes the rows added since the last call. After an error, the next call tries again.
    std::expected<void, RecordingError> write();
    /// Replaces the stored violations.
    std::expected<void, RecordingError> writeViolations(const std::vector<RecordedViolation>& violations);
    /// Replaces the recording's metadata: the user may have changed the scenario.
    void setMeta(const RecordingMeta& meta);
    /// Writes the remaining rows, the digest and the mark of completeness. Rows added during the call are not included.
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

/// Keeps a recording of a growing trace up to date from its own thread, four times a second.
class BackgroundRecording {
public:
    /// `onError` is called on the recording thread, once per new kind of error; the recording keeps trying.
    static std::expected<std::unique_ptr<BackgroundRecording>, RecordingError>
    start(const QString& path, std::shared_ptr<const Trace> trace, const RecordingMeta& meta,
          std::function<void(const RecordingError&)> onError = {});
    /// As if the program were killed: written rows stay, and the recording is not marked as finished. Call finish()
    /// first.
    ~BackgroundRecording();
    /// Writes the rest, waits for that, and closes the file. `meta` and `violations`, when given, replace the earlier
    /// ones. Returns the first error, if any; when there is no room for the violations, the rows are written all the
    /// same.
    std::expected<void, RecordingError> finish(const RecordingMeta* meta = nullptr,
                                               const std::vector<RecordedViolation>& violations = {});

private:
    struct Impl;
    explicit BackgroundRecording(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Reads a recording into a trace, from the front, so that readers can use the part that is loaded. open() and load()
/// belong to one thread, usually a worker; any thread may read the trace. An object reads one recording, once.
class RecordingReader {
public:
    explicit RecordingReader(const QString& path);
    ~RecordingReader();

    /// The trace that load() fills; exists from the start, empty.
    std::shared_ptr<Trace> trace() const;

    /// Opens the file; reads its metadata and all names.
    std::expected<RecordingMeta, RecordingError> open();

    struct Progress {
        std::size_t rows = 0, total = 0;
    };
    /// Reads all rows of one snapshot of the file, which may include rows added since open(). A writer of the file
    /// waits until the end. Calls `progress` about fifty times at most, first after about 100 000 rows, and at the end.
    /// After damage or cancellation the trace keeps the rows read.
    std::expected<void, RecordingError> load(const std::function<void(Progress)>& progress = {},
                                             std::stop_token stop = {});
    /// The metadata as open() or load() read it last.
    const RecordingMeta& meta() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// A whole recording, loaded at once, for programs without a window.
struct LoadedRecording {
    std::shared_ptr<Trace> trace;
    RecordingMeta meta;
    std::optional<RecordingError> damage; ///< the trace holds the rows before it
};
/// Reads the file on the calling thread. A file that is no recording, or of a later format, is an error with a
/// sentence.
std::expected<LoadedRecording, RecordingError> loadRecording(const QString& path);

} // namespace lockscope::trace
