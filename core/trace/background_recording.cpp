// SPDX-License-Identifier: Apache-2.0
#include "trace/recording.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace lockscope::trace {

namespace {
constexpr auto kPeriod = std::chrono::milliseconds(250); // "all but the last second", with room for a slow disk
} // namespace

struct BackgroundRecording::Impl {
    void run(std::stop_token stop, const QString& path, const std::shared_ptr<const Trace>& trace,
             const RecordingMeta& first) {
        // The connection belongs to this thread, so the writer is made, used and dropped here.
        auto writer = RecordingWriter::create(path, trace, first);
        {
            const std::scoped_lock lock(mutex);
            started = writer ? std::expected<void, RecordingError>() : std::unexpected(writer.error());
        }
        changed.notify_all();
        if (!writer) return;
        bool failing = false;
        RecordingError::Kind told{}; // of the failure that goes on; each kind is told once
        while (!waitForStop(stop)) {
            const auto written = (*writer)->write();
            const bool isTold = failing && !written && told == written.error().kind;
            if (!written && onError && !isTold) onError(written.error());
            failing = !written;
            if (failing) told = written.error().kind;
        }
        if (!finishing) return;
        if (lastMeta) (*writer)->setMeta(*lastMeta);
        result = (*writer)->writeViolations(violations);
        // Rows come first: violations can be found again from them.
        const auto finished = (*writer)->finish();
        if (result) result = finished;
    }

    bool waitForStop(std::stop_token stop) {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, stop, kPeriod, [&] { return finishing; }) || stop.stop_requested();
    }

    std::mutex mutex; ///< protects what the recording thread and its owner share: started, finishing
    std::condition_variable_any changed;
    std::optional<std::expected<void, RecordingError>> started;
    bool finishing = false;
    // Handed over by starting and by joining the thread:
    std::function<void(const RecordingError&)> onError;
    std::optional<RecordingMeta> lastMeta;
    std::vector<RecordedViolation> violations;
    std::expected<void, RecordingError> result;
    std::jthread thread; ///< last: it uses all of the above
};

BackgroundRecording::BackgroundRecording(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {
}
BackgroundRecording::~BackgroundRecording() = default;

std::expected<std::unique_ptr<BackgroundRecording>, RecordingError>
BackgroundRecording::start(const QString& path, std::shared_ptr<const Trace> trace, const RecordingMeta& meta,
                           std::function<void(const RecordingError&)> onError) {
    auto impl = std::make_unique<Impl>();
    impl->onError = std::move(onError);
    impl->thread = std::jthread([&i = *impl, path, trace = std::move(trace), meta](std::stop_token stop) {
        i.run(std::move(stop), path, trace, meta);
    });
    {
        std::unique_lock lock(impl->mutex);
        impl->changed.wait(lock, [&] { return impl->started.has_value(); });
    }
    if (!*impl->started) return std::unexpected(impl->started->error());
    return std::unique_ptr<BackgroundRecording>(new BackgroundRecording(std::move(impl)));
}

std::expected<void, RecordingError> BackgroundRecording::finish(const RecordingMeta* meta,
                                                                const std::vector<RecordedViolation>& violations) {
    if (!m_impl->thread.joinable()) return m_impl->result;
    {
        const std::scoped_lock lock(m_impl->mutex);
        if (meta) m_impl->lastMeta = *meta;
        m_impl->violations = violations;
        m_impl->finishing = true;
    }
    m_impl->changed.notify_all();
    m_impl->thread.join();
    return m_impl->result;
}

} // namespace lockscope::trace
