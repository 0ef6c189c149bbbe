// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "experiment/measures.h"
#include "experiment/run.h"

namespace lockscope::experiment {

/// How a recipe came through a failure. Over several seeds the last of these counts that is true of any of them.
enum class CellOutcome : std::uint8_t {
    Safe,      ///< no invariant was violated, and nobody noticed more than a hand-off
    Recovered, ///< for more than a second nobody could get the lock, but then it was granted again
    Unknown,   ///< an invariant could not be judged
    Stalled,   ///< at the end the lock was overdue, or was not granted any more to its waiters, or one of them starved
    Violated,  ///< an invariant other than `progress` was violated
};
QByteArray outcomeId(CellOutcome outcome); ///< "safe", "recovered", …

/// How one run came out.
CellOutcome outcomeOf(const RunReport& report, const Measures& measures);
/// The outcome that a file promises; nullopt: it leaves that open, as it says too little of what holds.
std::optional<CellOutcome> promisedOutcome(const scenario::Expectation& promised);
/// Whether an outcome is as promised, or better: recovered early enough for nobody to notice.
bool keeps(CellOutcome outcome, CellOutcome promised);

} // namespace lockscope::experiment
