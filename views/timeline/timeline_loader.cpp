// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_loader.h"

#include <utility>

namespace lockscope::views {

TimelineLoader::TimelineLoader(QObject* parent)
    : QObject(parent), m_data(std::make_shared<TimelineData>(std::make_shared<const trace::Trace>())) {
    m_tick.setInterval(33);
    connect(&m_tick, &QTimer::timeout, this, [this] {
        const bool done = m_workerDone.load(std::memory_order_acquire);
        if (!m_next) Q_EMIT changed();
        if (!done) return;
        stopWorker();
        if (m_next) takeNext();
        Q_EMIT finished();
        grow(); // what came in between the worker's last look and now
    });
}

TimelineLoader::~TimelineLoader() {
    stopWorker();
}

void TimelineLoader::stopWorker() {
    m_tick.stop();
    m_worker = {}; // asks it to stop and waits: at most one slice
    m_busy = false;
}

void TimelineLoader::open(std::shared_ptr<const trace::Trace> trace) {
    stopWorker();
    m_next.reset();
    m_data = std::make_shared<TimelineData>(std::move(trace));
    m_rows = 0;
    m_cancelled = false;
    Q_EMIT replaced();
    grow();
}

void TimelineLoader::goOnIn(std::shared_ptr<const trace::Trace> trace) {
    stopWorker();
    m_next = std::make_shared<TimelineData>(std::move(trace));
    m_rows = 0;
    m_cancelled = false;
    startWorker(m_next);
}

void TimelineLoader::takeNext() {
    std::shared_ptr<TimelineData> before = std::exchange(m_data, std::exchange(m_next, nullptr));
    Q_EMIT replaced(); // from here on nobody points into the lanes of the one before
    m_tidier = std::jthread([its = std::move(before)]() mutable { its.reset(); });
    Q_EMIT changed();
}

void TimelineLoader::grow() {
    if (m_busy) return; // the worker looks by itself until it has caught up
    m_cancelled = false;
    const std::size_t waiting = m_data->trace().size() - m_rows.load(std::memory_order_relaxed);
    if (waiting <= kAtOnce) {
        {
            const std::lock_guard lock(m_data->mutex());
            m_data->consume();
            m_rows = m_data->rows();
        }
        Q_EMIT changed();
        return;
    }
    startWorker(m_data);
}

void TimelineLoader::startWorker(const std::shared_ptr<TimelineData>& data) {
    m_busy = true;
    m_workerDone = false;
    m_worker = std::jthread([this, data](const std::stop_token& stop) { work(stop, data); });
    m_tick.start();
}

void TimelineLoader::cancel() {
    if (!m_busy) return;
    stopWorker();
    if (m_next) takeNext();
    m_cancelled = m_rows < m_data->trace().size();
    Q_EMIT changed();
    Q_EMIT finished();
}

void TimelineLoader::work(std::stop_token stop, const std::shared_ptr<TimelineData>& data) {
    for (std::size_t rows = m_rows; !stop.stop_requested() && rows < data->trace().size(); m_rows = rows) {
        data->mutex().lockForSlice();
        data->consume(rows + kSlice);
        rows = data->rows();
        data->mutex().unlock();
    }
    m_workerDone.store(true, std::memory_order_release);
}

} // namespace lockscope::views
