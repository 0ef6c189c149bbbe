// SPDX-License-Identifier: Apache-2.0
#include "trace/excerpt.h"

#include "trace/member.h"
#include "trace/server_told.h"

namespace lockscope::trace {

namespace {

using Life = ClientState::Life;

} // namespace

Excerpt::Excerpt(std::shared_ptr<const Trace> source, Nanos from)
    : m_source(std::move(source)), m_from(from), m_begins(from), m_row(m_source->upperBound(from)) {
    Q_ASSERT(from >= Nanos(0));
    if (m_source->ofRealServers()) m_trace->setOriginWallMs(m_source->originWallMs() + from / 1ms);
    copyNames();
    StateIndex index(m_source);
    open(index.at(from));
    m_opening = m_trace->size();
    follow();
}

Excerpt::Excerpt(std::shared_ptr<const Trace> source, Nanos from, LeftOut beginning)
    : m_source(std::move(source)), m_from(from), m_begins(0), m_row(m_source->upperBound(from)) {
    Q_ASSERT(from >= Nanos(0) && beginning.why < m_source->entityCount());
    m_trace->setOriginWallMs(m_source->originWallMs());
    copyNames();
    StateIndex index(m_source);
    const State& state = index.at(from);
    for (std::size_t row = 0; row < m_row; ++row) {
        const EventKind kind = m_source->kindAt(row);
        if (kind != EventKind::RecordHeld && kind != EventKind::RecordHolder) continue;
        if (const Event event = m_source->at(row); event.flags & kSeenToBegin)
            m_begun[{event.subject, event.actor}] = event.at;
    }
    for (const auto& [node, its] : state.nodes)
        m_trace->append({0, 0, beginning.observer, node, beginning.why, EventKind::ConnectionLost, 0});
    for (const auto& [node, its] : state.nodes)
        put(EventKind::ConnectionRestored, beginning.observer, node);
    open(state);
    m_opening = m_trace->size();
    follow();
}

void Excerpt::goOnIn(std::shared_ptr<const Trace> source, std::size_t row) {
    follow(); // all that is left
    m_source = std::move(source);
    m_row = row;
    follow();
}

void Excerpt::copyNames() {
    BulkLoader loader(*m_trace);
    for (std::size_t id = m_trace->entityCount(); id < m_source->entityCount(); ++id)
        loader.addEntity(m_source->entity(EntityId(id)));
}

void Excerpt::follow() {
    // Time first: a row that comes meanwhile is copied with the next call. Rows name entities that exist before them.
    const Nanos reached = m_source->reached();
    const std::size_t rows = m_source->size();
    copyNames();
    for (; m_row < rows; ++m_row)
        m_trace->append(shifted(m_source->at(m_row), m_begins));
    m_trace->reach(std::max<Nanos>(reached - m_begins, Nanos(0)));
}

void Excerpt::put(EventKind kind, EntityId actor, EntityId subject, std::int64_t value, std::uint32_t aux,
                  std::uint8_t flags) {
    m_trace->append({(m_from - m_begins).count(), value, actor, subject, aux, kind, flags});
}

void Excerpt::open(const State& state) {
    for (const auto& [node, its] : state.nodes) {
        if (its.life == Life::Dead) put(EventKind::NodeKilled, node, kNoEntity);
        if (its.life == Life::Running || its.life == Life::Paused) put(EventKind::NodeStarted, node, kNoEntity);
        if (its.life == Life::Paused) put(EventKind::NodePaused, node, kNoEntity);
        if (its.role != kNoEntity)
            put(EventKind::NodeRole, node, its.follows, 0, its.role, its.copiesNobody ? kCopiesNobody : 0);
        if (its.lag >= 0) put(EventKind::ReplicationLag, node, its.follows, its.lag, 0, std::uint8_t(its.lagUnit));
        for (const EntityId told : {its.mayEvict, its.looksApart})
            if (told != kNoEntity) put(EventKind::ServerTold, node, kNoEntity, 0, told);
        if (its.unseenSince >= 0)
            put(EventKind::ConnectionLost, its.unseenBy, node, m_from.count() - its.unseenSince, its.unseenWhy);
    }
    openSlots();
    for (const auto& [client, its] : state.clients) {
        if (its.life == Life::Dead) put(EventKind::ClientKilled, client, kNoEntity);
        if (its.life == Life::Running || its.life == Life::Paused) put(EventKind::ClientStarted, client, kNoEntity);
    }
    for (const auto& [lock, permits] : state.capacities)
        put(EventKind::LockCapacity, kNoEntity, lock, permits);
    for (const auto& [lock, record] : state.records)
        openRecord(lock, record);
    for (const auto& [key, belief] : state.beliefs) {
        const auto& [lock, thread] = key;
        if (belief.phase == Belief::Phase::Idle) continue;
        put(EventKind::Requested, thread, lock, -1);
        if (!belief.holding()) continue;
        if (belief.mode != HoldMode::Exclusive)
            put(EventKind::GrantedAs, thread, lock, std::int64_t(belief.mode), std::max(belief.permits, 1u));
        put(EventKind::Granted, thread, lock, belief.token, belief.holds);
        put(EventKind::BelievedUntil, thread, lock, instant(belief.until));
    }
    for (const auto& [client, its] : state.clients) // a paused client believed something before its pause
        if (its.life == Life::Paused) put(EventKind::ClientPaused, client, kNoEntity);
}

void Excerpt::openSlots() {
    std::map<EntityId, EntityId> slots;
    for (std::size_t row = 0; row < m_row; ++row) {
        if (m_source->kindAt(row) != EventKind::ServerTold) continue;
        const Event event = m_source->at(row);
        if (toldValue(m_source->entity(event.aux).name, kHasSlots)) slots[event.actor] = event.aux;
    }
    for (const auto& [node, told] : slots)
        put(EventKind::ServerTold, node, kNoEntity, 0, told);
}

void Excerpt::openRecord(EntityId lock, const Record& record) {
    const auto tell = [&](EventKind kind, std::int64_t value, std::uint32_t aux = 0) {
        put(kind, kNoEntity, lock, value, aux);
    };
    const auto tellSince = [&](EntityId thread, std::int64_t since, std::uint8_t flags) {
        if (since != kSinceNotTold) put(EventKind::RecordSince, thread, lock, since - m_begins.count(), 0, flags);
    };
    if (record.certainty != Certainty::Certain) tell(EventKind::RecordCertainty, std::int64_t(record.certainty));
    if (record.format != kNoEntity) tell(EventKind::RecordFormat, 0, record.format);
    if (record.deciders >= 0) put(EventKind::RecordDecider, record.decider, lock, record.deciders);
    if (record.owner != kNoEntity)
        put(EventKind::RecordHeld, record.owner, lock, instant(record.deadline), record.holds,
            std::uint8_t(record.mode));
    for (const Holder& holder : record.holders)
        put(EventKind::RecordHolder, holder.thread, lock, instant(holder.deadline), holder.holds,
            std::uint8_t(holder.mode));
    for (const Holder& holder : record.allHolders()) {
        const auto begun = m_begun.find({lock, holder.thread});
        const bool seen = begun != m_begun.end() && begun->second == holder.since;
        tellSince(holder.thread, holder.toldSince == kSinceNotTold && seen ? holder.since : holder.toldSince, 0);
    }
    if (record.holdersInAll >= 0) tell(EventKind::RecordHolders, record.holdersInAll);
    if (record.token != 0) tell(EventKind::RecordToken, record.token);
    if (record.waiters >= 0) tell(EventKind::RecordWaiters, record.waiters);
    std::int64_t position = 0;
    for (const QueuedWaiter& waiter : record.queue) {
        put(EventKind::RecordQueued, waiter.thread, lock, position++, 0,
            std::uint8_t(unsigned(waiter.mode) | (waiter.dead ? kQueuedDead : 0u)));
        tellSince(waiter.thread, waiter.toldSince, kSinceWaits);
    }
    if (record.permitsFree >= 0 || record.permitsInAll > 0)
        tell(EventKind::RecordPermits, record.permitsFree, record.permitsInAll);
    if (record.content != kNoEntity) tell(EventKind::RecordContent, 0, record.content);
    if (!record.observed)
        put(EventKind::RecordUnobserved, record.noLongerShown ? record.owner : kNoEntity, lock, 0, 0,
            record.noLongerShown ? kNoLongerShown : 0);
}

Nanos keptFrom(const Trace& trace) {
    for (std::size_t row = 0; row < trace.size(); ++row) {
        const Event event = trace.at(row);
        if (event.kind != EventKind::ConnectionLost || trace.entity(event.aux).name != kLeftOut)
            return row == 0 ? Nanos(0) : event.time();
    }
    return Nanos(0);
}

} // namespace lockscope::trace
