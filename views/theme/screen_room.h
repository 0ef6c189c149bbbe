// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QScreen>
#include <QWidget>

namespace lockscope::views {

/// Room for the frame that a desktop puts around a window.
inline constexpr QSize kWindowFrame(16, 44);

/// The main window can be as small as this: a screen of 1600x1000 at twice the size, less the frame of a window.
inline constexpr QSize kSmallestWindow(784, 456);

/// A window's wanted size, or as much of it as its screen has room for.
inline QSize roomFor(const QWidget* window, QSize wanted) {
    return wanted.boundedTo(window->screen()->availableGeometry().size() - kWindowFrame);
}

} // namespace lockscope::views
