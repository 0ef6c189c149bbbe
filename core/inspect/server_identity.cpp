// SPDX-License-Identifier: Apache-2.0
#include "inspect/server_identity.h"

namespace lockscope::inspect {

const char* nameOf(ServerEvent event) {
    switch (event) {
    case ServerEvent::Restarted:
        return "server-restarted";
    case ServerEvent::FailedOver:
        return "server-failed-over";
    case ServerEvent::Swapped:
        return "database-swapped";
    case ServerEvent::Emptied:
        break;
    }
    return "server-emptied";
}

namespace {
constexpr Nanos kSlack = 1s; // uptime is in whole seconds, rounded down

/// Whether a run of which only the uptime tells began since the look before, `between` ago. A server that was away for
/// long may have a higher uptime than then.
bool isAnotherRun(Nanos before, Nanos now, Nanos between) {
    constexpr Nanos kLate = 5s; // a busy or paused server counts its seconds late
    return now < before || (now <= between + kSlack && now + kLate < before + between);
}
} // namespace

std::optional<ServerEvent> changeOf(const ServerIdentity& before, const ServerIdentity& now, Nanos between) {
    if (before.runId.isEmpty() || now.runId.isEmpty()) {
        // Uptimes that are told without a run's name only grow within one run.
        const bool younger = now.uptime > Nanos(0) && now.uptime < before.uptime;
        return younger ? std::optional(ServerEvent::Restarted) : std::nullopt;
    }
    using Role = ServerIdentity::Role;
    if (before.runId == now.runId) {
        const bool known = before.role != Role::Unknown && now.role != Role::Unknown;
        // A master's own id may change with its first replica or after the last one: nothing has happened to its data.
        const bool replica = before.role == Role::Replica && now.role == Role::Replica;
        const bool otherData = replica && !before.replicationId.isEmpty() && !now.replicationId.isEmpty() &&
                               before.replicationId != now.replicationId;
        // Elsewhere uptime is counted by the time of day, which may be set back.
        if (now.runIdReturns && isAnotherRun(before.uptime, now.uptime, between)) return ServerEvent::Restarted;
        return known && (before.role != now.role || otherData) ? std::optional(ServerEvent::FailedOver) : std::nullopt;
    }
    return now.uptime <= between + kSlack ? ServerEvent::Restarted : ServerEvent::FailedOver;
}

} // namespace lockscope::inspect
