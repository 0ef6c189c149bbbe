// SPDX-License-Identifier: Apache-2.0
#include "session/simulation_worker.h"

#include "session/bounds.h"
#include "trace/time_text.h"

#include <QCoreApplication>

namespace lockscope::session {

namespace {
constexpr std::int64_t kSliceMs = 6;
constexpr std::int64_t kPublishMs = 25;
} // namespace

void SimulationWorker::build(const scenario::Scenario& scenario, std::uint64_t seed,
                             std::shared_ptr<trace::Trace> trace, Nanos runTo) {
    m_search.reset();
    m_world.reset();
    m_trace = std::move(trace);
    m_planned = scenario.until;
    m_publishedRows = 0; // the new trace may happen to be as long as the old one was
    m_judge = std::make_unique<verdict::Judge>(m_trace, boundsFor(scenario));
    m_world = std::make_unique<sim::World>(scenario, seed, m_trace);
    // Refusals before that instant were told when they happened; at it strikes what is done now.
    m_world->onRefused = [this, runTo](const QString& why) {
        // The run is computed ahead of the picture: without its instant this would be read as of now.
        if (m_world->now() >= runTo)
            m_listener.refused(
                QCoreApplication::translate("SimulationWorker", "At %1: %2", "an instant, and a sentence")
                    .arg(instantText(m_world->now()), why));
    };
    m_world->runUntil(runTo);
    m_target = std::max<std::int64_t>(m_target, 0);
    m_target = runTo.count();
    publish(true);
}

void SimulationWorker::target(Nanos t) {
    std::int64_t old = m_target.load();
    while (old < t.count() && !m_target.compare_exchange_weak(old, t.count())) {
    }
    later();
}

void SimulationWorker::later() {
    if (!m_posted.exchange(true)) m_self.put([this] { slice(); });
}

void SimulationWorker::search(Milestone milestone, Nanos from) {
    m_search = Search{milestone, from, std::max({m_world->now(), from, m_planned}), m_trace->upperBound(from)};
    later();
}

void SimulationWorker::act(const scenario::Fault& fault, Nanos at) {
    if (m_world->now() > at) {
        m_listener.overtaken(m_trace, at);
        return;
    }
    m_world->runUntil(at);
    if (const auto done = m_world->apply(fault); !done) m_listener.refused(done.error());
    publish(true);
}

void SimulationWorker::plan(const scenario::Fault& fault) {
    if (m_world->now() >= *fault.at)
        m_listener.overtaken(m_trace, m_world->now());
    else
        m_world->plan(fault);
}

std::optional<Nanos> SimulationWorker::violationAfter(Nanos from) {
    m_judge->consume();
    for (const verdict::Violation& violation : m_judge->verdict().violations) {
        if (violation.from > from) return violation.from;
    }
    return std::nullopt;
}

bool SimulationWorker::lookFurther() {
    if (m_search->milestone == Milestone::Violation) {
        const std::size_t before = m_judge->begun();
        m_judge->consume();
        if (m_search->row != 0 && m_judge->begun() == before) return false; // nothing new began
        m_search->row = 1;
        const auto at = violationAfter(m_search->from);
        if (at) m_listener.found(m_trace, true, *at);
        return at.has_value();
    }
    for (; m_search->row < m_trace->size(); ++m_search->row) {
        const trace::Event event = m_trace->at(m_search->row);
        // Where the world had come no further than `from`, more may have happened at that instant since.
        if (event.time() <= m_search->from || !isMilestone(m_search->milestone, event)) continue;
        m_listener.found(m_trace, true, event.time());
        return true;
    }
    return false;
}

void SimulationWorker::slice() {
    m_posted = false;
    if (!m_world) return;
    QElapsedTimer spent;
    spent.start();
    if (m_search) {
        if (m_search->milestone == Milestone::Violation) m_search->row = 0;
        do {
            if (lookFurther()) {
                m_search.reset();
                break;
            }
            if (m_world->now() >= m_search->giveUpAt) {
                m_listener.found(m_trace, false, m_search->giveUpAt);
                m_search.reset();
                break;
            }
            bool more = true;
            for (int i = 0; i < 64 && more; ++i)
                more = m_world->runNext(m_search->giveUpAt);
            if (!more) m_world->runUntil(m_search->giveUpAt);
        } while (spent.elapsed() < kSliceMs);
    }
    const Nanos goal(m_target.load());
    while (m_world->now() < goal && spent.elapsed() < kSliceMs) {
        bool more = true;
        for (int i = 0; i < 256 && more; ++i)
            more = m_world->runNext(goal);
        if (!more) m_world->runUntil(goal);
    }
    const bool done = !m_search && m_world->now() >= goal;
    publish(done);
    if (!done) later();
}

void SimulationWorker::publish(bool force) {
    if (!force && m_sincePublished.isValid() && m_sincePublished.elapsed() < kPublishMs) return;
    m_sincePublished.start();
    m_listener.grown(m_trace);
    m_judge->consume();
    if (m_trace->size() == m_publishedRows) return;
    m_publishedRows = m_trace->size();
    m_listener.judged(m_trace, std::make_shared<verdict::Verdict>(m_judge->verdict()));
}

} // namespace lockscope::session
