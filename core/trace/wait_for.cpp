// SPDX-License-Identifier: Apache-2.0
#include "trace/wait_for.h"

#include "trace/possible_cycles.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
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

/// The clients that want a lock, and those that have it.
struct Contest {
    std::map<EntityId, HoldMode> holders;
    std::map<EntityId, std::optional<HoldMode>> waiters; ///< how it is wanted; missing: not known
    bool permits = false;                                ///< it has several
};

/// Whether somebody waits behind an entry of a queue. A client of our own that does not wait any more has left its
/// entry behind.
bool waits(const State& state, EntityId lock, const QueuedWaiter& entry) {
    const auto own = state.beliefs.find({lock, entry.thread});
    return !entry.dead && (own == state.beliefs.end() || own->second.waiting());
}

/// Contests as clients of our own believe; only locks that one of them waits for.
std::map<EntityId, Contest> believed(const State& state) {
    std::map<EntityId, Contest> contests;
    for (const auto& [key, belief] : state.beliefs)
        if (belief.waiting()) contests[key.first].waiters.emplace(key.second, std::nullopt);
    for (auto& [lock, contest] : contests)
        for (auto it = state.beliefs.lower_bound({lock, 0}); it != state.beliefs.end() && it->first.first == lock; ++it)
            if (it->second.holding()) contest.holders.emplace(it->first.second, it->second.mode);
    return contests;
}

/// Adds what servers tell of these locks, and of those that strangers wait for.
void addRecorded(std::map<EntityId, Contest>& contests, const State& state) {
    for (const auto& [lock, record] : state.records) {
        if (!record.observed || record.copyOf != kNoEntity) continue; // the logical lock says it
        auto contest = contests.find(lock);
        if (contest == contests.end()) {
            if (record.queue.empty()) continue;
            contest = contests.try_emplace(lock).first;
        }
        for (const QueuedWaiter& waiter : record.queue)
            if (waits(state, lock, waiter)) contest->second.waiters[waiter.thread] = waiter.mode;
        for (const Holder& holder : record.allHolders())
            contest->second.holders.emplace(holder.thread, holder.mode);
        contest->second.permits = record.mode == HoldMode::Permit;
    }
}

void takeEarlier(Beginning& first, std::int64_t at, bool known) {
    if (first.at == kSinceNotTold || at < first.at) first = {at, known};
}

/// By the server's word, if it gives one.
void takeEarlierRecorded(Beginning& first, std::int64_t told, std::int64_t seen) {
    if (told != kSinceNotTold)
        takeEarlier(first, told, true);
    else
        takeEarlier(first, seen, false);
}

/// The earliest begin of a phase of a client's threads with a lock, by their beliefs.
Beginning believedSince(const State& state, const Trace& trace, EntityId party, EntityId lock, Belief::Phase phase) {
    Beginning since;
    for (auto it = state.beliefs.lower_bound({lock, 0}); it != state.beliefs.end() && it->first.first == lock; ++it)
        if (it->second.phase == phase && partyInGraph(trace, it->first.second) == party)
            takeEarlier(since, it->second.since, true);
    return since;
}

std::vector<WaitCycle> cyclesIn(const Edges& edges, const State& state, const Trace& trace) {
    std::vector<WaitCycle> cycles;
    const Groups groups(edges);
    for (const std::vector<EntityId>& group : groups.found()) {
        WaitCycle cycle;
        cycle.edges = ringThrough(edges, *std::ranges::min_element(group));
        for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
            const auto nameOf = [&](std::size_t edge) { return trace.entity(cycle.edges[edge].lock).name; };
            const std::int64_t waiters = waiterCount(state, cycle.edges[i].lock);
            if (waiters < cycle.freed || (waiters == cycle.freed && nameOf(i) >= nameOf(cycle.weakest))) continue;
            cycle.freed = waiters;
            cycle.weakest = i;
        }
        cycles.push_back(std::move(cycle));
    }
    std::ranges::sort(cycles, [](const WaitCycle& a, const WaitCycle& b) { return a.edges.front() < b.edges.front(); });
    return cycles;
}

} // namespace

EntityId partyInGraph(const Trace& trace, EntityId thread) {
    const EntityId client = trace.clientOf(thread);
    return trace.entity(client).other != kNoEntity ? client : thread;
}

std::int64_t waiterCount(const State& state, EntityId lock) {
    std::set<EntityId> named;
    for (auto it = state.beliefs.lower_bound({lock, 0}); it != state.beliefs.end() && it->first.first == lock; ++it)
        if (it->second.waiting()) named.insert(it->first.second);
    const auto record = state.records.find(lock);
    if (record == state.records.end() || !record->second.observed) return std::int64_t(named.size());
    for (const QueuedWaiter& waiter : record->second.queue)
        if (waits(state, lock, waiter)) named.insert(waiter.thread);
    return std::max(record->second.waiters, std::int64_t(named.size()));
}

Beginning waitingSince(const State& state, const Trace& trace, EntityId party, EntityId lock) {
    Beginning since = believedSince(state, trace, party, lock, Belief::Phase::Waiting);
    if (const auto record = state.records.find(lock); record != state.records.end())
        for (const QueuedWaiter& waiter : record->second.queue)
            if (waits(state, lock, waiter) && partyInGraph(trace, waiter.thread) == party)
                takeEarlierRecorded(since, waiter.toldSince, waiter.since);
    return since;
}

Beginning holdingSince(const State& state, const Trace& trace, EntityId party, EntityId lock) {
    Beginning since = believedSince(state, trace, party, lock, Belief::Phase::Holding);
    if (const auto record = state.records.find(lock); record != state.records.end() && record->second.observed)
        for (const Holder& holder : record->second.allHolders())
            if (partyInGraph(trace, holder.thread) == party) takeEarlierRecorded(since, holder.toldSince, holder.since);
    return since;
}

WaitGraph waitGraph(const State& state, const Trace& trace) {
    std::set<WaitEdge> all;
    std::map<EntityId, Contest> contests = believed(state);
    addRecorded(contests, state);
    for (const auto& [lock, contest] : contests) {
        // Any one of several holders of permits can let a waiter go on.
        if (contest.permits && contest.holders.size() > 1) continue;
        for (const auto& [holder, held] : contest.holders) {
            if (!isNamed(trace, holder)) continue;
            const EntityId to = partyInGraph(trace, holder);
            for (const auto& [waiter, wanted] : contest.waiters) {
                if (!isNamed(trace, waiter)) continue;
                if (held == HoldMode::Shared && wanted != HoldMode::Exclusive) continue;
                const EntityId from = partyInGraph(trace, waiter);
                if (from != to) all.insert({from, lock, to}); // a grant may be under way to a waiter
            }
        }
    }
    WaitGraph graph;
    graph.edges.assign(all.begin(), all.end());
    Edges edges;
    for (const WaitEdge& edge : graph.edges)
        edges[edge.waiter].push_back(edge);
    graph.cycles = cyclesIn(edges, state, trace);
    return graph;
}

bool isProcessOfItsOwn(const QByteArray& thread) {
    constexpr qsizetype kLongest = 5; // of the numbers that threads are counted by
    return thread.size() > kLongest && std::ranges::all_of(thread, [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<WaitCycle> possibleCycles(const WaitGraph& graph, const State& state, const Trace& trace) {
    const auto perhaps = [&](EntityId party) {
        const bool thread = trace.entity(party).kind == EntityKind::Thread;
        return thread && isProcessOfItsOwn(trace.entity(party).name) ? trace.clientOf(party) : party;
    };
    std::map<WaitEdge, WaitEdge> asTold; // by the joined one
    Edges edges;
    for (const WaitEdge& edge : graph.edges) {
        const WaitEdge joined{perhaps(edge.waiter), edge.lock, perhaps(edge.holder)};
        if (joined.waiter != joined.holder && asTold.emplace(joined, edge).second)
            edges[joined.waiter].push_back(joined);
    }
    std::set<WaitEdge> certain;
    for (const WaitCycle& cycle : graph.cycles)
        certain.insert(cycle.edges.begin(), cycle.edges.end());
    std::vector<WaitCycle> cycles = cyclesIn(edges, state, trace);
    for (WaitCycle& cycle : cycles)
        for (WaitEdge& edge : cycle.edges)
            edge = asTold.at(edge);
    std::erase_if(cycles, [&](const WaitCycle& cycle) {
        return std::ranges::any_of(cycle.edges, [&](const WaitEdge& edge) { return certain.contains(edge); });
    });
    return cycles;
}

} // namespace lockscope::trace
