// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "experiment/measures.h"
#include "experiment/run.h"

namespace lockscope::experiment {

/// Whether a waiter is to starve when the run ends: "reaches": ["waiter-starves"].
bool promisesStarvation(const scenario::Expectation& promised);
/// Whether some waiter does.
bool starvesAtTheEnd(const RunReport& report);
/// How a run differs from its scenario's promise, in a translated sentence; empty: it is as promised. A run in which
/// the lock was never granted is as no file promises.
QString differenceFrom(const scenario::Expectation& promised, const RunReport& report, const Measures& measures);

} // namespace lockscope::experiment
