// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/break_button.h"

#include "theme/fonts.h"
#include "theme/palette.h"

#include <QAction>
#include <QPainter>

namespace lockscope::views {

namespace {
constexpr int kHeight = 26, kPad = 7, kIcon = 14, kGap = 6;
}

BreakButton::BreakButton(QAction* action, QWidget* parent) : QToolButton(parent) {
    setDefaultAction(action);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
}

void BreakButton::setWords(const QString& words) {
    if (words == m_words) return;
    m_words = words;
    updateGeometry();
    update();
}

void BreakButton::setHealing(bool healing) {
    m_healing = healing;
    update();
}

QSize BreakButton::sizeHint() const {
    const QFontMetrics metrics(font());
    return {2 * kPad + kIcon + kGap + metrics.horizontalAdvance(m_words) + 28, std::max(kHeight, metrics.height() + 8)};
}

void BreakButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(1, 1, -1, -1);
    painter.setPen(hasFocus() ? QPen(color(Role::FocusRing), 1.5) : QPen(Qt::NoPen));
    const Role quiet = m_healing ? Role::AcceptedSoft : Role::SurfaceRaised;
    painter.setBrush(color(isDown() ? Role::SurfacePressed : underMouse() && isEnabled() ? Role::SurfaceHover : quiet));
    painter.drawRoundedRect(box, 5, 5);

    const QAction* const action = defaultAction();
    QRect room = rect().adjusted(kPad, 0, -kPad, 0);
    const QString keys =
        action->shortcut().toString(QKeySequence::NativeText).replace(QStringLiteral("Shift+"), QString(QChar(0x21e7)));
    painter.setFont(fixedFont(-1.5));
    painter.setPen(color(Role::TextFaint));
    const int keyWidth = painter.fontMetrics().horizontalAdvance(keys);
    const QFont font = m_healing ? uiFont(0, QFont::DemiBold) : uiFont(-0.5);
    const QFontMetrics metrics(font);
    const int words = metrics.horizontalAdvance(m_words);
    const bool keyFits = kIcon + kGap + words + kGap / 2 + keyWidth <= room.width();
    // Two buttons may begin with one word: where large text has no room for both, whole words are worth more.
    const int forIcon = kIcon + kGap + words > room.width() && words <= room.width() ? 0 : kIcon + kGap;
    if (keyFits) painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, keys);
    const QRect picture(room.left(), room.center().y() - kIcon / 2, kIcon, kIcon);
    if (forIcon > 0)
        action->icon().paint(&painter, picture, Qt::AlignCenter, isEnabled() ? QIcon::Normal : QIcon::Disabled);
    painter.setFont(font);
    painter.setPen(color(!isEnabled() ? Role::TextFaint : m_healing ? Role::AcceptedText : Role::Text));
    room.adjust(forIcon, 0, keyFits ? -keyWidth : 0, 0);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(m_words, Qt::ElideRight, room.width()));
}

} // namespace lockscope::views
