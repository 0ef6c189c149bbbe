// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/member_change.h"
#include "trace/event.h"

namespace lockscope::trace {
class Recorder;
class Trace;
} // namespace lockscope::trace

namespace lockscope::inspect {

/// Writes into a trace that a look found another process in a server's place.
void writeRestart(trace::Recorder& recorder, trace::EntityId node);

/// An event of a watched server itself that a row tells, as ServerTeller writes it.
struct ToldServerEvent {
    ServerEvent what = ServerEvent::Restarted;
    trace::EntityId server = trace::kNoEntity; ///< a Node
};
/// nullopt: it tells of something else.
std::optional<ToldServerEvent> serverEventIn(const trace::Event& event, const trace::Trace& trace);

/// Writes into a trace what alerts and statistics need to know of a watched server as a whole (trace/server_told.h):
/// a row whenever one of these facts is another one.
class ServerTeller {
public:
    ServerTeller(trace::Recorder& recorder, trace::EntityId node) : m_recorder(recorder), m_node(node) {}
    /// Call it for every report without trouble.
    void write(const LockReport& report);

    /// Writes what happened to the server itself since the report before, as `observer` saw it.
    void writeEvents(const LockReport& report, trace::EntityId observer);

private:
    void writeMembers(const std::vector<WatchedServerState>& members);
    void tellPlaces(const LockReport& report);
    void tell(QByteArrayView name, const QByteArray& value);

    trace::Recorder& m_recorder;
    trace::EntityId m_node;
    MemberNews m_members;
    QByteArray m_evictsBy;
    Nanos m_looksApart{}; ///< as told
};

} // namespace lockscope::inspect
