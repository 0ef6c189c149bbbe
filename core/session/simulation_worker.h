// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "session/session.h"
#include "sim/world.h"

#include <QElapsedTimer>

namespace lockscope::session {

/// The thread's side of a simulated session: computes the world in slices of a few milliseconds, so that requests never
/// wait long, and judges it as it grows. All functions are called on its thread, except target().
class SimulationWorker final : public QObject {
    Q_OBJECT
public:
    /// A new world from its start, computed to `runTo` before anything else.
    void build(const scenario::Scenario& scenario, std::uint64_t seed, std::shared_ptr<trace::Trace> trace,
               Nanos runTo);
    /// Raises the instant to compute to; any thread. Computing begins when the thread gets to it.
    void target(Nanos t);
    void search(Milestone milestone, Nanos from);
    void act(const scenario::Fault& fault, Nanos at);

Q_SIGNALS:
    void grown(std::shared_ptr<const lockscope::trace::Trace> trace);
    void judged(std::shared_ptr<const lockscope::trace::Trace> trace,
                std::shared_ptr<const lockscope::verdict::Verdict> verdict);
    void found(bool found, lockscope::Nanos at);
    void refused(QString why);
    /// Asked to act at an instant that this world has passed by now.
    void overtaken(std::shared_ptr<const lockscope::trace::Trace> trace, lockscope::Nanos at);

private:
    struct Search {
        Milestone milestone;
        Nanos from;
        Nanos giveUpAt;
        std::size_t row = 0; ///< rows before it have been looked at
    };
    void slice();
    void later();
    bool lookFurther();
    std::optional<Nanos> violationAfter(Nanos from);
    void publish(bool force);

    std::unique_ptr<sim::World> m_world;
    std::shared_ptr<trace::Trace> m_trace;
    std::unique_ptr<verdict::Judge> m_judge;
    std::atomic<std::int64_t> m_target{0};
    std::atomic<bool> m_posted{false};
    std::optional<Search> m_search;
    QElapsedTimer m_sincePublished;
    std::size_t m_publishedRows = 0;
};

} // namespace lockscope::session
