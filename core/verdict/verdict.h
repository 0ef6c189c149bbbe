// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <QString>
#include <functional>
#include <memory>
#include <vector>

namespace lockscope::verdict {

/// The invariants of a lock. Identifiers are a contract: see invariantId().
enum class Invariant : std::uint8_t {
    MutualExclusion,
    StaleWrite,
    Ownership,
    Progress,
    Reentrancy,
    Fifo,
    TokenOrder,
    NoDeadlock,
};
inline constexpr std::array kInvariants{Invariant::MutualExclusion, Invariant::StaleWrite, Invariant::Ownership,
                                        Invariant::Progress,        Invariant::Reentrancy, Invariant::Fifo,
                                        Invariant::TokenOrder,      Invariant::NoDeadlock};

/// "mutual-exclusion", "stale-write", …
QByteArray invariantId(Invariant invariant);
/// The invariant's meaning, one translated sentence.
QString invariantMeaning(Invariant invariant);

/// Unknown is said, never guessed away:
/// - `mutual-exclusion` and `progress` while no client's belief was observed (a server watched from outside tells only
///   its record, and that has one owner at a time whatever the clients think);
/// - `stale-write` while neither beliefs nor writes were observed, or when a write was accepted at a moment at which
/// the
///   record was not observed and no token told;
/// - `ownership` while no record was observed, or when the record could not be seen for some time;
/// - `reentrancy` while neither beliefs nor records were observed.
/// `fifo`, `token-order` and `no-deadlock` are about requests and grants that were seen: about others they claim
/// nothing, and hold. A violation found outweighs gaps in what was seen. An invariant about something that did not
/// happen holds.
enum class Outcome : std::uint8_t { Holds, Violated, Unknown };

/// One interval in which an invariant did not hold.
struct Violation {
    Invariant invariant = Invariant::MutualExclusion;
    trace::EntityId lock = trace::kNoEntity;
    Nanos from{};
    Nanos to{};                          ///< kNever while it still goes on
    std::vector<trace::EntityId> actors; ///< in order of their part in it; threads
    std::vector<trace::EntityId> wanted; ///< no-deadlock: the lock that each of them waits for
    trace::EntityId resource = trace::kNoEntity;
    /// stale-write: the writer's and the newest accepted; token-order: the new holder's and the newest given before
    std::int64_t token = 0, newerToken = 0;
    std::size_t row = 0; ///< trace row that began it
    friend bool operator==(const Violation&, const Violation&) = default;
};

/// An explanation for a student: the clients, the event, its duration, and why the lock allowed it. Translated.
QString explain(const Violation& violation, const trace::Trace& trace);
/// "mutual exclusion violated for 1.2 s, from 6.0 s". Translated.
QString headline(const Violation& violation, const trace::Trace& trace);

/// A waiter that others pass again and again: readers share the lock without a gap for longer than the recipe's bound,
/// and let in others that have asked later, so that the waiter never finds it free. No invariant promises it a turn.
struct Starved {
    trace::EntityId lock = trace::kNoEntity, thread = trace::kNoEntity;
    Nanos asked{};               ///< it waits since then
    Nanos from{};                ///< it has waited for longer than the bound
    Nanos to = kNever;           ///< it got the lock, gave up, or found it free; kNever while it starves still
    std::uint32_t overtaken = 0; ///< how often readers that had asked later got the lock
    friend bool operator==(const Starved&, const Starved&) = default;
};
/// "G starves: it has waited 32.0 s for orders, while others got it", as it stood at an instant. Translated.
QString headline(const Starved& starved, const trace::Trace& trace, Nanos at);
/// An explanation for a student. Translated.
QString explain(const Starved& starved, const trace::Trace& trace);

/// The judgement of a trace up to some row.
struct Verdict {
    std::size_t rows = 0;
    Nanos reached{};
    std::vector<Violation> violations;                  ///< by (from, invariant, lock)
    std::vector<Starved> starved;                       ///< by from
    std::array<Outcome, kInvariants.size()> outcomes{}; ///< indexed by Invariant
    /// Indexed by Invariant: the first moment that nobody saw and that makes it unknown; kNever: there is none.
    std::array<Nanos, kInvariants.size()> unknownSince = always(kNever);
    /// Violated when any is, else unknown when any is.
    Outcome overall() const;
    /// An invariant's outcome at t, whatever came later: only violations that had begun by then count.
    Outcome outcomeAt(Invariant invariant, Nanos t) const;
    /// The first waiter that starves at t; nullptr: none does.
    const Starved* starvesAt(Nanos t) const;
    /// Violations that had begun at or before t, with intervals cut at t: the verdict as it stood then.
    /// An invariant violated only later held by then, unless it was unknown already.
    Verdict asOf(Nanos t) const;
    /// The verdict without what began at t or later, from when on what was not violated yet is unknown.
    Verdict beganBefore(Nanos t) const;

private:
    static constexpr std::array<Nanos, kInvariants.size()> always(Nanos t) {
        std::array<Nanos, kInvariants.size()> all{};
        all.fill(t);
        return all;
    }
};

/// Facts that the judge needs and a trace does not contain.
struct Bounds {
    /// How long a live, connected client may wait while nobody alive holds, before `progress` is violated.
    Nanos progress = 30s;
    /// The recipe promises to grant in the order of the queue. False: `fifo` demands nothing.
    bool fair = false;
    /// The recipe counts how often its holder takes the lock. False: a holder that asks again waits for itself.
    bool reentrant = true;
    /// A server keeps a record of its holds. False: an optimistic recipe, which keeps nobody out; there is no hold that
    /// a client could end for another one, so `ownership` demands nothing.
    bool recorded = true;
    /// A waiter that asked by this much later certainly queued later, whatever time-outs, pauses and losses did.
    Nanos fifoSlack = 1s;
    /// The longest way there and back on a link that nothing delays.
    Nanos roundTrip{};
    /// Where the way there and back takes longer than this, nobody gets on: answers come after the time-out, or after
    /// the end of the lease that they tell of. Such a client does not count as connected.
    Nanos slowLink = kNever;
    /// Applies a setting that was changed during the run (SettingChanged, "lease=3s") to these bounds; empty: no
    /// effect.
    std::function<void(Bounds& bounds, const QByteArray& change)> follow = {};
};

/// Judges incrementally: consume() looks at new rows only. Belongs to one thread.
class Judge {
public:
    explicit Judge(std::shared_ptr<const trace::Trace> trace, Bounds bounds = {});
    ~Judge();
    Judge(Judge&&) noexcept;
    /// Takes in rows [rows so far, min(size, upTo)) and the time reached.
    void consume(std::size_t upTo = SIZE_MAX);
    /// Open violations have to = kNever. `finished`: the world has ended; time reached closes them. Before that, two
    /// who believe from the very last instant on count as a violation, too, so that a picture of that instant agrees.
    Verdict verdict(bool finished = false) const;
    /// Number of violations begun so far: cheap, for "run to the next violation".
    std::size_t begun() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace lockscope::verdict
