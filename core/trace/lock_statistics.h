// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/grant_pace.h"
#include "trace/record.h"
#include "trace/trace.h"

#include <map>
#include <set>
#include <vector>

namespace lockscope::trace {

/// The events of one lock, counted. Times of clients' own words are told by our clients only; holds and hand-overs
/// by the server's record, of everybody.
struct LockStatistics {
    std::uint64_t asked = 0;   ///< requests for the lock by clients of our own, re-entries not counted
    std::uint64_t granted = 0; ///< of these
    std::uint64_t lost = 0;    ///< holds of our own clients that were lost
    std::vector<Nanos> waits;  ///< of granted requests, in the order of grants
    std::vector<Nanos> gaveUp; ///< waits of the other ones: they ended without the lock
    /// All waits that ended, with the lock or without, as a reader computes them from the texts of their ends.
    std::vector<Nanos> toldWaits;
    std::uint64_t taken = 0;   ///< holds that the record saw begin
    std::uint64_t expired = 0; ///< holds that ended because their time was over
    std::uint64_t forced = 0;  ///< holds that somebody else ended
    std::vector<Nanos> holds;  ///< that the record saw begin and end
    /// The times above are known to within so much: two looks at a watched server were that far apart. 0: exactly.
    Nanos looksApart{};
    std::vector<Nanos> handOvers; ///< from free to held again, where somebody was known to wait when it got free
    friend bool operator==(const LockStatistics&, const LockStatistics&) = default;

    /// How long all waits that ended took together, with the lock or without.
    Nanos waited() const;
    /// The longest of all waits that ended, with the lock or without.
    Nanos longestWait() const;
    /// That one by toldWaits: it reads as in the queue and on the lanes. 0: no wait ended.
    Nanos longestToldWait() const;
    /// The events that came after those of `before`. Precondition: that is an earlier count of the same lock.
    LockStatistics since(const LockStatistics& before) const;
};

/// Counts the rows of a trace, one after the other. Holds and hand-overs over a stretch that was not observed are left
/// out, and so are holds of strangers that may have been there when the lock was first seen (their ends count as such),
/// hand-overs whose two ends one look at a server has seen, and copies of a lock that several servers keep: their
/// logical lock is counted.
class LockStatisticsFold {
public:
    /// Applies the next row.
    void apply(const Event& event, const Trace& trace);
    const std::map<EntityId, LockStatistics>& locks() const { return m_locks; } ///< by lock
    std::uint64_t requests() const { return m_requests; } ///< messages of clients to servers so far
    /// Messages of our own clients to servers while a thread of theirs waited for this lock or held it, up to the
    /// answer to its release. Messages name no lock: a client that deals with two locks at once counts for both.
    std::uint64_t requests(EntityId lock) const;
    /// When the locks over each connection were taken, as far as the record saw it, and when nobody looked at them.
    const std::map<EntityId, GrantPace>& paces() const { return m_paces; }
    /// The waits that are not over, by lock and thread: since when.
    const std::map<std::pair<EntityId, EntityId>, Nanos>& openWaits() const { return m_openSince; }
    /// The longest of them at `now`; 0: nobody waits.
    Nanos longestOpenWait(Nanos now) const;
    /// How long our own clients together waited for a lock up to `now`, whatever came of it. Precondition: now is not
    /// before the last row.
    Nanos waited(EntityId lock, Nanos now) const;
    /// How long all clients together waited for a lock up to `now`, by the number that the server's record told; 0: it
    /// told of none. Precondition: now is not before the last row.
    Nanos queued(EntityId lock, Nanos now) const;
    /// For how long a lock was not observed up to `now`: that time is in no hold and in no hand-over. Precondition: now
    /// is not before the last row.
    Nanos unobserved(EntityId lock, Nanos now) const;
    /// The longest such time of any lock after `from`; `before` has counted up to there. Precondition: from <= now.
    Nanos longestUnobserved(Nanos now, const LockStatisticsFold& before, Nanos from) const;

private:
    /// A hold that went with its server. Another server, or its disk, may have it still: then it goes on.
    struct Severed {
        Nanos since{}, until{};
        std::int64_t token = 0;
    };
    struct Course {
        Record record;
        std::map<EntityId, Nanos> began;     ///< by holder: holds that were seen to begin
        std::map<EntityId, Severed> severed; ///< by holder
        std::map<EntityId, Severed> resumed; ///< of these, the ones that went on at resumedAt
        Nanos resumedAt{};
        Nanos freeSince = kNever;       ///< since when it is free while somebody waited; kNever: it is not
        Nanos queued{}, queuedUntil{};  ///< the waits of all in the queue, and up to when they are counted
        Nanos unobserved{};             ///< stretches that are over
        Nanos unobservedSince = kNever; ///< kNever: it is observed
    };
    static Nanos queuedAt(const Course& course, Nanos now);
    static Nanos unobservedAt(const Course& course, Nanos now);
    void applyBelief(const Event& event, const Trace& trace);
    void followDealings(const Event& event, const Trace& trace);
    void applyRecord(const Event& event, const Trace& trace);
    void applySight(const Event& event, const Trace& trace);
    bool somebodyWaits(EntityId lock, const Record& record) const;
    /// Lets a severed hold go on that the server's record names again; false: this is a new one.
    bool resume(EntityId lock, EntityId thread, Nanos at, std::map<EntityId, Nanos>& began);
    /// A token that follows at the same instant tells that a hold which seemed to go on is a new one.
    void checkResumed(EntityId lock, Nanos at, const Trace& trace);
    void countTaken(EntityId lock, Nanos at, const Trace& trace);
    /// Counts a severed hold that came to nothing.
    void countSevered(EntityId lock, EntityId thread);

    std::map<EntityId, LockStatistics> m_locks;
    std::map<EntityId, Course> m_courses;                       ///< by lock
    std::map<std::pair<EntityId, EntityId>, Nanos> m_openSince; ///< requests without an answer yet, by lock and thread
    std::map<EntityId, Nanos> m_cutShort;                       ///< waits that ended with their client's life, by lock
    std::set<EntityId> m_own;                                   ///< clients of our own
    std::map<EntityId, std::set<std::pair<EntityId, EntityId>>> m_dealings; ///< by client: locks, each with a thread
    std::map<EntityId, std::uint64_t> m_requestsFor;                        ///< by lock
    std::map<EntityId, Nanos> m_looksApart;                                 ///< by connection
    std::map<EntityId, GrantPace> m_paces;                                  ///< by connection
    std::uint64_t m_requests = 0;
};

/// The value below which `percent` of them lie (nearest rank); changes their order. 0 if there are none. Precondition:
/// percent is 1 to 100.
Nanos percentile(std::vector<Nanos>& values, int percent);

} // namespace lockscope::trace
