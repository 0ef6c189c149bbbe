// SPDX-License-Identifier: Apache-2.0
#include "inspect/lock_report.h"

#include "inspect/text.h"

#include <QDateTime>
#include <QJsonArray>
#include <algorithm>

namespace lockscope::inspect {

QJsonObject toJson(const ServerIdentity& server) {
    using Role = ServerIdentity::Role;
    using Mode = ServerIdentity::Mode;
    const auto uptime = std::chrono::duration_cast<std::chrono::seconds>(server.uptime).count();
    const bool told = uptime > 0 || !server.runId.isEmpty();
    QJsonObject json{
        {QStringLiteral("run_id"), server.runId.isEmpty() ? QJsonValue() : QJsonValue(readable(server.runId))},
        {QStringLiteral("version"), readable(server.version)},
        {QStringLiteral("uptime_s"), told ? QJsonValue(qint64(uptime)) : QJsonValue()},
        {QStringLiteral("role"), QJsonValue::Null},
        {QStringLiteral("mode"), QJsonValue::Null}};
    if (server.role != Role::Unknown) json[QStringLiteral("role")] = QLatin1String(nameOf(server.role));
    if (server.mode != Mode::Unknown)
        json[QStringLiteral("mode")] = QLatin1String(server.mode == Mode::Cluster    ? "cluster"
                                                     : server.mode == Mode::Sentinel ? "sentinel"
                                                                                     : "standalone");
    if (server.mode == Mode::Cluster && server.slots >= 0) {
        json.insert(QStringLiteral("slots"), server.slots);
        json.insert(QStringLiteral("slot_ranges"), readable(server.slotRanges));
    }
    if (!server.persistence.isEmpty()) json.insert(QStringLiteral("persistence"), readable(server.persistence));
    if (!server.evicts.isEmpty()) json.insert(QStringLiteral("maxmemory_policy"), readable(server.evicts));
    if (server.behind >= 0) json.insert(QStringLiteral("behind_bytes"), qint64(server.behind));
    if (server.behindSeconds >= 0) json.insert(QStringLiteral("behind_s"), qint64(server.behindSeconds));
    if (!server.master.isEmpty()) json.insert(QStringLiteral("replica_of"), readable(server.master));
    if (server.entriesBehind >= 0) json.insert(QStringLiteral("behind_entries"), qint64(server.entriesBehind));
    if (server.role == Role::Master && (server.mode != Mode::Unknown || !server.replicas.empty())) {
        QJsonArray replicas;
        for (const ReplicaState& replica : server.replicas)
            replicas.append(
                QJsonObject{{QStringLiteral("address"), readable(replica.address)},
                            {QStringLiteral("in_step"), replica.inStep},
                            {QStringLiteral("behind_bytes"),
                             replica.behind < 0 ? QJsonValue(QJsonValue::Null) : QJsonValue(qint64(replica.behind))}});
        json.insert(QStringLiteral("replicas"), replicas);
    }
    return json;
}

QByteArray evictionPolicyIn(const LockReport& report) {
    const auto evicts = std::ranges::find(report.notes, WatchNote::Kind::MayEvict, &WatchNote::kind);
    return evicts == report.notes.end() ? QByteArray() : evicts->examples.at(0);
}

Nanos LockReport::knownUntil() const {
    Nanos until = began < Nanos(0) ? at : began;
    for (const WatchedServerState& one : servers)
        if (one.lookedAt >= Nanos(0) && one.trouble.isEmpty()) until = std::min(until, one.lookedAt);
    return until;
}

Nanos LockReport::knownUntil(const LockRow& row) const {
    Nanos until = began < Nanos(0) ? at : began;
    const auto lookAt = [&](const LockRow& one) {
        const auto its = std::ranges::find(servers, one.server, &WatchedServerState::address);
        if (its != servers.end() && its->lookedAt >= Nanos(0)) until = std::min(until, its->lookedAt);
    };
    if (row.copies.empty()) lookAt(row);
    for (const LockRow& copy : row.copies)
        if (copy.state != LockRow::State::NotKnown) lookAt(copy);
    return until;
}

bool LockReport::concerns(const LockRow& row) const {
    const auto isRestart = [](ServerEvent event) { return event == ServerEvent::Restarted; };
    if (outlivesRestarts ? std::ranges::all_of(events, isRestart) : events.empty()) return false;
    const auto isThere = [this](const LockRow& one) {
        return std::ranges::find(eventsAt, one.server) != eventsAt.end();
    };
    return eventsAt.empty() || isThere(row) || std::ranges::any_of(row.copies, isThere);
}

bool LockReport::failedOver(const LockRow& row) const {
    return concerns(row) && std::ranges::find(events, ServerEvent::FailedOver) != events.end();
}

bool sameServer(const WatchedServerState& a, const WatchedServerState& b) {
    if (a.address != b.address || a.identity.has_value() != b.identity.has_value()) return false;
    if (a.trouble.isEmpty() != b.trouble.isEmpty()) return false;
    return !a.identity || (a.identity->role == b.identity->role && a.identity->slotRanges == b.identity->slotRanges);
}

QJsonObject toJson(const LockReport& report, const QString& endpoint) {
    QJsonArray locks;
    for (const LockRow& row : report.locks)
        locks.append(toJson(row));
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(report.wallMs, Qt::UTC);
    QJsonObject json{{QStringLiteral("endpoint"), endpoint},
                     {QStringLiteral("observed_at"), at.toString(Qt::ISODateWithMs)},
                     {QStringLiteral("locks"), locks}};
    if (report.server) json.insert(QStringLiteral("server"), toJson(*report.server));
    // Said only where there is something to say.
    if (!report.servers.empty()) {
        QJsonArray servers;
        for (const WatchedServerState& server : report.servers) {
            QJsonObject one = server.identity ? toJson(*server.identity) : QJsonObject();
            one.insert(QStringLiteral("address"), readable(server.address));
            if (!server.trouble.isEmpty()) one.insert(QStringLiteral("trouble"), server.trouble);
            servers.append(one);
        }
        json.insert(QStringLiteral("servers"), servers);
    }
    if (!report.notes.empty()) {
        QJsonArray notes;
        for (const WatchNote& note : report.notes)
            notes.append(toJson(note));
        json.insert(QStringLiteral("notes"), notes);
    }
    return json;
}

} // namespace lockscope::inspect
