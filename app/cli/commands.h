// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>

namespace lockscope::cli {

// Each takes the words after its name and returns the exit status.
int simulate(const QStringList& words);
int compare(const QStringList& words);
int check(const QStringList& words);
int diff(const QStringList& words);
int exportFile(const QStringList& words);
int list(const QStringList& words);

/// True when `export` with these words paints a picture, so that it needs the means of a window.
bool exportPaints(const QStringList& words);

} // namespace lockscope::cli
