// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QProxyStyle>

namespace lockscope::views {

/// Fusion with quieter manners: hairlines instead of bevels, 6 px corners, flat headers, tabs with an underline, thin
/// scroll bars. All colours come from the role table; there are no style sheets anywhere.
class LockscopeStyle : public QProxyStyle {
    Q_OBJECT
public:
    LockscopeStyle();

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                           const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl sub,
                         const QWidget* widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const override;
    QIcon standardIcon(StandardPixmap pixmap, const QStyleOption* option, const QWidget* widget) const override;
    void polish(QWidget* widget) override;
    using QProxyStyle::polish;
};

/// Marks a push button as the one that matters: filled with the accent.
void makePrimary(QWidget* button);
/// Whether the text in a field is acceptable.
enum class FieldMark : std::uint8_t { Fine, Wrong };
/// Gives a wrong field a frame in the colour of violations.
void markField(QWidget* field, FieldMark mark);
/// A frame that draws nothing around its child (for views inside docks).
void makeFrameless(QWidget* widget);

} // namespace lockscope::views
