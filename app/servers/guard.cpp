// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/guard.h"

#include "servers/terminal.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockscope::cli {

namespace {

constexpr Nanos kLook = 50ms;

/// Its group's members are not ours, so their end wakes nobody here: looked for again and again.
void waitForEnd(pid_t group) {
    constexpr timespec kPause{0, kLook.count()};
    for (Nanos waited{}; waited < kGrace && ::kill(-group, 0) == 0; waited += kLook)
        ::nanosleep(&kPause, nullptr);
}

/// The guard itself, a copy of a process with threads: it may call only what is allowed between fork and exec.
[[noreturn]] void standGuard(int pipe, pid_t home) {
    ::setpgid(0, 0); // in the terminal's session all the same: it may have to give the terminal back
    ::prctl(PR_SET_NAME, "lockscope-guard");
    ::dup2(pipe, STDIN_FILENO);
    ::closefrom(STDIN_FILENO + 1);
    [[maybe_unused]] const int moved = ::chdir("/"); // whatever is mounted where we were started can be unmounted

    pid_t group = 0, told = 0;
    while (::read(STDIN_FILENO, &told, sizeof told) == static_cast<ssize_t>(sizeof told))
        group = told;
    if (group == 0) ::_exit(0); // there was no command yet
    // A script that started us goes on and may read; an interactive shell takes the terminal by itself.
    if (const Terminal terminal; terminal.foreground() == group) terminal.give(home);
    ::kill(-group, SIGTERM);
    ::kill(-group, SIGCONT); // a stopped process would not hear it
    waitForEnd(group);
    ::kill(-group, SIGKILL);
    ::_exit(0);
}

} // namespace

bool Guard::start() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    const pid_t home = ::getpgrp();
    m_pid = ::fork();
    if (m_pid == 0) standGuard(ends[0], home);
    const int error = errno;
    ::close(ends[0]);
    m_pipe = ends[1];
    errno = error;
    return m_pid > 0;
}

void Guard::watch(pid_t group) const {
    [[maybe_unused]] const auto written = ::write(m_pipe, &group, sizeof group);
}

Guard::~Guard() {
    if (m_pid > 0) { // before the pipe closes, which it would take for our death
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
    if (m_pipe >= 0) ::close(m_pipe);
}

Guard::Guard(Guard&& other) noexcept : m_pid(std::exchange(other.m_pid, 0)), m_pipe(std::exchange(other.m_pipe, -1)) {
}

Guard& Guard::operator=(Guard&& other) noexcept {
    std::swap(m_pid, other.m_pid);
    std::swap(m_pipe, other.m_pipe);
    return *this;
}

} // namespace lockscope::cli
