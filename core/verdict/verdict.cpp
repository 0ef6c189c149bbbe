// SPDX-License-Identifier: Apache-2.0
#include "verdict/verdict.h"

#include <algorithm>

namespace lockscope::verdict {

QByteArray invariantId(Invariant invariant) {
    switch (invariant) {
    case Invariant::MutualExclusion:
        return "mutual-exclusion";
    case Invariant::StaleWrite:
        return "stale-write";
    case Invariant::Ownership:
        return "ownership";
    case Invariant::Progress:
        return "progress";
    case Invariant::Reentrancy:
        return "reentrancy";
    case Invariant::Fifo:
        return "fifo";
    case Invariant::TokenOrder:
        return "token-order";
    case Invariant::NoDeadlock:
        return "no-deadlock";
    }
    return {};
}

Outcome Verdict::overall() const {
    const auto any = [&](Outcome outcome) { return std::ranges::find(outcomes, outcome) != outcomes.end(); };
    if (any(Outcome::Violated)) return Outcome::Violated;
    return any(Outcome::Unknown) ? Outcome::Unknown : Outcome::Holds;
}

Outcome Verdict::outcomeAt(Invariant invariant, Nanos t) const {
    for (const Violation& v : violations) {
        if (v.from > t) break;
        if (v.invariant == invariant) return Outcome::Violated;
    }
    // "Not seen" outweighs "nothing claimed"; a violation that came later says nothing about t.
    const Nanos unknown = unknownSince[static_cast<std::size_t>(invariant)];
    if (unknown <= t) return Outcome::Unknown;
    const Outcome whole = outcomes[static_cast<std::size_t>(invariant)];
    return whole == Outcome::Unknown && unknown == kNever ? Outcome::Unknown : Outcome::Holds;
}

const Starved* Verdict::starvesAt(Nanos t) const {
    const auto found = std::ranges::find_if(starved, [t](const Starved& one) { return one.from <= t && t <= one.to; });
    return found == starved.end() ? nullptr : &*found;
}

Verdict Verdict::asOf(Nanos t) const {
    Verdict then = *this;
    then.reached = std::min(reached, t);
    std::erase_if(then.violations, [&](const Violation& v) { return v.from > t; });
    std::erase_if(then.starved, [&](const Starved& one) { return one.from > t; });
    for (Starved& one : then.starved)
        one.to = std::min(one.to, then.reached);
    for (Violation& v : then.violations)
        v.to = std::min(v.to, then.reached);
    for (const Invariant invariant : kInvariants)
        then.outcomes[static_cast<std::size_t>(invariant)] = outcomeAt(invariant, t);
    return then;
}

Verdict Verdict::beganBefore(Nanos t) const {
    Verdict before = *this;
    std::erase_if(before.violations, [&](const Violation& v) { return v.from >= t; });
    std::erase_if(before.starved, [&](const Starved& one) { return one.from >= t; });
    for (const Invariant invariant : kInvariants) {
        const auto i = static_cast<std::size_t>(invariant);
        const bool violated = outcomeAt(invariant, t - 1ns) == Outcome::Violated;
        before.outcomes[i] = violated ? Outcome::Violated : Outcome::Unknown;
        before.unknownSince[i] = std::min(unknownSince[i], t);
    }
    return before;
}

} // namespace lockscope::verdict
