// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/actions.h"
#include "trace/recording.h"
#include "trace/trace.h"
#include "verdict/verdict.h"

#include <QObject>
#include <expected>
#include <memory>
#include <optional>

namespace lockscope::session {

/// Where to run to.
enum class Milestone : std::uint8_t { Event, Acquisition, Fault, Violation };

/// True for an event that a run to this milestone stops at. Violations are not events: always false for them.
bool isMilestone(Milestone milestone, const trace::Event& event);

/// Whether another run keeps the faults that a person caused.
enum class ByHand : std::uint8_t { Keep, Drop };

/// Why a session has another future now; see Session::futureReplaced().
enum class Rewrite : std::uint8_t {
    Apply,    ///< something was done in the past
    Withdraw, ///< something done by hand was taken back
    Move,     ///< something done by hand strikes at another time
    Undo,
    Redo,
    Again,   ///< a former run is the run again
    Restart, ///< the run begins again: with another seed, with other servers, or without what was done by hand
};

/// The abilities of a session; the window enables its controls by them.
struct Abilities {
    bool faults = false;       ///< apply() works
    bool serverFaults = false; ///< faults on nodes and links, too
    bool rewind = false;       ///< apply() in the past makes a new future from there
    bool speed = false;        ///< time goes as fast as one likes
    bool restart = false;
    bool workload = false;     ///< clients of our own, settings can change
    bool live = false;         ///< time goes by itself
    bool forceRelease = false; ///< forceRelease() works
};

/// How it stands with the servers, in words for the status pill.
struct Health {
    enum class Level : std::uint8_t {
        Good,
        Working, ///< connecting
        Partial, ///< connected, and all is known; but not all of the servers that should be there answer
        Bad,
    };
    Level level = Level::Good;
    QString text;    ///< "Simulated · gc-pause", "127.0.0.1:6379 · lost: connection refused; trying again in 2 s"
    QString brief{}; ///< a few words where `text` is a sentence: "127.0.0.1:6379 · lost"; empty: text is short itself
};

/// A world behind one interface. Lives on the GUI thread; the world itself runs on a thread of its own and writes the
/// trace, which anybody may read. No call here blocks.
class Session : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~Session() override = default;

    virtual Abilities abilities() const = 0;
    /// Whether this action can be had in this world at all, on a target of that kind; the reason against it is a
    /// sentence. Breakable::can() also asks whether the target can bear it now.
    virtual std::expected<void, QString> allows(scenario::Action action, scenario::TargetKind target) const;
    virtual QString title() const = 0; ///< never a password
    virtual Health health() const = 0;
    virtual std::shared_ptr<const trace::Trace> trace() const = 0;
    /// The judgement so far; never null.
    virtual std::shared_ptr<const verdict::Verdict> verdict() const = 0;
    /// The scenario so far, with the changes made by hand: running it again gives the same digest.
    virtual scenario::Scenario scenario() const = 0;
    /// The scenario's settings as they are now, after what was changed by hand: what a form shows.
    virtual scenario::Scenario settings() const { return scenario(); }
    /// The faults and changes that a person made, in the order in which they were made. In a simulation they are part
    /// of scenario(), too.
    virtual std::vector<scenario::Fault> doneByHand() const { return {}; }
    /// True while there is a change by hand that undo() can take back, or redo() make again.
    virtual bool canUndo() const { return false; }
    virtual bool canRedo() const { return false; }
    virtual std::uint64_t seed() const = 0;
    /// The metadata for a recording of this session; a reader judges by it as the session does.
    virtual trace::RecordingMeta recordingMeta() const;
    /// The end of the time axis as planned; 0 when there is no plan.
    virtual Nanos planned() const = 0;
    /// Commands a second that this program sends to a server, watching and workload together; nullopt without a server.
    virtual std::optional<double> ownLoad() const { return std::nullopt; }

public Q_SLOTS:
    /// Makes time come at least as far as t (simulated; others ignore it).
    virtual void advanceTo(lockscope::Nanos t) = 0;
    /// Runs on from `from` until the next milestone after it; answers by milestoneReached(). It looks no further than
    /// to the end of the plan or of the run so far, whichever is later: a search never makes a run longer.
    virtual void advanceToNext(lockscope::session::Milestone milestone, lockscope::Nanos from) = 0;
    /// Does something to the world at `at`; in the past of a session that can rewind this drops the future.
    virtual void apply(lockscope::scenario::Fault fault, lockscope::Nanos at) = 0;
    /// From the start again.
    virtual void restart(std::uint64_t seed, lockscope::session::ByHand byHand) = 0;
    /// Takes back one of doneByHand(): the run is as if it had never been done. An index out of range does nothing.
    virtual void withdraw(std::size_t index) { Q_UNUSED(index) }
    /// Lets one of doneByHand() strike at another instant. An index out of range, or a session that cannot rewind, does
    /// nothing.
    virtual void move(std::size_t index, lockscope::Nanos at) {
        Q_UNUSED(index)
        Q_UNUSED(at)
    }
    /// undo() brings back the run from before the last change by hand, with its future; redo() makes the change again.
    virtual void undo() {}
    virtual void redo() {}

    /// Answers by releasePlanned() with the commands that forceRelease() would send now, or complains.
    virtual void planRelease(QByteArray lockName) {
        Q_EMIT complained(tr("“%1” cannot be freed by force in this session.").arg(QString::fromUtf8(lockName)));
    }
    /// Takes a lock from its holders: those of the last plan for it, if there was one, else those that are seen to hold
    /// it now. If others hold it by then, nothing is changed. Ask the user to type the lock's name before.
    virtual void forceRelease(QByteArray lockName) {
        Q_EMIT complained(tr("“%1” cannot be freed by force in this session.").arg(QString::fromUtf8(lockName)));
    }

Q_SIGNALS:
    /// The trace is another object now; everything derived from the old one is void.
    void traceReplaced();
    /// The trace grew or time went on. At most about 60 a second.
    void advanced();
    void verdictChanged();
    /// `at`: the milestone's instant when found, else the instant up to which the session has searched.
    void milestoneReached(bool found, lockscope::Nanos at);
    /// From `from` on the run differs from the one before, for this reason; kNever: they are equal. Follows
    /// traceReplaced().
    void futureReplaced(lockscope::session::Rewrite why, lockscope::Nanos from);
    /// The answer to planRelease(): what would be sent, line by line.
    void releasePlanned(QByteArray lockName, QStringList commands);
    void healthChanged();
    void scenarioChanged();
    void ownLoadChanged();
    /// Something asked for could not be done: a sentence for the user.
    void complained(QString message);
};

} // namespace lockscope::session
