// SPDX-License-Identifier: Apache-2.0
#include "experiment/observed_uses.h"

#include "trace/part_release.h"
#include "trace/state.h"

#include <algorithm>
#include <map>
#include <set>

namespace lockscope::experiment {

namespace {

using trace::EntityId;
using trace::Event;
using trace::EventKind;
using trace::kNoEntity;

constexpr Nanos kDiesAfter = 100ms; ///< its last renewal: a holder that was not heard of again
constexpr Nanos kQueueApart = 1ms;  ///< between waiters that stood in the queue already
constexpr Nanos kBehindHolders = 2ms;

class Reader {
public:
    Reader(const trace::Trace& trace, Nanos from, Nanos to)
        : m_trace(trace), m_from(from), m_to(to), m_rows(trace.upperBound(to)) {}

    ObservedUses read() {
        for (std::size_t i = 0; i < m_rows; ++i)
            if (trace::isBelief(m_trace.kindAt(i))) m_speaks.insert(m_trace.at(i).actor);
        for (std::size_t i = 0; i < m_rows; ++i) {
            const Event event = m_trace.at(i);
            m_now = event.time();
            std::vector<trace::State::Ended> ended;
            if (event.kind == EventKind::ClientKilled) die(event.actor);
            m_state.apply(event, m_trace, &ended);
            endByThemselves(ended);
            if (trace::isBelief(event.kind)) takeBelief(event);
            if (trace::isRecord(event.kind) && m_trace.copyOf(event.subject) == kNoEntity) takeRecord(event);
        }
        std::vector<trace::State::Ended> ended;
        m_state.passTime(m_to.count(), &ended);
        endByThemselves(ended);
        clip();
        return std::move(m_result);
    }

private:
    using Key = std::pair<EntityId, EntityId>; ///< lock, thread

    ObservedUse& use(std::size_t i) { return m_result.uses[i]; }

    std::size_t begin(EntityId lock, EntityId thread, Nanos wait) {
        ObservedUse fresh;
        fresh.lock = lock;
        fresh.thread = thread;
        fresh.wait = wait;
        fresh.asked = m_now;
        m_result.uses.push_back(fresh);
        m_open[{lock, thread}].push_back(m_result.uses.size() - 1);
        return m_result.uses.size() - 1;
    }

    /// The latest open use of that kind; nullptr: there is none.
    ObservedUse* latest(const Key& key, bool held) {
        const auto open = m_open.find(key);
        if (open == m_open.end()) return nullptr;
        for (auto it = open->second.rbegin(); it != open->second.rend(); ++it)
            if ((use(*it).got != kNever) == held) return &use(*it);
        return nullptr;
    }

    void close(const Key& key, const ObservedUse* closed) {
        const auto open = m_open.find(key);
        std::erase_if(open->second, [&](std::size_t i) { return &use(i) == closed; });
        if (open->second.empty()) m_open.erase(open);
    }

    void finish(const Key& key, ObservedUse* which, Nanos at) {
        if (!which) return;
        if (which->ended == kNever) which->ended = at;
        which->done = at;
        close(key, which);
    }

    void giveUp(const Key& key) {
        ObservedUse* const waiting = latest(key, false);
        if (!waiting) return;
        waiting->gaveUp = true;
        finish(key, waiting, m_now);
    }

    /// The client of a thread has ended: nothing of it goes on.
    void dieHolding(const Key& key, Nanos at) {
        const auto open = m_open.find(key);
        if (open == m_open.end()) return;
        for (const std::size_t i : open->second) {
            use(i).died = true;
            use(i).ended = use(i).done = std::max(at, use(i).asked);
        }
        m_open.erase(open);
    }

    void die(EntityId client) {
        std::set<EntityId> threads;
        for (const auto& [key, open] : m_open)
            if (m_trace.clientOf(key.second) == client) threads.insert(key.second);
        for (const EntityId thread : m_speaks)
            if (m_trace.clientOf(thread) == client) threads.insert(thread);
        for (const EntityId thread : threads) {
            std::vector<Key> keys;
            for (const auto& [key, open] : m_open)
                if (key.second == thread) keys.push_back(key);
            for (const Key& key : keys)
                dieHolding(key, m_now);
            m_result.deaths.push_back({thread, m_now, true});
        }
    }

    void endByThemselves(const std::vector<trace::State::Ended>& ended) {
        for (const trace::State::Ended& each : ended) {
            const Key key(each.lock, each.thread);
            while (ObservedUse* const held = latest(key, true))
                finish(key, held, Nanos(each.at));
        }
    }

    void takeBelief(const Event& event) {
        const Key key(event.subject, event.actor);
        switch (event.kind) {
        case EventKind::Requested:
            begin(event.subject, event.actor, event.value < 0 ? kNever : Nanos(event.value));
            break;
        case EventKind::GrantedAs:
            m_nextMode[key] = {trace::HoldMode(event.value), event.aux};
            break;
        case EventKind::Granted:
        case EventKind::Reentered: {
            if (!latest(key, false)) begin(event.subject, event.actor, kNever);
            ObservedUse* const granted = latest(key, false);
            granted->got = m_now;
            if (const auto mode = m_nextMode.find(key); mode != m_nextMode.end()) {
                std::tie(granted->mode, granted->permits) = mode->second;
                m_nextMode.erase(mode);
            }
            break;
        }
        case EventKind::TimedOut:
        case EventKind::Interrupted:
        case EventKind::AcquireFailed:
            giveUp(key);
            break;
        case EventKind::ReleaseSent:
            if (trace::givesBackPart(event)) break;
            if (ObservedUse* const held = latest(key, true); held && held->ended == kNever) held->ended = m_now;
            break;
        case EventKind::Released:
        case EventKind::ReleaseRefused:
        case EventKind::ReleaseFailed:
            finish(key, latest(key, true), m_now);
            break;
        case EventKind::Lost:
            while (ObservedUse* const held = latest(key, true))
                finish(key, held, m_now);
            break;
        default:
            break;
        }
    }

    void holds(EntityId lock, EntityId thread, trace::HoldMode mode) {
        if (thread == kNoEntity || m_speaks.contains(thread)) return;
        const Key key(lock, thread);
        m_fullAt[key] = m_now;
        if (latest(key, true)) return;
        if (!latest(key, false)) begin(lock, thread, kNever);
        ObservedUse* const taken = latest(key, false);
        taken->got = m_now;
        taken->mode = mode;
    }

    void ends(const Key& key, trace::FreedBy why) {
        if (m_speaks.contains(key.second)) return;
        ObservedUse* const held = latest(key, true);
        if (!held) return;
        if (why != trace::FreedBy::Expiry) return finish(key, held, m_now);
        const Nanos last = m_fullAt.contains(key) ? m_fullAt.at(key) : held->got;
        const Nanos death = std::max(held->got, std::min(m_now, last + kDiesAfter));
        dieHolding(key, death);
        m_result.deaths.push_back({key.second, death, false});
    }

    void takeRecord(const Event& event) {
        const EntityId lock = event.subject;
        switch (event.kind) {
        case EventKind::RecordHeld:
        case EventKind::RecordHolder:
            holds(lock, event.actor, trace::holdMode(event.flags));
            break;
        case EventKind::RecordRenewed:
            if (const auto record = m_state.records.find(lock); record != m_state.records.end())
                m_fullAt[{lock, record->second.owner}] = m_now;
            break;
        case EventKind::RecordFreed: {
            std::vector<Key> held;
            for (auto it = m_open.lower_bound({lock, 0}); it != m_open.end() && it->first.first == lock; ++it)
                held.push_back(it->first);
            for (const Key& key : held)
                ends(key, trace::FreedBy(event.flags & trace::kFreedByMask));
            break;
        }
        case EventKind::RecordHolderGone:
            ends({lock, event.aux}, trace::FreedBy(event.flags & trace::kFreedByMask));
            break;
        case EventKind::RecordQueued: {
            const Key key(lock, event.actor);
            if (event.actor == kNoEntity || m_speaks.contains(event.actor) || event.flags & trace::kQueuedDead) break;
            if (!m_open.contains(key)) use(begin(lock, event.actor, kNever)).mode = trace::holdMode(event.flags);
            break;
        }
        case EventKind::RecordUnqueued:
            if (!m_speaks.contains(event.actor)) giveUp({lock, event.actor});
            break;
        case EventKind::RecordUnobserved:
            m_result.gaps = m_result.gaps || m_now >= m_from;
            break;
        default:
            break;
        }
    }

    /// Leaves out what was over before the stretch, and lets what goes on in it begin there.
    void clip() {
        std::erase_if(m_result.uses, [this](const ObservedUse& each) { return each.ended <= m_from; });
        std::erase_if(m_result.deaths, [this](const ObservedDeath& each) { return each.at <= m_from; });
        std::ranges::stable_sort(m_result.deaths, {}, &ObservedDeath::at);
        std::ranges::stable_sort(m_result.uses, {}, &ObservedUse::asked);
        Nanos inQueue = m_from + kBehindHolders;
        for (ObservedUse& each : m_result.uses) {
            if (each.asked >= m_from) continue;
            const bool waits = each.got == kNever || each.got > m_from;
            each.asked = waits ? inQueue : m_from;
            if (waits) inQueue += kQueueApart;
            if (each.got != kNever) each.got = std::max(each.got, each.asked);
            if (each.ended != kNever) each.ended = std::max(each.ended, each.asked);
            if (each.done != kNever) each.done = std::max(each.done, each.ended);
        }
        std::ranges::stable_sort(m_result.uses, {}, &ObservedUse::asked);
    }

    const trace::Trace& m_trace;
    Nanos m_from, m_to, m_now{};
    std::size_t m_rows;
    std::set<EntityId> m_speaks; ///< threads whose own words the trace has
    trace::State m_state;
    std::map<Key, std::vector<std::size_t>> m_open; ///< uses that are not over, the outermost first
    std::map<Key, std::pair<trace::HoldMode, std::uint32_t>> m_nextMode;
    std::map<Key, Nanos> m_fullAt; ///< when the lease was full
    ObservedUses m_result;
};

} // namespace

ObservedUses observedUses(const trace::Trace& trace, Nanos from, Nanos to) {
    Q_ASSERT(from < to);
    return Reader(trace, from, to).read();
}

} // namespace lockscope::experiment
