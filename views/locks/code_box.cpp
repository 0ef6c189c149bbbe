// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/code_box.h"

#include "theme/fonts.h"
#include "theme/palette.h"

#include <QEvent>
#include <QPainter>

namespace lockscope::views {

CodeBox::CodeBox(QWidget* parent) : QLabel(parent) {
    setFont(fixedFont());
    setTextFormat(Qt::RichText);
    setWordWrap(true);
    setMargin(10);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setFocusPolicy(Qt::StrongFocus);
    setAlignment(Qt::AlignTop | Qt::AlignLeft);
}

void CodeBox::setLines(const QStringList& lines) {
    if (lines == m_lines) return;
    m_lines = lines;
    setAccessibleDescription(lines.join(QLatin1Char('\n')));
    compose();
}

void CodeBox::compose() {
    QStringList html;
    for (const QString& line : m_lines) {
        const Role role = html.isEmpty() && m_lines.size() > 1 ? Role::TextDim : Role::Text;
        html += QStringLiteral("<span style='color:%1'>%2</span>").arg(color(role).name(), line.toHtmlEscaped());
    }
    setText(html.join(QStringLiteral("<br>")));
}

void CodeBox::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color(hasFocus() ? Role::FocusRing : Role::FieldBorder), 1));
    painter.setBrush(color(Role::Field));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.end();
    QLabel::paintEvent(event);
}

void CodeBox::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) compose();
}

} // namespace lockscope::views
