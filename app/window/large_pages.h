// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockscope::app {

/// Lets the memory of the window's picture come in large pages where the system offers them.
///
/// A picture of 1600 by 1000 pixels is 1600 small pages, and being given them one by one takes the system longer than
/// all our drawing; in large ones it is four. Call it once, before the first window, and not for a command that opens
/// none. Does nothing where the system or the C library has no such thing.
void preferLargePages();

} // namespace lockscope::app
