// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/target_line.h"

#include "theme/fonts.h"
#include "theme/style.h"

#include <QPainter>

namespace lockscope::views {

namespace {
constexpr int kDot = 7, kGap = 6;
}

TargetLine::TargetLine(const QString& kind, QWidget* parent) : QWidget(parent), m_kind(kind) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void TargetLine::setTarget(const QString& name, const QString& state, Role dot) {
    if (name == m_name && state == m_state && dot == m_dot) return;
    m_name = name;
    m_state = state;
    m_dot = dot;
    //: A group of buttons, for screen readers: what they act on, and which one: "client: A · holds".
    setAccessibleName(tr("%1: %2").arg(m_kind, target()));
    setToolTip(target());
    update();
}

QString TargetLine::target() const {
    if (m_name.isEmpty()) return tr("none");
    //: A name and its state: "A · holds".
    return m_state.isEmpty() ? m_name : tr("%1 · %2").arg(m_name, m_state);
}

QSize TargetLine::sizeHint() const {
    return {120, QFontMetrics(uiFont(-1)).height() + 4};
}

void TargetLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(m_dot));
    painter.drawEllipse(QRectF(0, (height() - kDot) / 2.0, kDot, kDot));
    QRect room = rect().adjusted(kDot + kGap, 0, 0, 0);
    painter.setFont(uiFont(-1));
    painter.setPen(color(Role::TextDim));
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, m_kind);
    room.adjust(painter.fontMetrics().horizontalAdvance(m_kind) + kGap, 0, 0, 0);
    painter.setFont(uiFont(-1, QFont::DemiBold));
    painter.setPen(color(m_name.isEmpty() ? Role::TextFaint : Role::Text));
    painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(target(), Qt::ElideMiddle, room.width()));
}

} // namespace lockscope::views
