// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/style_parts.h"

#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/palette.h"

#include <QPainter>
#include <QRegularExpression>
#include <QStyle>
#include <QStyleOption>
#include <QWidget>

namespace lockscope::views::style_parts {
namespace {

bool has(const QStyleOption& option, QStyle::StateFlag flag) {
    return option.state & flag;
}

/// A filled, outlined rounded rectangle whose one-pixel outline lies on pixels.
void roundedBox(QPainter& painter, const QRectF& rect, const QColor& fill, const QColor& outline, double width = 1,
                double radius = kRadius) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(fill);
    painter.setPen(outline.alpha() ? QPen(outline, width) : QPen(Qt::NoPen));
    const double half = width / 2;
    painter.drawRoundedRect(rect.adjusted(half, half, -half, -half), radius, radius);
    painter.restore();
}

const QColor kClear(0, 0, 0, 0);

} // namespace

QRectF centred(const QRectF& rect, double side) {
    return {std::round(rect.center().x() - side / 2), std::round(rect.center().y() - side / 2), side, side};
}

void drawButton(const QStyleOption& option, QPainter& painter, const QWidget* widget) {
    const auto tone = ButtonTone(widget ? widget->property(kTone).toInt() : 0);
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool down = has(option, QStyle::State_Sunken) || has(option, QStyle::State_On);
    const bool hover = enabled && has(option, QStyle::State_MouseOver);
    QColor fill, outline = color(Role::Hairline);
    switch (tone) {
    case ButtonTone::Primary:
        fill = color(Role::Accent);
        if (down)
            fill = fill.darker(115);
        else if (hover)
            fill = fill.lighter(108);
        outline = fill;
        break;
    case ButtonTone::Neutral:
        fill = color(down ? Role::SurfacePressed : hover ? Role::SurfaceHover : Role::SurfaceRaised);
        break;
    }
    if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(&option);
        button && (button->features & QStyleOptionButton::Flat) && !down && !hover)
        fill = outline = kClear;
    if (!enabled && tone != ButtonTone::Neutral) {
        fill = color(Role::SurfaceRaised);
        outline = color(Role::Hairline);
    }
    roundedBox(painter, option.rect, fill, outline);
    if (has(option, QStyle::State_HasFocus) && has(option, QStyle::State_KeyboardFocusChange))
        roundedBox(painter, QRectF(option.rect).adjusted(-0.5, -0.5, 0.5, 0.5), kClear,
                   tone == ButtonTone::Primary ? color(Role::Text) : color(Role::FocusRing), 1.5);
}

void drawToolButton(const QStyleOption& option, QPainter& painter, const QWidget*) {
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool down = has(option, QStyle::State_Sunken) || has(option, QStyle::State_On);
    const bool hover = enabled && has(option, QStyle::State_MouseOver);
    const bool autoRaise = has(option, QStyle::State_AutoRaise);
    if (!autoRaise || down || hover)
        roundedBox(painter, option.rect,
                   color(down    ? Role::SurfacePressed
                         : hover ? Role::SurfaceHover
                                 : Role::SurfaceRaised),
                   autoRaise ? kClear : color(Role::Hairline));
    if (has(option, QStyle::State_HasFocus) && has(option, QStyle::State_KeyboardFocusChange))
        roundedBox(painter, option.rect, kClear, color(Role::FocusRing), 1.5);
}

void drawField(const QStyleOption& option, QPainter& painter) {
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool focus = enabled && has(option, QStyle::State_HasFocus);
    const bool hover = enabled && has(option, QStyle::State_MouseOver);
    const bool wrong = enabled && option.styleObject && option.styleObject->property(kWrongField).toBool();
    roundedBox(painter, option.rect, color(enabled ? Role::Field : Role::Surface),
               wrong   ? color(Role::Violation)
               : focus ? color(Role::FocusRing)
               : hover ? color(Role::TextFaint)
                       : color(Role::FieldBorder),
               focus || wrong ? 1.5 : 1, 5);
}

void drawFocus(const QStyleOption& option, QPainter& painter) {
    roundedBox(painter, option.rect, kClear, color(Role::FocusRing), 1.5, 4);
}

void drawCheckBox(const QStyleOption& option, QPainter& painter, bool radio) {
    const QRectF box = centred(option.rect, 16);
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool on = has(option, QStyle::State_On) || has(option, QStyle::State_NoChange);
    const bool focus = has(option, QStyle::State_HasFocus);
    const double radius = radio ? 8 : 4;
    const QColor accent = color(enabled ? Role::Accent : Role::TextFaint);
    roundedBox(painter, box, on && !radio ? accent : color(Role::Field),
               on || focus                            ? accent
               : has(option, QStyle::State_MouseOver) ? color(Role::TextDim)
                                                      : color(Role::TextFaint),
               on ? 1.6 : 1.2, radius);
    if (!on) return;
    if (radio) {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(accent);
        painter.drawEllipse(box.center(), 4, 4);
        painter.restore();
    } else {
        paintIcon(painter, centred(option.rect, 13), has(option, QStyle::State_NoChange) ? "minus" : "check",
                  Role::TextOnColor);
    }
}

void drawFrame(const QStyleOption& option, QPainter& painter) {
    if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(&option); frame && frame->lineWidth <= 0)
        return;
    roundedBox(painter, option.rect, kClear, color(Role::Hairline), 1, 5);
}

void drawShapedFrame(const QStyleOption& option, QPainter& painter) {
    const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(&option);
    if (!frame || frame->frameShape == QFrame::NoFrame) return;
    if (frame->frameShape == QFrame::HLine)
        painter.fillRect(QRect(option.rect.left(), option.rect.center().y(), option.rect.width(), 1),
                         color(Role::Hairline));
    else if (frame->frameShape == QFrame::VLine)
        painter.fillRect(QRect(option.rect.center().x(), option.rect.top(), 1, option.rect.height()),
                         color(Role::Hairline));
    else
        roundedBox(painter, option.rect, kClear, color(Role::Hairline), 1, 5);
}

void drawMenuPanel(const QStyleOption& option, QPainter& painter) {
    painter.fillRect(option.rect, color(Role::Surface));
    painter.save();
    painter.setPen(color(Role::FieldBorder));
    painter.drawRect(option.rect.adjusted(0, 0, -1, -1));
    painter.restore();
}

namespace {
/// In capitals but for the units of times: 2.2 S would be siemens.
QString captionInCapitals(const QString& text) {
    static const QRegularExpression unit(QStringLiteral("(?<=[0-9])\\s?(?:ns|µs|ms|s|m|h)\\b"),
                                         QRegularExpression::UseUnicodePropertiesOption);
    QString capitals = text.toUpper();
    if (capitals.size() != text.size()) return capitals; // a letter whose capital is two, such as ß
    for (auto found = unit.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        capitals.replace(match.capturedStart(), match.capturedLength(), match.captured());
    }
    return capitals;
}
} // namespace

void drawMenuItem(const QStyleOptionMenuItem& item, QPainter& painter, const QWidget*) {
    constexpr int iconColumn = 32, edge = 12, arrow = 14;
    painter.save();
    if (item.menuItemType == QStyleOptionMenuItem::Separator) {
        if (item.text.isEmpty()) {
            painter.fillRect(QRect(item.rect.left() + edge, item.rect.center().y(), item.rect.width() - 2 * edge, 1),
                             color(Role::Hairline));
        } else {
            painter.setFont(captionFont());
            painter.setPen(color(Role::TextDim));
            painter.drawText(item.rect.adjusted(edge, 4, -edge, 0), Qt::AlignLeft | Qt::AlignVCenter,
                             captionInCapitals(item.text));
        }
        painter.restore();
        return;
    }
    const bool enabled = has(item, QStyle::State_Enabled);
    if (has(item, QStyle::State_Selected) && enabled)
        roundedBox(painter, QRectF(item.rect).adjusted(4, 0, -4, 0), color(Role::Selection), kClear, 1, 4);
    const QRect lead(item.rect.left() + 4, item.rect.top(), iconColumn - 4, item.rect.height());
    const double side = std::min<double>(16 * textScale(), lead.width()); // a class reads the words larger
    if (item.checkType != QStyleOptionMenuItem::NotCheckable) {
        if (item.checked)
            paintIcon(painter, centred(lead, side), item.checkType == QStyleOptionMenuItem::Exclusive ? "dot" : "check",
                      enabled ? Role::Accent : Role::TextFaint);
    } else if (!item.icon.isNull()) {
        item.icon.paint(&painter, centred(lead, side).toRect(), Qt::AlignCenter,
                        enabled ? QIcon::Normal : QIcon::Disabled);
    }
    painter.setFont(item.font);
    painter.setPen(color(enabled ? Role::Text : Role::TextFaint));
    const QRect text = item.rect.adjusted(iconColumn, 0, -edge, 0);
    const qsizetype tab = item.text.indexOf(QLatin1Char('\t'));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextShowMnemonic | Qt::TextSingleLine,
                     tab < 0 ? item.text : item.text.left(tab));
    if (tab >= 0) {
        painter.setPen(color(Role::TextFaint));
        // Its key stands left of the arrow of a menu that goes on.
        const int right = item.menuItemType == QStyleOptionMenuItem::SubMenu ? arrow : 0;
        painter.drawText(text.adjusted(0, 0, -right, 0), Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                         item.text.mid(tab + 1));
    }
    if (item.menuItemType == QStyleOptionMenuItem::SubMenu)
        paintIcon(painter, centred(QRectF(item.rect.right() - 22, item.rect.top(), 18, item.rect.height()), arrow),
                  "chevron-right", Role::TextDim);
    painter.restore();
}

void drawHandle(const QStyleOption& option, QPainter& painter) {
    const QRect& r = option.rect;
    const bool hot = has(option, QStyle::State_MouseOver);
    const QColor line = color(hot ? Role::Accent : Role::Hairline);
    // A hairline in the middle of a wider handle that is easy to catch.
    if (r.width() < r.height())
        painter.fillRect(QRect(r.center().x(), r.top(), 1, r.height()), line);
    else
        painter.fillRect(QRect(r.left(), r.center().y(), r.width(), 1), line);
}

void drawRow(const QStyleOption& option, QPainter& painter) {
    if (has(option, QStyle::State_Selected)) painter.fillRect(option.rect, color(Role::Selection));
}

void drawItemBackground(const QStyleOption& option, QPainter& painter) {
    const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(&option);
    if (item && item->backgroundBrush.style() != Qt::NoBrush) painter.fillRect(option.rect, item->backgroundBrush);
    if (has(option, QStyle::State_Selected))
        painter.fillRect(option.rect, color(Role::Selection));
    else if (has(option, QStyle::State_MouseOver) && has(option, QStyle::State_Enabled))
        painter.fillRect(option.rect, color(Role::SurfaceRaised));
}

void drawTip(const QStyleOption& option, QPainter& painter) {
    painter.fillRect(option.rect, color(Role::Playhead));
}

void drawHeader(const QStyleOption& option, QPainter& painter) {
    painter.fillRect(option.rect, color(Role::Surface));
    painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), color(Role::Hairline));
}

void drawTabShape(const QStyleOptionTab& tab, QPainter& painter) {
    const bool selected = has(tab, QStyle::State_Selected);
    const bool vertical = tab.shape == QTabBar::RoundedWest || tab.shape == QTabBar::RoundedEast ||
                          tab.shape == QTabBar::TriangularWest || tab.shape == QTabBar::TriangularEast;
    const bool south = tab.shape == QTabBar::RoundedSouth || tab.shape == QTabBar::TriangularSouth;
    if (!selected && has(tab, QStyle::State_MouseOver) && has(tab, QStyle::State_Enabled))
        roundedBox(painter, QRectF(tab.rect).adjusted(2, 4, -2, -4), color(Role::SurfaceRaised), kClear);
    if (selected && !vertical) {
        const int y = south ? tab.rect.top() : tab.rect.bottom() - 1;
        painter.fillRect(QRect(tab.rect.left() + 2, y, tab.rect.width() - 4, 2), color(Role::Accent));
    }
    if (has(tab, QStyle::State_HasFocus) && has(tab, QStyle::State_KeyboardFocusChange))
        roundedBox(painter, QRectF(tab.rect).adjusted(3, 4, -3, -4), kClear, color(Role::FocusRing), 1.5, 4);
}

void drawDockTitle(const QStyleOptionDockWidget& dock, QPainter& painter) {
    painter.save();
    painter.setFont(captionFont());
    painter.setPen(color(Role::TextDim));
    const QRect text = dock.rect.adjusted(12, 0, -48, 0);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(dock.title.toUpper(), Qt::ElideRight, text.width()));
    painter.restore();
}

void drawProgress(const QStyleOptionProgressBar& bar, QPainter& painter, bool contents) {
    QRectF groove(bar.rect.left(), bar.rect.center().y() - 2, bar.rect.width(), 4);
    if (!contents) return roundedBox(painter, groove, color(Role::GaugeTrack), kClear, 1, 2);
    const int span = bar.maximum - bar.minimum;
    const double part = span > 0 ? double(bar.progress - bar.minimum) / span : 0.3;
    groove.setWidth(groove.width() * part);
    roundedBox(painter, groove, color(Role::Accent), kClear, 1, 2);
}

void drawSlider(const QStyleOptionSlider& slider, QPainter& painter, const QRectF& groove, const QRectF& handle) {
    const bool enabled = has(slider, QStyle::State_Enabled);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const bool horizontal = slider.orientation == Qt::Horizontal;
    QRectF track = horizontal ? QRectF(groove.left(), groove.center().y() - 1.5, groove.width(), 3)
                              : QRectF(groove.center().x() - 1.5, groove.top(), 3, groove.height());
    painter.setBrush(color(Role::GaugeTrack));
    painter.drawRoundedRect(track, 1.5, 1.5);
    if (horizontal)
        track.setRight(handle.center().x());
    else
        track.setTop(handle.center().y());
    painter.setBrush(color(enabled ? Role::Accent : Role::TextFaint));
    painter.drawRoundedRect(track, 1.5, 1.5);
    const bool hot = enabled && (slider.activeSubControls & QStyle::SC_SliderHandle);
    painter.setPen(QPen(color(enabled ? Role::Accent : Role::TextFaint), 2));
    painter.setBrush(color(hot ? Role::SurfacePressed : Role::Field));
    painter.drawEllipse(handle.center(), 6.5, 6.5);
    if (has(slider, QStyle::State_HasFocus) && has(slider, QStyle::State_KeyboardFocusChange)) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color(Role::FocusRing), 1));
        painter.drawEllipse(handle.center(), 9, 9);
    }
    painter.restore();
}

void drawScrollBar(const QStyleOptionSlider& bar, QPainter& painter, const QRectF& handle) {
    if (bar.maximum <= bar.minimum) return;
    const bool hot = has(bar, QStyle::State_MouseOver) || has(bar, QStyle::State_Sunken);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(Role::TextFaint, hot ? 0.75 : 0.4));
    const double inset = hot ? 2 : 3;
    const QRectF thumb = bar.orientation == Qt::Horizontal ? handle.adjusted(1, inset, -1, -inset)
                                                           : handle.adjusted(inset, 1, -inset, -1);
    const double radius = std::min(thumb.width(), thumb.height()) / 2;
    painter.drawRoundedRect(thumb, radius, radius);
    painter.restore();
}

} // namespace lockscope::views::style_parts
