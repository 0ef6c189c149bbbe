// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QByteArray>

namespace lockscope::trace {

/// Index into a trace's entity table; 0 means "nobody" or "nothing".
using EntityId = std::uint32_t;
inline constexpr EntityId kNoEntity = 0;

/// The kinds of names in the entity table. Numbers are stored in recordings: append only.
enum class EntityKind : std::uint8_t {
    None = 0,
    Client = 1,   ///< one process with its identity; name "A"
    Thread = 2,   ///< a thread of a client, the actor of beliefs; parent = client; name "1"
    Node = 3,     ///< one server process; name "redis-1"
    Link = 4,     ///< parent = client, other = node
    Lock = 5,     ///< parent = node (or none); name "orders"; other = its format, a Text, where it was known from the
                  ///< start. A lock that several servers keep: one logical Lock without a node, and for each server a
                  ///< copy, a Lock whose parent is the node and whose other is the logical Lock
    Resource = 6, ///< the resource that a lock guards; parent = lock; name "stock"
    Person = 7,   ///< a user who causes faults by hand
    Text = 8,     ///< a sentence, a command, a reason
};

/// A row of the entity table. Rows never change once added.
struct Entity {
    EntityKind kind = EntityKind::None;
    EntityId parent = kNoEntity;
    EntityId other = kNoEntity;
    QByteArray name; ///< UTF-8
};

/// The numbers are stored in recordings: append only, never reuse. Each comment says what the columns `actor`,
/// `subject`, `value` and `aux` contain; columns not named are 0.
enum class EventKind : std::uint8_t {
    None = 0,

    // Life of clients, nodes and links, and faults. Flag kByHand: caused by a user. Flag kFault: an injected fault.
    ClientStarted = 1,    ///< actor client
    ClientPaused = 2,     ///< actor client
    ClientResumed = 3,    ///< actor client
    ClientKilled = 4,     ///< actor client; ends every belief of its threads
    NodeStarted = 8,      ///< actor node
    NodePaused = 9,       ///< actor node
    NodeResumed = 10,     ///< actor node
    NodeKilled = 11,      ///< actor node
    LinkCut = 12,         ///< subject link; value CutWays (cut_ways.h)
    LinkMended = 13,      ///< subject link
    LinkDelayed = 14,     ///< subject link; value extra one-way latency, ns
    ClockJumped = 15,     ///< actor client or node; value offset from true time after the jump, ns
    WatchdogStopped = 16, ///< actor client
    ReplyLossArmed = 17,  ///< subject link; the next reply on it will be lost
    Healed = 18,          ///< every fault undone
    SettingChanged = 19,  ///< aux Text "lease=3s"

    // Relations of servers to each other and to clients: no fault, and nobody's doing.
    NodeRole = 20, ///< actor node; aux Text "master", "replica", "sentinel", "leader", "follower", …; subject the
                   ///< node whose data it copies now, 0 = not known, or with kCopiesNobody: of none
    ReplicationLag = 21, ///< actor the node that follows, subject the node that it follows (0: not known); value how
                         ///< far it is behind, in the unit that flags say (LagUnit), -1 = not known
    SessionChanged = 22, ///< actor client; subject the node that keeps its session (0: the service as a whole); value
                         ///< SessionPhase
    NodeDoubted = 23,    ///< actor the server that watches, subject the node; value Doubt; aux how many agree, with
                         ///< Doubt::Agreed
    VoteCast = 24,       ///< actor the server that votes, subject the one that it votes for; value the epoch
    FailoverStep = 25,   ///< actor the server that leads, or tells; subject the node that it is about; value
                         ///< FailoverPhase; aux Text why, with FailoverPhase::Abandoned
    WorkHung = 26,       ///< a fault; actor client: its work stands still until Healed or its death, renewals go on
    PushLossArmed = 27,  ///< a fault; subject link: the next published message on it will be lost
    RepeatArmed = 28,    ///< a fault; subject link: the next request on it will be done twice
    EngineChanged = 29,  ///< a lock manager's news of an engine: actor client (0: not told); value the record's epoch;
                         ///< flags EngineNews; aux Text: the engine's id, and after a newline why
    ServerTold = 30,     ///< a fact about a watched server as a whole: actor node; aux Text (server_told.h)

    // Belief: what a client could act on. actor Thread, subject Lock.
    Requested = 32,      ///< value longest wait, ns, -1 = no bound
    Granted = 33,        ///< value fencing token, 0 = the recipe gives none; aux hold count
    Reentered = 34,      ///< as Granted
    TimedOut = 35,       ///< the wait ended without the lock; value waited, ns
    Interrupted = 36,    ///< the wait was cancelled
    AcquireFailed = 37,  ///< aux Text reason
    BelievedUntil = 38,  ///< value: when the client gives the lock up by its own clock, -1 = never
    Renewed = 39,        ///< the server confirmed a renewal
    RenewRefused = 40,   ///< the server says that the hold is not the client's; a Lost follows
    RenewFailed = 41,    ///< no answer or an error: outcome unknown; aux Text reason
    Lost = 42,           ///< the client learned of the loss: its belief ends; aux Text reason
    Released = 43,       ///< aux hold count left; at 0 belief ends
    ReleaseRefused = 44, ///< the server says that the hold is not the client's; belief ends
    ReleaseFailed = 45,  ///< given up locally, unknown on the server: belief ends; aux Text reason
    GrantedAs = 47,    ///< just before a Granted or Reentered that is not exclusive: value 1 shared, 2 permits; aux how
                       ///< many permits were granted (1 of shared)
    LockCapacity = 48, ///< subject Lock (no actor); value permits in all, of a semaphore
    Suspended = 49,    ///< the connection is lost, the session may still live; ends with a Renewed or a Lost; aux Text
                       ///< reason
    AsksBy = 50,       ///< from here on the thread asks for the lock by another recipe; aux Text the recipe's id
    ReleaseSent =
        46, ///< given up, and the server is asked to free it: belief ends at hold count 1; value: givesBackPart()

    // Record: what the deciding servers hold. actor = owner Thread, subject Lock.
    RecordHeld = 64,       ///< a new owner; value deadline instant on the server's clock, -1 never; aux hold count;
                           ///< flags HoldMode
    RecordRenewed = 65,    ///< same owner, new deadline, hold count or mode; actor the thread whose command did it (the
                           ///< owner when unknown); value, aux and flags as RecordHeld
    RecordFreed = 66,      ///< actor: the cause (0: none, it expired); aux owner Thread; flags FreedBy
    RecordWaiters = 67,    ///< value queue depth as the server knows it, -1 = not known
    RecordToken = 68,      ///< value last fencing token given
    RecordUnobserved = 69, ///< from now on the record is not observed (drawn as a gap); flags kNoLongerShown
    RecordObserved = 70,   ///< observed again
    RecordDeadline = 71,   ///< the deadline changed without a known renewal: the server's clock was moved, or the lease
                           ///< was shortened; actor owner Thread; value the new deadline; aux ms since the lease was
                           ///< last full

    // More of the record. RecordHeld names one holder, the owner: of several holders it is one, and each, the owner
    // included, has rows of its own. subject Lock.
    RecordHolder = 72,     ///< one of several holders came, or has another deadline, hold count or mode: actor Thread;
                           ///< value, aux and flags as RecordHeld; value -2: no end of its own is known
    RecordHolderGone = 73, ///< one of several holders went, others stay: actor who caused it (0: nobody, it expired);
                           ///< aux its Thread; flags FreedBy and HoldMode (goneMode()). A RecordFreed ends all of them
    RecordQueued = 74,   ///< a waiter stands in the server's queue: actor its Thread; value its position from 0, those
                         ///< behind it move back; one that stood elsewhere moves; flags HoldMode and kQueuedDead
    RecordUnqueued = 75, ///< a waiter left the server's queue: actor its Thread; those behind it move up
    RecordContent = 76,  ///< a look at the server at this instant: aux Text, what lies there (inspect/seen_content.h).
                         ///< Written when it differs by more than running TTLs, and not for every change of a busy lock
    RecordFormat = 77,   ///< aux Text: what lies there has this format, as watchers name it
    RecordHolders = 78,  ///< value number of holders, if more hold than are named; -1 = the named ones
    RecordPermits =
        79, ///< of a semaphore: value permits that are free, -1 = not known; aux permits in all, 0 = not known
    RecordCertainty = 80, ///< how sure it is that the key is a lock at all; value Certainty, Certain until told
    RecordDecider = 81, ///< of a logical lock: whose copies decide from now on. value how many of them it takes: 1 that
                        ///< of the actor, 0 nobody decides, more: a majority, -1 most of them again, not
                        ///< told how many
    RecordRenewalMissed = 82, ///< a holder that renews at a steady pace did not: actor owner Thread; value the instant
                              ///< by which the renewal was due; aux the pace in ms
    RecordRenewalsStopped = 83, ///< two of them are missing, or the hold has ended so: actor owner Thread; value the
                                ///< instant of the last renewal; aux the pace in ms; flags RenewalsEnd
    RecordSince = 84, ///< since when the server itself says that a hold lasts, or a wait: actor its Thread; value that
                      ///< instant, below 0 where the trace began later; flags kSinceWaits
    RecordFailedOver = 85, ///< the hold goes on, on another server than the one that granted it: actor owner Thread

    // Effect: what the guarded resource did. actor Thread, subject Resource.
    WriteAccepted = 96, ///< value token, 0 = none
    WriteRefused = 97,  ///< value token; aux Text reason

    // Protocol and messages.
    Step = 128,           ///< actor Thread, subject Lock; aux number of the recipe's step, 0 = left the recipe
    Request = 129,        ///< actor client, subject node; value flight time ns, -1 lost, -2 not known; aux Text command
    Reply = 130,          ///< actor node, subject client; value as Request; aux Text command
    Push = 131,           ///< a published message: actor node, subject client; value as Request; aux Text channel
    ConnectionLost = 132, ///< actor client, subject node; value for how long it had not answered before, ns; aux Text
                          ///< reason
    ConnectionRestored = 133, ///< actor client, subject node
    PeerMessage = 134,        ///< between servers: actor the node that sends, subject the other node; value as Request;
                              ///< aux Text what it is for
};

/// Bits of Event::flags.
enum EventFlag : std::uint8_t {
    kByHand = 0x80, ///< caused by a user, live
    kFault = 0x40,  ///< an injected fault (or its end)
};

/// The low bits of Event::flags with EngineChanged: what a lock manager says of one of its engines.
enum class EngineNews : std::uint8_t {
    Unhealthy = 0, ///< it failed its health checks
    Healthy = 1,   ///< it passes them again
    Leaving = 2,   ///< no more grants on it: a switch has begun, or the record cannot be read
    InUse = 3,     ///< grants are made on it from now on
    Refused = 4,   ///< a switch to it was requested, but the processes could not agree on it
};
inline constexpr std::uint8_t kEngineNewsMask = 0x0f;

/// The low bits of Event::flags with RecordFreed.
/// NodeLoss: the server came back without it, or another one decides now.
enum class FreedBy : std::uint8_t {
    Release = 0,
    Expiry = 1,
    Force = 2,
    Overwrite = 3,
    NodeLoss = 4,
    Evicted = 5, ///< thrown out for want of memory
    Unseen = 6,  ///< it ended while its server did not show it: nobody knows when, nor how
};
inline constexpr std::uint8_t kFreedByMask = 0x0f;

/// The low bits of Event::flags with RecordRenewalsStopped: why nobody renews, as far as the server knows the holder.
enum class RenewalsEnd : std::uint8_t {
    NotKnown = 0,
    ClientGone = 1,      ///< the holder has no connection to the server any more
    ClientConnected = 2, ///< it has one: it stands still, or its watchdog has stopped
};
inline constexpr std::uint8_t kRenewalsEndMask = 0x0f;
constexpr RenewalsEnd renewalsEnd(std::uint8_t flags) {
    const unsigned end = flags & kRenewalsEndMask;
    return end > unsigned(RenewalsEnd::ClientConnected) ? RenewalsEnd::NotKnown : RenewalsEnd(end);
}

/// How a lock is held. The numbers stand in traces: in GrantedAs, and in the low bits of Event::flags with RecordHeld
/// and RecordRenewed.
enum class HoldMode : std::uint8_t {
    Exclusive = 0,
    Shared = 1, ///< a reader, beside other readers
    Permit = 2, ///< some of a semaphore's permits
};
inline constexpr std::uint8_t kHoldModeMask = 0x0f;
/// A bit of Event::flags with RecordHeld, beside its HoldMode, where a server is watched: the look before saw
/// everything, and not this hold. Without it, a hold that is the first one seen of its lock may have begun long before.
inline constexpr std::uint8_t kSeenToBegin = 0x10;

/// The mode in the flags of RecordHeld, RecordRenewed, RecordHolder and RecordQueued; a number of no mode is Exclusive.
constexpr HoldMode holdMode(std::uint8_t flags) {
    const unsigned mode = flags & kHoldModeMask;
    return mode > unsigned(HoldMode::Permit) ? HoldMode::Exclusive : HoldMode(mode);
}
/// The flags of RecordHolderGone, which has a reason in the bits where other rows have the mode.
constexpr std::uint8_t goneFlags(FreedBy why, HoldMode mode) {
    return std::uint8_t(unsigned(why) | unsigned(mode) << 4);
}
constexpr HoldMode goneMode(std::uint8_t flags) {
    return holdMode(std::uint8_t(flags >> 4 & 0x3));
}

/// A bit of Event::flags with RecordQueued: nobody waits behind this entry any more.
inline constexpr std::uint8_t kQueuedDead = 0x10;

/// A bit of Event::flags with RecordUnobserved: the server shows this lock only while somebody waits for it, and nobody
/// does any more. Its last known owner, the row's actor, may still have it.
inline constexpr std::uint8_t kNoLongerShown = 0x01;

/// A bit of Event::flags with RecordSince: it tells of a wait in the queue, and of no hold.
inline constexpr std::uint8_t kSinceWaits = 0x01;

/// The low bits of Event::flags with ReplicationLag: nanoseconds, or bytes of the master's log.
enum class LagUnit : std::uint8_t { Time = 0, Bytes = 1 };
inline constexpr std::uint8_t kLagUnitMask = 0x0f;

/// A bit of Event::flags with NodeRole: it is known that the node gets its data from nobody.
inline constexpr std::uint8_t kCopiesNobody = 0x01;

/// Event::value of NodeDoubted. Alone: the watcher itself thinks that the node is down (a Sentinel's sdown, a cluster
/// node's PFAIL). Agreed: enough of them do (odown, FAIL).
enum class Doubt : std::uint8_t { None = 0, Alone = 1, Agreed = 2 };

/// Event::value of FailoverStep.
enum class FailoverPhase : std::uint8_t {
    Begun = 0,     ///< about the master that is to be replaced
    Led = 1,       ///< the actor was elected leader; about that master
    Chosen = 2,    ///< about the replica that is to be promoted
    Promoted = 3,  ///< about the new master
    Announced = 4, ///< the actor tells clients of the new master from now on
    Ended = 5,     ///< about the new master
    Abandoned = 6, ///< about the master that stays
    Demoted = 7,   ///< the actor makes a returned master a replica; about that one
    Asked = 8,     ///< somebody asks for it, from outside; about the master
};
inline constexpr int kFailoverPhases = 9;

/// Event::value of SessionChanged. Suspended: the server does not hear from the client, and the session may still live.
/// Expired: the server has ended it. GivenUp: the client has, by its own clock or its end; the server may not know it.
enum class SessionPhase : std::uint8_t { Connected = 0, Suspended = 1, Expired = 2, GivenUp = 3 };
/// Whether the client acts by that session no more.
constexpr bool isOver(SessionPhase phase) {
    return phase == SessionPhase::Expired || phase == SessionPhase::GivenUp;
}
/// The phase in the value of a SessionChanged; a number of no phase is the nearest one.
constexpr SessionPhase sessionPhase(std::int64_t value) {
    constexpr auto kLast = std::int64_t(SessionPhase::GivenUp);
    return SessionPhase(value < 0 ? 0 : value > kLast ? kLast : value);
}
/// How sure it is that a key is a lock at all. The numbers stand in traces, in RecordCertainty. Certain: nothing else
/// looks like it. Likely: its value or its name says so. Guess: its value has the shape of a lock's, which other data
/// has, too.
enum class Certainty : std::uint8_t { Certain = 0, Likely = 1, Guess = 2 };

/// One row of a trace: 30 bytes in its columns.
struct Event {
    std::int64_t at = 0; ///< ns from the trace's origin; never decreases within a trace
    std::int64_t value = 0;
    EntityId actor = kNoEntity;
    EntityId subject = kNoEntity;
    std::uint32_t aux = 0;
    EventKind kind = EventKind::None;
    std::uint8_t flags = 0;

    /// `at` as a duration from the trace's origin.
    Nanos time() const { return Nanos(at); }
    friend bool operator==(const Event&, const Event&) = default;
};

/// The stable English identifier of a kind ("granted", "record-held"), used in exports and filters.
const char* kindName(EventKind kind);

/// Whether a kind belongs to a group of EventKind: life and faults, belief, record, effect, messages.
constexpr bool isLife(EventKind k) {
    return k != EventKind::None && k < EventKind::Requested;
}
constexpr bool isBelief(EventKind k) {
    return k >= EventKind::Requested && k < EventKind::RecordHeld;
}
constexpr bool isRecord(EventKind k) {
    return k >= EventKind::RecordHeld && k < EventKind::WriteAccepted;
}
constexpr bool isEffect(EventKind k) {
    return k >= EventKind::WriteAccepted && k < EventKind::Step;
}
constexpr bool isMessage(EventKind k) {
    return k == EventKind::Request || k == EventKind::Reply || k == EventKind::Push || k == EventKind::PeerMessage;
}

/// Whether Event::aux is an entity (a Text, or the Thread that held a lock until now) and not a number.
constexpr bool auxIsEntity(EventKind k) {
    using enum EventKind;
    switch (k) {
    case SettingChanged:
    case NodeRole:
    case FailoverStep:
    case ServerTold:
    case EngineChanged:
    case AsksBy:
    case AcquireFailed:
    case RenewFailed:
    case Lost:
    case Suspended:
    case ReleaseFailed:
    case RecordFreed:
    case RecordHolderGone:
    case RecordContent:
    case RecordFormat:
    case WriteRefused:
    case Request:
    case Reply:
    case Push:
    case PeerMessage:
    case ConnectionLost:
        return true;
    default:
        return false;
    }
}

} // namespace lockscope::trace
