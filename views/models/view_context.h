// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "session/session.h"


#include "trace/state.h"

#include <QObject>
#include <QPointer>

namespace lockscope::views {

/// What all views look at together: one session, one instant, one selection. Views never ask each other.
class ViewContext : public QObject {
    Q_OBJECT
public:
    explicit ViewContext(QObject* parent = nullptr);

    /// May be null: nothing is open. Not owned.
    session::Session* session() const { return m_session; }
    void setSession(session::Session* session);
    /// The session's trace, or an empty one; never null.
    std::shared_ptr<const trace::Trace> trace() const;
    std::shared_ptr<const verdict::Verdict> verdict() const;

    /// The instant that every view shows.
    Nanos playhead() const { return m_playhead; }
    void setPlayhead(Nanos t);
    /// The trace's state at the playhead; computed once per (trace, size, playhead).
    const trace::State& state() const;

    /// The selected client thread, lock, node, link or resource; kNoEntity = none.
    trace::EntityId selection() const { return m_selection; }
    void select(trace::EntityId entity);
    /// The lock whose detail is shown: the selected one, or that of the selection, or the first.
    trace::EntityId focusedLock() const;

    /// Sends a fault to the session at the playhead; complains through the session when it cannot.
    void breakIt(scenario::Fault fault);

Q_SIGNALS:
    void sessionChanged();              ///< another session, or its trace was replaced: forget everything derived
    void traceGrew();                   ///< at most about 30 a second
    void playheadChanged(lockscope::Nanos t);
    void selectionChanged(lockscope::trace::EntityId entity);
    void verdictChanged();
    /// Somebody wants this instant (and entity) in the middle of the timeline: a violation or an event was clicked.
    void revealRequested(lockscope::Nanos t, lockscope::trace::EntityId entity);

private:
    QPointer<session::Session> m_session;
    Nanos m_playhead{};
    trace::EntityId m_selection = trace::kNoEntity;
    std::shared_ptr<const trace::Trace> m_empty;
    mutable std::unique_ptr<trace::StateIndex> m_index;
    mutable trace::State m_state;
    mutable bool m_stateValid = false;
};

} // namespace lockscope::views
