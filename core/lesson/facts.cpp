// SPDX-License-Identifier: Apache-2.0
#include "lesson/facts.h"

#include "scenario/settings.h"

namespace lockscope::lesson {

using trace::Belief;
using trace::EntityId;
using trace::EntityKind;
using trace::Event;
using trace::EventKind;
using trace::kNoEntity;

Facts::Facts(std::shared_ptr<const trace::Trace> trace, std::shared_ptr<const verdict::Verdict> verdict,
             scenario::Scenario scenario, std::vector<scenario::Fault> byHand, Names names)
    : m_trace(std::move(trace)),
      m_verdict(std::move(verdict)),
      m_scenario(std::move(scenario)),
      m_byHand(std::move(byHand)),
      m_names(std::move(names)),
      m_index(m_trace) {
}

Nanos Facts::time(const Instant& instant, Nanos here) const {
    Nanos base{};
    switch (instant.base) {
    case Instant::Base::Start:
        break;
    case Instant::Base::Here:
        base = here;
        break;
    case Instant::Base::End:
        base = m_trace->reached();
        break;
    case Instant::Base::Moment:
        const auto found = m_names.moments.find(instant.moment);
        base = found == m_names.moments.end() ? m_trace->reached() : found->second.at;
        break;
    }
    return std::max(base + instant.offset, Nanos::zero());
}

QString Facts::client(const QString& name) const {
    const auto found = m_names.clients.find(name);
    return found == m_names.clients.end() ? name : found->second;
}

EntityId Facts::lock(const QString& name) const {
    for (EntityId id = 1; id < m_trace->entityCount(); ++id) {
        const trace::Entity& entity = m_trace->entity(id);
        if (entity.kind == EntityKind::Lock && m_trace->copyOf(id) == kNoEntity &&
            (name.isEmpty() || entity.name == name.toUtf8()))
            return id;
    }
    return kNoEntity;
}

QString Facts::clientName(EntityId threadOrClient) const {
    return QString::fromUtf8(m_trace->entity(m_trace->clientOf(threadOrClient)).name);
}

const trace::State& Facts::state(Nanos t) const {
    m_state = m_index.at(t);
    return m_state;
}

QStringList Facts::clientsIn(const trace::State& state, EntityId lock, Belief::Phase phase) const {
    QStringList clients;
    for (const auto& [key, belief] : state.beliefs)
        if (key.first == lock && belief.phase == phase) clients += clientName(key.second);
    clients.removeDuplicates();
    clients.sort();
    return clients;
}

QStringList Facts::ownersOf(const trace::State& state, EntityId lock) const {
    QStringList owners;
    const auto record = state.records.find(lock);
    if (record == state.records.end()) return owners;
    for (const trace::Holder& holder : record->second.allHolders())
        owners += clientName(holder.thread);
    owners.removeDuplicates();
    owners.sort();
    return owners;
}

std::int64_t Facts::timeLeft(EntityId lock, Nanos at) const {
    const trace::State& now = state(at);
    const auto record = now.records.find(lock);
    if (record == now.records.end() || record->second.owner == kNoEntity) return 0;
    if (record->second.deadline < 0) return INT64_MAX;
    // The deadline is an instant of the server's clock.
    const auto node = now.nodes.find(m_trace->entity(lock).parent);
    const std::int64_t offset = node == now.nodes.end() ? 0 : node->second.clockOffset;
    return std::max<std::int64_t>(0, record->second.deadline - at.count() - offset);
}

std::int64_t Facts::countRows(const Fact& fact, EventKind kind, Nanos from, Nanos to) const {
    std::int64_t count = 0;
    const QString who = client(fact.who), notTo = client(fact.notTo);
    for (std::size_t row = m_trace->lowerBound(from); row < m_trace->upperBound(to); ++row) {
        if (m_trace->kindAt(row) != kind) continue;
        const Event event = m_trace->at(row);
        if (trace::isRecord(kind) && m_trace->copyOf(event.subject) != kNoEntity) continue;
        if (!notTo.isEmpty() && clientName(event.subject) == notTo) continue;
        if (who.isEmpty() || clientName(event.actor) == who) ++count;
    }
    return count;
}

std::int64_t Facts::mostBelievers(EntityId lock, Nanos from, Nanos to) const {
    std::int64_t most = clientsIn(state(from), lock, Belief::Phase::Holding).size();
    trace::State now = m_state;
    for (std::size_t row = now.rows; row < m_trace->upperBound(to); ++row) {
        now.apply(m_trace->at(row), *m_trace);
        if (trace::isBelief(m_trace->kindAt(row)))
            most = std::max<std::int64_t>(most, clientsIn(now, lock, Belief::Phase::Holding).size());
    }
    return most;
}

std::int64_t Facts::longestDisagreement(EntityId lock, Nanos from, Nanos to) const {
    trace::State now = state(from);
    std::int64_t longest = 0, since = from.count();
    const auto disagree = [&] { return clientsIn(now, lock, Belief::Phase::Holding) != ownersOf(now, lock); };
    bool before = disagree();
    for (std::size_t row = now.rows; row < m_trace->upperBound(to); ++row) {
        const Event event = m_trace->at(row);
        if (before) longest = std::max(longest, event.at - since);
        now.apply(event, *m_trace);
        const bool after = disagree();
        if (after && !before) since = event.at;
        before = after;
    }
    return before ? std::max(longest, std::min(to, m_trace->reached()).count() - since) : longest;
}

std::int64_t Facts::longestSuspension(EntityId lock, Nanos from, Nanos to) const {
    std::map<EntityId, std::int64_t> since;
    std::int64_t longest = 0;
    for (std::size_t row = m_trace->lowerBound(from); row < m_trace->upperBound(to); ++row) {
        const EventKind kind = m_trace->kindAt(row);
        if (!trace::isBelief(kind)) continue;
        const Event event = m_trace->at(row);
        if (event.subject != lock) continue;
        if (kind == EventKind::Suspended) {
            since.try_emplace(event.actor, event.at);
        } else if (const auto suspended = since.find(event.actor); suspended != since.end()) {
            if (kind == EventKind::Renewed) longest = std::max(longest, event.at - suspended->second);
            if (kind != EventKind::BelievedUntil) since.erase(suspended);
        }
    }
    return longest;
}

std::int64_t Facts::doneByHand(const Fact& fact) const {
    const auto isServer = [&](const QString& target) {
        return std::ranges::find(m_scenario.nodes, target, &scenario::NodeSpec::id) != m_scenario.nodes.end();
    };
    return std::ranges::count_if(m_byHand, [&](const scenario::Fault& fault) {
        if (fact.action && fault.action != *fact.action) return false;
        const bool setting = fault.action == scenario::Action::Set;
        if (!fact.setting.isEmpty() && (!setting || fault.setting != fact.setting)) return false;
        if (!fact.otherSetting.isEmpty() && (!setting || fault.setting == fact.otherSetting)) return false;
        switch (fact.target) {
        case Fact::Target::Any:
            return true;
        case Fact::Target::Setting:
            return setting;
        case Fact::Target::Server:
            return !setting && isServer(fault.target);
        case Fact::Target::Client:
            return !setting && !fault.target.isEmpty() && !isServer(fault.target);
        }
        return false;
    });
}

Value Facts::value(const Fact& fact, Nanos here) const {
    const Nanos at = time(fact.at, here), from = time(fact.from, here), to = time(fact.to, here);
    const EntityId lock = this->lock(fact.lock);
    const auto copies = [&] {
        std::vector<EntityId> found;
        for (EntityId id = 1; id < m_trace->entityCount(); ++id)
            if (lock != kNoEntity && m_trace->entity(id).kind == EntityKind::Lock && m_trace->copyOf(id) == lock)
                found.push_back(id);
        return found;
    };
    switch (fact.kind) {
    case Fact::Kind::Owner:
        return {0, ownersOf(state(at), lock)};
    case Fact::Kind::CopyOwner:
        for (const EntityId copy : copies())
            if (m_trace->entity(m_trace->entity(copy).parent).name == fact.server.toUtf8())
                return {0, ownersOf(state(at), copy)};
        return {};
    case Fact::Kind::CopiesOf:
        return {std::ranges::count_if(
            copies(), [&](EntityId copy) { return ownersOf(state(at), copy).contains(client(fact.who)); })};
    case Fact::Kind::Believers:
        return {0, clientsIn(state(at), lock, Belief::Phase::Holding)};
    case Fact::Kind::MostBelievers:
        return {mostBelievers(lock, from, to)};
    case Fact::Kind::Waiters:
        return {0, clientsIn(state(at), lock, Belief::Phase::Waiting)};
    case Fact::Kind::TimeLeft:
        return {timeLeft(lock, at)};
    case Fact::Kind::Accepted:
        return {countRows(fact, EventKind::WriteAccepted, from, to)};
    case Fact::Kind::Refused:
        return {countRows(fact, EventKind::WriteRefused, from, to)};
    case Fact::Kind::Count:
        return {countRows(fact, fact.on, from, to)};
    case Fact::Kind::Gap:
        for (std::size_t row = m_trace->upperBound(from); row < m_trace->size(); ++row)
            if (m_trace->kindAt(row) == EventKind::Granted && m_trace->at(row).subject == lock)
                return {m_trace->timeAt(row) - from.count()};
        return {INT64_MAX};
    case Fact::Kind::Span:
        return {(to - from).count()};
    case Fact::Kind::At:
        return {at.count()};
    case Fact::Kind::Violated:
        return {std::ranges::any_of(m_verdict->violations, [&](const verdict::Violation& violation) {
            return violation.invariant == fact.invariant && violation.from <= to && violation.to >= from;
        })};
    case Fact::Kind::Token:
        for (const auto& [key, belief] : state(at).beliefs)
            if (key.first == lock && clientName(key.second) == client(fact.who)) return {belief.token};
        return {};
    case Fact::Kind::Lease:
        return {scenario::settingsAt(m_scenario, at).lock.lease.count()};
    case Fact::Kind::LongestDisagreement:
        return {longestDisagreement(lock, from, to)};
    case Fact::Kind::LongestSuspension:
        return {longestSuspension(lock, from, to)};
    case Fact::Kind::RequestsPerGrant: {
        const std::int64_t grants = countRows({}, EventKind::Granted, from, to);
        return {grants == 0 ? INT64_MAX : countRows({}, EventKind::Request, from, to) / grants};
    }
    case Fact::Kind::ByHand:
        return {doneByHand(fact)};
    }
    return {};
}

bool Facts::holds(const Condition& condition, Nanos here) const {
    const Value is = value(condition.fact, here);
    Value wanted{condition.number, {}};
    for (const QString& name : condition.clients)
        wanted.clients += client(name);
    wanted.clients.sort();
    const bool clients = isClients(condition.fact.kind);
    switch (condition.test) {
    case Condition::Test::Is:
        return clients ? is.clients == wanted.clients : is.number == wanted.number;
    case Condition::Test::IsNot:
        return clients ? is.clients != wanted.clients : is.number != wanted.number;
    case Condition::Test::AtLeast:
        return is.number >= wanted.number;
    case Condition::Test::AtMost:
        return is.number <= wanted.number;
    case Condition::Test::Includes:
        return std::ranges::all_of(wanted.clients, [&](const QString& one) { return is.clients.contains(one); });
    }
    return false;
}

bool Facts::holdAll(const std::vector<Condition>& conditions, Nanos here) const {
    return std::ranges::all_of(conditions, [&](const Condition& condition) { return holds(condition, here); });
}

std::optional<int> Facts::answer(const Question& question, Nanos here) const {
    std::optional<int> right;
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
        if (!holdAll(question.choices[i].when, here)) continue;
        if (right) return std::nullopt;
        right = int(i);
    }
    return right;
}

} // namespace lockscope::lesson
