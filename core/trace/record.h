// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/deadline.h"
#include "trace/event.h"

#include <vector>

namespace lockscope::trace {

struct Belief;

/// A time since when the server does not tell.
inline constexpr std::int64_t kSinceNotTold = INT64_MIN;

/// One of a lock's holders, as the server tells.
struct Holder {
    EntityId thread = kNoEntity;
    std::uint32_t holds = 1;
    std::int64_t since = 0;               ///< when the record first named it
    std::int64_t deadline = kEndNotKnown; ///< its own; kNeverEnds; kEndNotKnown: its server gives it none of its own
    HoldMode mode = HoldMode::Exclusive;
    std::int64_t toldSince = kSinceNotTold; ///< since when it holds by the server's own word; may be below 0
    friend bool operator==(const Holder&, const Holder&) = default;
};

/// A waiter in a server's queue.
struct QueuedWaiter {
    EntityId thread = kNoEntity;
    std::int64_t since = 0; ///< when the record first named it
    HoldMode mode = HoldMode::Exclusive;
    bool dead = false;                      ///< nobody waits behind this entry any more
    std::int64_t toldSince = kSinceNotTold; ///< since when it waits by the server's own word; may be below 0
    friend bool operator==(const QueuedWaiter&, const QueuedWaiter&) = default;
};

/// The server's record of one lock. If several servers keep the lock: the record of the logical lock, or one server's
/// copy.
struct Record {
    EntityId owner = kNoEntity; ///< Thread; kNoEntity = free. If several hold it: one of them
    std::uint32_t holds = 0;
    std::int64_t since = 0;                 ///< when the owner changed
    std::int64_t toldSince = kSinceNotTold; ///< since when the owner holds by the server's own word; may be below 0
    std::int64_t leaseFrom = 0;             ///< when the lease was last granted or renewed
    std::int64_t deadline = -1;             ///< -1 = never expires
    std::int64_t waiters = -1;              ///< -1 = not known to the server
    std::int64_t token = 0;                 ///< 0 = none
    std::uint32_t grants = 0;               ///< number of owners so far
    HoldMode mode = HoldMode::Exclusive;    ///< while held
    Certainty certainty = Certainty::Certain;
    bool seen = false; ///< a row has said who holds it, or that it is free
    bool observed = true;
    bool noLongerShown = false;      ///< not observed, because the server shows it only while somebody waits for it
    EntityId decider = kNoEntity;    ///< of a logical lock: the node whose copy it is; kNoEntity: see deciders
    std::int64_t deciders = -1;      ///< how many copies it takes to decide; 0 = nobody decides; -1 = not told
    EntityId copyOf = kNoEntity;     ///< the logical Lock that this is one server's copy of; kNoEntity: it is none
    EntityId format = kNoEntity;     ///< Text; kNoEntity: no row has named it
    EntityId content = kNoEntity;    ///< Text: what lay on the server at contentAt, as it was seen
    std::int64_t contentAt = -1;     ///< when that was looked at; -1 = never
    std::vector<Holder> holders;     ///< where there may be several: the named holders, first come first
    std::int64_t holdersInAll = -1;  ///< more than are named; -1 = the named ones
    std::vector<QueuedWaiter> queue; ///< in the server's order; empty where it has none or does not name them
    std::int64_t permitsFree = -1;   ///< of a semaphore; -1 = not known
    std::uint32_t permitsInAll = 0;  ///< 0 = not known

    /// The owner of the hold that a RecordRenewed prolongs, by the record before it: another thread may have sent it.
    EntityId ownerOfRenewed(const Event& event) const { return observed && owner != kNoEntity ? owner : event.actor; }
    /// Everybody who is named as a holder; a lock with one holder names only its owner. Empty: it is free.
    std::vector<Holder> allHolders() const;
    /// How many hold it: at least one for each name.
    std::int64_t holderCount() const;
    /// Whether the record names everybody who holds it now: then nobody else does.
    bool namesAllHolders() const;
    /// Whether the record names this thread among the holders.
    bool names(EntityId thread) const;
    friend bool operator==(const Record&, const Record&) = default;
};

/// Applies a record row of the record's lock; all that keeps records does so by this. `believer`: the belief of the
/// row's actor about this lock, which gets the number of a grant that the record tells first; nullptr: there is none.
void applyRecord(Record& record, const Event& event, Belief* believer);

} // namespace lockscope::trace
