// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/tracks.h"
#include "trace/state.h"

namespace lockscope::views {

/// The sections of the timeline, from top to bottom: the three truths, then what carries them.
enum class LaneKind : std::uint8_t {
    Belief,
    Record, ///< of a lock; of one that several servers keep, the logical one
    Copy,   ///< one server's copy of such a lock
    Effect,
    Node,
    Watchers, ///< all Sentinels in one lane
    Link,
    Clock,   ///< how far a client's or a server's clock is off, below its own lane; only where one ever was
    Session, ///< a client's session with the service, below its own lane; only where it was ever not connected
};

// The meanings of Span::state and Span::label on each kind of lane.
enum class BeliefState : std::uint8_t {
    Waiting, ///< label: how many waited before it
    Holding, ///< label: of the fencing token in TimelineData::numbers(), 0: none
    Stale,   ///< believes, but the record says otherwise; label as Holding
};
/// Span::state of Lane::again; label: how many times it holds the lock by then.
enum class Again : std::uint8_t {
    Times,      ///< it has taken the lock more than once
    Asks,       ///< it asks for what it holds already
    WaitsItself ///< as Asks, and holds it alone: nobody but itself can end that wait
};
enum class RecordState : std::uint8_t {
    Held,       ///< label: the owner's EntityId; the trace row has lease and deadline
    Unobserved, ///< nobody looked: a gap
};
inline constexpr unsigned kRenewedFlag = 1; ///< Span::flags of Held: goes on from the span before it
inline constexpr unsigned kResumedFlag = 4; ///< Span::flags of Held: seen again after a gap; nobody renewed it there
inline constexpr unsigned kPartialFlag = 2; ///< Span::flags of Held: began before it was seen, its length is not known
inline constexpr unsigned kGuessFlag = 8;   ///< Span::flags of Held: that its key is a lock at all is only a guess
enum class NodePhase : std::uint8_t {
    Up,
    Paused,
    Down,
    Unseen, ///< the observer lost it from sight: a gap
};
/// Span::state of Lane::roles; label: the EntityId of the node whose data it copies. The row tells the role's word.
enum class RoleBand : std::uint8_t {
    Master,
    Replica,
    Orphan,    ///< a replica that gets its data from nobody now
    Candidate, ///< chosen to be promoted
    Looking,   ///< it knows of no leader, and takes part in an election
};
/// Span::state of Lane::deciders.
enum class Decider : std::uint8_t {
    One,     ///< label: the node's EntityId
    Several, ///< label: how many copies it takes
    Nobody,
    Switching, ///< a lock manager leaves an engine; label: as One
};
enum class LinkPhase : std::uint8_t {
    Cut,
    Delayed, ///< the trace row has by how much, also where it is one before the span's begin
};
enum class LifePhase : std::uint8_t { Paused, Dead };

/// Span::state of Lane::queue: the depth by its magnitude, so that sums of many spans know the greatest.
constexpr unsigned queueClass(std::uint32_t depth) {
    return depth <= 1 ? 0 : depth <= 4 ? 1 : depth <= 16 ? 2 : 3;
}
/// The greatest depth of a class; of the last one, no number tells it.
inline constexpr std::array<std::uint32_t, 4> kDeepestOfClass{1, 4, 16, 0xffffff};
// Sums have room for as many states as the kind of lane with the most of them has.
static_assert(std::size_t(RoleBand::Looking) + 1 == kStates && kDeepestOfClass.size() <= kStates);

// The meanings of Tick::kind and Tick::label on each kind of lane.
enum class BeliefTick : std::uint8_t {
    GaveUp,
    Lost,
    RenewFailed,
    Refused, ///< it asked, and could not have the lock; the trace row says why
};
enum class RecordTick : std::uint8_t {
    ReleaseRefused,
    RenewRefused,
    Expired,
    Forced,
    Overwritten,
    NodeLoss,
    RenewalMissed,
    RenewalsStopped,
    FailedOver, ///< held on, on another server
    Evicted     ///< thrown out for want of memory
};
enum class EffectTick : std::uint8_t {
    Accepted, ///< label: of the token it was written under, in TimelineData::numbers(), 0: none
    Refused,  ///< label as Accepted
    Stale, ///< accepted, though its writer was not the holder on record or had an older token; label: index of a Damage
    Untold, ///< accepted, and whether it did damage is held back: shown so, and never kept in a lane
};
enum class LinkTick : std::uint8_t { Request, Reply, Push, Lost, ConnectionLost, ConnectionRestored };
/// The acts of a Sentinel; the trace row tells which node each one is about.
enum class WatcherTick : std::uint8_t {
    Doubts,
    Trusts, ///< again
    Agreed, ///< enough think the node down; label: how many
    Votes,
    Leads, ///< elected; label: with how many votes, as far as they had been cast by then
    Promotes,
    Announces,
    GivesUp,
    Demotes,
};
enum class FaultTick : std::uint8_t { Planned, ByHand };

template <typename Enum>
constexpr std::uint32_t bit(Enum e) {
    return 1u << static_cast<unsigned>(e);
}

/// The unit of labels of Lane::lag: they have 24 bits.
inline constexpr std::int64_t kLagUnit = 100'000;

/// How many hold a lock, of how many who may: as a Span's label.
struct HolderCount {
    static constexpr std::uint32_t kMost = 0xfff;
    std::uint32_t held = 0, all = 0; ///< all: permits, 0 = not known, or no limit; kMost stands for it and more
    std::uint32_t label() const { return std::min(held, kMost) | std::min(all, kMost) << 12; }
    static HolderCount of(std::uint32_t label) { return {label & kMost, label >> 12 & kMost}; }
};

/// A write that should not have been accepted.
struct Damage {
    std::int64_t token = 0; ///< it was written under, 0 = none
    std::int64_t newer = 0; ///< the newest token given by then; 0 = none newer: the lock was just not held any more
};

/// The times in which a client was stopped or gone, and the faults done to it; shared by the lanes of all its threads.
struct ClientLife {
    trace::EntityId client = trace::kNoEntity;
    SpanTrack spans; ///< LifePhase
    TickTrack faults;
    bool started = false;
};

/// One horizontal strip of the timeline.
struct Lane {
    LaneKind kind = LaneKind::Belief;
    trace::EntityId entity = trace::kNoEntity; ///< thread, lock, resource, node or link (none when it was never named);
                                               ///< clock: the client or the node
    trace::EntityId client = trace::kNoEntity; ///< of a thread, a link, or a client's clock
    trace::EntityId other = trace::kNoEntity;  ///< belief: the lock; effect: the lock; link: the node
    SpanTrack spans;                           ///< clock: while it is off, or runs too fast or too slow
    std::vector<trace::WallClock> clocks;      ///< clock: how it goes in each of `spans`
    TickTrack ticks;                           ///< node lanes: WatcherTick::Votes
    TickTrack faults;                          ///< FaultTick
    SpanTrack again;                           ///< belief lanes: Again, only while there is something of it
    SpanTrack queue;                           ///< record lanes: label = known queue depth, state = queueClass() of it
    std::uint32_t longestQueue = 0;            ///< record lanes: the greatest depth so far
    SpanTrack holders;  ///< record lanes, where there may be several: label = HolderCount, state = HoldMode
    SpanTrack deciders; ///< record lanes of locks that several servers keep: Decider
    SpanTrack roles;    ///< node lanes: RoleBand
    SpanTrack lag;      ///< node lanes: label = how far it is behind the node that it copies, in kLagUnit
    /// Record lanes: the lanes of its copies. Watchers: the lanes of the Sentinels, which have no row of their own.
    std::vector<const Lane*> members;
    const Lane* logical = nullptr;             ///< copy lanes: the lane of the logical lock
    const Lane* host = nullptr;                ///< copy lanes: the lane of its server
    bool folded = false;                       ///< it has no row of its own
    bool lossy = false;                        ///< link lanes: a message was lost between ends that were both there
    bool held = false;                         ///< belief lanes: it has held the lock, or believed so, at some time
    std::int64_t seenFrom = kOpenEnd;          ///< record lanes: when something was first known of it
    trace::EntityId format = trace::kNoEntity; ///< record lanes: the Text that named it last, if rows tell it
    const ClientLife* life = nullptr;          ///< belief lanes
    /// The instant at which the open span ends by itself, unless something happens before: a belief's own deadline.
    std::int64_t openUntil = kOpenEnd;

    /// Where a span ends in a picture of the trace up to `now`.
    std::int64_t endOf(const Span& span, std::int64_t now) const {
        if (!span.open()) return span.to;
        return std::max(span.from, std::min(now, openUntil));
    }
};

} // namespace lockscope::views
