// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockscope::views {

class ClusterPanel;

/// Lets screen readers walk the painted picture: each node, client and link is a child with its words. Once is enough;
/// more does no harm.
void installClusterAccessibility();

/// Tells screen readers that an item has the keyboard now.
void tellFocusedItem(ClusterPanel* panel, int index);

} // namespace lockscope::views
