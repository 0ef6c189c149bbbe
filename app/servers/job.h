// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "servers/guard.h"
#include "servers/signal_inbox.h"
#include "servers/terminal.h"

#include <QByteArray>
#include <expected>
#include <map>
#include <optional>
#include <vector>

namespace lockscope::cli {

/// A command that runs with this process's input and outputs, and whatever it starts: in a process group of its own,
/// so that a signal reaches all of it.
///
/// A terminal lets one group read and reaches one group by its keys, so towards the command this process does what a
/// shell does for its jobs: gives it the terminal, takes the terminal back when the command stops or ends, stops as the
/// command did, for the shell above to see, and lets the command go on when that shell says so.
///
/// The command gets the terminal at once, as a program that asks who is in front expects, unless our input or output is
/// a pipe. Then others of our own group, a `less` behind us, may need it; the command gets it when it first asks for
/// it, which shows in that it is stopped by SIGTTIN or SIGTTOU, and when one of ours asks later it gives way. sudo does
/// it so. Keys that reach our group instead are handed on to the command.
class Job {
public:
    /// Why it could not be started, told apart as env(1) does.
    struct StartError {
        bool notFound = false;
        QString reason;
    };
    /// Starts COMMAND, found by PATH, with variables added to the environment (nullopt: taken out of it). The inbox
    /// outlives it.
    static std::expected<Job, StartError> start(const std::vector<QByteArray>& command,
                                                const std::map<QByteArray, std::optional<QByteArray>>& variables,
                                                SignalInbox& inbox);

    /// The exit status in the shell's way (128 + signal when a signal ended it) once it has ended. Never blocks.
    std::optional<int> ended();
    /// True if SIGINT ended the command.
    bool interrupted() const { return m_interrupted; }
    /// Sends a signal to its group, whose members may outlive it.
    void signal(int number) const;
    /// Lets it go on where it was stopped, with the terminal if that is ours and it had it before.
    void wake();

    // These stop this process where its shell is to see it stopped, and return true when it goes on and the command
    // has not yet been woken.

    /// To be called when the command may have been stopped.
    bool followStop();
    /// A key has told the command to stop; followStop() is to see that soon, or else stopAnyway().
    void expectStop() { m_stopExpected = true; }
    /// To be called some time after expectStop(): stops both if the command has not stopped by itself.
    bool stopAnyway();
    /// Another of our group wants the terminal and got that signal.
    bool giveWay(int signal);

private:
    explicit Job(SignalInbox& inbox) : m_inbox(&inbox) {}
    std::optional<StartError> run(char** arguments, char** environment);
    [[noreturn]] void become(char** arguments, char** environment, int failure, pid_t parent) const;
    bool terminalIsOurs() const { return m_terminal.foreground() == ::getpgrp(); }
    bool terminalIsIts() const { return m_terminal.foreground() == m_pid; }
    void takeTerminalBack() const;

    SignalInbox* m_inbox;
    Terminal m_terminal;
    Guard m_guard;
    pid_t m_pid = 0;
    bool m_wantsTerminal = false; ///< it has it, or gets it when it is ours to give
    bool m_stopExpected = false;
    bool m_interrupted = false;
    std::optional<int> m_status;
};

} // namespace lockscope::cli
