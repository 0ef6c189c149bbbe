// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/fonts.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QPointer>
#include <QWidget>
#include <cmath>

namespace lockscope::views {
namespace {

/// Names that stand for "whatever there is": a machine without a desktop setting answers with one of them.
bool isNobodysChoice(const QString& family) {
    static const QStringList generic{QString(),
                                     QStringLiteral("Sans Serif"),
                                     QStringLiteral("Sans"),
                                     QStringLiteral("sans-serif"),
                                     QStringLiteral("Helvetica"),
                                     QStringLiteral("DejaVu Sans"),
                                     QStringLiteral("Bitstream Vera Sans")};
    return generic.contains(family, Qt::CaseInsensitive);
}

double s_textScale = 1; ///< GUI thread only

QFont sized(const QFont& base, double delta, QFont::Weight weight) {
    QFont font = base;
    if (delta != 0 || s_textScale != 1) font.setPointSizeF((base.pointSizeF() + delta) * s_textScale);
    font.setWeight(weight);
    return font;
}

QFont makeUiFont() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    QStringList families;
    if (isNobodysChoice(font.family()))
        families << QStringLiteral("Inter");
    else
        families << font.family();
    families << QStringLiteral("Noto Sans CJK SC") << QStringLiteral("Noto Sans") << QStringLiteral("DejaVu Sans");
    // A desktop's choice of size is respected; no choice means 10 points, 13 pixels at 96 dpi.
    const double size = isNobodysChoice(font.family()) || font.pointSizeF() <= 0 ? 10.0 : font.pointSizeF();
    font.setFamilies(families);
    font.setPointSizeF(size);
    font.setStyleHint(QFont::SansSerif);
    // Shaping is still done for scripts that need it. For Latin and Chinese it is cosmetic, and with Inter's rules it
    // took 40 % of the time to the first picture.
    font.setStyleStrategy(QFont::PreferNoShaping);
    return font;
}

QFont makeFixedFont() {
    QFont font;
    font.setFamilies({QStringLiteral("JetBrains Mono"), QFontDatabase::systemFont(QFontDatabase::FixedFont).family(),
                      QStringLiteral("DejaVu Sans Mono"), QStringLiteral("Noto Sans Mono CJK SC")});
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    // No ligatures in code and keys (":=" must stay two characters), and running clocks need no shaping.
    font.setStyleStrategy(QFont::PreferNoShaping);
    // Fixed faces look larger than proportional ones of the same size.
    font.setPointSizeF(uiFont().pointSizeF() / s_textScale - 0.75);
    return font;
}

} // namespace

QFont uiFont(double delta, QFont::Weight weight) {
    static const QFont base = makeUiFont();
    return sized(base, delta, weight);
}

QFont captionFont() {
    QFont font = uiFont(-2, QFont::DemiBold);
    font.setLetterSpacing(QFont::PercentageSpacing, 103);
    return font;
}

QFont fixedFont(double delta, QFont::Weight weight) {
    static const QFont base = makeFixedFont();
    return sized(base, delta, weight);
}

double textScale() {
    return s_textScale;
}

void setTextScale(double scale) {
    scale = std::clamp(scale, 0.5, 4.0);
    const double factor = scale / s_textScale;
    if (std::abs(factor - 1) < 1e-3) return;
    // Widgets that got a font of their own when they were made do not follow the application's.
    std::vector<std::pair<QPointer<QWidget>, QFont>> own;
    for (QWidget* const widget : QApplication::allWidgets()) {
        if (!widget->testAttribute(Qt::WA_SetFont)) continue;
        QFont font = widget->font();
        font.setPointSizeF(font.pointSizeF() * factor);
        own.emplace_back(widget, font);
    }
    s_textScale = scale;
    QApplication::setFont(uiFont());
    for (QWidget* const widget : QApplication::allWidgets())
        if (!widget->testAttribute(Qt::WA_SetFont)) widget->setFont(QFont()); // takes up the application's anew
    for (const auto& [widget, font] : own)
        if (widget) widget->setFont(font);
}

} // namespace lockscope::views
