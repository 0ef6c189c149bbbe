// SPDX-License-Identifier: Apache-2.0
#include "trace/wait_for.h"

#include <algorithm>
#include <set>

namespace lockscope::trace {

namespace {

using Key = std::pair<EntityId, EntityId>; ///< lock, thread

/// Finds circles by a walk that looks at each thread once (depth first; a way back onto the path closes a circle).
class Cycles {
public:
    explicit Cycles(const WaitForGraph& graph) {
        std::map<EntityId, std::vector<EntityId>> holders;
        for (const auto& hold : graph.holds)
            if (hold.mode == HoldMode::Exclusive) holders[hold.lock].push_back(hold.thread);
        for (const auto& wait : graph.waits)
            for (const EntityId holder : holders[wait.lock])
                m_next[wait.thread].emplace_back(wait.lock, holder);
    }
    std::vector<WaitForGraph::Cycle> find() {
        for (const auto& [thread, next] : m_next)
            visit(thread);
        return std::move(m_found);
    }

private:
    void visit(EntityId thread) {
        if (!m_seen.insert(thread).second) return;
        const auto next = m_next.find(thread);
        if (next == m_next.end()) return;
        for (const auto& [lock, holder] : next->second) {
            m_threads.push_back(thread);
            m_locks.push_back(lock);
            const auto back = std::ranges::find(m_threads, holder);
            if (back == m_threads.end()) {
                visit(holder);
            } else {
                const auto from = back - m_threads.begin();
                m_found.push_back({{back, m_threads.end()}, {m_locks.begin() + from, m_locks.end()}});
            }
            m_threads.pop_back();
            m_locks.pop_back();
        }
    }

    std::map<EntityId, std::vector<std::pair<EntityId, EntityId>>> m_next; ///< by waiter: lock, holder
    std::set<EntityId> m_seen;
    std::vector<EntityId> m_threads, m_locks; ///< the path
    std::vector<WaitForGraph::Cycle> m_found;
};

} // namespace

WaitForGraph waitForGraph(const State& state, const Trace& trace) {
    WaitForGraph graph;
    std::set<Key> told;
    std::set<EntityId> locks;
    const auto add = [&](EntityId lock, EntityId thread, std::int64_t since) {
        if (!told.emplace(lock, thread).second) return;
        graph.waits.push_back({thread, lock, since});
        locks.insert(lock);
    };
    for (const auto& [key, belief] : state.beliefs)
        if (belief.waiting()) add(key.first, key.second, belief.since);
    for (const auto& [lock, record] : state.records) {
        if (record.queue.empty() || !record.observed || trace.copyOf(lock) != kNoEntity) continue;
        for (const QueuedWaiter& waiter : record.queue) {
            // A client of our own that is in the queue and does not wait any more has left an entry behind.
            const bool own = state.beliefs.contains({lock, waiter.thread});
            if (!waiter.dead && !own) add(lock, waiter.thread, waiter.since);
        }
    }
    std::ranges::sort(graph.waits, {}, [](const auto& wait) { return std::tuple(wait.lock, wait.since, wait.thread); });
    for (const EntityId lock : locks) {
        std::map<EntityId, WaitForGraph::Hold> holds;
        for (auto it = state.beliefs.lower_bound({lock, 0}); it != state.beliefs.end() && it->first.first == lock; ++it)
            if (it->second.holding()) holds[it->first.second] = {it->first.second, lock, it->second.mode, true, false};
        if (const auto record = state.records.find(lock); record != state.records.end() && record->second.observed) {
            for (const Holder& holder : record->second.allHolders()) {
                auto& hold = holds.try_emplace(holder.thread, WaitForGraph::Hold{holder.thread, lock, holder.mode})
                                 .first->second;
                hold.recorded = true;
            }
        }
        for (const auto& [thread, hold] : holds)
            graph.holds.push_back(hold);
    }
    graph.cycles = Cycles(graph).find();
    return graph;
}

std::size_t WaitForGraph::freedBy(EntityId lock) const {
    std::set<EntityId> free{lock}, freed; // locks that get free, threads that get on
    bool more = true;
    std::size_t count = 0;
    while (more) {
        more = false;
        for (const Wait& wait : waits) {
            if (!free.contains(wait.lock) || !freed.insert(wait.thread).second) continue;
            more = true;
            for (const Hold& hold : holds)
                if (hold.thread == wait.thread) free.insert(hold.lock);
        }
    }
    for (const Wait& wait : waits)
        count += free.contains(wait.lock);
    return count;
}

} // namespace lockscope::trace
