// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockscope::views {

class ViewContext;

/// How much of the waiting for the locks of watched servers cannot be known at the playhead.
struct WaitsInSight {
    int unseen = 0; ///< locks whose server is out of sight
    int untold = 0; ///< locks in sight whose server does not tell whether anybody waits
    bool complete() const { return unseen == 0 && untold == 0; }
};
WaitsInSight waitsInSight(const ViewContext& context);

} // namespace lockscope::views
