// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <set>

namespace lockscope::views {

/// How a client stands with the locks, at one instant.
struct ClientLook {
    /// Unobserved: a stranger at somebody's server; the client was never seen to start or to ask for anything. Its
    /// belief is unknown; its holds are known from the record.
    enum class Belief : std::uint8_t { Unobserved, Idle, Waiting, Holding, Stale } belief = Belief::Idle;
    bool recorded = false; ///< of one that is not observed: the record names it as an owner
    bool inSight = true;   ///< … no record that cannot be seen now named it as an owner
    trace::ClientState::Life life = trace::ClientState::Life::Unknown;
    bool watchdogStopped = false;
    bool engineChanges = false; ///< it waits until its lock manager uses the next engine
    trace::SessionPhase session = trace::SessionPhase::Connected; ///< as it was told last
    trace::EntityId movedTo = trace::kNoEntity; ///< the server that it is connected with since a moment ago
    trace::WallClock clock;
    Nanos since{};
};

/// How all clients and nodes stand at the playhead, by one pass over what is believed and recorded: there may be
/// thousands of clients, each with locks of its own.
class Looks {
public:
    explicit Looks(const ViewContext& context);
    ClientLook of(trace::EntityId client) const;
    /// How many locks a node's records say are held; keys that are only perhaps locks do not count.
    int heldOn(trace::EntityId node) const;
    /// Whether the records of a node's locks, or of those that a client owned last, are observed.
    bool inSight(trace::EntityId who) const { return !m_outOfSight.contains(who); }

private:
    struct Stand {
        ClientLook::Belief belief = ClientLook::Belief::Idle;
        std::int64_t since = 0;
    };
    const ViewContext& m_context;
    std::map<trace::EntityId, Stand> m_believers;              ///< clients of our own that have asked for something
    std::map<trace::EntityId, trace::SessionState> m_sessions; ///< of clients, as they were told last
    std::set<trace::EntityId> m_recorded;                      ///< clients that own something by a record in sight
    std::map<trace::EntityId, int> m_held;
    std::set<trace::EntityId> m_outOfSight;
    std::set<trace::EntityId> m_engineWaiters;
};

} // namespace lockscope::views
