// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "session/session.h"

namespace lockscope::session {

/// A run, as it takes to have it again: equal recipe, seed and faults give an equal run of one scenario.
struct Course {
    QString recipe; ///< that it begins with
    std::vector<scenario::Fault> byHand;
    std::uint64_t seed = 0;
    Nanos reached{}; ///< how far it was computed

    bool sameRun(const Course& other) const {
        return recipe == other.recipe && seed == other.seed && byHand == other.byHand;
    }
};

/// A session on whose time axis a person can put faults, a simulation, does this, too. GUI thread; no call blocks.
class Planning {
public:
    virtual ~Planning() = default;

    /// Adds a fault to Session::doneByHand() that strikes at its `at`, in the past or later, or by its condition from
    /// then on. Later faults by hand stay. A refusal is told by Session::complained(). Precondition: it has
    /// an `at`, and changes no setting.
    virtual void plan(scenario::Fault fault) = 0;
    /// One of doneByHand() becomes this one, with its `at`. An index out of range does nothing; a refusal is told.
    virtual void replace(std::size_t index, scenario::Fault fault) = 0;
    /// A person looks at that instant: a plan for later has not struck yet, however far ahead the run is computed.
    virtual void lookedAt(Nanos playhead) { Q_UNUSED(playhead) }
    /// How the run came about that is in this trace: the present one, or a former one whose trace somebody still
    /// keeps. nullopt: this session has had no such run.
    virtual std::optional<Course> courseOf(const trace::Trace& run) const {
        Q_UNUSED(run)
        return std::nullopt;
    }
    /// A former run becomes the run again, as far as it had come, and Session::undo() takes that back. Does nothing
    /// where courseOf() knows no such run, or it equals the present one.
    virtual void runAgain(const trace::Trace& former) { Q_UNUSED(former) }

    /// nullptr: this session (or none) has no time axis that could be changed.
    static Planning* of(Session* session) { return dynamic_cast<Planning*>(session); }

protected:
    Planning() = default;
    Planning(const Planning&) = default;
    Planning& operator=(const Planning&) = default;
};

} // namespace lockscope::session
