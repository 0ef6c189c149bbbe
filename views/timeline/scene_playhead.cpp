// SPDX-License-Identifier: GPL-3.0-or-later
// The words on the lanes that change as the playhead moves: leases, margins, who believes.
#include "theme/fonts.h"
#include "timeline/margin.h"
#include "timeline/paint_lease.h"
#include "timeline/scene.h"

#include <cmath>

namespace lockscope::views {
namespace {

QFont marginFont() {
    return uiFont(-1.5, QFont::Medium);
}

} // namespace

std::vector<std::size_t> believersAtPlayhead(const TimelineScene& scene) {
    std::vector<std::size_t> believers;
    const auto& rows = scene.layout.rows();
    for (std::size_t i = 0; i < rows.size() && scene.playhead >= 0; ++i) {
        const Lane& lane = *rows[i].lane;
        if (lane.kind != LaneKind::Belief || rows[i].height >= scene.metrics.px(24)) continue;
        if (believesAt(lane, scene.playhead)) believers.push_back(i);
    }
    return believers;
}

std::vector<LeaseAtPlayhead> leasesAtPlayhead(const TimelineScene& scene, const QSize& size) {
    std::vector<LeaseAtPlayhead> leases;
    if (scene.playhead < scene.from || scene.playhead > scene.to) return leases;
    const TimelineCoordinates c = scene.coordinates(size.width());
    const int labels = scene.metrics.labelWidth();
    const auto& rows = scene.layout.rows();
    scene.visitRows(size.height(), [&](std::size_t i, int y) {
        const TimelineLayout::Row& row = rows[i];
        if (row.lane->kind != LaneKind::Record || scene.isCovered(row.y, row.height)) return;
        const std::size_t s = row.lane->spans.firstEndingAfter(scene.playhead);
        if (s >= row.lane->spans.size()) return;
        const Span& span = row.lane->spans[s];
        const std::int64_t end = row.lane->endOf(span, scene.data.now());
        if (span.from > scene.playhead || end <= scene.playhead || span.state != unsigned(RecordState::Held)) return;
        // Too narrow for a wedge of its own: painted as columns, without words.
        if (double(end - span.from) / c.nanosPerPixel() < 3) return;
        const QRectF bar = scene.metrics.bar(*row.lane, 0, 0).translated(0, y);
        const double left = std::max(c.x(span.from), 0.0) + scene.metrics.px(7),
                     right = std::min(c.x(std::min(end, scene.seen)), wordsEdge(scene, c));
        const Lease held = leaseOf(scene.data.trace(), span);
        LeaseAtPlayhead lease;
        lease.row = span.row;
        lease.place =
            QRectF(labels + left, bar.bottom() - scene.metrics.px(19), right - left - 3, scene.metrics.px(18));
        // The number of holders stands there otherwise.
        if (!saysHowMany(*row.lane, scene.playhead))
            lease.words = leaseLeftWords(scene.data.trace(), span, scene.playhead, scene.data.never());
        lease.pale =
            isPaleBelow(span, held, c, scene.metrics, bar.height(), left, std::min(right, c.x(scene.playhead)));
        if (held.fractionKnown())
            lease.dot =
                QPointF(labels + c.x(scene.playhead), bar.bottom() - held.fraction(scene.playhead) * bar.height());
        leases.push_back(lease);
    });
    return leases;
}

std::vector<MarginAtPlayhead> marginsAtPlayhead(const TimelineScene& scene, const QSize& size) {
    std::vector<MarginAtPlayhead> margins;
    const auto& rows = scene.layout.rows();
    scene.visitRows(size.height(), [&](std::size_t i, int y) {
        if (rows[i].lane->kind != LaneKind::Belief || scene.playhead < 0 || rows[i].height < scene.metrics.px(24) ||
            scene.isCovered(rows[i].y, rows[i].height))
            return;
        const Margin margin = marginAt(scene.data, *rows[i].lane, std::min(scene.playhead, scene.data.now()));
        const QString words = marginWords(margin);
        if (words.isEmpty()) return;
        const double left = scene.metrics.px(14), right = scene.metrics.labelWidth() - 4, tall = scene.metrics.px(16);
        if (!scene.metrics.lowBeliefs()) {
            margins.push_back(
                {{left, y + double(scene.metrics.px(43)), right - left, tall}, words, marginRole(margin)});
            return;
        }
        if (hasTwoLines(scene.metrics, rows[i].height)) {
            const double below = rows[i].height - scene.metrics.px(4) - tall;
            margins.push_back({{left, y + below, right - left, tall}, words, marginRole(margin)});
            return;
        }
        // Right of the name, if both have room.
        const double name = QFontMetricsF(uiFont(0, QFont::DemiBold))
                                .horizontalAdvance(laneShortTitle(scene.data, *rows[i].lane)),
                     needed = QFontMetricsF(marginFont()).horizontalAdvance(words) + 1;
        if (left + name + scene.metrics.px(8) + needed > right) return;
        margins.push_back({{right - needed, y + (rows[i].height - tall) / 2, needed, tall}, words, marginRole(margin)});
    });
    return margins;
}

void paintMarginAtPlayhead(QPainter& painter, const MarginAtPlayhead& margin) {
    const QFont font = marginFont();
    painter.setFont(font);
    painter.setPen(color(margin.role));
    painter.drawText(margin.place, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(font).elidedText(margin.words, Qt::ElideRight, margin.place.width()));
}

QStringList copyStates(const TimelineScene& scene) {
    QStringList states;
    const auto& rows = scene.layout.rows();
    constexpr int kInSight = 4000; // px
    scene.visitRows(kInSight, [&](std::size_t i, int) {
        if (const Lane& lane = *rows[i].lane; hangsOnAnother(lane))
            states += laneSubtitle(scene.data, lane, scene.notes, scene.playhead);
    });
    return states;
}

WrittenWords wordsOf(const LeaseAtPlayhead& lease) {
    const QFont font = uiFont(0, QFont::DemiBold);
    const QFontMetricsF fm(font);
    for (const QString& words : lease.words) {
        const double width = fm.horizontalAdvance(words);
        if (width > lease.place.width()) continue;
        const double base = std::round(lease.place.y() + (lease.place.height() + fm.ascent() - fm.descent()) / 2);
        return {{lease.place.x(), base - fm.ascent(), width, fm.ascent() + fm.descent()}, base, words, font};
    }
    return {};
}

void paintLeaseAtPlayhead(QPainter& painter, const LeaseAtPlayhead& lease, bool dimmed) {
    if (const WrittenWords words = wordsOf(lease); !dimmed && !words.words.isEmpty()) {
        painter.setFont(words.font);
        painter.setPen(color(lease.pale ? Role::Text : Role::TextOnColor));
        painter.drawText(QPointF(words.place.x(), words.baseline), words.words);
    }
    if (!lease.dot) return;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(color(Role::Surface), 1.5));
    painter.setBrush(color(Role::Playhead));
    painter.drawEllipse(*lease.dot, 3.5, 3.5);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace lockscope::views
