// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "transport/command_field.h"

namespace lockscope::app {

class MainWindow;

/// The finds of "Find or do…" in the window beside its commands and the session's locks: lessons, settings of the
/// workload, terms, and shared runs.
std::vector<views::CommandField::Find> findsIn(MainWindow* window, const QString& typed);

} // namespace lockscope::app
