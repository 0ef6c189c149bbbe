// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "verdict/verdict.h"

namespace lockscope::cli {

/// The program's exit status; scripts rely on the numbers.
enum ExitStatus : int {
    kFine = 0,
    kViolated = 1,    ///< an invariant was violated
    kUsage = 2,       ///< usage or bad input, or output that cannot be written
    kUnreachable = 3, ///< server unreachable or refused
    kUnknown = 4,     ///< the verdict is unknown

    // `lock` passes its command's own status through and keeps clear of it, as timeout(1) and env(1) do.
    kLockLost = 123,
    kNotAcquired = 124,
    kLockFailed = 125,
    kCannotRun = 126,
    kNotFound = 127,
    kSignalBase = 128, ///< plus the number of the signal that ended the command
};

/// The status that says how a judgement came out.
inline ExitStatus statusOf(const verdict::Verdict& verdict) {
    switch (verdict.overall()) {
    case verdict::Outcome::Holds:
        return kFine;
    case verdict::Outcome::Violated:
        return kViolated;
    case verdict::Outcome::Unknown:
        break;
    }
    return kUnknown;
}

} // namespace lockscope::cli
