// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/verdict.h"

#include <optional>
#include <set>

namespace lockscope::verdict {

/// The events of one thread's hold of a lock around a violation, read from the trace for explanations.
struct Chronicle {
    struct Span {
        Nanos from{};
        Nanos to = kNever; ///< kNever: as far as the trace goes
    };
    trace::EntityId thread = trace::kNoEntity;
    std::optional<Nanos> requested; ///< missing: before what was read
    std::optional<Nanos> granted;
    std::optional<Span> paused;           ///< the pause that explains the end of its record, else the last one
    std::optional<Span> cut;              ///< its links to more than half of the servers that keep the lock
    std::vector<trace::EntityId> cutFrom; ///< the servers of that cut, in the order of their cuts
    std::optional<Span> nodeStopped;      ///< the lock's node was paused: requests waited there
    std::optional<Nanos> watchdogStopped;
    std::optional<Nanos> workHung; ///< the client's work hung since then when the record ended
    std::optional<Nanos> killed;
    /// The last jump of the client's own clock, and of each clock of a server of the lock a last jump that brought the
    /// ends of leases nearer; those before the record's end, in their order.
    std::vector<trace::Event> clockJumps;
    /// For each clock that ran wrong at the record's end, the row that says since when: a server's that runs too fast,
    /// or the client's own that runs too slow.
    std::vector<trace::Event> clockDrifts;
    std::int64_t deadline = -1;     ///< of its lease, as last seen in the record; -1 = none
    std::optional<Nanos> leaseFrom; ///< when the record last got it: its grant or a renewal
    bool bySession = false;         ///< its client has a session, and what the record ends with is that
    int renewals = 0;
    int renewalsFailed = 0;

    /// Its record was freed. The end of an earlier hold of the thread, which a server that took over still had, does
    /// not count: missing, where the servers that decide never had this hold.
    std::optional<Nanos> recordEnded;
    trace::FreedBy freedBy = trace::FreedBy::Release;
    trace::EntityId freedByWhom = trace::kNoEntity;

    trace::EntityId successor = trace::kNoEntity; ///< the next owner in the record
    std::optional<Nanos> successorAt;
    bool afterOthers = false; ///< others had the lock between this hold's end and the successor

    std::optional<Nanos> beliefEnded;
    trace::EventKind beliefEndedBy = trace::EventKind::None; ///< BelievedUntil: by its own deadline

    /// A pause or cut can be why the record ended: it began before that and was not over long before. A pause that was
    /// followed by a renewal, or that left more than half of the lease for renewing, kept no client from renewing.
    bool explains(const std::optional<Span>& span) const;
    /// Leaves out what came later than `at`: a picture of that instant must not tell it.
    void forgetAfter(Nanos at);
};

/// Reads what befell `thread`'s hold of `lock`: the one that it got last before row `row`, until `until`; and the end
/// of its belief in it, which may come later. Looks at no more than about a million rows.
Chronicle chronicleOf(trace::EntityId thread, trace::EntityId lock, std::size_t row, Nanos until,
                      const trace::Trace& trace);

/// The chronicle with the grant of one of the `believers`' holds at row `row` as its successor's: the lock may have
/// changed hands more than once between the end of the hold and row `row`, and a believer may have had it before.
Chronicle givenTo(const std::vector<trace::EntityId>& believers, Chronicle c, trace::EntityId lock, std::size_t row,
                  const trace::Trace& trace);

/// The hold's story, whose record has ended, with `owner` as its successor: the owner at row `row`, who may have got
/// the lock only after others.
Chronicle inheritedBy(trace::EntityId owner, Chronicle c, trace::EntityId lock, std::size_t row,
                      const trace::Trace& trace);

/// The threads among these that believe in a hold of the lock after row `row`.
std::vector<trace::EntityId> believersAfter(const std::vector<trace::EntityId>& threads, trace::EntityId lock,
                                            std::size_t row, const trace::Trace& trace);

/// Everybody who holds the lock by the record after row `row`; empty: nobody, or unknown.
std::set<trace::EntityId> holdersAfter(std::size_t row, trace::EntityId lock, const trace::Trace& trace);

/// The lock's owner by the record after row `row`; kNoEntity: nobody, or unknown.
trace::EntityId ownerAfter(std::size_t row, trace::EntityId lock, const trace::Trace& trace);

} // namespace lockscope::verdict
