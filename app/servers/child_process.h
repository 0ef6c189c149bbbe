// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QSocketNotifier>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace lockscope::cli {

class ChildProcess;

/// Signals of this process as events of the Qt event loop. One at a time in a program.
class SignalInbox : public QObject {
    Q_OBJECT
public:
    /// From now on until its end these arrive here instead of doing what they do: SIGINT, SIGTERM, SIGHUP, SIGQUIT,
    /// SIGUSR1, SIGUSR2 and SIGCHLD.
    SignalInbox();
    ~SignalInbox() override;

    /// From now on SIGTSTP stops the command, too; at once, whatever else is going on here.
    void stopWith(const ChildProcess& command);

Q_SIGNALS:
    /// Any of them but SIGCHLD and SIGTSTP; `fromTerminal`: a key was pressed, so that the whole foreground job got it.
    void interrupted(int signal, bool fromTerminal);
    void childChanged();
    /// After such a stop this process has been told to go on; the command has not.
    void woken();

private:
    static void receive(int signal);
    void read();
    std::unique_ptr<QSocketNotifier> m_notifier;
};

/// A command that runs in its own process, with this process's input and outputs.
///
/// In a process group of its own, so that a signal reaches all that it started; except in the foreground of a terminal,
/// where the group decides who may read keys and is stopped by one. It gets SIGTERM when this process dies.
class ChildProcess {
public:
    /// Why it could not be started, told apart as env(1) does.
    struct StartError {
        bool notFound = false;
        QString reason;
    };
    /// Starts COMMAND, found by PATH, with variables added to the environment (nullopt: taken out of it).
    static std::expected<ChildProcess, StartError>
    start(const std::vector<QByteArray>& command, const std::map<QByteArray, std::optional<QByteArray>>& variables);

    /// The exit status in the shell's way (128 + signal when a signal ended it) once it has ended. Never blocks.
    std::optional<int> ended();
    /// Sends a signal to its group, whose members may outlive it, or to itself when it has none of its own.
    void signal(int number) const;
    /// True when it shares the terminal's foreground with us.
    bool sharesTerminal() const { return !m_ownGroup; }

private:
    friend class SignalInbox;
    pid_t target() const { return m_ownGroup ? -m_pid : m_pid; }
    pid_t m_pid = 0;
    bool m_ownGroup = true;
    std::optional<int> m_status;
};

} // namespace lockscope::cli
