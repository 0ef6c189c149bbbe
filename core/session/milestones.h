// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "session/session.h"

namespace lockscope::session {

/// The first such milestone after `from` among the events so far.
std::optional<Nanos> nextMilestone(const trace::Trace& trace, const verdict::Verdict& verdict, Milestone milestone,
                                   Nanos from);

} // namespace lockscope::session
