// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "session/session.h"

namespace lockscope::session {

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

    /// nullptr: this session (or none) has no time axis that could be changed.
    static Planning* of(Session* session) { return dynamic_cast<Planning*>(session); }

protected:
    Planning() = default;
    Planning(const Planning&) = default;
    Planning& operator=(const Planning&) = default;
};

} // namespace lockscope::session
