// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/timeline_data.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <atomic>
#include <memory>
#include <thread>

namespace lockscope::views {

/// Keeps a TimelineData up with its trace: what little a live trace grows by is folded in at once, what a recording
/// brings is folded in on a thread of its own, in slices, while the picture is already there and grows.
///
/// Lives on the GUI thread. Progress is told at most about 30 times a second.
class TimelineLoader : public QObject {
    Q_OBJECT
public:
    /// Rows that may be folded in on the GUI thread in one go: about a millisecond.
    static constexpr std::size_t kAtOnce = 8192;
    /// Rows per slice on the worker: how long a frame may have to wait for it, about a millisecond.
    static constexpr std::size_t kSlice = 8192;

    explicit TimelineLoader(QObject* parent = nullptr);
    ~TimelineLoader() override;

    /// Starts over with another trace; never null.
    void open(std::shared_ptr<const trace::Trace> trace);
    /// The trace goes on in another one, which lacks its beginning, with equal times and ids. data() stays as it is
    /// until as much of the other one is folded in: nobody sees it grow anew.
    void goOnIn(std::shared_ptr<const trace::Trace> trace);
    /// The trace that is to be drawn; data() may be of the one that goes on in it.
    std::shared_ptr<const trace::Trace> trace() const { return newest().sharedTrace(); }
    /// True while data() is of another trace than trace().
    bool isGoingOn() const { return m_next != nullptr; }
    /// The trace has grown: takes the new rows in. Cheap when there are none.
    void grow();
    /// Stops the worker where it is; what is folded in stays. grow() goes on.
    void cancel();
    /// True after cancel() left rows out, until they are taken in by grow().
    bool isCancelled() const { return m_cancelled; }
    /// True while rows wait for the worker.
    bool isBusy() const { return m_busy; }
    /// Rows folded in so far.
    std::size_t rows() const { return m_rows.load(std::memory_order_relaxed); }

    /// Never null. Hold its mutex() to look at it.
    const std::shared_ptr<TimelineData>& data() const { return m_data; }

Q_SIGNALS:
    /// data() is another object now.
    void replaced();
    /// Rows were folded in.
    void changed();
    /// The worker is done (or was cancelled).
    void finished();

private:
    void startWorker(const std::shared_ptr<TimelineData>& data);
    void work(std::stop_token stop, const std::shared_ptr<TimelineData>& data);
    void stopWorker();
    /// Lets m_next take the place of m_data.
    void takeNext();
    const TimelineData& newest() const { return m_next ? *m_next : *m_data; }

    std::shared_ptr<TimelineData> m_data;
    std::shared_ptr<TimelineData> m_next; ///< the worker folds it in; nullptr: m_data goes on
    std::atomic<std::size_t> m_rows{0};
    std::atomic<bool> m_workerDone{false};
    bool m_busy = false, m_cancelled = false;
    QTimer m_tick; ///< looks at how far the worker is
    std::jthread m_worker;
    std::jthread m_tidier; ///< frees what was drawn before: that takes longer than a frame
};

} // namespace lockscope::views
