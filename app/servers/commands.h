// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <vector>

namespace lockscope::cli {

// Each takes the words after its name and returns the exit status.

/// `command`: the program to run and its arguments, byte by byte.
int lock(const QStringList& words, const std::vector<QByteArray>& command);
int watch(const QStringList& words);
int manager(const QStringList& words);

} // namespace lockscope::cli
