// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/verdict.h"

#include <optional>
#include <vector>

namespace lockscope::verdict {

/// Facts about why no waiter gets a lock, read from the trace for the explanation of a violation of progress.
struct Obstacle {
    /// The time for which a server was away; kNoEntity: it was not.
    struct Away {
        trace::EntityId server = trace::kNoEntity;
        std::optional<Nanos> stopped; ///< it stood still since then
        std::optional<Nanos> died;
        bool powerLost = false;    ///< … with its machine, which told nobody that connections are over
        std::optional<Nanos> back; ///< missing: not before the end of the violation
    };

    // The record at the moment that the bound passed, and what became of its owner.
    trace::EntityId owner = trace::kNoEntity; ///< kNoEntity: the lock is free on the server
    std::int64_t deadline = -1;
    std::optional<Nanos> ownerDied;
    std::optional<Nanos> ownerHung;   ///< its work hangs since then, or since it got the lock
    std::optional<Nanos> ownerPaused; ///< it was asleep since then while it had the lock
    std::optional<Nanos> ownerWoke;   ///< missing: not before the end of the violation
    bool ownerRenewed = false;        ///< its lease was renewed since it got the lock
    /// The row by which its wait or its hold ended for itself, if it does not believe that it has the lock.
    std::optional<trace::Event> ownerGaveUp;
    /// The deciding servers that its client was cut off from while it gave the lock back, since when the last of them
    /// was, and when a link was mended; missing: not before the end of the violation.
    std::vector<trace::EntityId> releaseCutFrom;
    Nanos releaseCutSince{};
    std::optional<Nanos> releaseCutUntil;
    Away releaseAway; ///< the one deciding server, if it was away when the owner gave the lock back …
    bool releaseOnDeadConnection = false; ///< … or before, so that its connection had died with the machine
    /// When its entry was freed, if that was no later than the end of the violation.
    std::optional<Nanos> ownerFreed;

    /// The first waiter that died while it waited, if the server's queue is longer than the number of live waiters.
    trace::EntityId deadWaiter = trace::kNoEntity;
    Nanos waiterDied{};

    /// The first waiter of the server's queue, if it is paused or cut off since then: nobody behind it gets the lock.
    trace::EntityId deafWaiter = trace::kNoEntity;
    bool deafByPause = false;
    Nanos deafSince{};

    /// The servers whose links to waiters are slower than usual, by how much the slowest of them is, one way, since
    /// when the first of them is, and when the last of them was mended; missing: not before the end of the violation.
    std::vector<trace::EntityId> slowServers;
    Nanos slowBy{}, slowSince{};
    std::optional<Nanos> slowUntil;

    /// The server of the lock that was away last while it was free, or when it became so.
    Away away;

    /// The deciding servers whose disks stood still, so that requests that write waited; since when all of them did,
    /// and until when; missing: not before the end of the violation.
    std::vector<trace::EntityId> stalledDisks;
    bool mostStalled = false; ///< they are more than half of them
    Nanos stalledSince{};
    std::optional<Nanos> stalledUntil;

    /// The server whose pool, which the waiters share, had no connection left, since when, and until when; missing: not
    /// before the end of the violation. kNoEntity: it had some.
    trace::EntityId pool = trace::kNoEntity;
    bool poolTaken = false; ///< by others than the clients
    Nanos poolEmptySince{};
    std::optional<Nanos> poolEmptyUntil;
};

/// Looks at the rows before the violation's, and at those until its end for what ended. Rows about waiters are read
/// only if the lock is free on the server. No more than half a million rows to either side.
Obstacle obstacleTo(const Violation& violation, const trace::Trace& trace);

} // namespace lockscope::verdict
