// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "theme/palette.h"

namespace lockscope::views {

/// The side of a connection's badge, in pixels.
inline constexpr int kBadgeSide = 16;

/// The colour of the badge of a session's connection number `number`, from 0; the colours repeat after six. A letter in
/// white can be read on each of them.
QColor badgeColor(int number);
/// A small square in that colour with the first letter of the connection's name, or its number from 1 where the name is
/// an address, which begins as others do.
void paintBadge(QPainter& painter, const QRectF& rect, const QString& name, int number);

} // namespace lockscope::views
