// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/mailbox.h"
#include "session/session.h"
#include "sim/world.h"

#include <QElapsedTimer>

namespace lockscope::session {

/// The thread's side of a simulated session: computes the world in slices of a few milliseconds, so that requests never
/// wait long, and judges it as it grows. All functions are called on its thread, except target().
class SimulationWorker final {
public:
    /// Its callbacks, all called on its thread.
    struct Listener {
        std::function<void(std::shared_ptr<const trace::Trace>)> grown;
        std::function<void(std::shared_ptr<const trace::Trace>, std::shared_ptr<const verdict::Verdict>)> judged;
        std::function<void(std::shared_ptr<const trace::Trace>, bool found, Nanos at)> found;
        std::function<void(QString why)> refused;
        /// Asked to act at an instant that this world has passed by now.
        std::function<void(std::shared_ptr<const trace::Trace>, Nanos at)> overtaken;
    };
    explicit SimulationWorker(Listener listener) : m_listener(std::move(listener)) {}

    /// A new world from its start, computed to `runTo` before anything else.
    void build(const scenario::Scenario& scenario, std::uint64_t seed, std::shared_ptr<trace::Trace> trace,
               Nanos runTo);
    /// Raises the instant to compute to; any thread. Computing begins when the thread gets to it.
    void target(Nanos t);
    void search(Milestone milestone, Nanos from);
    void act(const scenario::Fault& fault, Nanos at);
    /// The fault strikes at its time. A world that has passed that time is overtaken.
    void plan(const scenario::Fault& fault);

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

    Listener m_listener;
    Mailbox m_self; ///< for the next slice
    std::unique_ptr<sim::World> m_world;
    std::shared_ptr<trace::Trace> m_trace;
    std::unique_ptr<verdict::Judge> m_judge;
    Nanos m_planned{}; ///< the scenario's end
    std::atomic<std::int64_t> m_target{0};
    std::atomic<bool> m_posted{false};
    std::optional<Search> m_search;
    QElapsedTimer m_sincePublished;
    std::size_t m_publishedRows = 0;
};

} // namespace lockscope::session
