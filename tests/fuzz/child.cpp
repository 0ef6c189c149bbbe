// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <QElapsedTimer>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockscope::fuzz {

namespace {

/// Reads both pipes to their ends; false when that took too long.
bool readAll(std::array<pollfd, 2>& pipes, std::array<QByteArray*, 2> into, int seconds) {
    QElapsedTimer clock;
    clock.start();
    while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
        const qint64 left = 1000 * qint64(seconds) - clock.elapsed();
        if (left <= 0) return false;
        if (::poll(pipes.data(), pipes.size(), int(left)) < 0 && errno != EINTR) return false;
        for (std::size_t i = 0; i < pipes.size(); ++i) {
            if (pipes[i].fd < 0 || !pipes[i].revents) continue;
            std::array<char, 16384> buffer{};
            const ssize_t size = ::read(pipes[i].fd, buffer.data(), buffer.size());
            if (size > 0)
                into[i]->append(buffer.data(), qsizetype(size));
            else
                pipes[i].fd = -1; // poll overlooks it; closed by the caller
        }
    }
    return true;
}

} // namespace

Ended inChild(const std::function<int()>& work, int seconds) {
    std::array<int, 2> out{}, err{};
    if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) qFatal("no pipe");
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) qFatal("no process");
    if (child == 0) {
        ::setpgid(0, 0); // so that all of it can be killed
        for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
            ::signal(signal, SIG_DFL); // it is the parent that tells of a crash
        const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        ::dup2(nothing, STDIN_FILENO);
        ::dup2(out[1], STDOUT_FILENO);
        ::dup2(err[1], STDERR_FILENO);
        const int status = work();
        std::fflush(nullptr);
        ::_exit(status);
    }
    ::setpgid(child, child);
    ::close(out[1]);
    ::close(err[1]);
    Ended ended;
    std::array<pollfd, 2> pipes{pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}};
    ended.inTime = readAll(pipes, {&ended.out, &ended.err}, seconds);
    ::kill(-child, SIGKILL); // what it left behind; itself, if it is late
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    ::close(out[0]);
    ::close(err[0]);
    if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
    return ended;
}

} // namespace lockscope::fuzz
