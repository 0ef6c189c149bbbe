// SPDX-License-Identifier: Apache-2.0
#include "experiment/measures.h"

#include "trace/lock_statistics.h"
#include "trace/state.h"

#include <algorithm>
#include <map>

namespace lockscope::experiment {

namespace {

using trace::EntityId;
using trace::EventKind;

/// The locks that a running client waits for while nobody alive believes to hold them, and since when.
class Outages {
public:
    explicit Outages(const trace::Trace& trace) : m_trace(trace) {}

    /// Looks at the locks that a row can have changed.
    void look(const trace::Event& event, const trace::State& state) {
        if (trace::isBelief(event.kind)) {
            lookAt(event.subject, event.time(), state);
            return;
        }
        switch (event.kind) {
        case EventKind::ClientStarted:
        case EventKind::ClientPaused:
        case EventKind::ClientResumed:
        case EventKind::ClientKilled:
            lookAtAll(event.time(), state);
            break;
        default:
            break;
        }
    }
    void lookAtAll(Nanos at, const trace::State& state) {
        for (auto it = state.beliefs.begin(); it != state.beliefs.end();) {
            const EntityId lock = it->first.first;
            lookAt(lock, at, state);
            it = state.beliefs.lower_bound({lock + 1, 0});
        }
    }
    /// The longest one so far; one that goes on is counted up to `now`.
    Nanos longest(Nanos now) const {
        Nanos longest = m_longest;
        for (const auto& [lock, since] : m_since)
            longest = std::max(longest, now - since);
        return longest;
    }
    bool goesOn() const { return !m_since.empty(); }

private:
    bool isOut(EntityId lock, const trace::State& state) const {
        bool waiting = false;
        for (auto it = state.beliefs.lower_bound({lock, 0}); it != state.beliefs.end() && it->first.first == lock;
             ++it) {
            const trace::Belief& belief = it->second;
            if (belief.holding()) return false; // the beliefs of the dead have ended
            if (!belief.waiting() || waiting) continue;
            const auto client = state.clients.find(m_trace.entity(it->first.second).parent);
            waiting = client != state.clients.end() && client->second.life == trace::ClientState::Life::Running;
        }
        return waiting;
    }
    void lookAt(EntityId lock, Nanos at, const trace::State& state) {
        if (isOut(lock, state)) {
            m_since.try_emplace(lock, at);
        } else if (const auto ended = m_since.extract(lock)) {
            m_longest = std::max(m_longest, at - ended.mapped());
        }
    }

    const trace::Trace& m_trace;
    std::map<EntityId, Nanos> m_since;
    Nanos m_longest{};
};

} // namespace

Measures measure(const trace::Trace& trace) {
    Measures measures;
    trace::State state;
    Outages outages(trace);
    trace::LockStatisticsFold counts;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const trace::Event e = trace.at(i);
        state.apply(e, trace);
        counts.apply(e, trace);
        const bool granted = e.kind == EventKind::Granted;
        if (granted && measures.grantedAgain == kNever && measures.firstFault < e.time())
            measures.grantedAgain = e.time();
        if (measures.firstFault != kNever) {
            outages.look(e, state);
        } else if (e.flags & trace::kFault) {
            measures.firstFault = e.time();
            outages.lookAtAll(e.time(), state);
        }
    }
    measures.requests = counts.requests();
    measures.longestWait = counts.longestOpenWait(trace.reached());
    for (const auto& [lock, counted] : counts.locks()) {
        measures.longestWait = std::max(measures.longestWait, counted.longestWait());
        measures.waits.insert(measures.waits.end(), counted.waits.begin(), counted.waits.end());
    }
    state.passTime(trace.reached().count());
    if (measures.firstFault != kNever) outages.lookAtAll(trace.reached(), state);
    measures.outage = outages.longest(trace.reached());
    measures.waitedInVain = outages.goesOn();
    return measures;
}

} // namespace lockscope::experiment
