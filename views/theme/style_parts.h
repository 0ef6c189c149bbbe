// SPDX-License-Identifier: GPL-3.0-or-later
// The drawings of LockscopeStyle, one function a part: private to this room.
#pragma once
#include <QRectF>

class QPainter;
class QStyleOption;
class QStyleOptionDockWidget;
class QStyleOptionMenuItem;
class QStyleOptionProgressBar;
class QStyleOptionSlider;
class QStyleOptionTab;
class QWidget;

namespace lockscope::views::style_parts {

/// Dynamic property of buttons that are not neutral.
inline constexpr const char* kTone = "lockscopeTone";
enum class ButtonTone { Neutral, Primary };

inline constexpr int kRadius = 6;
/// Room for the arrow of a button that opens a menu.
inline constexpr int kMenuArrow = 22;

/// The property of a field with FieldMark::Wrong.
inline constexpr const char* kWrongField = "lockscope.wrong";

/// A square of `side` in the middle of a rectangle.
QRectF centred(const QRectF& rect, double side);

void drawButton(const QStyleOption& option, QPainter& painter, const QWidget* widget);
void drawToolButton(const QStyleOption& option, QPainter& painter, const QWidget* widget);
void drawField(const QStyleOption& option, QPainter& painter);
void drawFocus(const QStyleOption& option, QPainter& painter);
void drawCheckBox(const QStyleOption& option, QPainter& painter, bool radio);
void drawFrame(const QStyleOption& option, QPainter& painter);
void drawShapedFrame(const QStyleOption& option, QPainter& painter);
void drawMenuPanel(const QStyleOption& option, QPainter& painter);
void drawMenuItem(const QStyleOptionMenuItem& item, QPainter& painter, const QWidget* widget);
void drawHandle(const QStyleOption& option, QPainter& painter);
void drawRow(const QStyleOption& option, QPainter& painter);
void drawItemBackground(const QStyleOption& option, QPainter& painter);
void drawTip(const QStyleOption& option, QPainter& painter);
void drawHeader(const QStyleOption& option, QPainter& painter);
void drawTabShape(const QStyleOptionTab& tab, QPainter& painter);
void drawDockTitle(const QStyleOptionDockWidget& dock, QPainter& painter);
void drawProgress(const QStyleOptionProgressBar& bar, QPainter& painter, bool contents);
void drawSlider(const QStyleOptionSlider& slider, QPainter& painter, const QRectF& groove, const QRectF& handle);
void drawScrollBar(const QStyleOptionSlider& bar, QPainter& painter, const QRectF& handle);

} // namespace lockscope::views::style_parts
