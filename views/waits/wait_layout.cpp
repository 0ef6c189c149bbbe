// SPDX-License-Identifier: GPL-3.0-or-later
#include "waits/wait_layout.h"

#include <algorithm>
#include <set>

namespace lockscope::views {

using trace::EntityId;

namespace {

constexpr double kMargin = 14, kColumnGap = 56, kRowGap = 10;
constexpr double kBackRoom = 44; ///< under everything, for edges that lead back to the right

/// Columns of threads and locks: a lock stands right of its holders, a waiter right of its lock.
class Columns {
public:
    Columns(const trace::WaitForGraph& graph, const std::vector<trace::WaitForGraph::Wait>& waits) {
        for (const auto& hold : graph.holds)
            m_holders[hold.lock].push_back(hold.thread);
        for (const auto& wait : waits)
            m_locks[wait.thread].push_back(wait.lock);
    }
    int ofThread(EntityId thread) {
        if (const auto known = m_columns.find(thread); known != m_columns.end()) return known->second;
        m_columns[thread] = 0; // a circle that comes back here stands left of whatever comes after
        int column = 0;
        if (const auto locks = m_locks.find(thread); locks != m_locks.end())
            for (const EntityId lock : locks->second)
                column = std::max(column, ofLock(lock) + 1);
        return m_columns[thread] = column;
    }
    int ofLock(EntityId lock) {
        if (const auto known = m_columns.find(lock); known != m_columns.end()) return known->second;
        m_columns[lock] = 1;
        int column = 1;
        if (const auto holders = m_holders.find(lock); holders != m_holders.end())
            for (const EntityId holder : holders->second)
                column = std::max(column, ofThread(holder) + 1);
        return m_columns[lock] = column;
    }

private:
    std::map<EntityId, std::vector<EntityId>> m_holders, m_locks;
    std::map<EntityId, int> m_columns; ///< threads and locks are different entities
};

} // namespace

int WaitLayout::at(QPointF point) const {
    const auto found = std::ranges::find_if(items, [&](const Item& item) { return item.box.contains(point); });
    return found == items.end() ? -1 : int(found - items.begin());
}

WaitLayout layOutWaits(const trace::WaitForGraph& graph, double boxWidth, double boxHeight) {
    WaitLayout layout;
    std::set<std::pair<EntityId, EntityId>> circle; // thread, lock: the waits of a circle
    std::set<std::pair<EntityId, EntityId>> closed; // … and its holds
    std::set<EntityId> circling;
    for (const auto& cycle : graph.cycles) {
        for (std::size_t i = 0; i < cycle.threads.size(); ++i) {
            circle.emplace(cycle.threads[i], cycle.locks[i]);
            closed.emplace(cycle.threads[(i + 1) % cycle.threads.size()], cycle.locks[i]);
            circling.insert({cycle.threads[i], cycle.locks[i]});
        }
    }
    const auto inCircle = [&](const trace::WaitForGraph::Wait& wait) {
        return circle.contains({wait.thread, wait.lock});
    };
    std::vector<trace::WaitForGraph::Wait> waits = graph.waits;
    std::ranges::stable_partition(waits, inCircle);
    if (waits.size() > kMostWaitsDrawn) {
        layout.left = waits.size() - kMostWaitsDrawn;
        waits.resize(kMostWaitsDrawn);
    }
    std::set<EntityId> locks;
    for (const auto& wait : waits)
        locks.insert(wait.lock);

    // Threads and locks in the order in which they are told, so that the picture is the same each time.
    std::vector<std::pair<EntityId, bool>> told; // entity, whether it is a lock
    std::set<EntityId> seen;
    const auto tell = [&](EntityId entity, bool isLock) {
        if (seen.insert(entity).second) told.emplace_back(entity, isLock);
    };
    for (const auto& cycle : graph.cycles)
        for (std::size_t i = 0; i < cycle.threads.size(); ++i) {
            tell(cycle.threads[i], false);
            tell(cycle.locks[i], true);
        }
    for (const auto& hold : graph.holds)
        if (locks.contains(hold.lock)) tell(hold.thread, false);
    for (const auto& wait : waits) {
        tell(wait.lock, true);
        tell(wait.thread, false);
    }
    Columns columns(graph, waits);
    std::map<int, std::vector<std::pair<EntityId, bool>>> stacks;
    for (const auto& [entity, isLock] : told)
        stacks[isLock ? columns.ofLock(entity) : columns.ofThread(entity)].emplace_back(entity, isLock);

    std::map<EntityId, std::size_t> places;
    double x = kMargin, bottom = 0;
    for (const auto& [column, stack] : stacks) {
        double y = kMargin;
        for (const auto& [entity, isLock] : stack) {
            places[entity] = layout.items.size();
            layout.items.push_back({entity, isLock, circling.contains(entity), QRectF(x, y, boxWidth, boxHeight)});
            y += boxHeight + kRowGap;
        }
        bottom = std::max(bottom, y - kRowGap);
        x += boxWidth + kColumnGap;
    }
    layout.size = {std::max(0.0, x - kColumnGap + kMargin), bottom + kMargin};

    const auto add = [&](EntityId from, EntityId to, WaitLayout::Edge edge) {
        edge.from = places.at(from);
        edge.to = places.at(to);
        edge.back = layout.items[edge.to].box.left() > layout.items[edge.from].box.left();
        layout.edges.push_back(edge);
    };
    for (const auto& hold : graph.holds)
        if (locks.contains(hold.lock))
            add(hold.lock, hold.thread,
                {0, 0, true, closed.contains({hold.thread, hold.lock}), hold.believed, hold.recorded});
    for (const auto& wait : waits)
        add(wait.thread, wait.lock, {0, 0, false, inCircle(wait)});
    if (std::ranges::find(layout.edges, true, &WaitLayout::Edge::back) != layout.edges.end())
        layout.size.rheight() += kBackRoom;
    return layout;
}

} // namespace lockscope::views
