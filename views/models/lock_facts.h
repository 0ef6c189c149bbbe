// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/kept_by.h"
#include "models/engine_drain.h"
#include "theme/gauge.h"
#include "theme/widgets.h"
#include "trace/decider.h"
#include "trace/state.h"

#include <optional>
#include <vector>

namespace lockscope::views {

class ViewContext;

/// How it stands with a lock, from harmless to alarming: the order in which a table sorts.
enum class LockCondition : std::uint8_t {
    Free,
    Unobserved,  ///< the server is out of sight
    Draining,    ///< free, but its engine is being left: nobody gets in until the next one is in use
    Undecided,   ///< no server, or too few of those that decide together, can give it to anybody
    Queued,      ///< free, yet a client waits
    PerhapsHeld, ///< that its key is a lock is only a guess
    Held,
    NeverExpires,  ///< held without a lease
    RenewalMissed, ///< its holder should have renewed by now
    Orphan,       ///< the holder's process is dead; or it lives, and gave the hold up: then nothing renews it (NotHeld)
    StaleBelief,  ///< a client believes to hold what the record does not give it
    DoubleBelief, ///< more clients believe to hold it than may: two, of whom one alone, or too many permits
};

/// When the lease will be renewed, as far as it can be known.
struct Renewal {
    enum class Kind : std::uint8_t {
        NotHeld,
        NoWatchdog, ///< nobody will
        Stopped,    ///< there is a watchdog, but it was stopped
        In,         ///< due in `by`
        Late,       ///< was due `by` ago
        Seen,       ///< not our client: last renewed `by` ago
        Unknown,    ///< out of sight; or not our client, and never seen renewing
    };
    Kind kind = Kind::NotHeld;
    Nanos by{};
    friend bool operator==(const Renewal&, const Renewal&) = default;
};

/// How exactly a server tells when a lock ends.
enum class EndTold : std::uint8_t {
    Exactly,
    WithinSecondBefore, ///< in whole seconds: it ends up to a second before its deadline in the record
    WithinSecondAfter,  ///< the same, up to a second after it
};

struct Waiter {
    trace::EntityId thread = trace::kNoEntity;
    std::int64_t since = 0; ///< when it asked; of a client not ours: when it was first seen in the queue
    bool own = true;        ///< a client of our own
    bool queued = false;    ///< the server names it in its queue
    bool dead = false;      ///< nobody waits behind its place any more
    bool told = false;      ///< `since` is the server's own word
    friend bool operator==(const Waiter&, const Waiter&) = default;
};

/// Everything that tables and details tell of one lock at one instant, as raw values; words are made where they are
/// shown.
struct LockFacts {
    trace::EntityId lock = trace::kNoEntity;
    trace::EntityId server = trace::kNoEntity; ///< that keeps it; of several, the one that decides now
    std::int64_t deciders =
        -1; ///< of a lock on several servers: trace::Record::deciders; 0 also where they cannot decide
    trace::CannotDecide cannotDecide{};       ///< why nobody can get it, however free it looks
    int ensemble = 0;                         ///< how many servers of an ensemble keep it, where several decide
    trace::EntityId owner = trace::kNoEntity; ///< as the record says; kNoEntity = free
    std::vector<trace::EntityId> believers;   ///< threads, by the time their belief began
    std::vector<trace::Holder> holders;       ///< where there may be several, and the record names them; else empty
    std::int64_t holderCount = 0;             ///< by the record, at least one for each name
    std::int64_t permitsFree = -1;            ///< of a semaphore; -1 = not known
    std::int64_t permitsInAll = 0;            ///< 0 = not known, or no semaphore
    std::vector<Waiter>
        waiters; ///< in the server's order where it has one, then our own that wait besides, longest first
    std::int64_t serverWaiters = -1; ///< as the server counts them; -1 = it does not, or is out of sight
    bool ownClients = false;         ///< clients of our own use the lock: their waiting is known
    bool observed = true;            ///< false: owner, lease and times are the last that were seen, not what is
    bool noLongerShown = false;      ///< not observed: its server shows it only while somebody waits for it
    bool recorded = true;            ///< false: clients hold it, but nobody ever looked at its record
    bool expires = true;             ///< false: held without a deadline, or nobody knows of one; see endKnown
    bool endKnown = true;            ///< false: its format does not say whether it ever expires; see keptBy
    inspect::KeptBy keptBy{};        ///< what keeps it meanwhile
    EndTold endTold{};               ///< how exactly its server tells the end
    Nanos ttl{};                     ///< what is left, by the record; below 0 when the record is overdue
    Nanos lease{};                   ///< of the last grant or renewal, full; see leaseKnown
    Nanos heldFor{};                 ///< how long the owner has been the owner, at least; see sinceKnown
    /// False for a hold of a client not ours that was there before us: the rest of its lease was seen, but neither its
    /// length nor its beginning.
    bool leaseKnown = true, sinceKnown = true;
    std::uint32_t holds = 0;
    std::optional<trace::HoldMode> mode; ///< how it is held; missing = it is not, or nobody knows
    std::int64_t token = 0;              ///< 0 = none
    std::uint32_t grants = 0;
    trace::Certainty certainty = trace::Certainty::Certain; ///< how sure it is that the key is a lock at all
    Renewal renewal;
    LockCondition condition = LockCondition::Free;
    std::optional<EngineDrain> drain; ///< its engine is being left, also where the condition is another
    friend bool operator==(const LockFacts&, const LockFacts&) = default;

    /// Whether the server names who waits, in its order.
    bool queueNamed() const { return !waiters.empty() && waiters.front().queued; }
    bool held() const { return owner != trace::kNoEntity; }
    /// Whether it is held, and its record says that nothing ends that by itself.
    bool neverEnds() const { return held() && endKnown && !expires; }
    /// Whether the record is known now: the holders, their numbers of holds, since when and for how long.
    bool known() const { return observed && recorded; }
    /// The remaining part of the lease, 0…1; 0 when it is unknown.
    double fraction() const;
    Ttl gauge() const;
    /// How many wait; nullopt = nobody knows.
    std::optional<std::int64_t> waiterCount() const;
};

/// Whether a client waits for the lock; all that tells of waiters goes by this. One that has the lock on the server,
/// but has not heard of it, waits no more: the server counts what it sees. A hold older than the request is not that.
bool waits(const trace::Record& record, const trace::Belief& belief, trace::EntityId thread);
/// The facts of a lock in a state that was taken at instant `t`. `settings` are those in force then.
LockFacts lockFacts(trace::EntityId lock, const trace::Trace& trace, const trace::State& state,
                    const scenario::Scenario& settings, Nanos t);
/// The facts of a lock at the playhead.
LockFacts lockFacts(trace::EntityId lock, const ViewContext& context);
/// The facts of a lock at the instant at which faults and forced releases take effect.
LockFacts lockFactsToActOn(trace::EntityId lock, const ViewContext& context);

/// "held", "2 believers", "orphan?": translated.
QString conditionText(const LockFacts& facts);
/// "held", "free", "believers", "orphan", …: what `state:` filters by, the same in every language.
QString conditionId(LockCondition condition);
Pill::Tone conditionTone(LockCondition condition);
/// "certain", "likely", "a guess": translated.
QString certaintyText(trace::Certainty certainty);
/// A sentence that explains it.
QString certaintySentence(trace::Certainty certainty);
/// A small sign beside the format of a lock that is not certain, never without certaintyText() in reach; else empty.
QString certaintyMark(trace::Certainty certainty);
/// The format and, of a lock that is not certain, how sure it is: "redisson", "node-redlock, a guess".
QString formatWords(const QString& format, trace::Certainty certainty);
/// As duration(), without a decimal that says nothing: "5 s" for a lease of five seconds.
QString roundDuration(Nanos d);
/// "4.2 s", "≤ 5 s" where the server tells whole seconds, "never expires", "—"; unknown() where the record is not
/// known().
QString ttlText(const LockFacts& facts);
/// The time left of a lease that ends, no more exactly than it is known: "4.2 s", "≤ 5 s", "≥ 4 s".
QString timeLeftText(const LockFacts& facts);
/// "3 m 12 s", "≥ 3 m 12 s", "—", unknown().
QString heldForText(const LockFacts& facts);
/// "in 9.1 s", "late by 2.7 s", "no watchdog", short for tables ("—") or in full. Translated.
QString renewalText(const Renewal& renewal, bool full);
/// When a lock was last seen to be renewed. A lock that was not says why: "ends at commit", "—" where only its session
/// keeps it, else "none seen".
QString renewalText(const LockFacts& facts, bool full);
/// The holders by the record: "A", "2 readers: A and B", "3 of 5 permits", "free", unknown().
QString holdersText(const LockFacts& facts, const trace::Trace& trace);
/// "exclusive", "shared", "permits", "—", unknown().
QString modeText(const LockFacts& facts);
/// The lock's format on its server: what the trace says of it; of a lock that our own clients use, the recipe by which
/// its holder took it, or the last of them asked; else unknown(). Settings count only as long as nobody has asked.
QString lockFormat(trace::EntityId lock, const ViewContext& context);
/// The id of the recipe that a lock of this format follows; of a recipe's id, itself; empty when none of ours writes
/// it.
QString recipeOfFormat(const QString& format);
/// The keeper of the record: "redis-2", "nobody decides", "any 3 copies", "a majority: 2 of 3 servers", "—".
QString serverText(const LockFacts& facts, const trace::Trace& trace);
/// "1", "12", unknown(), "—".
QString waitersText(const LockFacts& facts);
/// Whether a lock of this format says how often its holder has it.
bool countsHolds(const QString& format);
/// "A and B", "A, B and C": translated, of threads; the thread's number where it is not the client's first.
QString namesOf(const std::vector<trace::EntityId>& threads, const trace::Trace& trace);

} // namespace lockscope::views
