// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/legend.h"

#include "theme/fonts.h"
#include "theme/palette.h"
#include "theme/svg_texture.h"
#include "timeline/paint_kit.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <cmath>
#include <optional>
#include <tuple>

namespace lockscope::views {
namespace {

struct Legend {
    Q_DECLARE_TR_FUNCTIONS(lockscope::views::LegendBar)
};

using Sign = LegendSign;

constexpr int kSignWidth = 24, kSignHeight = 14, kGap = 7, kBetween = 14;

int scaled(double px) {
    return int(px * textScale() + 0.5);
}

/// A stretch of a lane, as wide and high as `r`.
void paintBar(QPainter& painter, const QRectF& r, Sign sign, double dpr) {
    switch (sign) {
    case Sign::Holds:
        painter.fillRect(r, color(Role::Holding));
        break;
    case Sign::Waits:
        painter.setPen(QPen(color(Role::Waiting), scaled(3), Qt::DotLine));
        painter.drawLine(QPointF(r.left() + 1, r.center().y()), QPointF(r.right(), r.center().y()));
        break;
    case Sign::Stale:
        painter.fillRect(r, color(Role::StaleBeliefSoft));
        painter.fillRect(r, textureFor(painter, hatchBrush(Role::StaleBelief, dpr)));
        break;
    case Sign::Paused:
        painter.fillRect(r, color(Role::SurfaceSunken));
        painter.fillRect(r, textureFor(painter, dotBrush(Role::Paused, dpr)));
        painter.setPen(QPen(color(Role::Paused), 1));
        painter.drawRect(r.adjusted(0.5, 0.5, -0.5, -0.5));
        break;
    case Sign::Lease: {
        painter.fillRect(r, color(Role::RecordTrack));
        QPainterPath wedge(r.topLeft());
        wedge.lineTo(r.bottomRight());
        wedge.lineTo(r.bottomLeft());
        wedge.closeSubpath();
        painter.fillPath(wedge, color(Role::Record));
        break;
    }
    case Sign::Broken:
        painter.fillRect(r, color(Role::ViolationBand));
        painter.setPen(QPen(color(Role::Violation), 1.5, Qt::DashLine));
        painter.drawLine(r.topLeft(), r.bottomLeft());
        painter.drawLine(r.topRight(), r.bottomRight());
        break;
    case Sign::Gap:
        painter.fillRect(r, color(Role::SurfaceSunken));
        painter.fillRect(r, textureFor(painter, hatchBrush(Role::Unobserved, dpr)));
        break;
    case Sign::Margin: {
        const double enough = std::round(r.width() * 2 / 3); // then it is little
        for (const auto& [x, width, ground, line] : {std::tuple(0.0, enough, Role::AcceptedSoft, Role::Accepted),
                                                     {enough, r.width() - enough, Role::WaitingSoft, Role::Waiting}}) {
            painter.fillRect(QRectF(r.x() + x, r.y(), width, r.height()), color(ground));
            painter.fillRect(QRectF(r.x() + x, r.y(), width, 2), color(line));
        }
        break;
    }
    case Sign::RenewFailed: // above the bar, as on a lane
        painter.fillRect(r.adjusted(0, 4, 0, 0), color(Role::Holding));
        painter.fillRect(QRectF(std::round(r.center().x()) - 1, r.y() - 1, 2, 8), color(Role::Waiting));
        break;
    case Sign::Ghost:
        painter.fillRect(r, onGround(color(Role::Holding, 0.10)));
        painter.setPen(QPen(onGround(color(Role::Holding, 0.55)), 1, Qt::DashLine));
        painter.drawRect(r.adjusted(0.5, 0.5, -0.5, -0.5));
        break;
    default:
        break;
    }
}

std::optional<Sprite> spriteOf(Sign sign) {
    switch (sign) {
    case Sign::Accepted:
        return Sprite::Accepted;
    case Sign::Untold:
        return Sprite::Untold;
    case Sign::Refused:
        return Sprite::Refused;
    case Sign::Damage:
        return Sprite::Damage;
    case Sign::Fault:
        return Sprite::FaultByHand;
    case Sign::Planned:
        return Sprite::FaultPlanned;
    default:
        return std::nullopt;
    }
}

} // namespace

std::vector<LegendItem> legendItems() {
    return {{Sign::Lease, Legend::tr("lease left"), "mark-wedge"},
            {Sign::Holds, Legend::tr("believes"), "mark-holds"},
            {Sign::Stale, Legend::tr("believes without record"), "mark-stale"},
            {Sign::Waits, Legend::tr("waits"), "mark-waits"},
            {Sign::Paused, Legend::tr("paused"), "mark-paused"},
            {Sign::Accepted, Legend::tr("write accepted"), "mark-write"},
            //: In the legend of the timeline: a write that the resource accepted, while a lesson's bet is open.
            {Sign::Untold, Legend::tr("write, not judged yet"), "mark-write"},
            {Sign::Broken, Legend::tr("invariant broken"), "mark-band"},
            {Sign::Damage, Legend::tr("damage"), "damage"},
            //: In the legend of the timeline: the strip that tells how long the server would still keep the lock.
            {Sign::Margin, Legend::tr("margin"), "mark-margin"},
            {Sign::Planned, Legend::tr("planned fault"), "mark-fault"},
            {Sign::Refused, Legend::tr("write refused"), "token-check"},
            {Sign::Fault, Legend::tr("your fault"), "mark-fault"},
            {Sign::Gap, Legend::tr("nobody knows"), "mark-unobserved"},
            {Sign::RenewFailed, Legend::tr("renewal failed"), "mark-renewal"},
            //: In the legend of the timeline: the faint picture of the run before something in its past was changed.
            {Sign::Ghost, Legend::tr("run before a change"), "mark-ghost"}};
}

QSize legendItemSize(const QString& words) {
    const QFontMetrics metrics(uiFont(-1));
    return {scaled(kSignWidth) + scaled(kGap) + metrics.horizontalAdvance(words) + 8,
            std::max(metrics.height(), scaled(kDiamondRadius * 2)) + 6};
}

int legendItemGap() {
    return scaled(kBetween);
}

void paintLegendItem(QPainter& painter, const QRect& place, LegendSign which, const QString& words) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF sign(place.left() + 4, place.top() + (place.height() - scaled(kSignHeight)) / 2.0, scaled(kSignWidth),
                      scaled(kSignHeight));
    const double dpr = painter.device()->devicePixelRatioF();
    if (const auto sprite = spriteOf(which)) {
        // A flag's point is its tip, a diamond's its middle.
        const bool flag = which == Sign::Fault || which == Sign::Planned;
        paintSprite(painter, *sprite, flag ? QPointF(sign.center().x(), sign.bottom()) : sign.center(),
                    0.8 * textScale(), dpr);
    } else {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing, which == Sign::Lease);
        paintBar(painter, sign, which, dpr);
        painter.restore();
    }
    painter.setFont(uiFont(-1));
    painter.setPen(color(Role::TextDim));
    painter.drawText(place.adjusted(4 + scaled(kSignWidth) + scaled(kGap), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     words);
    painter.restore();
}

int legendHeight() {
    return legendItemSize({}).height() + kLegendPad;
}

void paintLegend(QPainter& painter, const QRect& place, const std::set<LegendSign>& signs) {
    painter.fillRect(place, color(Role::Surface));
    painter.fillRect(QRect(place.left(), place.top(), place.width(), 1), color(Role::Hairline));
    int x = place.left() + 2 * kLegendPad;
    for (const LegendItem& item : legendItems()) {
        if (!signs.contains(item.sign)) continue;
        const QSize size = legendItemSize(item.words);
        if (x + size.width() > place.right() - kLegendPad) return;
        paintLegendItem(painter, QRect(QPoint(x, place.top() + (place.height() - size.height()) / 2), size), item.sign,
                        item.words);
        x += size.width() + legendItemGap();
    }
}

} // namespace lockscope::views
