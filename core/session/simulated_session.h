// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/service_thread.h"
#include "session/planning.h"
#include "session/shared_run.h"

namespace lockscope::session {

class SimulationWorker;

/// A simulated world as a session: computed on a thread of its own, as far as it is asked for. A change made in the
/// past makes a new future: the world is computed again from its start to that instant. This is quick, and with an
/// equal seed the result is equal.
class SimulatedSession final : public Session, public Planning {
    Q_OBJECT
public:
    SimulatedSession(scenario::Scenario scenario, std::uint64_t seed, QObject* parent = nullptr);
    /// A run that somebody shared: what was done by hand in it can be moved and taken back here, too.
    explicit SimulatedSession(const SharedRun& run, QObject* parent = nullptr);
    ~SimulatedSession() override;

    Abilities abilities() const override;
    QString title() const override;
    Health health() const override;
    std::shared_ptr<const trace::Trace> trace() const override { return m_trace; }
    std::shared_ptr<const verdict::Verdict> verdict() const override { return m_verdict; }
    scenario::Scenario scenario() const override;
    scenario::Scenario settings() const override;
    std::vector<scenario::Fault> doneByHand() const override { return m_byHand; }
    bool canUndo() const override { return !m_undo.empty(); }
    bool canRedo() const override { return !m_redo.empty(); }
    std::uint64_t seed() const override { return m_seed; }
    Nanos planned() const override { return m_base.until; }

    void plan(scenario::Fault fault) override;
    void replace(std::size_t index, scenario::Fault fault) override;
    std::optional<Course> courseOf(const trace::Trace& run) const override;
    void runAgain(const trace::Trace& former) override;
    void lookedAt(Nanos playhead) override;

public Q_SLOTS:
    void advanceTo(lockscope::Nanos t) override;
    void advanceToNext(lockscope::session::Milestone milestone, lockscope::Nanos from) override;
    void apply(lockscope::scenario::Fault fault, lockscope::Nanos at) override;
    void restart(std::uint64_t seed, lockscope::session::ByHand byHand) override;
    void withdraw(std::size_t index) override;
    void move(std::size_t index, lockscope::Nanos at) override;
    void undo() override;
    void redo() override;

private:
    SimulatedSession(scenario::Scenario scenario, std::uint64_t seed, std::vector<scenario::Fault> byHand,
                     QObject* parent);
    Course course() const;
    /// Call before a change that may replace the trace: courseOf() knows the present run by its trace from then on.
    void note();
    /// Call before a change by hand: undo() brings back the present state.
    void remember();
    /// The run begins with that recipe, on servers that it works on.
    void useServersOf(const QString& recipe);
    /// Makes this the run, computed at once up to where it differs from the present one, and then on to where it was.
    void take(Course course, Rewrite why);
    void rebuild(Nanos runTo);
    /// Makes this the run instead, as a change that undo() takes back, unless its settings would make no sense.
    void change(Course other, Rewrite why);
    /// Why this cannot be done to any such world beside these faults of its own or by hand; empty: it can.
    QString refusal(const scenario::Fault& fault, std::vector<scenario::Fault> byHand) const;
    void makeWorker();
    void tell(std::function<void(SimulationWorker&)> message);

    scenario::Scenario m_opened; ///< as it was opened
    scenario::Scenario m_base;   ///< that, on the servers of the recipe that it begins with
    std::vector<scenario::Fault> m_byHand;
    std::vector<scenario::Fault> m_planned; ///< faults of m_byHand, and of earlier ones, that were put on the time axis
    /// Where a person looks, and how far one has looked into this run; nullopt: nobody has told.
    std::optional<Nanos> m_looked, m_seen;
    std::vector<Course> m_undo, m_redo; ///< the last one is the next to be taken
    /// Former runs by their traces, as long as somebody keeps those.
    std::vector<std::pair<std::weak_ptr<const trace::Trace>, Course>> m_former;
    std::uint64_t m_seed;
    std::shared_ptr<trace::Trace> m_trace;
    std::shared_ptr<const verdict::Verdict> m_verdict;
    Mailbox m_inbox;                            ///< from the worker's thread
    std::unique_ptr<SimulationWorker> m_worker; ///< made, used and destroyed on m_thread only
    ServiceThread m_thread{"simulation"};
};

} // namespace lockscope::session
