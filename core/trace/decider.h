// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

#include <QByteArray>

namespace lockscope::trace {

class Trace;
struct State;

/// The Text of a SettingChanged of a server whose data were all deleted on purpose.
inline constexpr QByteArrayView kAllDeleted = "flush=all";

/// The server that decides from the instant of this RecordFreed on, if its lock ended only because that server does not
/// know it: the one that decided before may run on, and still have it. kNoEntity: the lock ended otherwise.
EntityId newDeciderAt(const Event& freed, const Trace& trace);

/// Whether `dead` of the servers that are known to have a copy leave fewer than the `deciders` that it takes.
bool tooFewDecide(std::int64_t deciders, std::int64_t copies, std::int64_t dead);
/// Whether so many of the independent servers of a lock are dead that nobody can get it. Ensembles tell that
/// themselves, by RecordDecider.
bool lacksMajority(EntityId lock, const Trace& trace, const State& state);
/// Whether the living ones of a lock's independent servers name so many clients that none of these can have a majority
/// before another one's entry ends, nor can anybody else.
bool isDivided(EntityId lock, const Trace& trace, const State& state);
/// Whether the one server that decides on a lock is dead, so that nobody can get it there.
bool deciderIsDead(EntityId lock, const Trace& trace, const State& state);

/// The server whose data were all deleted on purpose, and the lock of this RecordFreed with them; kNoEntity: the lock
/// ended otherwise, or nobody saw the deletion.
EntityId emptiedBy(const Event& freed, const Trace& trace);

} // namespace lockscope::trace
