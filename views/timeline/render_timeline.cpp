// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/render_timeline.h"

#include "theme/fonts.h"
#include "theme/palette.h"
#include "timeline/scene.h"
#include "timeline/signs_in_sight.h"
#include "timeline/spotlight_paint.h"

namespace lockscope::views {

struct TimelineRenderer::Prepared {
    TimelineData data;
    TimelineLayout layout;
    ViolationBands bands;
    TimelineMetrics metrics{QFontMetricsF(uiFont()).height()};

    Prepared(const TimelinePicture& picture, int room) : data(picture.trace) {
        data.consume();
        if (room > 0)
            metrics = layout.fitted(data, metrics, [room](const TimelineMetrics& tried) {
                return room - tried.rulerHeight() - tried.stripHeight();
            });
        layout.update(data, metrics);
        bands.setVerdict(picture.verdict);
    }
    TimelineScene sceneOf(const TimelinePicture& picture) const {
        TimelineScene scene{data, layout, bands, metrics, picture.notes};
        scene.end = std::max<std::int64_t>(data.now(), 1);
        scene.from = picture.from.count();
        scene.to = picture.to > picture.from ? picture.to.count() : scene.end;
        scene.end = std::max(scene.end, scene.to);
        if (picture.playhead) scene.playhead = picture.playhead->count();
        scene.hidesFuture = picture.hidesFuture && picture.playhead;
        if (scene.hidesFuture) scene.seen = scene.playhead; // its words are not told either
        return scene;
    }
    int frameHeight() const { return metrics.rulerHeight() + metrics.stripHeight() + metrics.overviewHeight(); }
};

TimelineRenderer::TimelineRenderer(const TimelinePicture& picture, int room)
    : m_prepared(std::make_unique<const Prepared>(picture, room)) {
}

TimelineRenderer::~TimelineRenderer() = default;

int TimelineRenderer::height() const {
    return m_prepared->layout.height() + m_prepared->frameHeight();
}

int TimelineRenderer::overviewHeight() const {
    return m_prepared->metrics.overviewHeight();
}

int TimelineRenderer::axisLeft() const {
    return m_prepared->metrics.labelWidth();
}

std::pair<int, int> TimelineRenderer::locksWithin(int height) const {
    const int room = height - m_prepared->frameHeight();
    int shown = 0, all = 0;
    for (const TimelineLayout::Row& row : m_prepared->layout.rows()) {
        if (row.lane->kind != LaneKind::Record) continue;
        ++all;
        shown += row.y + row.height <= room;
    }
    return {shown, all};
}

std::set<LegendSign> TimelineRenderer::signs(const TimelinePicture& picture) const {
    if (!picture.hidesFuture) return signsInSight(m_prepared->sceneOf(picture));
    std::set<LegendSign> all;
    for (const LegendItem& item : legendItems())
        all.insert(item.sign);
    return all;
}

void TimelineRenderer::paint(QPainter& painter, const QSize& size, const TimelinePicture& picture) const {
    TimelineScene scene = m_prepared->sceneOf(picture);
    scene.devicePixelRatio = painter.device()->devicePixelRatioF();

    const int top = scene.metrics.rulerHeight() + scene.metrics.stripHeight(), bottom = scene.metrics.overviewHeight();
    const QSize ruler(size.width(), top), lanes(size.width(), std::max(0, size.height() - top - bottom));
    const QSize overview(size.width(), bottom);
    const int labels = scene.metrics.labelWidth();
    const double x = labels + scene.coordinates(size.width()).x(scene.playhead);
    const bool playhead = scene.playhead >= scene.from && scene.playhead <= scene.to;

    painter.save();
    painter.setClipRect(QRect(QPoint(), size));
    painter.translate(0, top);
    painter.save();
    painter.setClipRect(QRect(QPoint(), lanes));
    paintLanes(painter, lanes, scene);
    const bool hides = playhead && picture.hidesFuture;
    if (hides) paintHidden(painter, lanes, scene, x);
    if (playhead) {
        paintPlayheadLine(painter, x, lanes.height());
        paintCrossedCaptions(painter, lanes, scene, x);
        for (const LeaseAtPlayhead& lease : leasesAtPlayhead(scene, lanes))
            paintLeaseAtPlayhead(painter, lease);
        for (const MarginAtPlayhead& margin : marginsAtPlayhead(scene, lanes))
            paintMarginAtPlayhead(painter, margin);
    }
    painter.restore();
    painter.translate(0, lanes.height());
    paintOverview(painter, overview, scene);
    paintOverviewFrame(painter, overview, scene);
    if (hides) {
        const double now = labels + TimelineCoordinates(0, scene.end, size.width() - labels).x(scene.playhead);
        paintNotYetSmall(painter, overview, now);
    }
    painter.translate(0, -lanes.height() - top);
    paintRuler(painter, ruler, scene);
    if (hides) paintNotYet(painter, ruler, scene);
    if (playhead) {
        painter.save();
        painter.translate(0, scene.metrics.px(16));
        paintPlayheadLine(painter, x, top - scene.metrics.px(16));
        painter.restore();
        paintPlayheadPill(painter, size.width(), scene);
    }
    painter.restore();
}

void renderTimeline(QPainter& painter, const QSize& size, const TimelinePicture& picture) {
    TimelineRenderer(picture).paint(painter, size, picture);
}

QImage renderTimelineImage(const QSize& size, double scale, const TimelinePicture& picture) {
    QImage image((QSizeF(size) * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    renderTimeline(painter, size, picture);
    return image;
}

int timelineHeight(const TimelinePicture& picture) {
    return TimelineRenderer(picture).height();
}

} // namespace lockscope::views
