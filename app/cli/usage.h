// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <span>

namespace lockscope::cli {

/// How a command is called, and its purpose.
struct Usage {
    const char* name;
    const char* words;   ///< after "lockscope "; null for a command that does not exist yet
    const char* purpose; ///< one line; translate with cli::tr()
};

std::span<const Usage> usages();
/// Null when there is no such command.
const Usage* findUsage(const QString& name);
/// "lockscope simulate SCENARIO …", all lines of it.
QString usageOf(const char* command);
/// Complains about how a command was called, with its usage, and without logins. Returns the exit status `kUsage`.
int misused(const char* command, const QString& complaint);

} // namespace lockscope::cli
