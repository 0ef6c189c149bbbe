// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>

namespace lockscope::cli {

// Each takes the words after its name and returns the exit status.
int lock(const QStringList& words);
int watch(const QStringList& words);

} // namespace lockscope::cli
