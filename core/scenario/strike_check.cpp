// SPDX-License-Identifier: Apache-2.0
#include "scenario/strike_check.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::scenario {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

constexpr std::int64_t kMostStrikes = 100'000; ///< of one fault: more of them take longer than anybody waits

} // namespace

void checkStrikes(const Scenario& scenario, std::vector<Complaint>& complaints) {
    const bool fixed = std::ranges::none_of(scenario.faults,
                                            [](const Fault& fault) { return fault.setting == QLatin1String("lease"); });
    // The longest lease that a lock ever has; empty: the first lock.
    const auto longest = [&](const QString& lock) {
        const auto other =
            std::ranges::find_if(scenario.moreLocks, [&](const NamedLock& one) { return one.settings.name == lock; });
        if (!fixed) return kNever;
        return other == scenario.moreLocks.end() ? scenario.lock.lease : other->settings.lease;
    };
    for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
        const Fault& fault = scenario.faults[i];
        if (fault.byHand) continue; // it has struck
        const auto complain = [&](const char* where, const QString& message) {
            complaints.push_back({QStringLiteral("/faults/%1").arg(i) + QLatin1String(where), message});
        };
        const Nanos from = fault.at.value_or(fault.when ? fault.when->after : Nanos::zero());
        const char* const begin = fault.at ? "/at" : "/when/after";
        const bool heals = fault.action == Action::HealAll;
        if (from > scenario.until)
            complain(begin,
                     tr("this fault never strikes: the run ends at %1 (“until”)").arg(formatDuration(scenario.until)));
        else if (scenario.liveness && from >= *scenario.liveness && !heals)
            complain(begin, tr("this fault never strikes: from %1 on (“liveness”) everything is healed")
                                .arg(formatDuration(*scenario.liveness)));
        else if (fault.when && fault.when->on == Trigger::On::LeaseLeft && fault.when->left > longest(fault.when->lock))
            complain("/when/lease_left",
                     tr("this fault never strikes: the lease is %1").arg(formatDuration(longest(fault.when->lock))));
        else if (fault.every && *fault.every > Nanos::zero() && fault.times == 0) {
            const auto strikes = (scenario.until - from) / *fault.every + 1;
            if (strikes > kMostStrikes)
                complain("/every",
                         tr("this fault would strike %1 times until the run ends, and %2 are possible: choose a "
                            "longer time, or say “times”")
                             .arg(QString::number(strikes), QString::number(kMostStrikes)));
        }
    }
}

} // namespace lockscope::scenario
