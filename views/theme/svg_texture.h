// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QBrush>
#include <QByteArray>

class QPainter;

namespace lockscope::views {

/// A texture as this painter can fill with it. QSvgGenerator leaves textures out, so in a drawing a colour that nothing
/// else has stands for each, until withTextures() is applied. For the GUI thread.
QBrush textureFor(const QPainter& painter, const QBrush& texture);

/// The drawing with its textures as patterns, where textureFor() put colours.
QByteArray withTextures(QByteArray svg);

} // namespace lockscope::views
