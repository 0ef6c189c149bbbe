// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/spotlight_paint.h"

#include "theme/fonts.h"

#include <QCoreApplication>
#include <QPainterPath>

namespace lockscope::views {
namespace {

constexpr double kDim = 0.62; ///< of the ground over what is not in the spotlight

struct SpotlightWords {
    Q_DECLARE_TR_FUNCTIONS(SpotlightWords)
};

/// The rows that the spotlight is on, as one band each; rows that follow one another are joined.
std::vector<QRectF> litRows(const TimelineScene& scene, const Spotlight& spotlight, double left, double right) {
    std::vector<QRectF> lit;
    for (const TimelineLayout::Row& row : scene.layout.rows()) {
        if (std::ranges::find(spotlight.lanes, row.lane->entity) == spotlight.lanes.end()) continue;
        const QRectF band(left, row.y - scene.scroll, right - left, row.height);
        if (!lit.empty() && band.top() - lit.back().bottom() < 1)
            lit.back().setBottom(band.bottom());
        else
            lit.push_back(band);
    }
    return lit;
}

/// The playhead within the axis of a picture this wide.
double playheadX(const TimelineScene& scene, int width) {
    const double x = scene.metrics.labelWidth() + scene.coordinates(width).x(scene.playhead);
    return std::clamp<double>(x, scene.metrics.labelWidth(), width);
}

} // namespace

void paintSpotlight(QPainter& painter, const QSize& size, const TimelineScene& scene, const Spotlight& spotlight) {
    const double labels = scene.metrics.labelWidth(), width = size.width(), height = size.height();
    const double now = playheadX(scene, size.width());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(QRectF(labels, 0, width - labels, height));
    const TimelineCoordinates c = scene.coordinates(size.width());
    const double left = std::max(labels + c.x(spotlight.from.count()), labels + 2.0);
    const double right = std::min({labels + c.x(spotlight.to.count()), now, width - 2});
    const std::vector<QRectF> lit = right > left ? litRows(scene, spotlight, left, right) : std::vector<QRectF>{};
    if (!lit.empty()) {
        QPainterPath dark, light;
        for (const TimelineLayout::Row& row : scene.layout.rows()) // captions between them stay readable
            dark.addRect(QRectF(labels, row.y - scene.scroll, now - labels, row.height));
        for (const QRectF& band : lit)
            light.addRoundedRect(band.adjusted(-2, -2, 2, 2), 5, 5);
        painter.fillPath(dark.subtracted(light), color(Role::SurfaceSunken, kDim));
        painter.setPen(QPen(color(Role::Text), 2));
        painter.setBrush(Qt::NoBrush);
        for (const QRectF& band : lit)
            painter.drawRoundedRect(band.adjusted(-1, -1, 1, 1), 5, 5);
    }
    painter.fillRect(QRectF(now, 0, width - now, height), color(Role::SurfaceSunken));
    painter.restore();
}

void paintNotYet(QPainter& painter, const QSize& size, const TimelineScene& scene) {
    const double now = playheadX(scene, size.width());
    const QRectF hidden(now, 0, size.width() - now, size.height());
    painter.fillRect(hidden, color(Role::Surface));
    painter.setFont(uiFont(-1));
    painter.setPen(color(Role::TextDim));
    //: On the time axis, right of the playhead.
    const QString words = SpotlightWords::tr("not yet");
    const double gap = scene.metrics.px(56); // of the playhead's pill
    if (hidden.width() > gap + painter.fontMetrics().horizontalAdvance(words))
        painter.drawText(hidden.adjusted(gap, 0, 0, scene.metrics.rulerHeight() - hidden.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, words);
    painter.fillRect(QRectF(now, size.height() - 1, hidden.width(), 1), color(Role::Hairline));
}

void paintNotYetSmall(QPainter& painter, const QSize& size, double x) {
    painter.fillRect(QRectF(x, 0, size.width() - x, size.height()), color(Role::Surface, 0.92));
}

} // namespace lockscope::views
