// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/text_cache.h"

#include <QFontMetricsF>
#include <QTextLayout>

namespace lockscope::views {

double lineAscent(const QString& words, const QFont& font) {
    QTextLayout layout(words, font);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    if (line.isValid()) line.setLineWidth(1e6); // only then it knows its fonts
    layout.endLayout();
    return line.isValid() ? line.ascent() : 0;
}

const TextCache::Laid& TextCache::laid(const QString& words, int which, const QFont& font) {
    const std::pair key(which, words);
    if (const auto found = m_laid.constFind(key); found != m_laid.constEnd()) return *found;
    if (m_laid.size() >= kMost)
        m_laid.clear(); // simpler than knowing the oldest, and as good once in a thousand frames
    Laid laid;
    laid.width = QFontMetricsF(font).horizontalAdvance(words);
    laid.ascent = lineAscent(words, font);
    laid.text.setTextFormat(Qt::PlainText);
    laid.text.setPerformanceHint(QStaticText::AggressiveCaching);
    laid.text.setText(words);
    return *m_laid.insert(key, laid);
}

} // namespace lockscope::views
