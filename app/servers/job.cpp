// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/job.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace lockscope::cli {

namespace {

/// Memory that execve() wants: pointers to texts, ended by a null pointer.
class CStrings {
public:
    explicit CStrings(std::vector<QByteArray> texts) : m_texts(std::move(texts)) {
        for (QByteArray& text : m_texts)
            m_pointers.push_back(text.data());
        m_pointers.push_back(nullptr);
    }
    char** data() { return m_pointers.data(); }

private:
    std::vector<QByteArray> m_texts;
    std::vector<char*> m_pointers;
};

std::vector<QByteArray> environmentWith(const std::map<QByteArray, std::optional<QByteArray>>& variables) {
    std::vector<QByteArray> environment;
    for (char** entry = environ; *entry; ++entry) {
        const QByteArray text(*entry);
        if (!variables.contains(text.left(text.indexOf('=')))) environment.push_back(text);
    }
    for (const auto& [name, value] : variables) {
        if (value) environment.push_back(name + '=' + *value);
    }
    return environment;
}

/// Others of a pipeline are in our process group.
bool inPipeline() {
    const auto isPipe = [](int descriptor) {
        struct stat status {};
        return ::fstat(descriptor, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
    };
    return isPipe(STDIN_FILENO) || isPipe(STDOUT_FILENO);
}

/// True when a background process that reads the terminal gets an error instead of a signal, as inside `$(…)` of an
/// interactive shell.
bool cannotAsk() {
    struct sigaction action {};
    return ::sigaction(SIGTTIN, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

Job::StartError startError(int error) {
    return {error == ENOENT, QString::fromLocal8Bit(std::strerror(error))};
}

} // namespace

std::expected<Job, Job::StartError> Job::start(const std::vector<QByteArray>& command,
                                               const std::map<QByteArray, std::optional<QByteArray>>& variables,
                                               SignalInbox& inbox) {
    CStrings arguments(command), environment(environmentWith(variables));
    Job job(inbox);
    if (const auto error = job.run(arguments.data(), environment.data())) return std::unexpected(*error);
    return job;
}

std::optional<Job::StartError> Job::run(char** arguments, char** environment) {
    int failure[2] = {-1, -1}; // closed by a successful exec; else carries its errno
    if (::pipe2(failure, O_CLOEXEC) != 0) return startError(errno);
    // A key that stops us would let our shell take the terminal between our look at it and our handing it on; and the
    // copies of this process must not take signals for it.
    const SignalsBlocked blocked;
    const pid_t parent = ::getpid();
    // A process that ignores Ctrl-C, as a script's background jobs do, must not be the only one that gets it.
    m_wantsTerminal = terminalIsOurs() && !m_inbox->ignoredBefore(SIGINT) && (!inPipeline() || cannotAsk());
    m_pid = m_guard.start() ? ::fork() : -1;
    if (m_pid == 0) become(arguments, environment, failure[1], parent);
    const int forked = errno;
    ::close(failure[1]);
    int error = 0;
    ssize_t got = 0;
    if (m_pid > 0) got = ::read(failure[0], &error, sizeof error);
    ::close(failure[0]);
    if (m_pid < 0) return StartError{false, QString::fromLocal8Bit(std::strerror(forked))};
    if (got == static_cast<ssize_t>(sizeof error)) {
        takeTerminalBack();
        ::waitpid(m_pid, nullptr, 0);
        return startError(error);
    }
    m_inbox->stopWith(m_pid);
    return std::nullopt;
}

/// Only what is allowed between fork and exec.
void Job::become(char** arguments, char** environment, int failure, pid_t parent) const {
    const pid_t self = ::getpid();
    ::setpgid(0, 0);
    if (m_wantsTerminal) m_terminal.give(self);
    m_guard.watch(self);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);          // for the case that its guard is gone, too
    if (::getppid() != parent) ::_exit(SIGTERM); // it died before we asked to be told
    m_inbox->forgetInChild();
    pthread_sigmask(SIG_SETMASK, &m_inbox->maskBefore(), nullptr);
    ::execvpe(arguments[0], arguments, environment);
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(failure, &error, sizeof error);
    ::_exit(127);
}

std::optional<int> Job::ended() {
    if (m_status) return m_status;
    siginfo_t end{};
    // Left where it is until this program ends: so long nobody else gets its number, and its group's.
    if (::waitid(P_PID, static_cast<id_t>(m_pid), &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid != m_pid)
        return std::nullopt;
    const bool bySignal = end.si_code != CLD_EXITED;
    m_status = bySignal ? 128 + end.si_status : end.si_status;
    m_interrupted = bySignal && end.si_status == SIGINT;
    if (!terminalIsIts()) return m_status;
    takeTerminalBack();
    // A key ends the whole job; but for us, a script around us would have got it, too.
    if (bySignal && (end.si_status == SIGINT || end.si_status == SIGQUIT)) m_inbox->tellOthers(end.si_status);
    return m_status;
}

void Job::signal(int number) const {
    // After its end, too, for processes that it left in its group; see ended() for why that is still its own.
    ::kill(-m_pid, number);
}

void Job::wake() {
    m_inbox->release();
    if (m_wantsTerminal && terminalIsOurs()) m_terminal.give(m_pid);
    signal(SIGCONT);
}

void Job::takeTerminalBack() const {
    if (terminalIsIts()) m_terminal.give(::getpgrp());
}

bool Job::followStop() {
    siginfo_t stopped{};
    if (::waitid(P_PID, static_cast<id_t>(m_pid), &stopped, WSTOPPED | WNOHANG) != 0 || stopped.si_pid != m_pid)
        return false;
    m_stopExpected = false;
    const int by = stopped.si_status;
    if (by == SIGSTOP && m_inbox->holds()) return false; // from here
    const bool asks = by == SIGTTIN || by == SIGTTOU;
    if (asks && (terminalIsOurs() || terminalIsIts())) {
        m_wantsTerminal = true;
        wake();
        return false;
    }
    if (!m_terminal.there()) return false; // and so no shell that could bring us back
    takeTerminalBack();
    m_inbox->hold(); // not the command alone: while we are stopped nothing renews
    // A terminal stops the whole job, SIGSTOP one process; it is followed by what the kernel does only under a shell.
    if (by != SIGSTOP) m_inbox->tellOthers(by);
    if (m_inbox->stop(by == SIGSTOP ? SIGTSTP : by)) return true;
    // No shell above. A key does nothing then; a background process that reads would ask again at once; and a process
    // stopped by SIGSTOP is continued by its stopper, but the others of its group were not meant.
    if (by == SIGTSTP) return true;
    if (by == SIGSTOP) {
        signal(SIGCONT);
        ::kill(m_pid, SIGSTOP);
    }
    return false;
}

bool Job::stopAnyway() {
    if (!std::exchange(m_stopExpected, false)) return false;
    m_inbox->hold();
    m_inbox->stop(SIGTSTP);
    return true;
}

bool Job::giveWay(int signal) {
    if (terminalIsIts() || terminalIsOurs()) {
        m_wantsTerminal = false;
        takeTerminalBack();
        m_inbox->tellOthers(SIGCONT);
        return false;
    }
    m_inbox->hold();
    m_inbox->stop(signal);
    return true;
}

} // namespace lockscope::cli
