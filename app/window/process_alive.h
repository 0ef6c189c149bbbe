// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QFileInfo>
#include <cerrno>
#include <csignal>

namespace lockscope::app {

/// Whether the Lockscope of that number still runs. After a restart of the machine, another program may have it.
inline bool isAlive(qint64 process) {
    if (::kill(pid_t(process), 0) != 0 && errno != EPERM) return false;
    const auto fileOf = [](qint64 number) {
        return QFileInfo(QFileInfo(QStringLiteral("/proc/%1/exe").arg(number)).symLinkTarget()).fileName();
    };
    const QString its = fileOf(process).remove(QStringLiteral(" (deleted)"));  // it was upgraded while it runs
    return its.isEmpty() || its == fileOf(QCoreApplication::applicationPid()); // empty: nobody tells
}

} // namespace lockscope::app
