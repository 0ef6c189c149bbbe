// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockscope::app {

/// Panels behind the front tab of their place are hidden from screen readers: Qt keeps them visible outside of the
/// window, and would tell them as if they were in sight. Once for the program.
void installDockAccessibility();

} // namespace lockscope::app
