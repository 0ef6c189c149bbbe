// SPDX-License-Identifier: Apache-2.0
#include "trace/wait_for.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace lockscope::trace {

namespace {

bool isNamed(const Trace& trace, EntityId thread) {
    return thread != kNoEntity && !trace.entity(trace.clientOf(thread)).name.isEmpty();
}

/// The edges by waiter.
using Edges = std::map<EntityId, std::vector<WaitEdge>>;

/// The shortest ring through a client; empty: none.
std::vector<WaitEdge> ringThrough(const Edges& edges, EntityId start) {
    std::map<EntityId, WaitEdge> cameBy; // by holder
    std::deque<EntityId> next{start};
    while (!next.empty()) {
        const EntityId at = next.front();
        next.pop_front();
        const auto its = edges.find(at);
        if (its == edges.end()) continue;
        for (const WaitEdge& edge : its->second) {
            if (!cameBy.emplace(edge.holder, edge).second) continue;
            if (edge.holder != start) {
                next.push_back(edge.holder);
                continue;
            }
            std::vector<WaitEdge> ring{edge};
            while (ring.back().waiter != start)
                ring.push_back(cameBy.at(ring.back().waiter));
            std::ranges::reverse(ring);
            return ring;
        }
    }
    return {};
}

/// The clients of each strongly connected group of at least two. Without recursion: queues may be long.
class Groups {
public:
    explicit Groups(const Edges& edges) : m_edges(edges) {
        for (const auto& [client, its] : edges)
            if (!m_seen.contains(client)) walk(client);
    }
    const std::vector<std::vector<EntityId>>& found() const { return m_found; }

private:
    struct Seen {
        std::size_t index, lowest;
        bool onStack;
    };
    struct Frame {
        EntityId client;
        std::size_t next = 0; ///< the edge to look at
    };
    void enter(EntityId client) {
        m_seen[client] = {m_seen.size(), m_seen.size(), true};
        m_stack.push_back(client);
        m_frames.push_back({client});
    }
    void walk(EntityId first) {
        enter(first);
        while (!m_frames.empty()) {
            Frame& frame = m_frames.back();
            Seen& own = m_seen.at(frame.client);
            const auto its = m_edges.find(frame.client);
            if (its != m_edges.end() && frame.next < its->second.size()) {
                const EntityId to = its->second[frame.next++].holder;
                if (const auto known = m_seen.find(to); known == m_seen.end())
                    enter(to);
                else if (known->second.onStack)
                    own.lowest = std::min(own.lowest, known->second.index);
                continue;
            }
            if (own.lowest == own.index) take(frame.client);
            const std::size_t lowest = own.lowest;
            m_frames.pop_back();
            if (m_frames.empty()) continue;
            Seen& before = m_seen.at(m_frames.back().client);
            before.lowest = std::min(before.lowest, lowest);
        }
    }
    void take(EntityId root) {
        std::vector<EntityId> group;
        EntityId client = kNoEntity;
        do {
            client = m_stack.back();
            m_stack.pop_back();
            m_seen.at(client).onStack = false;
            group.push_back(client);
        } while (client != root);
        if (group.size() > 1) m_found.push_back(std::move(group));
    }

    const Edges& m_edges;
    std::map<EntityId, Seen> m_seen;
    std::vector<EntityId> m_stack;
    std::vector<Frame> m_frames;
    std::vector<std::vector<EntityId>> m_found;
};

} // namespace

EntityId partyInGraph(const Trace& trace, EntityId thread) {
    const EntityId client = trace.clientOf(thread);
    return trace.entity(client).other != kNoEntity ? client : thread;
}

WaitGraph waitGraph(const State& state, const Trace& trace) {
    std::set<WaitEdge> all;
    for (const auto& [lock, record] : state.records) {
        if (record.queue.empty() || record.owner == kNoEntity || !record.observed) continue;
        if (record.copyOf != kNoEntity) continue; // the logical lock says it
        const std::vector<Holder> holders = record.allHolders();
        // Any one of several holders of permits can let a waiter go on.
        if (record.mode == HoldMode::Permit && record.holderCount() > 1) continue;
        for (const Holder& holder : holders) {
            if (!isNamed(trace, holder.thread)) continue;
            const EntityId to = partyInGraph(trace, holder.thread);
            for (const QueuedWaiter& waiter : record.queue) {
                const bool readers = waiter.mode == HoldMode::Shared && holder.mode == HoldMode::Shared;
                if (waiter.dead || readers || !isNamed(trace, waiter.thread)) continue;
                const EntityId from = partyInGraph(trace, waiter.thread);
                if (from != to) all.insert({from, lock, to});
            }
        }
    }
    WaitGraph graph;
    graph.edges.assign(all.begin(), all.end());
    Edges edges;
    for (const WaitEdge& edge : graph.edges)
        edges[edge.waiter].push_back(edge);
    const Groups groups(edges);
    for (const std::vector<EntityId>& group : groups.found()) {
        WaitCycle cycle;
        cycle.edges = ringThrough(edges, *std::ranges::min_element(group));
        for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
            const Record& record = state.records.at(cycle.edges[i].lock);
            const auto waiters = std::max(record.waiters, std::int64_t(record.queue.size()));
            if (waiters <= cycle.freed) continue;
            cycle.freed = waiters;
            cycle.weakest = i;
        }
        graph.cycles.push_back(std::move(cycle));
    }
    std::ranges::sort(graph.cycles,
                      [](const WaitCycle& a, const WaitCycle& b) { return a.edges.front() < b.edges.front(); });
    return graph;
}

} // namespace lockscope::trace
