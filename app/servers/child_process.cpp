// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockscope::cli {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};

struct Arrived {
    int signal;
    bool fromTerminal;
};

// A signal handler knows globals only, and may do little more than write.
int g_inboxWrite = -1;
int g_inboxRead = -1;
std::map<int, struct sigaction> g_before;
volatile pid_t g_stopToo = 0;        // as kill() takes it
volatile bool g_keysReachIt = false; // a key that stops us stops it, too, and lets it put the terminal in order first

void onSignal(int signal, siginfo_t* info, void*) {
    const int error = errno;
    const Arrived arrived{signal, info->si_code > 0}; // sent by the kernel: a terminal's key, not a person's kill
    if (signal == SIGTSTP) {
        if (!(arrived.fromTerminal && g_keysReachIt)) ::kill(g_stopToo, SIGSTOP);
        ::raise(SIGSTOP); // goes on here when somebody sends SIGCONT
    }
    [[maybe_unused]] const auto written = ::write(g_inboxWrite, &arrived, sizeof arrived);
    errno = error;
}

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

/// Asked of the terminal itself: the input may be a pipe or a file, and keys stop the job all the same.
bool inForeground() {
    const int terminal = ::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (terminal < 0) return false;
    const bool foreground = ::tcgetpgrp(terminal) == ::getpgrp();
    ::close(terminal);
    return foreground;
}

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

} // namespace

SignalInbox::SignalInbox() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) qFatal("no pipe: %s", std::strerror(errno));
    g_inboxRead = ends[0];
    g_inboxWrite = ends[1];
    m_notifier = std::make_unique<QSocketNotifier>(g_inboxRead, QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] { read(); });

    for (const int signal : kSignals)
        receive(signal);
}

void SignalInbox::receive(int signal) {
    struct sigaction before {};
    struct sigaction action {};
    sigaction(signal, nullptr, &before);
    g_before[signal] = before;
    action.sa_sigaction = onSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP;
    // nohup(1) and background jobs of some shells ignore signals on purpose.
    if (before.sa_handler != SIG_IGN || signal == SIGCHLD) sigaction(signal, &action, nullptr);
}

void SignalInbox::stopWith(const ChildProcess& command) {
    g_stopToo = command.target();
    g_keysReachIt = command.sharesTerminal();
    receive(SIGTSTP);
}

SignalInbox::~SignalInbox() {
    for (const auto& [signal, before] : g_before)
        sigaction(signal, &before, nullptr);
    g_before.clear();
    m_notifier.reset();
    ::close(g_inboxRead);
    ::close(g_inboxWrite);
}

void SignalInbox::read() {
    Arrived arrived{};
    while (::read(g_inboxRead, &arrived, sizeof arrived) == static_cast<ssize_t>(sizeof arrived)) {
        if (arrived.signal == SIGCHLD)
            Q_EMIT childChanged();
        else if (arrived.signal == SIGTSTP)
            Q_EMIT woken();
        else
            Q_EMIT interrupted(arrived.signal, arrived.fromTerminal);
    }
}

std::expected<ChildProcess, ChildProcess::StartError>
ChildProcess::start(const std::vector<QByteArray>& command,
                    const std::map<QByteArray, std::optional<QByteArray>>& variables) {
    CStrings arguments(command), environment(environmentWith(variables));

    ChildProcess child;
    child.m_ownGroup = !inForeground();
    int failure[2] = {-1, -1}; // closed by a successful exec; else carries its errno
    if (::pipe2(failure, O_CLOEXEC) != 0)
        return std::unexpected(StartError{false, QString::fromLocal8Bit(std::strerror(errno))});

    const pid_t parent = ::getpid();
    child.m_pid = ::fork();
    if (child.m_pid < 0) {
        const int error = errno;
        ::close(failure[0]);
        ::close(failure[1]);
        return std::unexpected(StartError{false, QString::fromLocal8Bit(std::strerror(error))});
    }
    if (child.m_pid == 0) { // only what is allowed between fork and exec
        if (child.m_ownGroup) ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != parent) ::_exit(SIGTERM); // it died before we asked to be told
        ::signal(SIGPIPE, SIG_DFL);                  // networking code ignores it, and that is inherited
        ::execvpe(arguments.data()[0], arguments.data(), environment.data());
        const int error = errno;
        [[maybe_unused]] const auto written = ::write(failure[1], &error, sizeof error);
        ::_exit(127);
    }
    if (child.m_ownGroup) ::setpgid(child.m_pid, child.m_pid); // whichever of the two comes first
    ::close(failure[1]);
    int error = 0;
    ssize_t got = 0;
    do
        got = ::read(failure[0], &error, sizeof error);
    while (got < 0 && errno == EINTR);
    ::close(failure[0]);
    if (got == static_cast<ssize_t>(sizeof error)) {
        ::waitpid(child.m_pid, nullptr, 0);
        return std::unexpected(StartError{error == ENOENT, QString::fromLocal8Bit(std::strerror(error))});
    }
    return child;
}

std::optional<int> ChildProcess::ended() {
    if (m_status) return m_status;
    siginfo_t end{};
    // Left where it is until this program ends: so long nobody else gets its number, and its group's.
    if (::waitid(P_PID, static_cast<id_t>(m_pid), &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid != m_pid)
        return std::nullopt;
    m_status = end.si_code == CLD_EXITED ? end.si_status : 128 + end.si_status;
    return m_status;
}

void ChildProcess::signal(int number) const {
    // After its end, too, for those whom it left in its group; see ended() for why that is still its own.
    ::kill(target(), number);
}

} // namespace lockscope::cli
