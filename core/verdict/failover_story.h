// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/chronicle.h"

namespace lockscope::verdict {

struct Violation;

/// How a lock was lost because another server decides its record now: read from the trace for explanations.
struct FailoverStory {
    trace::EntityId former = trace::kNoEntity; ///< the server that decided while the hold was granted
    std::optional<Nanos> killed;               ///< when it died; missing: it was replaced while it ran
    bool crashed = false;                      ///< … with its machine: what had not left it is lost
    trace::EntityId next = trace::kNoEntity;   ///< the one that decides after it
    Nanos took{};                              ///< since when
    trace::EntityId outdated =
        trace::kNoEntity; ///< Thread: its hold was over, but stood in the copy of `next` by then; kNoEntity: none did
    Nanos behind{};       ///< how far the copy of `next` was behind then, as it was measured last; 0: not known
    bool copied = false;  ///< some other server had a copy of the hold by then
};

/// The one server that decided the lock's record before row `begin`; kNoEntity: none alone, or none was told.
trace::EntityId deciderBefore(std::size_t begin, trace::EntityId lock, const trace::Trace& trace);

/// The servers that may decide the lock's record before row `begin`: its own, the one that decides, or all that keep a
/// copy.
std::vector<trace::EntityId> decidingServers(trace::EntityId lock, std::size_t begin, const trace::Trace& trace);

/// The owner by the last row, before row `end`, of a server's copy of the lock; kNoEntity: it is free there.
trace::EntityId ownerOfCopy(trace::EntityId server, trace::EntityId lock, std::size_t end, const trace::Trace& trace);

/// Whether several servers decided the lock's record together before row `begin`, by majority.
bool severalDecideBefore(std::size_t begin, trace::EntityId lock, const trace::Trace& trace);

/// The change of deciding server that ended the hold of `c` and came before row `row`; nullopt: there was none, or the
/// server that took over had the hold.
std::optional<FailoverStory> failoverStoryOf(const Chronicle& c, trace::EntityId lock, std::size_t row,
                                             const trace::Trace& trace);

/// How a client was granted a lock by a server that no longer decided: a master that was replaced and does not know.
struct FormerMasterStory {
    trace::EntityId former = trace::kNoEntity; ///< it gave the lock
    Nanos gave{};
    trace::EntityId next = trace::kNoEntity; ///< it had taken the place of the former one
    Nanos took{};
    std::optional<Chronicle::Span> cut; ///< how long the two were cut off from each other around that moment
};

/// The grant that `thread` believes in at row `row`, if the record of the lock has not named the thread since; nullopt:
/// it has, or no server that was replaced is known to have given the lock.
std::optional<FormerMasterStory> formerMasterStoryOf(trace::EntityId thread, trace::EntityId lock, std::size_t row,
                                                     const trace::Trace& trace);

/// Whether the server that took over named its old lock's owner, and gave the lock to nobody.
bool heirless(const FailoverStory& story, const Chronicle& c);

/// The client whose newer token a stale write came after, and the server that gave it although it decided no more;
/// nullopt: it decided.
std::optional<std::pair<trace::EntityId, FormerMasterStory>> newerTokensMasterOf(const Violation& violation,
                                                                                 const trace::Trace& trace);

} // namespace lockscope::verdict
