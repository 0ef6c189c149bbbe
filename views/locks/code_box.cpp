// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/code_box.h"

#include "theme/fonts.h"
#include "theme/palette.h"

#include <QEvent>
#include <QPainter>
#include <QTextDocument>
#include <cmath>

namespace lockscope::views {

CodeBox::CodeBox(QWidget* parent) : QTextEdit(parent) {
    setFont(fixedFont());
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setTabChangesFocus(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setMinimumWidth(40);
    viewport()->setAutoFillBackground(false);
    document()->setDocumentMargin(10);
    document()->setUndoRedoEnabled(false);
    fitHeight();
}

void CodeBox::setLines(const QStringList& lines, FirstLine first) {
    if (lines == m_lines && first == m_first) return;
    m_lines = lines;
    m_first = first;
    setAccessibleDescription(lines.join(QLatin1Char('\n')));
    compose();
}

void CodeBox::compose() {
    const QString indent = QStringLiteral("  ");
    const bool indented = std::ranges::any_of(m_lines, [&](const QString& line) { return line.startsWith(indent); });
    QStringList html;
    for (const QString& line : m_lines) {
        const bool heads = m_first == FirstLine::Heading && html.isEmpty() && m_lines.size() > 1;
        const bool names = indented ? !line.startsWith(indent) : heads;
        QString text = line.toHtmlEscaped();
        if (line.startsWith(indent)) text.replace(0, indent.size(), QStringLiteral("&nbsp;&nbsp;"));
        html += QStringLiteral("<span style='color:%1'>%2</span>")
                    .arg(color(names ? Role::TextDim : Role::Text).name(), text);
    }
    setHtml(html.join(QStringLiteral("<br>")));
    fitHeight();
}

void CodeBox::fitHeight() {
    setFixedHeight(int(std::ceil(document()->size().height())));
}

void CodeBox::resizeEvent(QResizeEvent* event) {
    QTextEdit::resizeEvent(event);
    fitHeight();
}

void CodeBox::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color(hasFocus() ? Role::FocusRing : Role::FieldBorder), 1));
    painter.setBrush(color(Role::Field));
    painter.drawRoundedRect(QRectF(viewport()->rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.end();
    QTextEdit::paintEvent(event);
}

void CodeBox::changeEvent(QEvent* event) {
    QTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) compose();
}

} // namespace lockscope::views
