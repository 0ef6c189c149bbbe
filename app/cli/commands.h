// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>

namespace lockscope::cli {

// Each takes the words after its name and returns the exit status.
int simulate(const QStringList& words);
int lock(const QStringList& words);
int watch(const QStringList& words);
int check(const QStringList& words);
int exportFile(const QStringList& words);
int list(const QStringList& words);

/// True when `export` with these words paints a picture, so that it needs the means of a window.
bool exportPaints(const QStringList& words);

/// Complains about how a command was called, with its usage. Returns the exit status `kUsage`.
int misused(const char* command, const QString& complaint);
/// "lockscope simulate SCENARIO …", all lines of it.
QString usageOf(const char* command);

} // namespace lockscope::cli
