// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/guard.h"

#include "servers/terminal.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
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

/// Somebody has stopped our process with SIGSTOP, of which it hears nothing.
bool stands(pid_t process) {
    char name[32] = "/proc/";
    char* end = name + 6;
    char digits[16];
    int count = 0;
    for (pid_t rest = process; rest > 0 && count < 16; rest /= 10)
        digits[count++] = static_cast<char>('0' + rest % 10);
    while (count > 0)
        *end++ = digits[--count];
    for (const char* tail = "/stat"; *tail != 0; ++tail)
        *end++ = *tail;
    const int file = ::open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char text[128] = {};
    const ssize_t size = ::read(file, text, sizeof text - 1);
    ::close(file);
    for (ssize_t i = size - 1; i > 1; --i) // "123 (name) T …"
        if (text[i - 2] == ')' && text[i - 1] == ' ') return text[i] == 'T';
    return false;
}

/// Waits for the pipe's next word. While our process stands nothing renews the lock, so the command stands, too; it is
/// our process that wakes it.
void awaitWord(pid_t process, pid_t group) {
    constexpr int kEvery = 200; // ms
    for (pollfd pipe{STDIN_FILENO, POLLIN, 0}; ::poll(&pipe, 1, group > 0 ? kEvery : -1) == 0;) {
        if (!stands(process)) continue;
        ::kill(-group, SIGSTOP);
        if (!stands(process)) ::kill(-group, SIGCONT); // it woke just then
    }
}

/// The guard itself, a copy of a process with threads: it may call only what is allowed between fork and exec.
[[noreturn]] void standGuard(int pipe, pid_t home, pid_t process) {
    ::setpgid(0, 0); // in the terminal's session all the same: it may have to give the terminal back
    ::prctl(PR_SET_NAME, "lockscope-guard");
    ::dup2(pipe, STDIN_FILENO);
    ::closefrom(STDIN_FILENO + 1);
    [[maybe_unused]] const int moved = ::chdir("/"); // whatever is mounted where we were started can be unmounted

    pid_t group = 0, told = 0;
    for (;;) {
        awaitWord(process, group);
        if (::read(STDIN_FILENO, &told, sizeof told) != static_cast<ssize_t>(sizeof told)) break;
        group = told;
    }
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
    const pid_t home = ::getpgrp(), process = ::getpid();
    m_pid = ::fork();
    if (m_pid == 0) standGuard(ends[0], home, process);
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
