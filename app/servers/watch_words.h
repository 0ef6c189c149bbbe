// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/lock_change.h"

#include <QString>

namespace lockscope::cli {

/// One lock as a line of `watch`: its name, its format, who holds it, what is left, who waits. It says what it leaves
/// out.
QString rowText(const inspect::LockRow& row);
/// The lock of a change: of one that is gone, whose it was.
QString changeText(const inspect::LockChange& change);
/// "taken", "changed hands", …
QString changeWord(inspect::LockChange::What what);
/// What happened to the server as a whole.
QString serverEventText(inspect::ServerEvent event, const std::optional<inspect::ServerIdentity>& server);
/// How far a first look has come.
QString progressText(const inspect::LockReport& report);
/// What watching cost the server so far, over `passed`.
QString loadText(const inspect::LockReport& report, Nanos passed);

} // namespace lockscope::cli
