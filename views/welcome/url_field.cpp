// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome/url_field.h"

#include "ports/url_login.h"
#include "theme/fonts.h"

#include <QPainter>
#include <QStyleOptionFrame>
#include <QTextLayout>
#include <cmath>

namespace lockscope::views {

namespace {
constexpr QChar kDot(0x2022);
}

UrlField::UrlField(QWidget* parent) : QLineEdit(parent) {
    setInputMethodHints(Qt::ImhSensitiveData | Qt::ImhNoPredictiveText | Qt::ImhNoAutoUppercase |
                        Qt::ImhUrlCharactersOnly);
    // Its face is loaded with the first address, not for an empty field.
    connect(this, &QLineEdit::textChanged, this,
            [this](const QString& text) { setFont(text.isEmpty() ? uiFont() : fixedFont()); });
}

QString UrlField::shown() const {
    QString text = this->text();
    for (const Stretch& secret : secretsOf(text))
        text.replace(secret.from, secret.length, QString(secret.length, kDot));
    return text;
}

void UrlField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    const std::vector<Stretch> secrets = secretsOf(text());
    if (secrets.empty()) return;
    // The field scrolls sideways: its cursor tells where the text stands. Letters are laid out as the field does it:
    // their widths by themselves are others on some screens, and a letter of the password would be left in sight.
    const QFontMetricsF metrics(font());
    QTextLayout laid(text(), font());
    laid.beginLayout();
    const QTextLine line = laid.createLine();
    laid.endLayout();
    const auto widthUpTo = [&](qsizetype letter) { return line.cursorToX(int(letter)); };
    const double origin = cursorRect().center().x() - widthUpTo(cursorPosition());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QStyleOptionFrame frame;
    initStyleOption(&frame); // in a box for choosing it has none, and its letters begin further left
    const QRect room = style()->subElementRect(QStyle::SE_LineEditContents, &frame, this);
    painter.setClipRect(room);
    for (const Stretch& secret : secrets) {
        for (qsizetype letter = secret.from; letter < secret.from + secret.length; ++letter) {
            const double left = origin + widthUpTo(letter), right = origin + widthUpTo(letter + 1);
            const bool selected = hasSelectedText() && letter >= selectionStart() && letter < selectionEnd();
            const double begin = std::floor(left), end = std::ceil(right + 0.5); // no shade of a letter at its edges
            painter.fillRect(QRectF(begin, room.top(), end - begin, room.height()),
                             palette().color(selected ? QPalette::Highlight : QPalette::Base));
            painter.setPen(Qt::NoPen);
            painter.setBrush(palette().color(selected ? QPalette::HighlightedText : QPalette::Text));
            const double radius = metrics.height() / 7;
            painter.drawEllipse(QPointF((left + right) / 2, room.center().y() + 0.5), radius, radius);
        }
    }
    if (hasFocus() && !hasSelectedText()) // it may have been covered
        painter.fillRect(QRectF(cursorRect().center().x(), room.top() + 3, 1, room.height() - 6),
                         palette().color(QPalette::Text));
}

} // namespace lockscope::views
