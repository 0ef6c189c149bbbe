// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome/scenario_card.h"

#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/widgets.h"

#include <QEvent>
#include <QPainter>
#include <cmath>

namespace lockscope::views {
namespace {

constexpr int kPad = 16;

QFont titleFont() {
    return uiFont(1, QFont::DemiBold); // the size of the page's big button: each size costs a moment at the start
}
QFont summaryFont() {
    return uiFont(-1); // that of the status bar
}

} // namespace

ScenarioCard::ScenarioCard(const QString& id, const QString& title, const QString& summary, const QString& source,
                           QWidget* parent)
    : QAbstractButton(parent), m_id(id), m_summary(summary) {
    setText(title);
    for (QTextLayout* layout : {&m_lines.title, &m_lines.summary, &m_lines.source})
        layout->setCacheEnabled(true);
    m_lines.title.setText(title);
    m_lines.summary.setText(summary);
    const QString reported = source.isEmpty() ? QString() : tr("Source: %1").arg(source);
    m_lines.source.setText(reported);
    takeFonts();
    setAccessibleName(title);
    setAccessibleDescription(reported.isEmpty() ? summary : summary + u' ' + reported);
    setToolTip(QString());
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void ScenarioCard::takeFonts() {
    m_lines.title.setFont(titleFont());
    m_lines.summary.setFont(summaryFont());
    m_lines.source.setFont(summaryFont());
    m_lines.width = -1;
}

void ScenarioCard::changeEvent(QEvent* event) {
    QAbstractButton::changeEvent(event);
    if (event->type() != QEvent::FontChange) return;
    takeFonts();
    updateGeometry();
    update();
}

const ScenarioCard::Lines& ScenarioCard::linesFor(int width) const {
    if (m_lines.width == width) return m_lines;
    const auto breakInto = [](QTextLayout& layout, double room) {
        double y = 0;
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(room);
            line.setPosition({0, y});
            y += line.height();
        }
        layout.endLayout();
        return int(std::ceil(y));
    };
    const int room = width - 2 * kPad;
    m_lines.width = width;
    m_lines.summaryTop = kPad + breakInto(m_lines.title, room - 24) + 6;
    m_lines.sourceTop = m_lines.summaryTop + breakInto(m_lines.summary, room) + 6;
    const bool reported = !m_lines.source.text().isEmpty();
    m_lines.height = (reported ? m_lines.sourceTop + breakInto(m_lines.source, room) : m_lines.sourceTop - 6) + kPad;
    return m_lines;
}

int ScenarioCard::heightForWidth(int width) const {
    return linesFor(std::max(width, 120)).height;
}
QSize ScenarioCard::sizeHint() const {
    return {300, 120};
}
QSize ScenarioCard::minimumSizeHint() const {
    return {200, 80};
}

void ScenarioCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool hot = underMouse() || isDown();
    painter.setBrush(color(isDown() ? Role::SurfacePressed : hot ? Role::SurfaceHover : Role::SurfaceRaised));
    painter.setPen(hasFocus() ? QPen(color(Role::FocusRing), 1.5) : QPen(color(Role::Hairline)));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);

    const Lines& lines = linesFor(std::max(width(), 120));
    painter.setPen(color(Role::Text));
    lines.title.draw(&painter, QPointF(kPad, kPad));
    painter.setPen(color(Role::TextDim));
    lines.summary.draw(&painter, QPointF(kPad, lines.summaryTop));
    if (!lines.source.text().isEmpty()) {
        painter.setPen(color(Role::TextFaint));
        lines.source.draw(&painter, QPointF(kPad, lines.sourceTop));
    }
    paintIcon(painter, QRectF(width() - kPad - 16, kPad + 1, 16, 16), "play", hot ? Role::Accent : Role::TextFaint);
}

} // namespace lockscope::views
