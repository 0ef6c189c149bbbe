// SPDX-License-Identifier: Apache-2.0
#include "trace/ring_recording.h"

#include "trace/excerpt.h"
#include "trace/recording_errors.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

namespace lockscope::trace {

namespace {

constexpr auto kPeriod = std::chrono::milliseconds(500); // less than the last second is missing
constexpr std::size_t kMostRows = 2'000'000;             // of one file: past() reads both, some 75 MB each

using PastOrError = std::expected<RingRecording::Past, RecordingError>;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Recording)
};

/// Appends rows of a file whose time begins at `begins`, from row `first` on and up to that instant.
void appendRows(Trace& to, const Trace& file, std::size_t first, Nanos begins, Nanos upTo) {
    for (std::size_t row = first; row < file.size(); ++row) {
        const Event event = shifted(file.at(row), -begins);
        if (event.time() > upTo) return;
        to.append(event);
    }
}

} // namespace

QString fileBefore(const QString& path) {
    const QFileInfo info(path);
    if (info.suffix().isEmpty()) return path + QStringLiteral(".before");
    return info.dir().filePath(info.completeBaseName() + QStringLiteral(".before.") + info.suffix());
}

bool HalfFull::operator()(const QString& path, Nanos since, const RecordingBounds& bounds) {
    constexpr std::int64_t kOnTheirWay = 2; // what came last, and what came while that was written
    const std::int64_t before = std::exchange(m_size, QFileInfo(path).size());
    m_growth = std::max(m_growth, m_size < before ? m_size : m_size - before); // smaller: it is another file
    if (bounds.keep != kNever && since >= bounds.keep / 2) return true;
    return m_size >= bounds.mostBytes / 2 - std::min(kOnTheirWay * m_growth, bounds.mostBytes / 4);
}

std::expected<void, QString> makeRoomFor(const QString& path) {
    const QString before = fileBefore(path);
    QFile::remove(before); // there may be none; else the new name is refused
    if (QFile file(path); !file.rename(before))
        return std::unexpected(Words::tr("%1 cannot be renamed to %2: %3").arg(path, before, file.errorString()));
    return {};
}

struct RingRecording::Impl {
    void run(std::stop_token stop) {
        while (begin()) {
            while (!wait(stop)) {
                write();
                answer();
                if (isHalfFull(path, excerpt->trace()->reached(), bounds)) break;
                if (excerpt->trace()->size() >= kMostRows) break;
            }
            follow();
            if (const auto done = writer->finish(); !done && onError) onError(done.error());
            writer.reset();
            if (stop.stop_requested()) break;
            spanBefore = excerpt->trace()->reached();
            const auto room = makeRoomFor(path);
            if (!room && onError) onError({RecordingError::Kind::WriteFailed, room.error()});
            beganBefore = room ? std::optional(excerpt->begins()) : std::nullopt;
        }
        const std::scoped_lock lock(mutex);
        ended = true;
        for (std::promise<PastOrError>& one : asked)
            one.set_value(nothing());
        asked.clear();
    }

    /// False: it cannot be written, and the owner was told.
    bool begin() {
        // Where the file before ends, so that no row is in neither.
        const Nanos from = excerpt ? excerpt->begins() + excerpt->trace()->reached() : trace->reached();
        excerpt.emplace(trace, from);
        auto created = RecordingWriter::create(path, excerpt->trace(), meta); // the connection is this thread's
        if (!created && onError) onError(created.error());
        if (created) writer = std::move(*created);
        return created.has_value();
    }

    void follow() {
        std::vector<Next> following;
        {
            const std::scoped_lock lock(mutex);
            following.swap(next);
        }
        for (Next& one : following) {
            excerpt->goOnIn(one.trace, one.row);
            trace = std::move(one.trace);
        }
        excerpt->follow();
    }

    void write() {
        follow();
        const auto written = writer->write();
        if (written) excerpt->forget(excerpt->trace()->size()); // this thread writes them
        errors.take(written);
        span = (spanBefore + excerpt->trace()->reached()).count();
        bytes = QFileInfo(path).size() + QFileInfo(fileBefore(path)).size();
    }

    void answer() {
        std::vector<std::promise<PastOrError>> now;
        {
            const std::scoped_lock lock(mutex);
            now.swap(asked);
        }
        for (std::promise<PastOrError>& one : now)
            one.set_value(read());
    }

    PastOrError read() const {
        const auto present = loadRecording(path);
        if (!present) return std::unexpected(present.error());
        if (present->damage) return std::unexpected(*present->damage);
        Past past{std::make_shared<Trace>(), excerpt->begins()};
        past.trace->setOriginWallMs(trace->originWallMs());
        BulkLoader names(*past.trace);
        for (std::size_t id = past.trace->entityCount(); id < excerpt->trace()->entityCount(); ++id)
            names.addEntity(excerpt->trace()->entity(EntityId(id)));
        const auto before = beganBefore ? loadRecording(fileBefore(path)) : std::unexpected(RecordingError{});
        const bool isThere = before && !before->damage; // else somebody has removed it
        if (isThere) {
            appendRows(*past.trace, *before->trace, 0, *beganBefore, excerpt->begins());
            past.from = *beganBefore;
        }
        appendRows(*past.trace, *present->trace, isThere ? excerpt->openingRows() : 0, excerpt->begins(), kNever);
        past.trace->reach(excerpt->begins() + excerpt->trace()->reached());
        return past;
    }

    PastOrError nothing() const {
        return std::unexpected(
            RecordingError{RecordingError::Kind::NotFound, Words::tr("Nothing is recorded in %1 any more.").arg(path)});
    }

    bool wait(std::stop_token stop) {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, stop, kPeriod, [this] { return !asked.empty(); });
        return stop.stop_requested();
    }

    /// The trace in which the one before it goes on.
    struct Next {
        std::shared_ptr<const Trace> trace;
        std::size_t row = 0;
    };

    QString path;
    std::shared_ptr<const Trace> trace;
    std::vector<Next> next;                       ///< under the mutex
    std::vector<std::promise<PastOrError>> asked; ///< under the mutex
    bool ended = false;                           ///< under the mutex: nobody answers any more
    RecordingMeta meta;
    RecordingBounds bounds;
    std::function<void(const RecordingError&)> onError;
    RecordingErrors errors{onError};
    std::optional<Excerpt> excerpt;
    std::unique_ptr<RecordingWriter> writer;
    HalfFull isHalfFull;
    std::optional<Nanos> beganBefore; ///< the file before, by the trace's time; nullopt: there is none
    Nanos spanBefore{};               ///< of the file before
    std::atomic<std::int64_t> span = 0, bytes = 0;
    std::mutex mutex;
    std::condition_variable_any changed;
    std::jthread thread; ///< last: it uses all of the above
};

RingRecording::RingRecording(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {
}

RingRecording::~RingRecording() = default;

RingRecording::Kept RingRecording::kept() const {
    return {.span = Nanos(m_impl->span), .bytes = m_impl->bytes};
}

std::expected<RingRecording::Past, RecordingError> RingRecording::past() const {
    std::promise<PastOrError> answer;
    std::future<PastOrError> comes = answer.get_future();
    {
        const std::scoped_lock lock(m_impl->mutex);
        if (m_impl->ended) return m_impl->nothing();
        m_impl->asked.push_back(std::move(answer));
    }
    m_impl->changed.notify_all();
    return comes.get();
}

void RingRecording::goOnIn(std::shared_ptr<const Trace> trace, std::size_t row) {
    const std::scoped_lock lock(m_impl->mutex);
    m_impl->next.push_back({std::move(trace), row});
}

std::unique_ptr<RingRecording> RingRecording::start(const QString& path, std::shared_ptr<const Trace> trace,
                                                    const RecordingMeta& meta, const RecordingBounds& bounds,
                                                    std::function<void(const RecordingError&)> onError) {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->trace = std::move(trace);
    impl->meta = meta;
    impl->bounds = bounds;
    impl->onError = std::move(onError);
    impl->errors = RecordingErrors(impl->onError);
    QFile::remove(fileBefore(path));
    impl->thread = std::jthread([raw = impl.get()](std::stop_token stop) { raw->run(std::move(stop)); });
    return std::unique_ptr<RingRecording>(new RingRecording(std::move(impl))); // the constructor is private
}

} // namespace lockscope::trace
