// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "session/session.h"

namespace lockscope::inspect {
struct Alert;
}

namespace lockscope::session {

/// Another session as somebody may see it who must not learn its names: on a projector, in a screenshot. It shows the
/// trace's redacted copy, so instants, rows and ids are the same, and nothing that was written by people or servers. It
/// can be looked at only: a change needs the true names.
class RedactedSession : public Session {
    Q_OBJECT
public:
    Abilities abilities() const override;
    std::expected<void, QString> allows(scenario::Action action, scenario::TargetKind target) const override;
    QString title() const override;
    Health health() const override;
    std::shared_ptr<const trace::Trace> trace() const override;
    /// The judgement of the rows that are copied so far; the last one before that while many are to be copied.
    std::shared_ptr<const verdict::Verdict> verdict() const override { return m_verdict; }
    /// The settings without the names of locks, servers and faults.
    scenario::Scenario scenario() const override;
    std::uint64_t seed() const override { return m_of.seed(); }
    Nanos planned() const override { return m_of.planned(); }
    std::optional<double> ownLoad() const override { return m_of.ownLoad(); }
    /// Gives an alert of the true session the lock's alias, and words without names.
    virtual void retell(inspect::Alert& alert) const;
    ~RedactedSession() override;

public Q_SLOTS:
    void advanceTo(lockscope::Nanos t) override { m_of.advanceTo(t); }
    void advanceToNext(lockscope::session::Milestone milestone, lockscope::Nanos from) override;
    void apply(lockscope::scenario::Fault fault, lockscope::Nanos at) override;
    void restart(std::uint64_t seed, lockscope::session::ByHand byHand) override;

protected:
    /// `of` outlives it.
    explicit RedactedSession(Session& of);
    friend std::unique_ptr<RedactedSession> withoutNames(Session& of);
    friend class RedactedAlerts;
    /// More of the trace was copied: news that speak of it can be told now.
    virtual void copied() {}

    Session& of() const { return m_of; }
    QByteArray aliasOf(trace::EntityKind kind, const QByteArray& name) const;
    QByteArray nameBehind(trace::EntityKind kind, const QByteArray& alias) const;

private:
    class Copy;
    void takeTrace();
    void follow();
    void takeVerdict();
    Session& m_of;
    std::unique_ptr<Copy> m_copy;
    std::shared_ptr<const verdict::Verdict> m_verdict;
};

/// The session without names; it has desks of alerts and connections if `of` has them. `of` outlives it.
std::unique_ptr<RedactedSession> withoutNames(Session& of);

} // namespace lockscope::session
