// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "session/planning.h"

namespace lockscope::views {

/// A former run by what differs from the present one: "without Pause A at 3.0 s", "with seed 7 · with 3 more changes".
/// Translated. Empty: nothing differs.
QString courseText(const session::Course& former, const session::Course& now);

} // namespace lockscope::views
