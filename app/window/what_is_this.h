// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QPoint;
class QWidget;

namespace lockscope::views {
class ViewContext;
}

namespace lockscope::app {

/// The id of the glossary's term for what is at a place on the screen, else for what has the focus; empty: neither has
/// one.
QString whatIsThis(const QWidget& window, const views::ViewContext& context, const QPoint& where);

} // namespace lockscope::app
