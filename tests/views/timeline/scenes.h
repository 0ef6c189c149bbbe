// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "session/session.h"
#include "trace/trace.h"
#include "verdict/verdict.h"

#include <QCoreApplication>
#include <QImage>

namespace lockscope::views {

/// A session that only has a trace: what the timeline needs to be looked at. Tests write the trace themselves.
class FixedSession : public session::Session {
    Q_OBJECT
public:
    explicit FixedSession(std::shared_ptr<const trace::Trace> trace, Nanos planned = {}, bool live = false)
        : m_trace(std::move(trace)), m_planned(planned), m_live(live) {
        judge();
    }
    session::Abilities abilities() const override {
        session::Abilities abilities;
        abilities.live = m_live;
        abilities.workload = ownClients;
        return abilities;
    }
    QString title() const override { return QStringLiteral("fixed"); }
    session::Health health() const override { return {}; }
    std::shared_ptr<const trace::Trace> trace() const override { return m_trace; }
    std::shared_ptr<const verdict::Verdict> verdict() const override { return m_verdict; }
    scenario::Scenario scenario() const override { return plan; }
    std::uint64_t seed() const override { return 0; }
    Nanos planned() const override { return m_planned; }
    void advanceTo(Nanos) override {}
    void advanceToNext(session::Milestone, Nanos) override {}
    void apply(scenario::Fault, Nanos) override {}
    void restart(std::uint64_t, session::ByHand) override {}

    scenario::Scenario plan;
    bool ownClients = false;

    /// Judges the trace as it is now.
    void judge() {
        verdict::Judge judge(m_trace);
        judge.consume();
        m_verdict = std::make_shared<verdict::Verdict>(judge.verdict(true));
    }
    /// Another past or another seed: everything so far is forgotten.
    void replace(std::shared_ptr<const trace::Trace> trace) {
        m_trace = std::move(trace);
        judge();
        Q_EMIT traceReplaced();
        Q_EMIT verdictChanged();
    }
    void grew() {
        judge();
        Q_EMIT advanced();
        Q_EMIT verdictChanged();
    }

private:
    std::shared_ptr<const trace::Trace> m_trace;
    std::shared_ptr<const verdict::Verdict> m_verdict;
    Nanos m_planned;
    bool m_live;
};

/// Names and ids of the small worlds below.
struct Cast {
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    trace::EntityId node, lock, stock;
    struct Actor {
        trace::EntityId client, thread, link;
    } a, b, c;

    Cast();
    void at(Nanos t, trace::EventKind kind, trace::EntityId actor, trace::EntityId subject = 0, std::int64_t value = 0,
            std::uint32_t aux = 0, std::uint8_t flags = 0);
    /// A command and its answer, 100 µs each way.
    void exchange(Nanos t, const Actor& who, const char* text);
    void ask(Nanos t, const Actor& who);
    /// Record and grant under `lease`; the client does not look at its own clock.
    void grant(Nanos t, const Actor& who, Nanos lease);
    void release(Nanos t, const Actor& who);
};

/// A pauses from 3 to 7 s while holding a lease of 5 s from 0.8 s; B gets the lock at 6 s, both write: the story of the
/// pause that outlives its lease. Violations: double belief 6.0–7.2 s, a stale write at 7.1 s. Ends at 10 s.
Cast gcPause();

/// How many pixels of the image, inside `where` (device pixels), look like `color` (each channel within `tolerance`).
int countPixels(const QImage& image, const QColor& color, const QRect& where, int tolerance = 24);

/// Views gather changes until the event loop's next turn: one turn brings all of them, and there is nothing to wait
/// for.
inline void settle() {
    QCoreApplication::processEvents();
}

} // namespace lockscope::views
