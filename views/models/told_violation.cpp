// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/told_violation.h"

#include <algorithm>

namespace lockscope::views {

bool goesOnAt(const verdict::Violation& violation, Nanos at) {
    // kNever, the end of a violation that has not ended yet for the judge, is later than any instant.
    return violation.from <= at && violation.to >= at;
}

std::optional<std::size_t> toldViolation(const verdict::Verdict& verdict, Nanos at) {
    const auto first = verdict.violations.begin();
    const auto last = std::ranges::partition_point(
        verdict.violations, [at](const verdict::Violation& violation) { return violation.from <= at; });
    if (first == last) return std::nullopt;
    const auto told =
        std::find_if(first, last, [at](const verdict::Violation& violation) { return goesOnAt(violation, at); });
    return std::size_t((told == last ? std::prev(last) : told) - first);
}

} // namespace lockscope::views
