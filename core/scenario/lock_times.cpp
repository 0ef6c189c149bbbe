// SPDX-License-Identifier: Apache-2.0
#include "scenario/lock_times.h"

#include <QCoreApplication>

namespace lockscope::scenario {

namespace {

const QLatin1String kLease("lease"), kWatchdog("watchdog"), kOff("off");

/// A change of one of the two times, at its place among the faults.
struct Change {
    std::size_t index = 0;
    const Fault* fault = nullptr;
    Nanos value{};

    bool ofLease() const { return fault->setting == kLease; }
    LockSettings madeTo(LockSettings lock) const {
        (ofLease() ? lock.lease : lock.watchdog) = value;
        return lock;
    }
};

/// By time, and those that a trigger makes at the end. Texts that are no values are told elsewhere.
std::vector<Change> changesOf(const Scenario& scenario) {
    std::vector<Change> changes;
    for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
        const Fault& fault = scenario.faults[i];
        if (fault.action != Action::Set || (fault.setting != kLease && fault.setting != kWatchdog)) continue;
        const bool off = fault.setting == kWatchdog && fault.text == kOff;
        if (const auto value = off ? std::optional(Nanos::zero()) : parseDuration(fault.text))
            changes.push_back({i, &fault, *value});
    }
    std::ranges::stable_sort(changes, {}, [](const Change& change) { return change.fault->at.value_or(kNever); });
    return changes;
}

} // namespace

QString slowWatchdog(const LockSettings& lock) {
    if (lock.watchdog < lock.lease) return {};
    return QCoreApplication::translate("scenario", "a lease of %1 ends before a watchdog renews it after %2: choose a "
                                                   "shorter period, such as a third of the lease, or \"off\"")
        .arg(formatDuration(lock.lease), formatDuration(lock.watchdog));
}

void checkLockTimes(const Scenario& scenario, int version, std::vector<Complaint>& complaints) {
    for (std::size_t i = 0; i < scenario.moreLocks.size(); ++i)
        if (const QString slow = slowWatchdog(scenario.moreLocks[i].settings); !slow.isEmpty())
            complaints.push_back({QStringLiteral("/locks/%1/watchdog").arg(i + 1), slow});
    if (const QString slow = slowWatchdog(scenario.lock); !slow.isEmpty()) {
        complaints.push_back(
            {version == 2 ? QStringLiteral("/locks/0/watchdog") : QStringLiteral("/lock/watchdog"), slow});
        return; // what is changed later cannot be judged then
    }
    const std::vector<Change> changes = changesOf(scenario);
    const auto any = [&changes](bool ofLease, bool triggered) {
        return std::ranges::any_of(changes, [&](const Change& change) {
            return change.ofLease() == ofLease && (!triggered || !change.fault->at);
        });
    };
    // By what they change: the watchdog, then the lease.
    const std::array changed{any(false, false), any(true, false)}, triggered{any(false, true), any(true, true)};
    LockSettings lock = scenario.lock;
    for (const Change& change : changes) {
        // When a trigger strikes, nobody knows beforehand: where one changes the counterpart, there is no telling.
        const std::size_t counterpart = change.ofLease() ? 0 : 1;
        if (triggered[counterpart] || (!change.fault->at && changed[counterpart])) continue;
        const LockSettings after = change.madeTo(change.fault->at ? lock : scenario.lock);
        if (const QString slow = slowWatchdog(after); !slow.isEmpty())
            complaints.push_back({QStringLiteral("/faults/%1/to").arg(change.index), slow});
        else if (change.fault->at)
            lock = after;
    }
}

} // namespace lockscope::scenario
