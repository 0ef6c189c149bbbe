// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/step_text.h"

#include <QFontMetrics>
#include <QTextLayout>

namespace lockscope::views {

QStringList stepLines(const QString& text, const QFont& font, int first, int wide, int most) {
    QStringList lines;
    QTextLayout layout(text, font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        const int room = lines.isEmpty() ? first : wide;
        line.setLineWidth(room);
        const int start = line.textStart();
        if (int(lines.size()) + 1 == most) {
            lines << QFontMetrics(font).elidedText(text.mid(start), Qt::ElideRight, room);
            break;
        }
        lines << text.mid(start, line.textLength()).trimmed();
    }
    layout.endLayout();
    return lines;
}

} // namespace lockscope::views
