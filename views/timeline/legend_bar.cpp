// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/legend_bar.h"

#include "theme/fonts.h"
#include "theme/widgets.h"
#include "timeline/sprites.h"

#include <QPainter>
#include <QPainterPath>

namespace lockscope::views {
namespace {

using Sign = LegendEntry::Sign;

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
        painter.fillRect(r, hatchBrush(Role::StaleBelief, dpr));
        break;
    case Sign::Paused:
        painter.fillRect(r, color(Role::SurfaceSunken));
        painter.fillRect(r, dotBrush(Role::Paused, dpr));
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
        painter.fillRect(r, hatchBrush(Role::Unobserved, dpr));
        break;
    default:
        break;
    }
}

std::optional<Sprite> spriteOf(Sign sign) {
    switch (sign) {
    case Sign::Accepted:
        return Sprite::Accepted;
    case Sign::Refused:
        return Sprite::Refused;
    case Sign::Damage:
        return Sprite::Damage;
    case Sign::Fault:
        return Sprite::FaultByHand;
    default:
        return std::nullopt;
    }
}

} // namespace

LegendEntry::LegendEntry(Sign sign, const QString& words, QWidget* parent) : QAbstractButton(parent), m_sign(sign) {
    setText(words);
    setAccessibleName(words);
    setToolTip(tr("What is this?"));
    setFocusPolicy(Qt::TabFocus); // a click must not take the keys away from the timeline
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
}

QSize LegendEntry::sizeHint() const {
    const QFontMetrics metrics(uiFont(-1));
    return {scaled(kSignWidth) + scaled(kGap) + metrics.horizontalAdvance(text()) + 8,
            std::max(metrics.height(), scaled(kDiamondRadius * 2)) + 6};
}

void LegendEntry::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (hasFocus() || underMouse()) {
        painter.setPen(hasFocus() ? QPen(color(Role::FocusRing), 1.5) : QPen(Qt::NoPen));
        painter.setBrush(underMouse() ? color(Role::SurfaceHover) : QColor(Qt::transparent));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    }
    const QRectF sign(4, (height() - scaled(kSignHeight)) / 2.0, scaled(kSignWidth), scaled(kSignHeight));
    const double dpr = devicePixelRatioF();
    if (const auto sprite = spriteOf(m_sign)) {
        // A flag's point is its tip, a diamond's its middle.
        const bool flag = m_sign == Sign::Fault;
        paintSprite(painter, *sprite, flag ? QPointF(sign.center().x(), sign.bottom()) : sign.center(),
                    0.8 * textScale(), dpr);
    } else {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing, m_sign == Sign::Lease);
        paintBar(painter, sign, m_sign, dpr);
        painter.restore();
    }
    painter.setFont(uiFont(-1));
    painter.setPen(color(Role::TextDim));
    painter.drawText(rect().adjusted(int(sign.right()) + scaled(kGap), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     text());
}

LegendBar::LegendBar(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Legend"));
    struct One {
        Sign sign;
        QString words;
        const char* term;
    };
    for (const One& one :
         {One{Sign::Lease, tr("lease left"), "mark-wedge"}, One{Sign::Holds, tr("believes"), "mark-holds"},
          One{Sign::Stale, tr("still believes"), "mark-stale"}, One{Sign::Waits, tr("waits"), "mark-waits"},
          One{Sign::Paused, tr("paused"), "mark-paused"}, One{Sign::Accepted, tr("write accepted"), "mark-write"},
          One{Sign::Broken, tr("invariant broken"), "mark-band"}, One{Sign::Damage, tr("damage"), "damage"},
          One{Sign::Refused, tr("write refused"), "token-check"}, One{Sign::Fault, tr("your fault"), "mark-fault"},
          One{Sign::Gap, tr("nobody knows"), "mark-unobserved"}}) {
        auto* entry = new LegendEntry(one.sign, one.words, this);
        connect(entry, &QAbstractButton::clicked, this,
                [this, term = QLatin1String(one.term)] { Q_EMIT termAsked(term); });
        m_entries.push_back(entry);
    }
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize LegendBar::sizeHint() const {
    int width = 4 * kGrid;
    for (const LegendEntry* entry : m_entries)
        width += entry->sizeHint().width() + scaled(kBetween);
    return {width, m_entries.front()->sizeHint().height() + kGrid};
}

QSize LegendBar::minimumSizeHint() const {
    return {m_entries.front()->sizeHint().width() + 4 * kGrid, sizeHint().height()};
}

void LegendBar::place() {
    int x = 2 * kGrid;
    bool room = true;
    for (LegendEntry* entry : m_entries) {
        const QSize size = entry->sizeHint();
        room = room && x + size.width() <= width() - kGrid;
        entry->setVisible(room);
        entry->setGeometry(x, (height() - size.height()) / 2, size.width(), size.height());
        x += size.width() + scaled(kBetween);
    }
}

void LegendBar::resizeEvent(QResizeEvent*) {
    place();
}

void LegendBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) {
        updateGeometry();
        place();
    }
    QWidget::changeEvent(event);
}

void LegendBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Surface));
    painter.fillRect(QRect(0, 0, width(), 1), color(Role::Hairline));
}

} // namespace lockscope::views
