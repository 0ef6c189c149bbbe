// SPDX-License-Identifier: GPL-3.0-or-later
#include "waits/wait_layout.h"

#include <algorithm>
#include <map>
#include <set>

namespace lockscope::views {

using trace::EntityId;
using trace::WaitEdge;

namespace {

constexpr double kMargin = 14, kColumnGap = 56, kRowGap = 10;
constexpr double kBackRoom = 44; ///< under everything, for edges that lead back to the right

/// Columns of clients and locks: a lock stands right of its holders, a waiter right of its lock.
class Columns {
public:
    explicit Columns(const std::vector<WaitEdge>& edges) {
        for (const WaitEdge& edge : edges) {
            m_leftOf[edge.lock].insert(edge.holder);
            m_leftOf[edge.waiter].insert(edge.lock);
        }
    }
    int of(EntityId entity) {
        if (const auto known = m_columns.find(entity); known != m_columns.end()) return known->second;
        m_columns[entity] = 0; // a circle that comes back here stands left of whatever comes after
        int column = 0;
        if (const auto left = m_leftOf.find(entity); left != m_leftOf.end())
            for (const EntityId before : left->second)
                column = std::max(column, of(before) + 1);
        return m_columns[entity] = column;
    }

private:
    std::map<EntityId, std::set<EntityId>> m_leftOf;
    std::map<EntityId, int> m_columns;
};

} // namespace

int WaitLayout::at(QPointF point) const {
    const auto found = std::ranges::find_if(items, [&](const Item& item) { return item.box.contains(point); });
    return found == items.end() ? -1 : int(found - items.begin());
}

WaitLayout layOutWaits(const trace::WaitGraph& graph, double boxWidth, double boxHeight) {
    WaitLayout layout;
    // Circles first: they are what a person looks for.
    std::vector<WaitEdge> waits;
    std::set<WaitEdge> circle;
    for (const trace::WaitCycle& cycle : graph.cycles)
        for (const WaitEdge& edge : cycle.edges)
            if (circle.insert(edge).second) waits.push_back(edge);
    for (const WaitEdge& edge : graph.edges)
        if (!circle.contains(edge)) waits.push_back(edge);
    if (waits.size() > kMostWaitsDrawn) {
        layout.left = waits.size() - kMostWaitsDrawn;
        waits.resize(kMostWaitsDrawn);
    }

    Columns columns(waits);
    std::map<EntityId, bool> isLock;
    std::map<int, std::vector<EntityId>> stacks; // in the order of the waits, so that the picture is equal each time
    const auto tell = [&](EntityId entity, bool lock) {
        if (isLock.emplace(entity, lock).second) stacks[columns.of(entity)].push_back(entity);
    };
    for (const WaitEdge& edge : waits) {
        tell(edge.holder, false);
        tell(edge.lock, true);
        tell(edge.waiter, false);
    }
    std::set<EntityId> circling;
    for (const WaitEdge& edge : circle)
        circling.insert({edge.waiter, edge.lock});
    std::map<EntityId, std::size_t> places;
    double x = kMargin, bottom = 0;
    for (const auto& [column, stack] : stacks) {
        double y = kMargin;
        for (const EntityId entity : stack) {
            places[entity] = layout.items.size();
            layout.items.push_back(
                {entity, isLock.at(entity), circling.contains(entity), QRectF(x, y, boxWidth, boxHeight)});
            y += boxHeight + kRowGap;
        }
        bottom = std::max(bottom, y - kRowGap);
        x += boxWidth + kColumnGap;
    }
    layout.size = {std::max(0.0, x - kColumnGap + kMargin), bottom + kMargin};

    std::set<std::pair<EntityId, EntityId>> drawn;
    const auto add = [&](EntityId from, EntityId to, bool holds, bool inCycle) {
        if (!drawn.emplace(from, to).second) return;
        WaitLayout::Edge edge{places.at(from), places.at(to), holds, inCycle};
        edge.back = layout.items[edge.to].box.left() > layout.items[edge.from].box.left();
        layout.edges.push_back(edge);
    };
    for (const WaitEdge& wait : waits) {
        add(wait.lock, wait.holder, true, circle.contains(wait));
        add(wait.waiter, wait.lock, false, circle.contains(wait));
    }
    if (std::ranges::find(layout.edges, true, &WaitLayout::Edge::back) != layout.edges.end())
        layout.size.rheight() += kBackRoom;
    return layout;
}

} // namespace lockscope::views
