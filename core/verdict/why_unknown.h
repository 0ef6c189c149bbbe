// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/verdict.h"

namespace lockscope::verdict {

/// Why an invariant could not be decided, one translated sentence; empty: its outcome is not Outcome::Unknown.
QString whyUnknown(const Verdict& verdict, Invariant invariant, const trace::Trace& trace);

} // namespace lockscope::verdict
