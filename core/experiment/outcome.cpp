// SPDX-License-Identifier: Apache-2.0
#include "experiment/outcome.h"

#include "experiment/promise.h"

#include <algorithm>

namespace lockscope::experiment {

namespace {

/// An outage that is shorter is a hand-off: no waiter that polls rests for longer.
constexpr Nanos kNoticed = 1s;

/// Whether the lock was overdue at the end of the run.
bool endsOverdue(const RunReport& report) {
    return std::ranges::any_of(report.verdict.violations, [&](const verdict::Violation& violation) {
        return violation.invariant == verdict::Invariant::Progress && violation.to >= report.trace->reached();
    });
}

} // namespace

QByteArray outcomeId(CellOutcome outcome) {
    switch (outcome) {
    case CellOutcome::Safe:
        return "safe";
    case CellOutcome::Recovered:
        return "recovered";
    case CellOutcome::Unknown:
        return "unknown";
    case CellOutcome::Stalled:
        return "stalled";
    case CellOutcome::Violated:
        break;
    }
    return "violated";
}

CellOutcome outcomeOf(const RunReport& report, const Measures& measures) {
    bool unknown = false;
    for (const verdict::Invariant invariant : verdict::kInvariants) {
        const verdict::Outcome outcome = report.verdict.outcomes[static_cast<std::size_t>(invariant)];
        unknown = unknown || outcome == verdict::Outcome::Unknown;
        if (outcome == verdict::Outcome::Violated && invariant != verdict::Invariant::Progress)
            return CellOutcome::Violated;
    }
    if (starvesAtTheEnd(report)) return CellOutcome::Stalled;
    if (endsOverdue(report) || (measures.waitedInVain && measures.grantedAgain == kNever)) return CellOutcome::Stalled;
    if (unknown) return CellOutcome::Unknown;
    return measures.outage > kNoticed ? CellOutcome::Recovered : CellOutcome::Safe;
}

std::optional<CellOutcome> promisedOutcome(const scenario::Expectation& promised) {
    using verdict::Invariant;
    if (promised.stalls || promisesStarvation(promised)) return CellOutcome::Stalled;
    const auto id = [](Invariant invariant) { return QString::fromLatin1(verdict::invariantId(invariant)); };
    const QString progress = id(Invariant::Progress);
    if (std::ranges::any_of(promised.violates, [&](const QString& violated) { return violated != progress; }))
        return CellOutcome::Violated;
    for (const Invariant invariant : {Invariant::MutualExclusion, Invariant::StaleWrite, Invariant::Ownership})
        if (!promised.holds.contains(id(invariant))) return {};
    if (promised.recoversWithin) return CellOutcome::Recovered;
    return promised.holds.contains(progress) ? std::optional(CellOutcome::Safe) : std::nullopt;
}

bool keeps(CellOutcome outcome, CellOutcome promised) {
    return outcome == promised || (promised == CellOutcome::Recovered && outcome == CellOutcome::Safe);
}

} // namespace lockscope::experiment
