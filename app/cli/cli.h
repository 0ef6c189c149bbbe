// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <functional>

namespace lockscope::cli {

/// True when the program was started for the command line rather than for the window: a command, help, version, or
/// words that mean nothing and must be complained about.
bool isForTerminal(const QStringList& words);

/// Keeps Qt's remarks on an environment without a UTF-8 locale or XDG_RUNTIME_DIR (scripts, cron jobs, containers) from
/// the user: neither does any harm. Everything else is said as before. For the window; run() does it for commands.
void hushHarmlessRemarks();

/// Runs the command line to its end and returns the exit status. `speak` makes the application speak the user's
/// language; it is called once there is an application.
int run(int argc, char** argv, const std::function<void()>& speak);

} // namespace lockscope::cli
