// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace lockscope::views {

/// A fencing token where there is little room: a large one by its last four digits, "…0042", as tokens that follow each
/// other differ there. One of a manager that changes engines begins with the number of the change: "2…0042". The whole
/// of it belongs into a tooltip.
QString shortNumber(std::int64_t number);

} // namespace lockscope::views
