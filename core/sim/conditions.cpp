// SPDX-License-Identifier: Apache-2.0
#include "sim/conditions.h"

#include "trace/state.h"

#include <QRegularExpression>

namespace lockscope::sim {

using scenario::Trigger;
using trace::EntityId;
using trace::EventKind;

Conditions::Conditions(Surroundings surroundings, const std::vector<Lock>& locks)
    : m_around(std::move(surroundings)), m_first(locks.front().entity) {
    for (const Lock& lock : locks)
        m_holds[lock.entity].lock = lock.name;
    const trace::Trace& trace = m_around.recorder.trace();
    for (std::size_t i = 0; i < trace.size(); ++i) // the roles that servers begin with
        followLeader(trace.at(i));
}

Conditions::~Conditions() {
    for (const auto& [number, waiting] : m_waiting)
        if (waiting.leaseTimer) m_around.scheduler.cancel(waiting.leaseTimer);
}

EntityId Conditions::lockNamed(const QString& name) const {
    const QByteArray wanted = name.toUtf8();
    const auto found = std::ranges::find(m_holds, wanted, [](const auto& hold) { return hold.second.lock; });
    return name.isEmpty() || found == m_holds.end() ? m_first : found->first;
}

bool Conditions::mayBe(const Waiting& waiting, EntityId client) const {
    const QString& wanted = waiting.fault.when->client;
    return wanted.isEmpty() || m_around.is(client, wanted, m_holds.at(waiting.lock).lock);
}

EntityId Conditions::foundBy(const Waiting& waiting, const trace::Event& event) const {
    const Trigger& when = *waiting.fault.when;
    const trace::Trace& trace = m_around.recorder.trace();
    const auto clientOf = [&](EventKind wanted) {
        const bool fits = event.kind == wanted && (when.lock.isEmpty() || event.subject == waiting.lock) &&
                          mayBe(waiting, trace.clientOf(event.actor));
        return fits ? trace.clientOf(event.actor) : trace::kNoEntity;
    };
    switch (when.on) {
    case Trigger::On::Granted:
        return clientOf(EventKind::Granted);
    case Trigger::On::Requested:
        return clientOf(EventKind::Requested);
    case Trigger::On::Released:
        return clientOf(EventKind::Released);
    case Trigger::On::Recorded:
        return event.subject == waiting.lock ? clientOf(EventKind::RecordHeld) : trace::kNoEntity;
    case Trigger::On::Step:
        return event.aux == std::uint32_t(when.step) ? clientOf(EventKind::Step) : trace::kNoEntity;
    case Trigger::On::Leader: {
        if (event.kind != EventKind::NodeRole) break;
        const bool leads = trace::isMasterRole(trace.entity(event.aux).name);
        const bool named = when.server.isEmpty() || trace.entity(event.actor).name == when.server.toUtf8();
        return named && leads ? event.actor : trace::kNoEntity;
    }
    case Trigger::On::LeaseLeft:
        break; // a time, not a row
    }
    return trace::kNoEntity;
}

void Conditions::followLeader(const trace::Event& event) {
    switch (event.kind) {
    case EventKind::NodeRole:
        if (trace::isMasterRole(m_around.recorder.trace().entity(event.aux).name))
            m_leaders.insert(event.actor);
        else
            m_leaders.erase(event.actor);
        break;
    case EventKind::NodeKilled:
        m_dead.insert(event.actor);
        break;
    case EventKind::NodeStarted:
        m_dead.erase(event.actor);
        break;
    default:
        break;
    }
}

EntityId Conditions::leaderNamed(const QString& server) const {
    for (const EntityId leader : m_leaders)
        if (!m_dead.contains(leader) && m_around.recorder.trace().entity(leader).name == server.toUtf8()) return leader;
    return trace::kNoEntity;
}

void Conditions::add(const scenario::Fault& fault) {
    Q_ASSERT(fault.when);
    Waiting& waiting = m_waiting[++m_last] = {fault, lockNamed(fault.when->lock)};
    if (fault.when->on == Trigger::On::Leader) {
        // Some server leads nearly always: without a name the next one that comes to lead is meant.
        const EntityId leader = leaderNamed(fault.when->server);
        if (leader != trace::kNoEntity && counted(waiting, leader)) m_waiting.erase(m_last);
        return;
    }
    // A lease that has run down further than that is not the one that is meant.
    const std::int64_t deadline = m_holds.at(waiting.lock).deadline;
    if (deadline - fault.when->left.count() >= m_around.scheduler.now().count()) aim(m_last, waiting);
}

void Conditions::see(const trace::Event& event) {
    followLeader(event);
    if (trace::isRecord(event.kind))
        if (const auto hold = m_holds.find(event.subject); hold != m_holds.end()) watchLease(hold->second, event);
    if (m_waiting.empty()) return;
    for (auto at = m_waiting.begin(); at != m_waiting.end();) {
        const EntityId found = foundBy(at->second, event);
        const bool strikes = found != trace::kNoEntity && counted(at->second, found);
        at = strikes ? m_waiting.erase(at) : std::next(at);
    }
}

bool Conditions::counted(Waiting& waiting, EntityId found) {
    const Trigger when = *waiting.fault.when;
    if (++waiting.seen < when.nth) return false;
    scenario::Fault fault = waiting.fault;
    fault.at = laterBy(m_around.scheduler.now(), when.after);
    fault.when.reset();
    const QString name = QString::fromUtf8(m_around.recorder.trace().entity(found).name);
    static const QRegularExpression kSame(QStringLiteral("(^|[,|<>])same(?=$|[-,|<>])"));
    fault.target.replace(kSame, QStringLiteral("\\1") + name);
    // A step is announced just before its command goes out: the fault comes between the two.
    if (when.on == Trigger::On::Step && when.after == Nanos(0)) m_around.network.holdBack(found);
    m_around.due(fault);
    return true;
}

void Conditions::watchLease(Hold& hold, const trace::Event& event) {
    switch (event.kind) {
    case EventKind::RecordHeld:
    case EventKind::RecordDeadline:
        hold.owner = event.actor;
        break;
    case EventKind::RecordFreed:
        hold.owner = trace::kNoEntity;
        break;
    case EventKind::RecordRenewed:
        break;
    default:
        return;
    }
    hold.deadline = hold.owner == trace::kNoEntity ? -1 : event.value; // free, or without an end
    for (auto& [number, waiting] : m_waiting)
        if (waiting.lock == event.subject) aim(number, waiting);
}

void Conditions::aim(std::uint64_t number, Waiting& waiting) {
    if (waiting.fault.when->on != Trigger::On::LeaseLeft) return;
    if (waiting.leaseTimer) m_around.scheduler.cancel(std::exchange(waiting.leaseTimer, 0));
    const Hold& hold = m_holds.at(waiting.lock);
    if (hold.owner == trace::kNoEntity || hold.deadline < 0) return;
    waiting.leaseTimer = m_around.scheduler.at(Nanos(hold.deadline) - waiting.fault.when->left,
                                               [this, number] { leaseRanDown(number); });
}

void Conditions::leaseRanDown(std::uint64_t number) {
    const auto at = m_waiting.find(number);
    at->second.leaseTimer = 0;
    const EntityId owner = m_around.recorder.trace().clientOf(m_holds.at(at->second.lock).owner);
    if (!mayBe(at->second, owner)) return;
    if (counted(at->second, owner)) m_waiting.erase(at);
}

} // namespace lockscope::sim
