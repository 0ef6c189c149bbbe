// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/state.h"

#include <map>
#include <set>
#include <vector>

namespace lockscope::views {

/// The part that a link plays for its client, among those to the servers of one service.
enum class LinkUse : std::uint8_t {
    Any,       ///< the client is connected with all of them, or nobody knows with which
    Connected, ///< its connection, and its session if it has one
    Spare,     ///< to a server that it would turn to next
};

/// The server of an ensemble, or of a master and its replicas, that each client is connected with, at any instant.
/// Sessions tell it themselves; without one, it is the server that the client asked last. Clients also ask Sentinels,
/// and independent servers all at once: such connections mean nothing.
class ClientServers {
public:
    /// The connection of one client with the servers of one service.
    struct Stay {
        Nanos since{};                                                        ///< it is connected since then
        trace::EntityId server = trace::kNoEntity, before = trace::kNoEntity; ///< `before`: where it was until then
    };

    void forget();
    /// Takes in the rows of the trace that are new. Reads only what tells of connections.
    void grow(const trace::Trace& trace);
    /// Where a client is connected at t, by service; `state` is of the same instant. Servers that stand alone are left
    /// out, and so is a service that the client is cut off from.
    std::vector<Stay> of(trace::EntityId client, Nanos t, const trace::Trace& trace, const trace::State& state) const;
    /// Whether both servers belong to the same service, by their names.
    static bool areTogether(trace::EntityId one, trace::EntityId other, const trace::Trace& trace);

private:
    struct Visits {
        bool session = false;    ///< the client tells of its session: requests say nothing more
        std::vector<Stay> stays; ///< by time; without a server while a session is connected with nobody
    };
    void move(Visits& visits, Nanos at, trace::EntityId server);

    std::map<std::pair<trace::EntityId, QByteArray>, Visits> m_visits; ///< by client and the stem of servers' names
    std::map<trace::EntityId, QByteArray> m_stems;                     ///< of the servers that were met
    std::set<trace::EntityId> m_watchers;
    std::size_t m_rows = 0;
};

} // namespace lockscope::views
