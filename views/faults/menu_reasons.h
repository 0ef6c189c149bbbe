// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
class QMenu;

namespace lockscope::views {

/// Lets entries of a menu that are off say why, in the tool tips that they have: as a tip beside the entry as soon as
/// the mouse or the keyboard comes to it, and as its description for screen readers. So reasons do not make the menu
/// wide. May be called again.
void showReasons(QMenu& menu);

} // namespace lockscope::views
