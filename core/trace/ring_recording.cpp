// SPDX-License-Identifier: Apache-2.0
#include "trace/ring_recording.h"

#include "trace/excerpt.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace lockscope::trace {

namespace {
constexpr auto kPeriod = std::chrono::milliseconds(500); // with the writer's own, less than the last second is missing
constexpr std::size_t kMostRows = 2'000'000;             // of one file: all of them are in memory, some 75 MB
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
        return std::unexpected(QCoreApplication::translate("Recording", "%1 cannot be renamed to %2: %3")
                                   .arg(path, before, file.errorString()));
    return {};
}

struct RingRecording::Impl {
    void run(std::stop_token stop) {
        while (begin()) {
            while (!wait(stop)) {
                follow();
                measure();
                if (isHalfFull(path, excerpt->trace()->reached(), bounds)) break;
                if (excerpt->trace()->size() >= kMostRows) break;
            }
            follow();
            if (const auto done = recording->finish(&meta); !done && onError) onError(done.error());
            recording.reset();
            if (stop.stop_requested()) return;
            spanBefore = excerpt->trace()->reached();
            if (const auto room = makeRoomFor(path); !room && onError)
                onError({RecordingError::Kind::WriteFailed, room.error()});
        }
    }

    /// False: it cannot be written, and the owner was told.
    bool begin() {
        excerpt.emplace(trace, trace->reached());
        auto started = BackgroundRecording::start(path, excerpt->trace(), meta, onError);
        if (!started && onError) onError(started.error());
        if (started) recording = std::move(*started);
        return started.has_value();
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

    void measure() {
        span = (spanBefore + excerpt->trace()->reached()).count();
        bytes = QFileInfo(path).size() + QFileInfo(fileBefore(path)).size();
    }

    bool wait(std::stop_token stop) {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, stop, kPeriod, [] { return false; });
        return stop.stop_requested();
    }

    /// The trace in which the one before it goes on.
    struct Next {
        std::shared_ptr<const Trace> trace;
        std::size_t row = 0;
    };

    QString path;
    std::shared_ptr<const Trace> trace;
    std::vector<Next> next; ///< under the mutex
    RecordingMeta meta;
    RecordingBounds bounds;
    std::function<void(const RecordingError&)> onError;
    std::optional<Excerpt> excerpt;
    std::unique_ptr<BackgroundRecording> recording;
    HalfFull isHalfFull;
    Nanos spanBefore{}; ///< of the file before
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
    QFile::remove(fileBefore(path));
    impl->thread = std::jthread([raw = impl.get()](std::stop_token stop) { raw->run(std::move(stop)); });
    return std::unique_ptr<RingRecording>(new RingRecording(std::move(impl))); // the constructor is private
}

} // namespace lockscope::trace
