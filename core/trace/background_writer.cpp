// SPDX-License-Identifier: Apache-2.0
#include "trace/background_writer.h"

#include "trace/recording_errors.h"

namespace lockscope::trace {

namespace {
constexpr auto kPeriod = std::chrono::milliseconds(250); // "all but the last second", with room for a slow disk
} // namespace

std::expected<void, RecordingError> BackgroundWriter::start() {
    m_thread = std::jthread([this](std::stop_token stop) { run(std::move(stop)); });
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_started.has_value(); });
    return *m_started;
}

void BackgroundWriter::run(std::stop_token stop) {
    // The connection belongs to this thread, so the writer is made, used and dropped here.
    auto writer = RecordingWriter::create(m_plan.path, m_plan.trace, m_plan.meta);
    {
        const std::scoped_lock lock(m_mutex);
        m_started = writer ? std::expected<void, RecordingError>() : std::unexpected(writer.error());
    }
    m_changed.notify_all();
    if (!writer) return;
    RecordingErrors errors(m_plan.onError);
    while (!waitForStop(stop)) {
        const std::size_t rows = m_plan.trace->size(); // more may come meanwhile: these are written in any case
        const auto written = (*writer)->write();
        if (written && m_plan.onWritten) m_plan.onWritten(rows);
        errors.take(written);
    }
    if (!m_finishing) return;
    if (m_lastMeta) (*writer)->setMeta(*m_lastMeta);
    m_result = (*writer)->writeViolations(m_violations);
    // Rows come first: violations can be found again from them.
    const auto finished = (*writer)->finish();
    if (m_result) m_result = finished;
}

bool BackgroundWriter::waitForStop(std::stop_token stop) {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, stop, kPeriod, [this] { return m_finishing; }) || stop.stop_requested();
}

std::expected<void, RecordingError> BackgroundWriter::finish(const RecordingMeta* meta,
                                                             const std::vector<RecordedViolation>& violations) {
    if (!m_thread.joinable()) return m_result;
    {
        const std::scoped_lock lock(m_mutex);
        if (meta) m_lastMeta = *meta;
        m_violations = violations;
        m_finishing = true;
    }
    m_changed.notify_all();
    m_thread.join();
    return m_result;
}

} // namespace lockscope::trace
