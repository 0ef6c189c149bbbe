// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/sprites.h"

#include "theme/palette.h"

#include <QPaintEngine>
#include <QPixmap>
#include <cmath>

namespace lockscope::views {
namespace {

void diamond(QPainter& p, double r, const QBrush& fill, const QPen& pen) {
    const QPointF corners[]{{0, -r}, {r, 0}, {0, r}, {-r, 0}};
    p.setPen(pen);
    p.setBrush(fill);
    p.drawPolygon(corners, 4);
}

void cross(QPainter& p, double r, const QPen& pen) {
    p.setPen(pen);
    p.drawLine(QPointF(-r, -r), QPointF(r, r));
    p.drawLine(QPointF(-r, r), QPointF(r, -r));
}

QPen ink(Role role, double width) {
    return {color(role), width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin};
}

/// Around (0, 0), at normal size.
void draw(QPainter& p, Sprite sprite) {
    constexpr double r = kDiamondRadius;
    switch (sprite) {
    case Sprite::FaultPlanned:
    case Sprite::FaultByHand: {
        const QPointF flag[]{{-5, -8}, {5, -8}, {0, 0}};
        p.setPen(ink(Role::Fault, 1.3));
        p.setBrush(color(sprite == Sprite::FaultByHand ? Role::Fault : Role::SurfaceSunken));
        p.drawPolygon(flag, 3);
        break;
    }
    case Sprite::Accepted: {
        diamond(p, r, color(Role::Accepted), Qt::NoPen);
        const QPointF check[]{{-r * 0.34, 0}, {-r * 0.08, r * 0.28}, {r * 0.36, -r * 0.26}};
        p.setPen(ink(Role::TextOnColor, r / 6));
        p.setBrush(Qt::NoBrush);
        p.drawPolyline(check, 3);
        break;
    }
    case Sprite::AcceptedSmall:
        diamond(p, 5, color(Role::Accepted), Qt::NoPen);
        break;
    case Sprite::Untold:
        diamond(p, r - 1, color(Role::TextFaint), Qt::NoPen);
        break;
    case Sprite::UntoldSmall:
        diamond(p, 5, color(Role::TextFaint), Qt::NoPen);
        break;
    case Sprite::Refused:
        diamond(p, r - 1, color(Role::SurfaceSunken), QPen(color(Role::TextDim), 1.6));
        cross(p, r * 0.25, ink(Role::TextDim, r / 6));
        break;
    case Sprite::RefusedSmall:
        diamond(p, 4, color(Role::SurfaceSunken), QPen(color(Role::TextDim), 1.6));
        break;
    case Sprite::Damage:
        diamond(p, r + 1, color(Role::Violation), QPen(color(Role::SurfaceSunken), 1));
        p.setPen(ink(Role::TextOnColor, r / 5));
        p.drawLine(QPointF(0, -r * 0.42), QPointF(0, r * 0.08));
        p.drawPoint(QPointF(0, r * 0.45));
        break;
    case Sprite::GaveUp:
        cross(p, 4, ink(Role::Waiting, 2));
        break;
    case Sprite::Lost:
        cross(p, 4, ink(Role::Violation, 2));
        break;
    case Sprite::MessageDown:
    case Sprite::MessageUp:
    case Sprite::MessagePush: {
        const double end = sprite == Sprite::MessageDown ? kMessageHeight / 2 : -kMessageHeight / 2;
        p.setPen(QPen(color(Role::Message), 1.2, sprite == Sprite::MessagePush ? Qt::DotLine : Qt::SolidLine));
        p.drawLine(QPointF(0, -end), QPointF(kMessageSlant, end));
        break;
    }
    case Sprite::Count_:
        break;
    }
}

constexpr int kHalf = 14; ///< half the side of a sprite's pixmap at normal size

const QPixmap& pixmapOf(Sprite sprite, double u, double dpr) {
    struct Set {
        QRgb theme = 0;
        double u = 0, dpr = 0;
        std::array<QPixmap, std::size_t(Sprite::Count_)> pixmaps;
    };
    static Set set;
    const QRgb theme = color(Role::SurfaceSunken).rgba() ^ color(Role::Violation).rgba();
    if (set.theme != theme || set.u != u || set.dpr != dpr) set = {theme, u, dpr, {}};
    QPixmap& pixmap = set.pixmaps[std::size_t(sprite)];
    if (!pixmap.isNull()) return pixmap;
    const int half = int(std::ceil(kHalf * u));
    pixmap = QPixmap(QSize(2 * half, 2 * half) * dpr);
    pixmap.setDevicePixelRatio(dpr);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(half, half);
    painter.scale(u, u);
    draw(painter, sprite);
    return pixmap;
}

} // namespace

void paintSprite(QPainter& painter, Sprite sprite, const QPointF& point, double u, double dpr) {
    if (painter.paintEngine()->type() == QPaintEngine::Raster) {
        const int half = int(std::ceil(kHalf * u));
        painter.drawPixmap(QPointF(std::round(point.x()) - half, std::round(point.y()) - half),
                           pixmapOf(sprite, u, dpr));
        return;
    }
    painter.save();
    painter.translate(point);
    painter.scale(u, u);
    draw(painter, sprite);
    painter.restore();
}

} // namespace lockscope::views
