// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/badge.h"

#include "theme/fonts.h"

#include <QPainter>

namespace lockscope::views {

QColor badgeColor(int number) {
    struct Pair {
        QRgb light, dark;
    };
    static constexpr std::array<Pair, 6> kColours{{{0xff7650c4, 0xff7f5ad0},
                                                   {0xff5d7320, 0xff667d28},
                                                   {0xff8f5a30, 0xff9a6238},
                                                   {0xff1d7780, 0xff257f88},
                                                   {0xff9c3c70, 0xffaa4880},
                                                   {0xff4a5f8c, 0xff576d9c}}};
    const Pair& pair = kColours[std::size_t(std::max(number, 0)) % kColours.size()];
    return QColor::fromRgb(Theme::instance().isDark() ? pair.dark : pair.light);
}

void paintBadge(QPainter& painter, const QRectF& rect, const QString& name, int number) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(badgeColor(number));
    painter.drawRoundedRect(rect, 3, 3);
    QFont font = uiFont(0, QFont::Bold);
    font.setPixelSize(int(rect.height() * 0.7));
    painter.setFont(font);
    painter.setPen(Qt::white);
    const bool word = !name.isEmpty() && name.front().isLetter();
    painter.drawText(rect, Qt::AlignCenter, word ? name.left(1).toUpper() : QString::number(number + 1));
    painter.restore();
}

} // namespace lockscope::views
