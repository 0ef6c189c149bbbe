// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QtGlobal>
#include <cerrno>
#include <csignal>

namespace lockscope::app {

/// Whether the program of that number still runs.
inline bool isAlive(qint64 process) {
    return ::kill(pid_t(process), 0) == 0 || errno == EPERM;
}

} // namespace lockscope::app
