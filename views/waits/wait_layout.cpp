// SPDX-License-Identifier: GPL-3.0-or-later
#include "waits/wait_layout.h"

#include <algorithm>
#include <map>
#include <set>

namespace lockscope::views {

using trace::EntityId;
using trace::WaitEdge;

namespace {

constexpr double kMargin = 14, kRowGap = 10;
constexpr double kWall = 44;          ///< beyond everything: how far edges that lead back may go
constexpr std::size_t kMostLinks = 6; ///< of a chain around one lock

/// Columns of clients and locks: a lock stands right of its holders, a waiter right of its lock.
class Columns {
public:
    explicit Columns(const std::vector<WaitEdge>& edges) {
        for (const WaitEdge& edge : edges)
            m_leftOf[edge.lock].insert(edge.holder);
        // A waiter whose grant is under way stands with the holders: between them and the lock it would hide their
        // arrows.
        for (const WaitEdge& edge : edges)
            if (!m_leftOf[edge.lock].contains(edge.waiter)) m_leftOf[edge.waiter].insert(edge.lock);
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

/// From a box to another: to the one before it in an arc from side to side; back to one behind it around everything
/// that stands between, along `wall`.
std::array<QPointF, 4> curveOf(const QRectF& a, const QRectF& b, bool back, bool down, double wall) {
    if (!down) {
        const QPointF from = back ? QPointF(a.center().x(), a.bottom()) : QPointF(a.left(), a.center().y());
        const QPointF to = back ? QPointF(b.center().x(), b.bottom()) : QPointF(b.right(), b.center().y());
        if (back) return {from, QPointF(from.x(), wall), QPointF(to.x(), wall), to};
        const QPointF bend(std::max(24.0, (from.x() - to.x()) / 2), 0);
        return {from, from - bend, to + bend, to};
    }
    const QPointF from = back ? QPointF(a.right(), a.center().y()) : QPointF(a.center().x(), a.top());
    const QPointF to = back ? QPointF(b.right(), b.center().y()) : QPointF(b.center().x(), b.bottom());
    if (back) return {from, QPointF(wall, from.y()), QPointF(wall, to.y()), to};
    const QPointF bend(0, (from.y() - to.y()) / 2);
    return {from, from - bend, to + bend, to};
}

} // namespace

QPointF WaitLayout::Edge::at(double t) const {
    const double u = 1 - t;
    return u * u * u * curve[0] + 3 * u * u * t * curve[1] + 3 * u * t * t * curve[2] + t * t * t * curve[3];
}

int WaitLayout::at(QPointF point) const {
    const auto found = std::ranges::find_if(items, [&](const Item& item) { return item.box.contains(point); });
    return found == items.end() ? -1 : int(found - items.begin());
}

WaitLayout layOutWaits(const trace::WaitGraph& graph, const WaitMeasures& measures) {
    const bool down = measures.down;
    WaitLayout layout;
    layout.down = down;
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
    // "Along" runs from column to column, "across" in a column from item to item.
    const double boxAlong = down ? measures.box.height() : measures.box.width();
    const double boxAcross = down ? measures.box.width() : measures.box.height();
    double along = kMargin, end = 0;
    for (const auto& [column, stack] : stacks) {
        double across = kMargin;
        for (const EntityId entity : stack) {
            places[entity] = layout.items.size();
            const QPointF corner = down ? QPointF(across, along) : QPointF(along, across);
            layout.items.push_back(
                {entity, isLock.at(entity), circling.contains(entity), QRectF(corner, measures.box)});
            across += boxAcross + kRowGap;
        }
        end = std::max(end, across - kRowGap);
        along += boxAlong + measures.gap;
    }
    const double length = std::max(0.0, along - measures.gap + kMargin);

    std::map<std::pair<EntityId, EntityId>, std::int64_t> weakest; // by lock and holder
    for (const trace::WaitCycle& cycle : graph.cycles)
        weakest[{cycle.edges[cycle.weakest].lock, cycle.edges[cycle.weakest].holder}] = cycle.freed;
    std::set<std::pair<EntityId, EntityId>> drawn;
    const auto add = [&](EntityId from, EntityId to, bool holds, bool inCycle) {
        if (!drawn.emplace(from, to).second) return;
        WaitLayout::Edge edge{places.at(from), places.at(to), holds, inCycle};
        const QRectF a = layout.items[edge.from].box, b = layout.items[edge.to].box;
        edge.back = down ? b.top() > a.top() : b.left() > a.left();
        edge.curve = curveOf(a, b, edge.back, down, end + kMargin + std::min(measures.back, kWall));
        if (const auto found = weakest.find({from, to}); holds && found != weakest.end()) edge.freed = found->second;
        layout.edges.push_back(edge);
    };
    for (const WaitEdge& wait : waits) {
        add(wait.lock, wait.holder, true, circle.contains(wait));
        add(wait.waiter, wait.lock, false, circle.contains(wait));
    }
    end += kMargin;
    if (std::ranges::find(layout.edges, true, &WaitLayout::Edge::back) != layout.edges.end()) end += measures.back;
    layout.size = down ? QSizeF(end, length) : QSizeF(length, end);
    return layout;
}

trace::WaitGraph waitsAround(EntityId lock, const trace::WaitGraph& graph) {
    for (const trace::WaitCycle& cycle : graph.cycles)
        if (std::ranges::find(cycle.edges, lock, &WaitEdge::lock) != cycle.edges.end()) return {cycle.edges, {cycle}};
    trace::WaitGraph chain;
    const auto own = std::ranges::find(graph.edges, lock, &WaitEdge::lock);
    if (own == graph.edges.end()) return chain;
    chain.edges.push_back(*own);
    std::set<EntityId> seen{own->waiter, own->holder};
    while (chain.edges.size() < kMostLinks) {
        const auto next = std::ranges::find(graph.edges, chain.edges.back().holder, &WaitEdge::waiter);
        if (next == graph.edges.end()) break;
        chain.edges.push_back(*next);
        if (!seen.insert(next->holder).second) break; // a circle that this lock only leads to
    }
    if (chain.edges.size() > 1) return chain;
    // The holder waits for nothing: perhaps somebody waits for one of the waiters.
    for (const WaitEdge& wait : graph.edges) {
        if (wait.lock != lock) continue;
        const auto before = std::ranges::find(graph.edges, wait.waiter, &WaitEdge::holder);
        if (before != graph.edges.end()) return {{*before, wait}, {}};
    }
    return {};
}

} // namespace lockscope::views
