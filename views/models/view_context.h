// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/spotlight.h"
#include "session/breakable.h"

#include "trace/state.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

namespace lockscope::views {

/// The state that all views share: one session, one instant, one selection. Views never use each other.
class ViewContext : public QObject {
    Q_OBJECT
public:
    explicit ViewContext(QObject* parent = nullptr);
    ~ViewContext() override;

    /// May be null: nothing is open. Not owned.
    session::Session* session() const { return m_session; }
    void setSession(session::Session* session);
    /// The session's trace, or an empty one; never null.
    std::shared_ptr<const trace::Trace> trace() const;
    /// The session's verdict, without what heldBack() keeps to itself.
    std::shared_ptr<const verdict::Verdict> verdict() const;

    /// The instant that every view shows.
    Nanos playhead() const { return m_playhead; }
    /// Shows that instant at once, whatever is known of it; not below 0. For the player, which drives the playhead;
    /// views ask for another instant by seek() or reveal().
    void setPlayhead(Nanos t);
    /// Asks the player to go there: a live session is then followed no more, and a world that has not come so far is
    /// computed first. Goes there at once when nobody drives it.
    void seek(Nanos t);
    /// The last instant that the playhead has been at in this future: what lies beyond it nobody has seen.
    Nanos furthest() const { return m_furthest; }
    /// For the player: it has the world computed up to `t`, so that the next pictures need not wait for it, or in
    /// search of something.
    void setLookAhead(Nanos t) { m_lookAhead = t; }
    /// Where the part of a simulation's trace begins that was computed for the player only, and that nobody is to see
    /// yet: it would give away who gets the lock next. Nothing: all of the trace may be seen.
    std::optional<Nanos> unseenFrom() const;
    /// How many rows of the trace may be seen, and counted: all but those that unseenFrom() cuts off.
    std::size_t seenRows() const;
    /// The trace's state at the playhead; computed once per (trace, rows up to the playhead, playhead). The reference
    /// is good until the event loop runs, or the playhead or the trace is another one: rows that come meanwhile wait.
    const trace::State& state() const;

    /// The instant at which breakIt() and the session's forceRelease() strike: the playhead where the session can
    /// rewind (or nothing can be done to it), else now. A view that offers them, or names their target, uses
    /// stateToActOn().
    Nanos actsAt() const;
    /// The trace's state at that instant. The reference is good until the next call.
    const trace::State& stateToActOn() const;

    /// The session's scenario so far; a default one when nothing is open.
    const scenario::Scenario& scenario() const;
    /// The session's scenario with the settings that were in force at the playhead.
    const scenario::Scenario& settings() const;

    /// The selected client thread, lock, node, link or resource; kNoEntity = none.
    trace::EntityId selection() const { return m_selection; }
    /// Survives a replaced trace when that has an entity of the same name, even if it turns up later. `about`: of a
    /// thread that deals with several locks, the one that it was selected for.
    void select(trace::EntityId entity, trace::EntityId about = trace::kNoEntity);
    /// The lock whose detail is shown: the selected one, or that of the selection, or the worst one, or the first.
    trace::EntityId focusedLock() const;
    /// The lock that most deserves to be looked at while nobody has selected anything; kNoEntity: none does.
    void setWorstLock(trace::EntityId lock);

    /// All entities of a kind that turned up so far, in order; of names and texts (Text) none. Costs what is new.
    const std::vector<trace::EntityId>& entities(trace::EntityKind kind) const;
    /// Entities of what each of several servers keeps of a lock, in the order of the trace.
    const std::vector<trace::EntityId>& copiesOf(trace::EntityId lock) const;

    /// Where a lesson asks to look; nothing: the whole picture is of equal interest, and may show what is to come.
    const std::optional<Spotlight>& spotlight() const { return m_spotlight; }
    void setSpotlight(std::optional<Spotlight> spotlight);
    /// The things that no view tells yet, as they would answer an open bet.
    const HeldBack& heldBack() const { return m_heldBack; }
    void setHeldBack(HeldBack heldBack);

    /// The world at actsAt(), as breakable things look at it. Good as long as state()'s.
    session::Breakable::Sight sightToActOn() const;
    /// Sends a fault to the session, as done by hand at actsAt(), if its target can bear it then; complains through the
    /// session otherwise. It looks at the action, the target, the value, the text and a setting of the fault only.
    void breakIt(scenario::Fault fault);
    /// Asks the player to run the session from its start again, with its seed.
    void restart(session::ByHand byHand) { Q_EMIT restartRequested(byHand); }
    /// seek() and revealRequested(), with the entity selected; kNoEntity leaves the selection.
    void reveal(Nanos t, trace::EntityId entity = trace::kNoEntity);
    /// Asks the table of locks to show only those that this filter finds (models/lock_filter.h).
    void filterLocks(const QString& filter) { Q_EMIT lockFilterRequested(filter); }
    /// reveal() of where this violation of verdict() begins, and explanationRequested(). Out of range: nothing.
    void explain(std::size_t violation);

Q_SIGNALS:
    void sessionChanged(); ///< another session, or its trace was replaced: forget everything derived
    void traceGrew();      ///< at most about 30 a second
    void playheadChanged(lockscope::Nanos t);
    void seekRequested(lockscope::Nanos t);                   ///< by seek()
    void restartRequested(lockscope::session::ByHand byHand); ///< by restart()
    /// Session::futureReplaced(), where what was replaced had been seen. Follows sessionChanged().
    void futureReplaced(lockscope::session::Rewrite why, lockscope::Nanos from);
    /// In place of futureReplaced() where nobody had seen anything that differs from `from` on. Follows
    /// sessionChanged().
    void unseenFutureReplaced(lockscope::Nanos from);
    void selectionChanged(lockscope::trace::EntityId entity);
    void verdictChanged();
    void scenarioChanged(); ///< scenario() and settings() may differ now
    void spotlightChanged();
    void heldBackChanged(); ///< followed by verdictChanged()
    /// The user clicked on a violation or an event: this instant (and entity) goes to the middle of the timeline.
    void revealRequested(lockscope::Nanos t, lockscope::trace::EntityId entity);
    void lockFilterRequested(const QString& filter); ///< by filterLocks()
    /// The user wants to read about this violation (an index into the verdict's): its card comes to the front.
    void explanationRequested(std::size_t violation);

private:
    /// Identifies an entity, so that it can be found in another trace.
    struct Identity {
        trace::EntityKind kind = trace::EntityKind::None;
        QByteArray name, parent, other;
    };
    Identity identityOf(trace::EntityId entity) const;
    trace::EntityId find(const Identity& identity) const;
    void foldAhead();
    void adoptTrace();
    void onAdvanced();
    void onFutureReplaced(session::Rewrite why, Nanos from);
    void grow();
    void setSelection(trace::EntityId entity, trace::EntityId about = trace::kNoEntity);

    QPointer<session::Session> m_session;
    Nanos m_playhead{};
    Nanos m_furthest{};
    Nanos m_lookAhead{}; ///< how far the player had the world computed
    trace::EntityId m_selection = trace::kNoEntity;
    std::optional<Spotlight> m_spotlight;
    HeldBack m_heldBack;
    mutable std::shared_ptr<const verdict::Verdict> m_whole, m_told; ///< the session's, and what verdict() made of it
    trace::EntityId m_about = trace::kNoEntity;                      ///< the lock that the selection was selected for
    trace::EntityId m_worst = trace::kNoEntity;                      ///< setWorstLock()
    std::optional<Identity> m_wanted; ///< selected in the trace before, not yet in this one
    std::shared_ptr<const trace::Trace> m_empty;
    std::shared_ptr<const trace::Trace> m_trace;
    std::shared_ptr<const verdict::Verdict> m_noVerdict;
    QTimer m_pace; ///< runs while traceGrew was emitted less than a frame ago
    bool m_grewMeanwhile = false;
    QTimer m_ahead; ///< runs while there are rows that m_index has not folded in
    mutable std::unique_ptr<trace::StateIndex> m_index;
    mutable trace::State m_state;
    mutable Nanos m_stateAt{};
    mutable bool m_stateValid = false;
    mutable bool m_stateEnded = false; ///< beliefs in it may have ended since its last row, by their own deadlines
    /// Whether m_state becomes that of the playhead by the rows up to `rows`, which are not many.
    bool stateLeadsTo(std::size_t rows) const;
    mutable trace::State m_now; ///< of all rows so far, where what is done is done now
    /// As much of the trace as this turn of the event loop sees. Another thread appends to it, and a state that grew
    /// between two questions would take away what the first answer refers to.
    struct Glance {
        std::size_t rows = 0;
        Nanos reached{};
    };
    const Glance& glance() const;
    mutable std::optional<Glance> m_glance;
    mutable std::optional<scenario::Scenario> m_scenario, m_settings;
    mutable Nanos m_settingsAt{};
    mutable std::map<trace::EntityKind, std::vector<trace::EntityId>> m_entities;
    mutable std::map<trace::EntityId, std::vector<trace::EntityId>> m_copies; ///< by logical lock
    mutable std::size_t m_seenEntities = 0; ///< entities that were looked at for m_entities and m_copies
};

} // namespace lockscope::views
