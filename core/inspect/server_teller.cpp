// SPDX-License-Identifier: Apache-2.0
#include "inspect/server_teller.h"

#include "trace/duration.h"
#include "trace/recorder.h"
#include "trace/seen_restart.h"
#include "trace/server_told.h"

#include <utility>

namespace lockscope::inspect {

void writeRestart(trace::Recorder& recorder, trace::EntityId node) {
    recorder.emit(trace::EventKind::NodeKilled, node, trace::kNoEntity, 0, 0, trace::kSeenRestart);
    recorder.emit(trace::EventKind::NodeStarted, node);
}

std::optional<ToldServerEvent> serverEventIn(const trace::Event& event, const trace::Trace& trace) {
    if (trace::isSeenRestart(event)) return ToldServerEvent{ServerEvent::Restarted, event.actor};
    if (event.kind != trace::EventKind::ConnectionLost) return std::nullopt;
    const QByteArray& reason = trace.entity(event.aux).name;
    for (const ServerEvent what : {ServerEvent::FailedOver, ServerEvent::Emptied, ServerEvent::Swapped})
        if (reason == nameOf(what)) return ToldServerEvent{what, event.subject};
    return std::nullopt;
}

void ServerTeller::write(const LockReport& report) {
    const QByteArray evictsBy = evictionPolicyIn(report);
    if (std::exchange(m_evictsBy, evictsBy) != evictsBy) tell(trace::kMayEvict, evictsBy);
    writeMembers(report.servers);
    // The pace of looks changes all the time; only the longest one bounds what lies between two of them.
    const Nanos apart = report.hearsOfChanges ? Nanos(0) : report.period;
    const bool ended = apart == Nanos(0) && m_looksApart > Nanos(0);
    if (!ended && apart <= m_looksApart * 5 / 4) return;
    m_looksApart = apart;
    const Nanos whole = std::chrono::ceil<std::chrono::milliseconds>(apart);
    tell(trace::kLooksApart, formatDuration(whole).toUtf8());
}

void ServerTeller::writeMembers(const std::vector<WatchedServerState>& members) {
    using What = MemberChange::What;
    for (const MemberChange& change : m_members.since(members)) {
        if (change.what == What::Slots) {
            tell(trace::kSlotsMoved, change.address + ' ' + change.from + ' ' + change.slots);
            continue;
        }
        tell(change.what == What::Away   ? trace::kMemberAway
             : change.what == What::Back ? trace::kMemberBack
                                         : trace::kMemberLeads,
             change.address);
    }
}

void ServerTeller::writeEvents(const LockReport& report, trace::EntityId observer) {
    using trace::EventKind;
    if (report.together) return; // each of the servers has copies of its own, which tell
    tellPlaces(report);
    for (const ServerEvent event : report.events) {
        if (event == ServerEvent::Restarted) {
            writeRestart(m_recorder, m_node);
            continue;
        }
        // Another server answers, or another content: what was known of it before is over.
        m_recorder.emit(EventKind::ConnectionLost, observer, m_node, 0, m_recorder.trace().text(nameOf(event)));
        m_recorder.emit(EventKind::ConnectionRestored, observer, m_node);
    }
}

/// The rows of an event are of all servers that are watched together.
void ServerTeller::tellPlaces(const LockReport& report) {
    if (report.servers.empty() || report.events.size() != 1) return; // else nobody knows which one happened where
    if (const auto succession = successionIn(report)) {
        tell(trace::kTookOver, succession->first + ' ' + succession->second);
        return;
    }
    const QByteArrayView name = report.events.front() == ServerEvent::Restarted ? trace::kMemberRestarted
                                : report.events.front() == ServerEvent::Emptied ? trace::kMemberEmptied
                                                                                : QByteArrayView();
    for (const QByteArray& address : report.eventsAt)
        if (!name.isEmpty()) tell(name, address);
}

void ServerTeller::tell(QByteArrayView name, const QByteArray& value) {
    m_recorder.emit(trace::EventKind::ServerTold, m_node, trace::kNoEntity, 0,
                    m_recorder.trace().text(trace::serverTold(name, value)));
}

} // namespace lockscope::inspect
