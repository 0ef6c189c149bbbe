// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArrayView>
#include <QRect>

class QPainter;

namespace lockscope::views {

/// Colours that nothing else has: QSvgGenerator leaves clips out, so in its drawings a rectangle of one says where a
/// clip begins, and one of the other where it ends; compactSvg() makes clips of them.
inline constexpr QByteArrayView kClipBegins = "#010300", kClipEnds = "#010400";

/// Clips to `rect` in a painter whose state is saved, and does so in drawings, too. Clips of this kind do not nest.
void beginClip(QPainter& painter, const QRect& rect);
/// Before the painter's state is restored.
void endClip(QPainter& painter);

} // namespace lockscope::views
