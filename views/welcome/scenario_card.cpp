// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome/scenario_card.h"

#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/widgets.h"

#include <QPainter>

namespace lockscope::views {
namespace {

constexpr int kPad = 16;

QFont titleFont() {
    return uiFont(0.5, QFont::DemiBold);
}
QFont summaryFont() {
    return uiFont(-0.5);
}

} // namespace

ScenarioCard::ScenarioCard(const QString& id, const QString& title, const QString& summary, QWidget* parent)
    : QAbstractButton(parent), m_id(id), m_summary(summary) {
    setText(title);
    setAccessibleName(title);
    setAccessibleDescription(summary);
    setToolTip(QString());
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

int ScenarioCard::heightForWidth(int width) const {
    const int room = width - 2 * kPad;
    const QFontMetrics title(titleFont()), summary(summaryFont());
    const int head = title.boundingRect(QRect(0, 0, room - 24, 400), Qt::TextWordWrap, text()).height();
    const int body = summary.boundingRect(QRect(0, 0, room, 400), Qt::TextWordWrap, m_summary).height();
    return kPad + head + 6 + body + kPad;
}

QSize ScenarioCard::sizeHint() const {
    return {280, heightForWidth(280)};
}
QSize ScenarioCard::minimumSizeHint() const {
    return {200, heightForWidth(200)};
}

void ScenarioCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool hot = underMouse() || isDown();
    painter.setBrush(color(isDown() ? Role::SurfacePressed : hot ? Role::SurfaceHover : Role::SurfaceRaised));
    painter.setPen(hasFocus() ? QPen(color(Role::FocusRing), 1.5) : QPen(color(Role::Hairline)));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);

    QRect room = rect().adjusted(kPad, kPad, -kPad, -kPad);
    painter.setFont(titleFont());
    painter.setPen(color(Role::Text));
    const QRect head = painter.fontMetrics().boundingRect(room.adjusted(0, 0, -24, 0), Qt::TextWordWrap, text());
    painter.drawText(room.adjusted(0, 0, -24, 0), Qt::TextWordWrap, text());
    paintIcon(painter, QRectF(room.right() - 15, room.top() + 1, 16, 16), "play", hot ? Role::Accent : Role::TextFaint);
    room.setTop(head.bottom() + 7);
    painter.setFont(summaryFont());
    painter.setPen(color(Role::TextDim));
    painter.drawText(room, Qt::TextWordWrap, m_summary);
}

} // namespace lockscope::views
