// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFont>
#include <QHash>
#include <QStaticText>

namespace lockscope::views {

/// How far a line of these words reaches above its baseline: letters that the font lacks are those of another font, and
/// may be taller.
double lineAscent(const QString& words, const QFont& font);

/// Texts that are laid out once. A few hundred labels stand unchanged on every frame of a pan or a zoom, and laying
/// them out anew takes longer than everything else on it. GUI thread only.
class TextCache {
public:
    struct Laid {
        double width = 0;
        double ascent = 0; ///< lineAscent()
        QStaticText text;
    };
    /// `which` numbers the font among those in use; a font whose look changed needs clear().
    const Laid& laid(const QString& words, int which, const QFont& font);
    void clear() { m_laid.clear(); }

private:
    static constexpr qsizetype kMost = 8192;
    QHash<std::pair<int, QString>, Laid> m_laid;
};

} // namespace lockscope::views
