// SPDX-License-Identifier: Apache-2.0
#include "inspect/recorded_reports.h"

#include "inspect/text.h"
#include "trace/connection.h"
#include "trace/server_told.h"

#include <algorithm>

namespace lockscope::inspect {

using trace::EntityId;
using trace::EventKind;
using trace::kNoEntity;

namespace {

/// The wall clock at the trace's origin, in ms since 1970; between 1970 and the year 10000, whatever a damaged
/// recording says.
std::int64_t originMsOf(const trace::Trace& trace) {
    constexpr std::int64_t kFarthestMs = 253'402'300'800'000;
    return std::clamp<std::int64_t>(trace.originWallMs(), 0, kFarthestMs);
}

/// Where a deadline lies, in whole milliseconds as watchers measure it.
EndsWithin endOf(std::int64_t deadline) {
    const std::int64_t ms = deadline / 1'000'000;
    return {ms, ms};
}

} // namespace

RecordedReports::Lock& RecordedReports::lockOf(EntityId id) {
    const auto [known, isNew] = m_locks.try_emplace(id);
    if (isNew) {
        const bool isLogical = m_trace.entity(id).kind == trace::EntityKind::Lock && m_trace.copyOf(id) == kNoEntity;
        known->second.isOurs = isLogical && isOurs(id);
    }
    return known->second;
}

bool RecordedReports::isOurs(EntityId node) const {
    return m_connection == kNoEntity || trace::connectionOf(m_trace, node) == m_connection;
}

void RecordedReports::apply(const trace::Event& event) {
    if (event.kind == EventKind::ConnectionLost || event.kind == EventKind::ConnectionRestored) {
        const EntityId node = event.subject;
        const bool isPart = m_trace.entity(node).other != kNoEntity; // one server of several
        if (isPart || !isOurs(node)) return;
        m_lost = event.kind == EventKind::ConnectionLost;
        m_trouble = m_lost ? QString::fromUtf8(m_trace.entity(event.aux).name) : QString();
        m_unansweredSince.reset();
        if (m_lost) m_unansweredSince = event.time() - std::clamp(Nanos(event.value), Nanos(0), event.time());
        m_news = m_begun = true;
        return;
    }
    if (event.kind == EventKind::ServerTold) {
        const auto policy = trace::toldValue(m_trace.entity(event.aux).name, trace::kMayEvict);
        if (!policy || !isOurs(event.actor)) return;
        m_evictsBy = *policy;
        m_news = m_begun = true;
        return;
    }
    if (!trace::isRecord(event.kind)) return;
    Lock& lock = lockOf(event.subject);
    if (!lock.isOurs) return;
    trace::applyRecord(lock.record, event, nullptr);
    if (lock.seenFrom < 0) lock.seenFrom = event.at;
    if (event.kind == EventKind::RecordContent) {
        const QByteArray& content = m_trace.entity(event.aux).name;
        lock.isThere = content != "[]";
        lock.clients = seenClientsIn(content);
    }
    if (event.kind == EventKind::RecordFailedOver) lock.failedOver = true;
    if (event.kind == EventKind::RecordHeld) {
        lock.isThere = true;
        m_sawAll = m_sawAll || (event.flags & trace::kSeenToBegin) != 0;
    }
    m_news = m_begun = true;
    if (!std::exchange(lock.changed, true)) m_changed.push_back(event.subject);
}

Party RecordedReports::partyOf(const Lock& lock, EntityId thread) {
    Party party;
    const EntityId client = m_trace.clientOf(thread);
    party.client = m_trace.entity(client).name;
    const QByteArray& name = m_trace.entity(thread).name;
    if (client != thread && !name.isEmpty()) party.thread = name;
    const auto seen = lock.clients.find(readable(party.client).toUtf8());
    if (seen != lock.clients.end()) {
        party.about = seen->second.about;
        party.gone = seen->second.gone;
    }
    const bool joined = m_trace.entity(client).other != kNoEntity; // by a rule, out of several names
    m_clients[identityOf(party)] = joined ? client : thread;
    return party;
}

std::optional<LockRow> RecordedReports::rowOf(EntityId id, const Lock& lock, Nanos at) {
    const trace::Record& record = lock.record;
    constexpr std::int64_t kLongAgo = -1'000'000'000'000'000'000; // thirty years: no hold is older
    const std::int64_t originMs = originMsOf(m_trace);
    const auto wallOf = [&](std::int64_t since) -> std::optional<std::int64_t> {
        if (since == trace::kSinceNotTold) return std::nullopt;
        return originMs + std::max(since, kLongAgo) / 1'000'000;
    };
    LockRow row;
    row.name = m_trace.entity(id).name;
    row.server = row.name; // so that LockReport::eventsAt can name one lock
    const EntityId format = record.format != kNoEntity ? record.format : m_trace.entity(id).other;
    row.format = m_trace.entity(format).name;
    const QByteArray url = trace::urlOfConnection(m_trace, trace::connectionOf(m_trace, id));
    row.backend = url.left(std::max<qsizetype>(url.indexOf(':'), 0));
    row.certainty = record.certainty;
    row.mode = modeName(record.mode);
    if (record.waiters >= 0) row.waiterCount = record.waiters;
    if (!record.queue.empty()) row.waiters.emplace();
    for (const trace::QueuedWaiter& waits : record.queue) {
        Party party = partyOf(lock, waits.thread);
        party.mode = modeName(waits.mode);
        party.position = int(row.waiters->size());
        party.dead = waits.dead;
        party.sinceWallMs = wallOf(waits.toldSince);
        // One that was not in the queue when the lock was seen first was seen to come.
        if (!party.sinceWallMs && waits.since > lock.seenFrom) party.sinceWallMs = wallOf(waits.since);
        row.deadWaiters += waits.dead;
        row.waiters->push_back(std::move(party));
    }
    if (record.token != 0) row.token = record.token;
    if (record.noLongerShown) return std::nullopt; // as the server shows nothing of it
    if (!record.observed) {
        row.state = LockRow::State::NotKnown;
        return row;
    }
    if (record.owner == kNoEntity) {
        row.state = record.waiters > 0 ? LockRow::State::Queued : LockRow::State::Free;
        if (row.state == LockRow::State::Free && !lock.isThere) return std::nullopt;
        return row;
    }
    row.state = LockRow::State::Held;
    row.neverExpires = record.deadline == trace::kNeverEnds;
    if (record.deadline >= 0) {
        row.ttlMs = std::max<std::int64_t>((record.deadline - at.count()) / 1'000'000, 0);
        row.ends = endOf(record.deadline);
    }
    for (const trace::Holder& holds : record.allHolders()) {
        Party party = partyOf(lock, holds.thread);
        party.mode = modeName(holds.mode);
        party.holds = int(holds.holds);
        party.sinceWallMs = wallOf(holds.toldSince);
        row.holders.push_back(std::move(party));
    }
    row.moreHolders = std::max<std::int64_t>(record.holderCount() - std::int64_t(row.holders.size()), 0);
    return row;
}

LockReport RecordedReports::quiet(Nanos at) const {
    LockReport report;
    report.at = at;
    report.wallMs = originMsOf(m_trace) + at / 1ms;
    report.complete = m_sawAll;
    report.lookedAgain.emplace();
    if (!m_evictsBy.isEmpty()) report.notes.push_back({WatchNote::Kind::MayEvict, 0, {m_evictsBy}});
    if (m_lost) report.trouble = WatchTrouble{WatchTrouble::Kind::Unreachable, {}, m_trouble};
    return report;
}

LockReport RecordedReports::report(Nanos at) {
    LockReport report = quiet(at);
    m_news = false;
    if (m_lost) return report; // what its locks are is told when it answers again
    for (const EntityId id : m_changed) {
        Lock& lock = m_locks.at(id);
        lock.changed = false;
        report.lookedAgain->push_back(m_trace.entity(id).name);
        if (std::exchange(lock.failedOver, false)) report.eventsAt.push_back(m_trace.entity(id).name);
        if (auto row = rowOf(id, lock, at)) report.locks.push_back(std::move(*row));
    }
    m_changed.clear();
    if (!report.eventsAt.empty()) report.events = {ServerEvent::FailedOver};
    std::ranges::sort(report.locks, {}, &LockRow::name);
    std::ranges::sort(*report.lookedAgain);
    return report;
}

QByteArray RecordedReports::clientOf(const Party& party) const {
    const auto known = m_clients.find(identityOf(party));
    return known == m_clients.end() ? identityOf(party) : QByteArray::number(known->second);
}

} // namespace lockscope::inspect
