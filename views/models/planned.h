// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

namespace lockscope::views {

/// Whether faults can be drawn on the time axis: in a simulation.
bool canPlan(const ViewContext& context);
/// Adds a fault that strikes at its own time, or by its condition from that time on, to what was done by hand.
/// Precondition: it has a time. Does nothing unless canPlan().
void plan(ViewContext& context, scenario::Fault fault);
/// Puts a fault in the place of one of Session::doneByHand(). Does nothing unless canPlan().
void replaceDeed(ViewContext& context, std::size_t index, scenario::Fault fault);
/// The trace's state at any instant, as far as it is known. Folds the trace up to there: for menus, not for frames.
trace::State stateAt(const ViewContext& context, Nanos t);

} // namespace lockscope::views
