// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "theme/palette.h"

#include <QIcon>

namespace lockscope::views {

/// One of our own symbolic drawings (resources/icons/<name>.svg, lines in currentColor), in a role's colour. It follows
/// the theme by itself, is sharp at every scale, and is dimmed where its control is disabled.
QIcon icon(const char* name, Role role = Role::Text);

/// Paints it straight into a rectangle: for delegates and painted views.
void paintIcon(QPainter& painter, const QRectF& rect, const char* name, Role role);

} // namespace lockscope::views
