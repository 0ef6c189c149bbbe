// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QWidget;

namespace lockscope::views {
class ViewContext;
}

namespace lockscope::app {

/// The id of the glossary's term for the thing under the mouse in this window, or else for the one with the keyboard's
/// focus; empty: neither has one.
QString whatIsThis(const QWidget& window, const views::ViewContext& context);

} // namespace lockscope::app
