// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/cluster_layout.h"

#include <QLineF>
#include <algorithm>
#include <cmath>
#include <map>

namespace lockscope::views {

using trace::EntityId;
using trace::EntityKind;

namespace {

constexpr double kMargin = 20, kNodeWidth = 168, kNodeHeight = 52;
constexpr double kArrows = 26, kWatcherWidth = 138, kWatcherHeight = 34, kWatcherLine = 22;
constexpr double kLargest = 44, kSmallest = 6, kWords = 18, kFoot = 26;

double distanceToSegment(QPointF p, QPointF a, QPointF b) {
    const QPointF ab = b - a, ap = p - a;
    const double length = QPointF::dotProduct(ab, ab);
    const double t = length > 0 ? std::clamp(QPointF::dotProduct(ap, ab) / length, 0.0, 1.0) : 0.0;
    return QLineF(p, a + ab * t).length();
}

} // namespace

const ClusterLayout::Item* ClusterLayout::find(EntityId entity) const {
    const auto found = std::ranges::find(items, entity, &Item::entity);
    return found == items.end() ? nullptr : &*found;
}

const ClusterLayout::Item* ClusterLayout::at(QPointF point, double reach) const {
    const Item* nearest = nullptr;
    double best = reach;
    for (const Item& item : items) {
        if (item.kind == EntityKind::Node && item.box.contains(point)) return &item;
        if (item.kind == EntityKind::Client && QLineF(point, item.box.center()).length() <= item.box.width() / 2 + 1)
            return &item;
        if (item.kind != EntityKind::Link) continue;
        if (const double d = distanceToSegment(point, item.from, item.to); d < best) {
            best = d;
            nearest = &item;
        }
    }
    return nearest;
}

ClusterLayout layOutCluster(QSizeF size, const std::vector<EntityId>& nodes, const std::vector<EntityId>& clients,
                            const std::vector<EntityId>& links, const trace::Trace& trace, const ClusterShape& shape) {
    ClusterLayout layout;
    const double all = std::max(size.width() - 2 * kMargin, 60.0);
    const double aside = shape.watchers.empty() ? 0 : std::min(kWatcherWidth + kMargin, all / 3);
    const double width = std::max(all - aside, 60.0);
    const double roof = kMargin + (shape.replicated ? kArrows : 0);
    const double nodeWidth = std::min(kNodeWidth, width / std::max<double>(double(nodes.size()), 1) - 12);
    const double nodeStep = width / std::max<double>(double(nodes.size()), 1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const double centre = kMargin + nodeStep * (double(i) + 0.5);
        layout.items.push_back({nodes[i],
                                EntityKind::Node,
                                QRectF(centre - nodeWidth / 2, roof, nodeWidth, kNodeHeight),
                                {},
                                {},
                                trace::kNoEntity,
                                nodes[i]});
    }

    const double step = std::clamp((size.height() - 2 * kMargin) / std::max<double>(double(shape.watchers.size()), 1),
                                   4.0, kWatcherHeight + 8);
    for (std::size_t i = 0; i < shape.watchers.size(); ++i) {
        const double tall = step >= kWatcherHeight + 4 ? kWatcherHeight : std::min(kWatcherLine, step - 2);
        const QRectF box(size.width() - kMargin - aside + kMargin, kMargin + step * double(i), aside - kMargin, tall);
        layout.items.push_back(
            {shape.watchers[i], EntityKind::Node, box, {}, {}, trace::kNoEntity, shape.watchers[i], true});
    }

    // As large as they fit below, with a gap for messages between them and the nodes.
    const double top = roof + kNodeHeight + std::clamp(size.height() * 0.28, 36.0, 150.0);
    const double below = links.size() > ClusterLayout::kMostLinks ? kFoot : kMargin / 2;
    const double room = std::max(size.height() - top - below, kSmallest);
    const int count = int(clients.size());
    constexpr qsizetype kFitsACircle = 4;
    layout.longNames =
        std::ranges::any_of(clients, [&](EntityId client) { return trace.displayName(client).size() > kFitsACircle; });
    const double leastWords = layout.longNames ? 132.0 : 84.0;
    double cell = kSmallest + 3;
    for (double diameter = kLargest; diameter >= kSmallest; diameter -= 2) {
        const bool words = diameter >= 28;
        const double gap = diameter >= 20 ? 6 : 3;
        const double w = words ? std::max(diameter + 40, leastWords) : diameter + gap;
        const double h = diameter + (words ? kWords + 8 : gap);
        const int columns = std::max(1, int(width / w));
        const int rows = (count + columns - 1) / columns;
        layout.clientSize = diameter;
        layout.clientWords = words;
        layout.clientColumns = std::min(columns, std::max(count, 1));
        layout.clientRows = std::max(rows, 1);
        cell = h;
        if (rows * h <= room) break;
    }
    for (int i = 0; i < count; ++i) {
        const int row = i / layout.clientColumns, column = i % layout.clientColumns;
        const int inRow = std::min(layout.clientColumns, count - row * layout.clientColumns);
        // A last row that is not full keeps the columns of the others.
        const double spacing =
            layout.clientRows > 1 ? width / layout.clientColumns : std::min(width / std::max(inRow, 1), 170.0);
        layout.captionWidth = std::min(spacing - 8, 170.0);
        const double used = layout.clientRows > 1 ? width : spacing * inRow;
        const double x = kMargin + (width - used) / 2 + spacing * (column + 0.5);
        const double y = top + row * cell + layout.clientSize / 2;
        QRectF box(0, 0, layout.clientSize, layout.clientSize);
        box.moveCenter(QPointF(x, y));
        layout.items.push_back(
            {clients[std::size_t(i)], EntityKind::Client, box, {}, {}, clients[std::size_t(i)], trace::kNoEntity});
    }
    std::map<EntityId, std::size_t> places; // there may be as many links as clients
    for (std::size_t i = 0; i < layout.items.size(); ++i)
        places.try_emplace(layout.items[i].entity, i);
    layout.items.reserve(layout.items.size() + links.size());
    for (const EntityId link : links) {
        const trace::Entity& e = trace.entity(link);
        const auto ownPlace = places.find(e.parent), otherPlace = places.find(e.other);
        if (ownPlace == places.end() || otherPlace == places.end()) continue;
        const ClusterLayout::Item* const client = &layout.items[ownPlace->second];
        const ClusterLayout::Item* const node = &layout.items[otherPlace->second];
        if (client->kind == EntityKind::Node) { // between servers, below them
            const auto foot = [](const QRectF& box) { return QPointF(box.center().x(), box.bottom() + 2); };
            layout.items.push_back({link, EntityKind::Link, {}, foot(client->box), foot(node->box), e.parent, e.other});
            continue;
        }
        const QPointF from = client->box.center() - QPointF(0, layout.clientSize / 2 + 3);
        // Fanned out along the node's lower edge, so that many links do not end in one point.
        const double share = std::clamp((from.x() - node->box.center().x()) / width, -0.5, 0.5);
        const QPointF to(node->box.center().x() + share * node->box.width() * 0.8, node->box.bottom() + 2);
        layout.items.push_back({link, EntityKind::Link, {}, from, to, e.parent, e.other});
    }
    return layout;
}

} // namespace lockscope::views
