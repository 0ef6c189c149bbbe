// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "runtime/runtime.h"

#include <sys/types.h>

namespace lockscope::cli {

/// From SIGTERM to SIGKILL for a command whose lock is lost: time to clean up, not to go on.
constexpr Nanos kGrace = 5s;

/// A process that ends a command when this process is gone and cannot: killed by SIGKILL or for want of memory.
///
/// It waits at a pipe whose other end closes with us, and holds nothing else of ours: no output that somebody reads to
/// its end, no connection. Neither the terminal's keys nor a SIGTERM to everything reach it.
class Guard {
public:
    /// Starts it. The caller has all signals blocked, and so will it. False with errno when there cannot be one.
    bool start();
    /// Said by the command itself, before it becomes one: so it never runs unguarded. `group` is its process group.
    /// May be called between fork() and exec().
    void watch(pid_t group) const;

    Guard() = default;
    /// All went in order: the guard ends, and processes that the command left behind go on.
    ~Guard();
    Guard(Guard&& other) noexcept;
    Guard& operator=(Guard&& other) noexcept;

private:
    pid_t m_pid = 0;
    int m_pipe = -1;
};

} // namespace lockscope::cli
