// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTreeView;

namespace lockscope::views {

/// Where rows move, for example because the table is sorted anew, the current row goes on being in sight if it was; a
/// person who has scrolled it away is left there. Precondition: the view has its model, and keeps it.
void keepCurrentInSight(QTreeView* view);

} // namespace lockscope::views
