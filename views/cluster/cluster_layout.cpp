// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/cluster_layout.h"

#include "theme/fonts.h"

#include <QLineF>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace lockscope::views {

using trace::EntityId;
using trace::EntityKind;

namespace {

constexpr double kMargin = 20, kNodeWidth = 168, kNodeHeight = 52;
constexpr double kArcHeight = 18; ///< of the arcs between servers
constexpr double kArrows = 26, kWatcherWidth = 138, kWatcherHeight = 34, kWatcherLine = 22;
constexpr double kNarrowestNode = 112, kRowGap = 14;
constexpr double kNodesShare = 0.5;    ///< of the height, at most, where there is more than one row of nodes
constexpr double kCrowdedShare = 0.75; ///< … where they would be too narrow for their names
constexpr double kLowPicture = 240, kLowNode = 42, kLowWatcherWidth = 122;
constexpr double kLowFoot = 17;              ///< the line that says how slowed down messages are
constexpr double kSpot = 26, kLeastWay = 30; ///< a small client and what is around it; between nodes and clients
constexpr double kLargest = 44, kSmallest = 6, kWords = 18, kFoot = 26;

double distanceToSegment(QPointF p, QPointF a, QPointF b) {
    const QPointF ab = b - a, ap = p - a;
    const double length = QPointF::dotProduct(ab, ab);
    const double t = length > 0 ? std::clamp(QPointF::dotProduct(ap, ab) / length, 0.0, 1.0) : 0.0;
    return QLineF(p, a + ab * t).length();
}

/// The nodes of each shard, or of each service, in the order of the first of them.
std::vector<std::vector<EntityId>> groupsOf(const std::vector<EntityId>& nodes, const trace::Trace& trace,
                                            const ClusterShape& shape) {
    std::vector<std::vector<EntityId>> groups;
    std::map<std::tuple<EntityId, EntityId, QByteArray>, std::size_t> known;
    for (const EntityId node : nodes) {
        const auto shard = shape.shards.find(node);
        const trace::Entity& its = trace.entity(node);
        const QByteArray stem = its.parent == trace::kNoEntity ? stemOf(its.name) : QByteArray();
        const EntityId head = shard == shape.shards.end() ? trace::kNoEntity : shard->second;
        const auto [place, isNew] = known.try_emplace({its.parent, head, stem}, groups.size());
        if (isNew) groups.emplace_back();
        groups[place->second].push_back(node);
    }
    return groups;
}

/// Rows of whole groups; a group that is larger than a row is broken.
std::vector<std::vector<EntityId>> rowsOf(const std::vector<std::vector<EntityId>>& groups, std::size_t mostInRow) {
    std::vector<std::vector<EntityId>> rows(1);
    for (const std::vector<EntityId>& group : groups) {
        // Rows of about equal length.
        const std::size_t parts = (group.size() + mostInRow - 1) / mostInRow;
        const std::size_t length = (group.size() + parts - 1) / parts;
        for (std::size_t i = 0; i < group.size(); i += length) {
            const std::size_t count = std::min(length, group.size() - i);
            if (!rows.back().empty() && rows.back().size() + count > mostInRow) rows.emplace_back();
            rows.back().insert(rows.back().end(), group.begin() + std::ptrdiff_t(i),
                               group.begin() + std::ptrdiff_t(i + count));
        }
    }
    return rows;
}

/// As rowsOf(), in so many rows at most: where groups would need more, they stand one after the other.
std::vector<std::vector<EntityId>> fittingRows(const std::vector<EntityId>& nodes, const trace::Trace& trace,
                                               const ClusterShape& shape, double width, std::size_t mostRows) {
    if (nodes.empty()) return {};
    const auto fits = std::size_t(std::max(1.0, width / kNarrowestNode));
    const auto groups = groupsOf(nodes, trace, shape);
    auto rows = rowsOf(groups, fits);
    if (rows.size() <= mostRows) return rows;
    std::vector<EntityId> all;
    for (const auto& group : groups)
        all.insert(all.end(), group.begin(), group.end());
    return rowsOf({all}, std::max(fits, (all.size() + mostRows - 1) / mostRows));
}

/// How many nodes stand in the longest row; 1 without any.
std::size_t longest(const std::vector<std::vector<EntityId>>& rows) {
    std::size_t most = 1;
    for (const auto& row : rows)
        most = std::max(most, row.size());
    return most;
}

} // namespace

QByteArray stemOf(QByteArray name) {
    while (!name.isEmpty() && name.back() >= '0' && name.back() <= '9')
        name.chop(1);
    return name;
}

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
    // Boxes hold two lines of words, and grow with them.
    const double u = std::max(1.0, textScale()), watcherHeight = kWatcherHeight * u;
    // In a low picture, the rooms between things give way before their words do.
    const bool low = size.height() < kLowPicture * u;
    const double nodeHeight = (low ? kLowNode : kNodeHeight) * u, margin = low ? kMargin / 2 : kMargin;
    const double all = std::max(size.width() - 2 * kMargin, 60.0);
    const double watcherWidth = (low ? kLowWatcherWidth : kWatcherWidth) * u;
    const double aside = shape.watchers.empty() ? 0 : std::min(watcherWidth + kMargin, all / 3);
    const double width = std::max(all - aside, 60.0);
    const double roof = margin + (shape.replicated ? kArrows : 0);
    double rowStep = nodeHeight + (shape.replicated ? kArrows + 4 : kRowGap);
    const auto rowsIn = [&](double share) {
        const double most = (size.height() * share - roof + rowStep - nodeHeight) / rowStep;
        return fittingRows(nodes, trace, shape, width, std::size_t(std::max(1.0, most)));
    };
    auto rows = rowsIn(kNodesShare);
    // Names of servers come before the room for messages, but not before that for clients.
    const double below = links.size() > ClusterLayout::kMostLinks ? kFoot * u : low ? kLowFoot * u : kMargin / 2;
    double way = std::clamp(size.height() * (low ? 0.18 : 0.28), kLeastWay, 150.0);
    const double forClients = std::ceil(double(clients.size()) * kSpot / width) * kSpot + kLeastWay + below;
    const double crowded = std::min(kCrowdedShare, 1 - forClients / size.height());
    if (double(longest(rows)) * kNarrowestNode > width && crowded > kNodesShare) {
        rowStep = nodeHeight + (shape.replicated ? kArcHeight + 2 : kRowGap);
        rows = rowsIn(crowded);
        way = kLeastWay;
    }
    const std::size_t columns = longest(rows);
    const double nodeStep = width / double(columns), nodeWidth = std::min(kNodeWidth * u, nodeStep - 12);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        // Nodes of a shorter row stand in the middle.
        const double left = kMargin + (width - nodeStep * double(rows[row].size())) / 2;
        for (std::size_t i = 0; i < rows[row].size(); ++i) {
            const QRectF box(left + nodeStep * (double(i) + 0.5) - nodeWidth / 2, roof + rowStep * double(row),
                             nodeWidth, nodeHeight);
            const EntityId node = rows[row][i];
            layout.items.push_back({node, EntityKind::Node, box, {}, {}, trace::kNoEntity, node});
        }
    }
    const double feet = roof + rowStep * double(std::max<std::size_t>(rows.size(), 1) - 1) + nodeHeight;

    const double step = std::clamp((size.height() - 2 * margin) / std::max<double>(double(shape.watchers.size()), 1),
                                   4.0, watcherHeight + 8);
    for (std::size_t i = 0; i < shape.watchers.size(); ++i) {
        const double tall = step >= watcherHeight + 4 ? watcherHeight : std::min(kWatcherLine * u, step - 2);
        const QRectF box(size.width() - kMargin - aside + kMargin, margin + step * double(i), aside - kMargin, tall);
        layout.items.push_back(
            {shape.watchers[i], EntityKind::Node, box, {}, {}, trace::kNoEntity, shape.watchers[i], true});
    }

    // As large as they fit below, with a gap for messages between them and the nodes.
    const double top = feet + way;
    const double room = std::max(size.height() - top - below, kSmallest);
    const int count = int(clients.size());
    constexpr qsizetype kFitsACircle = 4;
    layout.longNames =
        std::ranges::any_of(clients, [&](EntityId client) { return trace.displayName(client).size() > kFitsACircle; });
    const double leastWords = (layout.longNames ? 132.0 : 84.0) * u;
    double cell = kSmallest + 3;
    for (double diameter = kLargest; diameter >= kSmallest; diameter -= 2) {
        const bool words = diameter >= 28;
        const double gap = diameter >= 20 ? 6 : 3;
        const double w = words ? std::max(diameter + 40, leastWords) : diameter + gap;
        const double h = diameter + (words ? kWords * u + (low ? 4 : 8) : gap);
        const int perLine = std::max(1, int(width / w));
        const int lines = (count + perLine - 1) / perLine;
        layout.clientSize = diameter;
        layout.clientWords = words;
        layout.clientColumns = std::min(perLine, std::max(count, 1));
        layout.clientRows = std::max(lines, 1);
        cell = h;
        if (lines * h <= room) break;
    }
    for (int i = 0; i < count; ++i) {
        const int row = i / layout.clientColumns, column = i % layout.clientColumns;
        const int inRow = std::min(layout.clientColumns, count - row * layout.clientColumns);
        // A last row that is not full keeps the columns of the others.
        const double spacing =
            layout.clientRows > 1 ? width / layout.clientColumns : std::min(width / std::max(inRow, 1), 170.0 * u);
        layout.captionWidth = std::min(spacing - 8, 170.0 * u);
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
        if (client->kind == EntityKind::Node && !client->watcher && !node->watcher) { // on an arc above both servers
            const double direction = node->box.center().x() > client->box.center().x() ? 1 : -1;
            const auto apex = [direction](const QRectF& box, double side) {
                return QPointF(box.center().x() + side * direction * box.width() / 4, box.top() - kArcHeight);
            };
            ClusterLayout::Item item{link,     EntityKind::Link, {}, apex(client->box, 1), apex(node->box, -1),
                                     e.parent, e.other};
            item.arched = true;
            layout.items.push_back(item);
            continue;
        }
        if (client->kind == EntityKind::Node) { // to a Sentinel, below them
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
