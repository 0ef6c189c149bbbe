// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/number_strip.h"

#include "theme/fonts.h"
#include "theme/palette.h"
#include "theme/widgets.h"

#include <QPainter>

namespace lockscope::views {
namespace {

constexpr double kLarger = 6; ///< points above the usual size

QFont valueFont() {
    return uiFont(kLarger, QFont::DemiBold);
}

} // namespace

NumberStrip::NumberStrip(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    hide();
}

void NumberStrip::setNumbers(std::vector<LessonGuide::Number> numbers) {
    if (numbers != m_numbers) {
        m_numbers = std::move(numbers);
        QStringList told;
        for (const LessonGuide::Number& one : m_numbers)
            told += one.value + u' ' + one.words;
        setAccessibleName(told.join(QStringLiteral("; ")));
        updateGeometry();
        update();
    }
    setVisible(!m_numbers.empty());
}

QSize NumberStrip::sizeHint() const {
    return {320, QFontMetrics(valueFont()).height() + 2 * kGrid};
}

void NumberStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Surface));
    painter.fillRect(QRect(0, 0, width(), 1), color(Role::Hairline));
    int x = 2 * kGrid;
    for (const LessonGuide::Number& one : m_numbers) {
        const auto write = [&](const QString& text, const QFont& font, Role role) {
            painter.setFont(font);
            painter.setPen(color(role));
            const int wide = QFontMetrics(font).horizontalAdvance(text);
            painter.drawText(QRect(x, 0, wide + 2, height()), Qt::AlignLeft | Qt::AlignVCenter, text);
            x += wide;
        };
        write(one.value, valueFont(), Role::Text);
        x += kGrid;
        write(one.words, uiFont(), Role::TextDim);
        x += 4 * kGrid;
    }
}

} // namespace lockscope::views
