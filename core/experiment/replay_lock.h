// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "trace/trace.h"

namespace lockscope::experiment {

/// A lock as its rows tell of it: what its clients must have asked for.
struct ReplayLock {
    scenario::LockSettings settings; ///< without a name
    QString recipe;                  ///< whose locks look like this one
    bool ofGetLock = false;          ///< MariaDB's or MySQL's named lock
    bool leaseAtLeast = false;       ///< no grant and no renewal was seen: the lease may be longer
};

/// The kind of service behind a URL: "redis", "zookeeper", "sql", …; "redis" also for what is not known.
QByteArray kindOfService(const QByteArray& url);

/// All locks of a trace, by what was seen of them up to an instant. The lease is the longest time to a deadline that a
/// row tells of; in an attached world, whose looks come a moment after the fact, the next whole second, or the next
/// time that people choose where only the rest of a lease was seen. The watchdog's period is the median between two
/// renewals of one hold; where holds had one at most, what that one and the time without one after it make likely.
std::map<trace::EntityId, ReplayLock> replayLocks(const trace::Trace& trace, Nanos to);

/// Gives these locks to a scenario, the first one as its main lock, and the services that keep them.
void applyLocks(const std::vector<ReplayLock>& locks, scenario::Scenario& to);

/// The time that messages of a stretch took one way, from the fastest twentieth to the slowest; nullopt: no row tells.
std::optional<scenario::Network> observedNetwork(const trace::Trace& trace, Nanos from, Nanos to);

} // namespace lockscope::experiment
