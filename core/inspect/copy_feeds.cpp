// SPDX-License-Identifier: Apache-2.0
#include "inspect/copy_feeds.h"

#include "inspect/server_teller.h"

#include "inspect/seen_content.h"
#include "trace/recorder.h"

#include <utility>

namespace lockscope::inspect {

using trace::EventKind;
using trace::kNoEntity;

CopyFeeds::CopyFeeds(Place place, TraceFeed::Resolver resolver, Nanos tolerance)
    : m_place(place), m_resolver(std::move(resolver)), m_tolerance(tolerance) {
}

CopyFeeds::Server& CopyFeeds::serverAt(const QByteArray& address) {
    Server& server = m_servers[address];
    if (server.feed) return server;
    server.node =
        m_place.recorder.trace().intern(trace::EntityKind::Node, address, m_place.connection, m_place.logical.node());
    server.feed = std::make_unique<TraceFeed>(m_place.recorder, server.node, m_resolver, m_tolerance);
    server.feed->writeCopiesOf(m_place.logical);
    return server;
}

void CopyFeeds::tellServer(const WatchedServerState& server) {
    Server& its = serverAt(server.address);
    const bool away = !server.trouble.isEmpty();
    if (!away && !std::exchange(its.started, true)) m_place.recorder.emit(EventKind::NodeStarted, its.node);
    if (std::exchange(its.away, away) == away) return;
    if (away)
        m_place.recorder.emit(EventKind::ConnectionLost, m_place.observer, its.node, 0,
                              m_place.recorder.trace().text(server.trouble.toUtf8()));
    else
        m_place.recorder.emit(EventKind::ConnectionRestored, m_place.observer, its.node);
}

void CopyFeeds::tellEvents(const LockReport& report) {
    for (const QByteArray& address : report.eventsAt) {
        for (const ServerEvent event : report.events) {
            if (event != ServerEvent::Restarted) continue; // other events show in the copies
            writeRestart(m_place.recorder, serverAt(address).node);
        }
    }
}

void CopyFeeds::tellCopy(const LockRow& copy, const LockReport& report) {
    Server& server = serverAt(copy.server);
    // A copy that is free is told, too: else nothing would say that this server was asked.
    if (server.names.insert(copy.name).second && copy.state == LockRow::State::Free)
        m_place.recorder.emit(EventKind::RecordObserved, kNoEntity, server.feed->lockEntity(copy.name));
    Sight sight;
    if (report.concerns(copy)) sight.freedBy = trace::FreedBy::NodeLoss;
    if (copy.state == LockRow::State::Free)
        server.feed->update(copy.name, std::nullopt, sight);
    else
        server.feed->update(copy.name, copy, sight);
}

void CopyFeeds::write(const LockReport& report) {
    if (!report.together) return;
    for (const WatchedServerState& server : report.servers)
        tellServer(server);
    if (report.trouble) {
        for (auto& [address, server] : m_servers)
            server.feed->unobserved();
        return;
    }
    for (auto& [address, server] : m_servers)
        server.feed->observed();
    tellEvents(report);
    const std::set<QByteArray> before = std::exchange(m_names, {});
    for (const LockRow& row : report.locks) {
        m_names.insert(row.name);
        if (m_deciders.insert(row.name).second)
            m_place.recorder.emit(EventKind::RecordDecider, kNoEntity, m_place.logical.lockEntity(row.name),
                                  std::int64_t(row.quorum));
        for (const LockRow& copy : row.copies)
            tellCopy(copy, report);
    }
    for (const QByteArray& name : before) {
        if (m_names.contains(name)) continue;
        for (const WatchedServerState& server : report.servers) { // no server that can be read has it any more
            LockRow copy;
            copy.name = name;
            copy.server = server.address;
            if (!server.trouble.isEmpty()) copy.state = LockRow::State::NotKnown;
            tellCopy(copy, report);
        }
    }
}

void CopyFeeds::unobserved() {
    for (auto& [address, server] : m_servers)
        server.feed->unobserved();
}

} // namespace lockscope::inspect
