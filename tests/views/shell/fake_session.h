// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "session/session.h"

#include <QTimer>

namespace lockscope {

/// A world of two clients that take the lock in turn, a second each, from second 1 on; scripted, so that tests know
/// what is where. Answers through the event loop, as real sessions do.
class FakeSession : public session::Session {
public:
    explicit FakeSession(QObject* parent = nullptr) : Session(parent) { build(); }

    session::Abilities can{true, true, true, true, true, true, false};
    session::Health now{session::Health::Level::Good, QStringLiteral("Fake · two clients")};
    std::shared_ptr<verdict::Verdict> judged = std::make_shared<verdict::Verdict>();
    std::vector<scenario::Fault> applied;
    std::vector<std::uint64_t> restarts;
    std::vector<session::ByHand> kept; ///< what each of them said of the faults by hand
    Nanos plan = 60s;

    session::Abilities abilities() const override { return can; }
    QString title() const override { return QStringLiteral("fake"); }
    session::Health health() const override { return now; }
    std::shared_ptr<const trace::Trace> trace() const override { return m_trace; }
    std::shared_ptr<const verdict::Verdict> verdict() const override { return judged; }
    scenario::Scenario scenario() const override { return {}; }
    std::uint64_t seed() const override { return m_seed; }
    Nanos planned() const override { return plan; }
    trace::EntityId lock() const { return m_lock; }

    /// Adds the only violation of this world, 2 s – 3.2 s.
    void violate() {
        verdict::Violation v;
        v.lock = m_lock;
        v.from = 2s;
        v.to = 3200ms;
        v.actors = {m_threads[0], m_threads[1]};
        judged = std::make_shared<verdict::Verdict>();
        judged->violations = {v};
        judged->outcomes.fill(verdict::Outcome::Holds);
        judged->outcomes[0] = verdict::Outcome::Violated;
        judged->rows = m_trace->size();
        judged->reached = plan;
        Q_EMIT verdictChanged();
    }
    /// Time goes by itself, for live sessions.
    void live(Nanos t) { grow(t); }

    void advanceTo(lockscope::Nanos t) override {
        QTimer::singleShot(0, this, [this, t] { grow(std::min(t, plan)); });
    }
    void advanceToNext(lockscope::session::Milestone milestone, lockscope::Nanos from) override {
        QTimer::singleShot(0, this, [this, milestone, from] {
            grow(std::min(from + 5s, plan));
            for (std::size_t row = m_trace->upperBound(from); row < m_trace->size(); ++row) {
                const trace::Event e = m_trace->at(row);
                if (milestone == session::Milestone::Event ||
                    (milestone == session::Milestone::Acquisition && e.kind == trace::EventKind::Granted))
                    return Q_EMIT milestoneReached(true, e.time());
            }
            if (milestone == session::Milestone::Violation)
                for (const verdict::Violation& v : judged->violations)
                    if (v.from > from) return Q_EMIT milestoneReached(true, v.from);
            Q_EMIT milestoneReached(false, m_trace->reached()); // so far it looked
        });
    }
    void apply(lockscope::scenario::Fault fault, lockscope::Nanos) override { applied.push_back(std::move(fault)); }
    void restart(std::uint64_t seed, session::ByHand byHand) override {
        restarts.push_back(seed);
        kept.push_back(byHand);
        m_seed = seed;
        build();
        Q_EMIT traceReplaced();
    }

private:
    void build() {
        using trace::EntityKind;
        m_trace = std::make_shared<trace::Trace>();
        m_node = m_trace->intern(EntityKind::Node, "redis-1");
        m_lock = m_trace->intern(EntityKind::Lock, "orders", m_node);
        for (int i = 0; i < 2; ++i) {
            const auto client = m_trace->intern(EntityKind::Client, i == 0 ? "A" : "B");
            m_threads[i] = m_trace->intern(EntityKind::Thread, "1", client);
            append({.at = 0, .actor = client, .kind = trace::EventKind::ClientStarted});
        }
        append({.at = 0, .actor = m_node, .kind = trace::EventKind::NodeStarted});
        m_next = 1;
    }
    void append(trace::Event e) { m_trace->append(e); }
    void grow(Nanos t) {
        for (; std::chrono::seconds(m_next) <= t; ++m_next) {
            const std::int64_t at = m_next * 1'000'000'000ll;
            const int before = int(m_next % 2), after = 1 - before;
            if (m_next > 1)
                append({.at = at, .actor = m_threads[before], .subject = m_lock, .kind = trace::EventKind::Released});
            append(
                {.at = at, .actor = m_threads[after], .subject = m_lock, .aux = 1, .kind = trace::EventKind::Granted});
        }
        m_trace->reach(t);
        Q_EMIT advanced();
    }

    std::shared_ptr<trace::Trace> m_trace;
    std::uint64_t m_seed = 42;
    trace::EntityId m_node = 0, m_lock = 0, m_threads[2] = {0, 0};
    std::int64_t m_next = 1;
};

} // namespace lockscope
