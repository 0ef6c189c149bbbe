// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace lockscope::views {

/// Whether a lock of this recipe ends with a lease: not one that a session or a connection keeps, nor one that lasts
/// until somebody frees it. True for a recipe that is not known.
bool hasLease(const QString& recipe);

} // namespace lockscope::views
