// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSocketNotifier>
#include <csignal>
#include <memory>
#include <sys/types.h>

namespace lockscope::cli {

/// Signals of this process as events of the Qt event loop. One at a time in a program, made before its threads.
class SignalInbox : public QObject {
    Q_OBJECT
public:
    enum class Which : std::uint8_t { Ends, EndsAndJobControl };

    /// From now on until the inbox ends, these signals arrive here instead of having their usual effect: SIGINT,
    /// SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 and SIGCHLD. When a job runs, also SIGCONT, SIGTTIN and SIGTTOU, all
    /// others that end a process without being a crash of it (SIGALRM, SIGXCPU, the real-time ones, …), and SIGPIPE is
    /// ignored.
    explicit SignalInbox(Which which);
    ~SignalInbox() override;

    /// From now on SIGTSTP goes to that process group. When somebody sends it, both stop at once, whatever else is
    /// going on here; of a key that reached us the group is told, see stopKeyPressed().
    void stopWith(pid_t group);
    /// Stops that group now: while this process is stopped nothing renews, so nothing may work.
    void hold() const;
    /// True when this process has stopped the group, until release().
    bool holds() const;
    void release() const;

    /// Stops this process as that signal does by default, until somebody sends SIGCONT. False when it was not stopped:
    /// the kernel does not let a terminal stop processes that no shell could bring back.
    bool stop(int signal) const;
    /// Sends a signal to the others of this process's group: those of a pipeline, the script that waits for us.
    void tellOthers(int signal) const;

    /// In the copy of this process that becomes the command: signals are again what they were. Signals that were not
    /// blocked before the inbox was made stay blocked; maskBefore() tells which were.
    void forgetInChild() const;
    const sigset_t& maskBefore() const { return m_maskBefore; }
    /// True if the signal was ignored when the inbox was made; the command will ignore it, too.
    bool ignoredBefore(int signal) const;

Q_SIGNALS:
    /// A signal that ends a process, or SIGUSR1 or SIGUSR2, has arrived.
    void interrupted(int signal);
    void childChanged();
    /// The key that stops a job (SIGTSTP) reached us and has been handed on. We stop when the command has: it may have
    /// something to put in order first, or commands of its own to stop.
    void stopKeyPressed();
    /// This process has been told to go on (SIGCONT); its command may be stopped.
    void woken();
    /// SIGTTIN or SIGTTOU: one of this process's group wants the terminal, which another group has.
    void terminalWanted(int signal);

private:
    void receive(int signal);
    void receiveJobControl();
    void read();
    void readTerminalSignals();
    std::unique_ptr<QSocketNotifier> m_notifier;
    std::unique_ptr<QSocketNotifier> m_terminalNotifier;
    sigset_t m_maskBefore{};
};

/// Blocks all signals that can be blocked, as long as it lives.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &m_before);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t m_before{};
};

} // namespace lockscope::cli
