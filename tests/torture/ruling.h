// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "herd.h"
#include "journal.h"
#include "trace/trace.h"
#include "verdict/verdict.h"

#include <map>
#include <numeric>

namespace lockscope::torture {

/// The ruling on one run.
struct Ruling {
    std::shared_ptr<trace::Trace> trace; ///< of all processes together
    verdict::Verdict verdict;
    int acquisitionsOfBlocking = 0; ///< of all: by threads that block
    int acquisitions = 0, kills = 0, stops = 0, restarts = 0;
    /// Double beliefs that are a stopped client's alone, by lock: allowed (withoutPausedBeliefs).
    std::array<int, kLocks> pausedBeliefs{};
    QStringList complaints; ///< what must not be, the invariant first; empty: all is well
    QStringList violations; ///< those that are about the locks, and not about how they were tortured
    /// How many occasions there were to violate each invariant that is judged.
    std::map<verdict::Invariant, int> occasions;

    int allPausedBeliefs() const { return std::accumulate(pausedBeliefs.begin(), pausedBeliefs.end(), 0); }
};

/// Merges the journals and what the server said, judges the trace, and says what of it is allowed.
Ruling rule(const Subject& subject, const Plan& plan, const Chronicle& chronicle);

/// Why an invariant is not judged for a recipe; empty: it is.
///
/// Everywhere judged are `mutual-exclusion` and `ownership`; the latter by what the server itself says (Testimony), and
/// for places of waiters in etcd not at all, because nobody can say who took one away. Nowhere judged are
/// - `progress`: who waits behind one that was killed waits for the end of its lease, and no bound on that would be
///   short enough to say much. Instead all locks are taken once more at the end.
/// - `stale-write`: what the locks guard are counters in files, which cannot refuse. They must be right at the end: of
///   a lock that a stopped client believed to hold it may be short by what that overwrote when it went on.
/// - `no-deadlock`: no thread wants a second lock while it holds one.
QString whyNotJudged(verdict::Invariant invariant, const recipes::RecipeInfo& recipe);

} // namespace lockscope::torture
