// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

#include <QByteArray>
#include <vector>

namespace lockscope::trace {

class Trace;
struct State;

/// The Text of a SettingChanged of a server whose data were all deleted on purpose.
inline constexpr QByteArrayView kAllDeleted = "flush=all";

/// The server that decides from the instant of this RecordFreed on, if its lock ended only because that server does not
/// know it: the one that decided before may run on, and still have it. So with a RecordObserved, if nobody decided
/// before. kNoEntity: the lock ended otherwise.
EntityId newDeciderAt(const Event& freed, const Trace& trace);
/// Whether a lock that several servers keep was lost at this RecordFreed with one of them, though others have it: no
/// majority of them does.
bool tooFewHaveIt(const Event& freed, const Trace& trace);

/// Why nobody can get a lock, however free it looks; the first that applies.
enum class CannotDecide : std::uint8_t {
    None,          ///< somebody can
    EnginesChange, ///< its lock manager leaves an engine, and grants nothing before the next one is in use
    NoServer,      ///< no server decides, as far as rows tell: there is no master, or an ensemble has no leader
    NoMajority,    ///< so many of its independent servers are dead that no client can have enough of them
    Divided,       ///< its living servers name so many clients that none can have enough before another's entry ends
    DeciderDead,   ///< the one server that decides on it is dead
};

/// All that whoCannotDecide() goes by. State and the timeline's lanes keep it in containers of their own.
struct Deciding {
    /// One independent server's entry for the lock.
    struct Copy {
        EntityId owner = kNoEntity; ///< Record::owner
        bool dead = false;          ///< its server is
    };
    bool enginesChange = false; ///< a lock manager's switch goes on
    std::int64_t deciders = -1; ///< Record::deciders of the logical lock
    bool deciderDead = false;   ///< of a lock that one server decides
    std::vector<Copy> copies{}; ///< of a lock that takes several deciders
};
CannotDecide whoCannotDecide(const Deciding& deciding); ///< why nobody can get such a lock
/// Why nobody can get this lock, in that state. `enginesChange`: Deciding::enginesChange, which a state does not know.
CannotDecide whoCannotDecide(EntityId lock, const Trace& trace, const State& state, bool enginesChange = false);

/// The server whose data were all deleted on purpose, and the lock of this RecordFreed with them; kNoEntity: the lock
/// ended otherwise, or nobody saw the deletion.
EntityId emptiedBy(const Event& freed, const Trace& trace);

} // namespace lockscope::trace
