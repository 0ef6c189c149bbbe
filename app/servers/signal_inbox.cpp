// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/signal_inbox.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/signalfd.h>
#include <unistd.h>

namespace lockscope::cli {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};
/// They end a process, too, by somebody's kill(1) or timeout(1), or at a limit of its own: no reason to leave a lock.
constexpr int kRarerEnds[] = {SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGPOLL, SIGPWR, SIGSTKFLT};

// A signal handler knows globals only, and may do little more than write.
int g_inboxWrite = -1;
int g_inboxRead = -1;
std::map<int, struct sigaction> g_before;
volatile pid_t g_stopToo = 0;
volatile std::sig_atomic_t g_held = 0;
volatile std::sig_atomic_t g_continued = 0;

sigset_t setOf(std::initializer_list<int> signals) {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : signals)
        sigaddset(&set, signal);
    return set;
}

void stopAsByDefault(int signal) {
    struct sigaction byDefault {};
    struct sigaction before {};
    byDefault.sa_handler = SIG_DFL;
    const sigset_t only = setOf({signal});
    sigset_t mask{};
    sigaction(signal, &byDefault, &before);
    ::raise(signal);
    pthread_sigmask(SIG_UNBLOCK, &only, &mask); // here at the latest it stops, and here it goes on
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    sigaction(signal, &before, nullptr);
}

void onSignal(int signal, siginfo_t* info, void*) {
    const int error = errno;
    if (signal == SIGCONT) g_continued = 1;
    if (signal == SIGTSTP) {
        const bool key = info->si_code > 0; // sent by the kernel
        if (!key) g_held = 1;
        ::kill(-g_stopToo, key ? SIGTSTP : SIGSTOP);
        if (!key) {
            ::raise(SIGSTOP); // goes on here when somebody sends SIGCONT
            signal = SIGCONT;
        }
    }
    [[maybe_unused]] const auto written = ::write(g_inboxWrite, &signal, sizeof signal);
    errno = error;
}

} // namespace

SignalInbox::SignalInbox(Which which) {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) qFatal("no pipe: %s", std::strerror(errno));
    g_inboxRead = ends[0];
    g_inboxWrite = ends[1];
    m_notifier = std::make_unique<QSocketNotifier>(g_inboxRead, QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] { read(); });

    pthread_sigmask(SIG_BLOCK, nullptr, &m_maskBefore);
    for (const int signal : kSignals)
        receive(signal);
    if (which == Which::EndsAndJobControl) receiveJobControl();
}

void SignalInbox::receiveJobControl() {
    receive(SIGCONT);
    for (const int signal : kRarerEnds)
        receive(signal);
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal)
        receive(signal);
    // Nobody reads our messages any more: that is no reason to leave a lock, or a command without one.
    struct sigaction before {};
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignored, &before);
    g_before[SIGPIPE] = before;
    // Blocked instead of caught: a process that catches SIGTTOU gets it again and again for one line of its own to a
    // terminal that lets only the foreground write.
    const sigset_t ofTerminal = setOf({SIGTTIN, SIGTTOU});
    pthread_sigmask(SIG_BLOCK, &ofTerminal, nullptr);
    const int arriving = ::signalfd(-1, &ofTerminal, SFD_CLOEXEC | SFD_NONBLOCK);
    if (arriving < 0) qFatal("no signalfd: %s", std::strerror(errno));
    m_terminalNotifier = std::make_unique<QSocketNotifier>(arriving, QSocketNotifier::Read);
    connect(m_terminalNotifier.get(), &QSocketNotifier::activated, this, [this] { readTerminalSignals(); });
}

void SignalInbox::receive(int signal) {
    struct sigaction before {};
    struct sigaction action {};
    sigaction(signal, nullptr, &before);
    g_before[signal] = before;
    action.sa_sigaction = onSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    // nohup(1) and background jobs of some shells ignore signals on purpose.
    if (before.sa_handler != SIG_IGN || signal == SIGCHLD || signal == SIGCONT) sigaction(signal, &action, nullptr);
}

bool SignalInbox::ignoredBefore(int signal) const {
    const auto before = g_before.find(signal);
    return before != g_before.end() && before->second.sa_handler == SIG_IGN;
}

void SignalInbox::stopWith(pid_t group) {
    g_stopToo = group;
    receive(SIGTSTP);
}

void SignalInbox::hold() const {
    g_held = 1;
    ::kill(-g_stopToo, SIGSTOP);
}

bool SignalInbox::holds() const {
    return g_held != 0;
}

void SignalInbox::release() const {
    g_held = 0;
}

bool SignalInbox::stop(int signal) const {
    g_continued = 0;
    stopAsByDefault(signal);
    return g_continued != 0;
}

void SignalInbox::tellOthers(int signal) const {
    struct sigaction ignored {};
    struct sigaction before {};
    ignored.sa_handler = SIG_IGN;
    sigaction(signal, &ignored, &before);
    ::kill(0, signal);
    sigaction(signal, &before, nullptr);
}

void SignalInbox::forgetInChild() const {
    for (const auto& [signal, before] : g_before)
        sigaction(signal, &before, nullptr);
}

SignalInbox::~SignalInbox() {
    forgetInChild();
    g_before.clear();
    g_stopToo = 0;
    g_held = 0;
    if (m_terminalNotifier) {
        const int ofTerminal = static_cast<int>(m_terminalNotifier->socket());
        m_terminalNotifier.reset();
        ::close(ofTerminal);
    }
    m_notifier.reset();
    ::close(g_inboxRead);
    ::close(g_inboxWrite);
    pthread_sigmask(SIG_SETMASK, &m_maskBefore, nullptr);
}

void SignalInbox::read() {
    int signal = 0;
    while (::read(g_inboxRead, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
        if (signal == SIGCHLD)
            Q_EMIT childChanged();
        else if (signal == SIGCONT)
            Q_EMIT woken();
        else if (signal == SIGTSTP)
            Q_EMIT stopKeyPressed();
        else
            Q_EMIT interrupted(signal);
    }
}

void SignalInbox::readTerminalSignals() {
    signalfd_siginfo arrived{};
    while (::read(static_cast<int>(m_terminalNotifier->socket()), &arrived, sizeof arrived) ==
           static_cast<ssize_t>(sizeof arrived)) {
        const int signal = static_cast<int>(arrived.ssi_signo);
        struct sigaction action {};
        sigaction(signal, nullptr, &action);
        if (action.sa_handler != SIG_IGN) Q_EMIT terminalWanted(signal); // ignored on purpose, as above
    }
}

} // namespace lockscope::cli
