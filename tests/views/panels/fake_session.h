// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/lock_facts.h"
#include "models/view_context.h"
#include "session/planning.h"
#include "session/session.h"
#include "trace/trace.h"
#include "verdict/verdict.h"

#include <vector>

namespace lockscope::views::testing {

/// A session over a trace that a test writes itself; remembers what was asked of it.
class FakeSession : public session::Session {
public:
    FakeSession() : m_trace(std::make_shared<trace::Trace>()), m_verdict(std::make_shared<verdict::Verdict>()) {}

    session::Abilities abilities() const override { return can; }
    QString title() const override { return QStringLiteral("fake"); }
    session::Health health() const override { return {session::Health::Level::Good, QStringLiteral("Fake")}; }
    std::shared_ptr<const trace::Trace> trace() const override { return m_trace; }
    std::shared_ptr<const verdict::Verdict> verdict() const override { return m_verdict; }
    scenario::Scenario scenario() const override { return plan; }
    std::vector<scenario::Fault> doneByHand() const override { return byHand; }
    void withdraw(std::size_t index) override { withdrawn.push_back(index); }
    std::uint64_t seed() const override { return 42; }
    Nanos planned() const override { return 60s; }

    void advanceTo(Nanos) override {}
    void advanceToNext(session::Milestone, Nanos) override {}
    void apply(scenario::Fault fault, Nanos at) override {
        applied.push_back(fault);
        appliedAt.push_back(at);
        if (fault.action != scenario::Action::Set) return;
        plan.faults.push_back(fault);
        Q_EMIT scenarioChanged();
    }
    void restart(std::uint64_t, session::ByHand) override {}
    void planRelease(QByteArray lockName) override { Q_EMIT releasePlanned(lockName, {QStringLiteral("DEL it")}); }
    void forceRelease(QByteArray lockName) override { forced.push_back(lockName); }

    trace::Trace& writable() { return *m_trace; }
    void setVerdict(verdict::Verdict verdict) {
        m_verdict = std::make_shared<verdict::Verdict>(std::move(verdict));
        Q_EMIT verdictChanged();
    }
    void replaceTrace(std::shared_ptr<trace::Trace> trace) {
        m_trace = std::move(trace);
        Q_EMIT traceReplaced();
    }

    session::Abilities can{.faults = true,
                           .serverFaults = true,
                           .rewind = true,
                           .speed = true,
                           .restart = true,
                           .workload = true,
                           .live = false,
                           .forceRelease = false};
    scenario::Scenario plan;
    std::vector<scenario::Fault> applied;
    std::vector<Nanos> appliedAt;
    std::vector<QByteArray> forced;
    std::vector<scenario::Fault> byHand; ///< what doneByHand() tells
    std::vector<std::size_t> withdrawn;

private:
    std::shared_ptr<trace::Trace> m_trace;
    std::shared_ptr<const verdict::Verdict> m_verdict;
};

/// One on whose time axis faults can be planned.
class PlanningSession final : public FakeSession, public session::Planning {
public:
    void plan(scenario::Fault fault) override { planned.push_back(std::move(fault)); }
    void replace(std::size_t index, scenario::Fault fault) override { replaced.emplace_back(index, std::move(fault)); }
    std::vector<scenario::Fault> planned;
    std::vector<std::pair<std::size_t, scenario::Fault>> replaced;
};

/// The pause that outlives a lease, as the opening scenario tells it: A holds from 0.8 s with a lease of 5 s, is paused
/// from 3 s to 7 s and believes on until 7.2 s; B waits from 1.4 s and holds from 6 s; C waits from 2.2 s.
struct PauseStory {
    explicit PauseStory(trace::Trace& trace);
    trace::EntityId node, lock, resource;
    trace::EntityId a, b, c; ///< clients
    trace::EntityId aThread, bThread, cThread;
    trace::EntityId aLink, bLink, cLink;
};

inline PauseStory::PauseStory(trace::Trace& t) {
    using enum trace::EntityKind;
    using K = trace::EventKind;
    node = t.intern(Node, "redis-1");
    lock = t.intern(Lock, "orders", node);
    resource = t.intern(Resource, "stock", lock);
    const auto client = [&](const char* name, trace::EntityId& id, trace::EntityId& thread, trace::EntityId& link) {
        id = t.intern(Client, name);
        thread = t.intern(Thread, "1", id);
        link = t.intern(Link, "", id, node);
    };
    client("A", a, aThread, aLink);
    client("B", b, bThread, bLink);
    client("C", c, cThread, cLink);
    const auto at = [&t](double seconds, K kind, trace::EntityId actor, trace::EntityId subject = 0,
                         std::int64_t value = 0, std::uint32_t aux = 0, std::uint8_t flags = 0) {
        t.append({std::int64_t(seconds * 1e6) * 1000, value, actor, subject, aux, kind, flags});
    };
    const auto ns = [](double seconds) { return std::int64_t(seconds * 1e6) * 1000; };
    const auto set = t.text("SET orders value NX PX 5000");
    at(0, K::NodeStarted, node);
    for (const auto id : {a, b, c})
        at(0, K::ClientStarted, id);
    at(0.79, K::Requested, aThread, lock, -1);
    at(0.79, K::Step, aThread, lock, 0, 2);
    at(0.7995, K::Request, a, node, ns(0.0005), set);
    at(0.8, K::RecordHeld, aThread, lock, ns(5.8), 1);
    at(0.8, K::RecordToken, 0, lock, 33);
    at(0.8, K::Reply, node, a, ns(0.0005), set);
    at(0.801, K::Granted, aThread, lock, 33, 1);
    at(0.801, K::BelievedUntil, aThread, lock, -1);
    at(0.801, K::Step, aThread, lock, 0, 4);
    at(1.4, K::Requested, bThread, lock, -1);
    at(1.4, K::Step, bThread, lock, 0, 2);
    at(1.6, K::WriteAccepted, aThread, resource, 33);
    at(2.2, K::Requested, cThread, lock, -1);
    at(2.2, K::Step, cThread, lock, 0, 2);
    at(2.6, K::WriteAccepted, aThread, resource, 33);
    at(3.0, K::ClientPaused, a, 0, 0, 0, trace::kFault | trace::kByHand);
    at(5.8, K::RecordFreed, 0, lock, 0, aThread, std::uint8_t(trace::FreedBy::Expiry));
    at(5.9995, K::Request, b, node, ns(0.0005), set);
    at(6.0, K::RecordHeld, bThread, lock, ns(11.0), 1);
    at(6.0, K::RecordToken, 0, lock, 34);
    at(6.0, K::Reply, node, b, ns(0.001), set);
    at(6.001, K::Granted, bThread, lock, 34, 1);
    at(6.001, K::BelievedUntil, bThread, lock, -1);
    at(6.001, K::Step, bThread, lock, 0, 3);
    at(6.5, K::WriteAccepted, bThread, resource, 34);
    at(7.0, K::ClientResumed, a, 0, 0, 0, trace::kFault | trace::kByHand);
    at(7.1, K::WriteAccepted, aThread, resource, 33);
    at(7.2, K::ReleaseRefused, aThread, lock);
    at(7.2, K::Step, aThread, lock, 0, 0);
    at(9.0, K::ReleaseSent, bThread, lock, 0, 1);
    at(9.0, K::RecordFreed, bThread, lock, 0, bThread);
    at(9.001, K::Released, bThread, lock);
    at(9.001, K::Step, bThread, lock, 0, 0);
    at(9.05, K::RecordHeld, cThread, lock, ns(14.05), 1);
    at(9.051, K::Granted, cThread, lock, 35, 1);
    t.reach(10s);
}

/// The verdict on that story.
inline verdict::Verdict pauseVerdict(const PauseStory& story, const trace::Trace& trace) {
    verdict::Verdict verdict;
    verdict.rows = trace.size();
    verdict.reached = trace.reached();
    verdict::Violation both;
    both.invariant = verdict::Invariant::MutualExclusion;
    both.lock = story.lock;
    both.from = 6001ms;
    both.to = 7200ms;
    both.actors = {story.aThread, story.bThread};
    verdict::Violation write;
    write.invariant = verdict::Invariant::StaleWrite;
    write.lock = story.lock;
    write.from = write.to = 7100ms;
    write.actors = {story.aThread};
    write.resource = story.resource;
    write.token = 33;
    write.newerToken = 34;
    verdict.violations = {both, write};
    verdict.outcomes.fill(verdict::Outcome::Holds);
    verdict.outcomes[std::size_t(verdict::Invariant::MutualExclusion)] = verdict::Outcome::Violated;
    verdict.outcomes[std::size_t(verdict::Invariant::StaleWrite)] = verdict::Outcome::Violated;
    return verdict;
}

/// PauseStory with a context that looks at it; the lease is 5 s.
struct PauseScene {
    FakeSession session;
    PauseStory story{session.writable()};
    ViewContext context;
    explicit PauseScene(Nanos playhead = Nanos(0)) {
        session.plan.lock.lease = 5s;
        context.setSession(&session);
        context.setPlayhead(playhead);
    }
    /// The facts of the lock at a time.
    LockFacts at(Nanos t) {
        context.setPlayhead(t);
        return lockFacts(story.lock, context);
    }
    /// The fault that was asked for last.
    const scenario::Fault& last() const { return session.applied.back(); }
    /// A fault that strikes at 20 s, seen from a second later.
    void add(trace::EventKind kind, trace::EntityId actor, trace::EntityId subject = 0) {
        session.writable().append({Nanos(20s).count(), 0, actor, subject, 0, kind, trace::kFault});
        context.setPlayhead(21s);
        Q_EMIT session.advanced();
    }
};

} // namespace lockscope::views::testing
