// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/alert_marks.h"

#include "models/alert_words.h"
#include "theme/icons.h"

#include <cmath>
#include <unordered_map>

namespace lockscope::views {

namespace {
/// The sign where it hides none of the words on its lane: right of those that it would stand on, if there is room.
QRectF besideWords(const QRectF& sign, std::span<const WrittenWords> written, double right) {
    constexpr double kApart = 2;
    QRectF place = sign;
    for (const WrittenWords& one : written) // they are written from left to right
        if (one.place.intersects(place)) place.moveLeft(std::ceil(one.place.right()) + kApart);
    return place.right() <= right ? place : sign;
}
} // namespace

AlertMarks::AlertMarks(ViewContext* context, std::function<void()> changed) : m_context(context), m_desks(context) {
    const auto follow = [this, changed = std::move(changed)] {
        gather();
        changed();
    };
    QObject::connect(&m_desks, &AlertDesks::arranged, &m_desks, follow);
    QObject::connect(&m_desks, &AlertDesks::changed, &m_desks, follow);
    gather();
}

void AlertMarks::gather() {
    m_marks.clear();
    if (!m_context) return;
    for (const auto& desk : m_desks.all())
        if (desk && !desk->spans().empty()) gather(*desk);
}

void AlertMarks::gather(const session::AlertDesk& desk) {
    const auto trace = m_context->trace();
    std::map<QByteArray, trace::EntityId> lanes;
    for (const session::AlertDesk::Span& span : desk.spans())
        lanes.emplace(span.lock, trace::kNoEntity);
    for (const trace::EntityId id : m_context->entities(trace::EntityKind::Lock))
        if (const auto wanted = lanes.find(trace->entity(id).name); wanted != lanes.end() && desk.covers(*trace, id))
            wanted->second = id;
    const auto& nodes = m_context->entities(trace::EntityKind::Node);
    const auto node = std::ranges::find_if(nodes, [&](trace::EntityId one) { return desk.covers(*trace, one); });
    for (const session::AlertDesk::Span& span : desk.spans()) {
        if (span.muted) continue;
        const trace::EntityId lane = !span.lock.isEmpty()  ? lanes[span.lock]
                                     : node == nodes.end() ? trace::kNoEntity
                                                           : *node;
        m_marks.push_back({lane, span.from.count(), span.to ? span.to->count() : INT64_MAX,
                           inspect::severityOf(span.rule.kind), span.sentence});
    }
}

void AlertMarks::paint(QPainter& painter, const QSize& size, const TimelineScene& scene,
                       std::span<const WrittenWords> written) const {
    if (m_marks.empty()) return;
    const TimelineCoordinates c = scene.coordinates(size.width());
    const int labels = scene.metrics.labelWidth();
    const double sign = scene.metrics.px(14);
    painter.save();
    painter.setClipRect(QRect(labels, 0, size.width() - labels, size.height()), Qt::IntersectClip);
    std::unordered_map<trace::EntityId, int> rows; // a recording has many marks of few lanes
    for (const Mark& mark : m_marks) {
        if (mark.from >= scene.to || mark.to <= scene.from) continue;
        const auto [place, isNew] = rows.try_emplace(mark.lane, -1);
        if (isNew) place->second = scene.layout.rowOf(mark.lane);
        const int row = place->second;
        if (row < 0) continue;
        const TimelineLayout::Row& lane = scene.layout.rows()[std::size_t(row)];
        const int y = scene.yOf(lane.y);
        if (scene.isCovered(lane.y, lane.height) || y + lane.height < 0 || y > size.height()) continue;
        const double left = labels + c.x(mark.from);
        const double right = labels + c.x(std::min(mark.to, scene.data.now()));
        const Role role = alertRole(mark.severity);
        painter.fillRect(QRectF(std::round(left), y + 1, std::max(2.0, std::round(right - left)), 2), color(role));
        if (left + sign < labels) continue;
        const QRectF box = besideWords({std::round(left) - sign / 2, y + 2., sign, sign}, written, size.width());
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(Role::SurfaceSunken));
        painter.drawEllipse(box.adjusted(-1, -1, 1, 1));
        painter.setRenderHint(QPainter::Antialiasing, false);
        paintIcon(painter, box, alertIcon(mark.severity), role);
    }
    painter.restore();
}

QString AlertMarks::wordsAt(const TimelineScene& scene, int row, std::int64_t t, std::int64_t slack) const {
    if (row < 0 || std::size_t(row) >= scene.layout.rows().size()) return {};
    const trace::EntityId lane = scene.layout.rows()[std::size_t(row)].lane->entity;
    constexpr qsizetype kMost = 4;
    QStringList words;
    for (const Mark& mark : m_marks)
        if (mark.lane == lane && mark.from <= t + slack && t - slack < mark.to && words.size() < kMost)
            words << mark.words;
    return words.join(u'\n');
}

} // namespace lockscope::views
