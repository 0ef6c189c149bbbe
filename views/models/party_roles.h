// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <qnamespace.h>

namespace lockscope::views {

/// The roles by which a model of holders or waiters gives its data to a list view.
namespace party {
enum Role {
    EntityRole = Qt::UserRole, ///< the Thread
    PositionRole,              ///< the number in front
    NameRole,
    DetailRole, ///< what stands at the right
    ToneRole,   ///< the palette's Role of the number
};
} // namespace party

} // namespace lockscope::views
