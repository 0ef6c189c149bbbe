// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/alert_watch.h"
#include "inspect/lock_change.h"
#include "inspect/member_change.h"

#include <QString>

namespace lockscope::cli {

/// One lock as a line of `watch`: its name, its format, its holders, the time left, its waiters. The line says how much
/// it leaves out.
QString rowText(const inspect::LockRow& row);
/// The lock of a change as text; for a vanished lock, its last holder.
QString changeText(const inspect::LockChange& change);
/// The lock of a renewal that did not come: how often it was renewed, the time left, and why, where that is known.
QString lateText(const inspect::LateRenewal& late, const inspect::LockRow& row);
/// "taken", "changed hands", …
QString changeWord(inspect::LockChange::What what);
/// A server event as a sentence.
QString serverEventText(inspect::ServerEvent event, const inspect::LockReport& report);
/// News of a member of an ensemble as a sentence.
QString memberText(const inspect::MemberChange& change);
/// How far a first look has come.
QString progressText(const inspect::LockReport& report);
/// The cost of watching for the server so far, over `passed`.
QString loadText(const inspect::LockReport& report, Nanos passed);

} // namespace lockscope::cli
