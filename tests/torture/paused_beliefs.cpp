// SPDX-License-Identifier: Apache-2.0
#include "paused_beliefs.h"

#include "trace/state.h"

#include <algorithm>
#include <map>

namespace lockscope::torture {

using recipes::HeldBy;
using trace::Belief;
using trace::EntityId;
using trace::Event;
using trace::EventKind;

namespace {

constexpr Nanos kSoon = 1s; ///< to be scheduled again, on a machine with better things to do

/// That a thread believed to hold a lock, without a break.
struct Span {
    EntityId lock = trace::kNoEntity, thread = trace::kNoEntity;
    Nanos asked{}, granted{}, ended{};
    std::vector<std::pair<Nanos, Nanos>> deadlines; ///< of its own, and since when it knew of each; kNever: none
    /// As it stood then.
    Nanos deadlineAt(Nanos at) const {
        Nanos known = kNever;
        for (const auto& [since, deadline] : deadlines)
            if (since <= at) known = deadline;
        return known;
    }
};

class Beliefs {
public:
    explicit Beliefs(const trace::Trace& trace) {
        for (std::size_t row = 0; row < trace.size(); ++row)
            take(trace.at(row), trace);
        while (!m_open.empty())
            end(m_open.begin()->first, trace.reached());
    }
    const std::vector<Span>& all() const { return m_all; }

private:
    using Key = std::pair<EntityId, EntityId>; ///< lock and thread

    void take(const Event& e, const trace::Trace& trace) {
        std::vector<trace::State::Ended> ended;
        m_state.apply(e, trace, &ended);
        for (const auto& [at, lock, thread] : ended)
            end({lock, thread}, Nanos(at));
        if (!isBelief(e.kind) || e.kind == EventKind::LockCapacity) return;
        const Key key(e.subject, e.actor);
        if (e.kind == EventKind::Requested) m_asked[key] = e.time();
        const Belief& belief = m_state.beliefs.at(key);
        if (belief.phase != Belief::Phase::Holding) {
            end(key, e.time());
            return;
        }
        Span& hold = m_open[key];
        if (hold.lock == trace::kNoEntity) {
            hold.lock = e.subject;
            hold.thread = e.actor;
            hold.asked = m_asked[key];
            hold.granted = e.time();
        }
        hold.deadlines.emplace_back(e.time(), fromValue(belief.until));
    }
    void end(Key key, Nanos at) {
        const auto found = m_open.find(key);
        if (found == m_open.end()) return;
        found->second.ended = at;
        m_all.push_back(std::move(found->second));
        m_open.erase(found);
    }

    trace::State m_state;
    std::map<Key, Nanos> m_asked;
    std::map<Key, Span> m_open;
    std::vector<Span> m_all;
};

/// From when on the stop excuses the hold; kNever: not at all.
Nanos excusedFrom(const Span& hold, const Stop& stop, const Ordeal& ordeal, HeldBy heldBy, Nanos lease) {
    if (hold.ended <= stop.from || hold.ended > stop.to + kSoon) return kNever;
    const Nanos from = std::max(stop.from, hold.granted);
    if (heldBy == HeldBy::Connection) {
        const auto death = std::ranges::find_if(ordeal.serverDeaths,
                                                [&](Nanos at) { return at >= stop.from - kSoon && at <= stop.to; });
        const bool began = hold.asked <= stop.to;
        return began && death != ordeal.serverDeaths.end() ? std::max(from, *death) : kNever;
    }
    const bool renewalDue = stop.to - stop.from > lease / 2;
    if (!renewalDue || hold.granted > stop.to) return kNever;
    const Nanos deadline = hold.deadlineAt(stop.to);
    if (deadline == kNever) return from;
    return deadline <= stop.to ? std::max(from, deadline) : kNever;
}

} // namespace

std::shared_ptr<const trace::Trace> withoutPausedBeliefs(const trace::Trace& trace, const Ordeal& ordeal, HeldBy heldBy,
                                                         Nanos lease) {
    std::vector<Event> endings;
    const Beliefs beliefs(trace);
    for (const Span& hold : beliefs.all()) {
        Nanos from = kNever;
        for (const Stop& stop : ordeal.stops)
            if (stop.client == trace.clientOf(hold.thread))
                from = std::min(from, excusedFrom(hold, stop, ordeal, heldBy, lease));
        if (from == kNever) continue;
        Event lost;
        lost.at = from.count();
        lost.kind = EventKind::Lost;
        lost.actor = hold.thread;
        lost.subject = hold.lock;
        endings.push_back(lost);
    }
    std::ranges::stable_sort(endings, {}, &Event::at);

    auto rest = std::make_shared<trace::Trace>();
    for (EntityId id = 1; id < trace.entityCount(); ++id) {
        const trace::Entity& entity = trace.entity(id);
        rest->intern(entity.kind, entity.name, entity.parent, entity.other);
    }
    auto ending = endings.begin();
    for (std::size_t row = 0; row < trace.size(); ++row) {
        const Event event = trace.at(row);
        for (; ending != endings.end() && ending->at < event.at; ++ending)
            rest->append(*ending);
        rest->append(event);
    }
    rest->reach(trace.reached());
    return rest;
}

} // namespace lockscope::torture
