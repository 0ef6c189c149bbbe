// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QProcess>
#include <expected>

namespace lockscope::sandbox {

/// One process of ours, that never outlives us: it is killed with its supervisor, and by the kernel when this program
/// crashes. (The kernel's rule is about threads: the one that called start() must live as long as the process should.)
class ProcessSupervisor : public QObject {
    Q_OBJECT
public:
    ProcessSupervisor();
    /// Kills the process and waits for its end.
    ~ProcessSupervisor() override;

    /// Starts it; false with lastOutput() saying why when the program can not be run. Precondition: not running.
    bool start(const QString& program, const QStringList& arguments, const QString& workingDirectory);
    bool running() const { return m_process.state() != QProcess::NotRunning; }
    bool paused() const { return m_paused; }
    qint64 pid() const { return m_process.processId(); }

    void terminate(); ///< asks it to end (SIGTERM); a paused one is resumed first
    void kill();      ///< ends it (SIGKILL), paused or not
    void pause();     ///< stops it where it stands (SIGSTOP)
    void resume();    ///< lets it go on (SIGCONT)

    /// True when it ended by itself with status 0.
    bool exitedWell() const {
        return !running() && m_process.exitStatus() == QProcess::NormalExit && m_process.exitCode() == 0;
    }
    /// How it ended, for messages: "with status 3", "by signal 9"; empty while it runs.
    QString ending() const;
    /// The end of its output, both channels, at most some kilobytes.
    QString lastOutput() const;

Q_SIGNALS:
    /// It ended. `expected`: we asked it to.
    void exited(bool expected);

private:
    void signal(int number);
    void collectOutput();
    QProcess m_process;
    QByteArray m_output;
    bool m_paused = false;
    bool m_asked = false;
};

/// Runs a program to its end; the error says what went wrong, with its last output. Throws Cancelled.
QCoro::Task<std::expected<void, QString>> run(Runtime& runtime, QString program, QStringList arguments,
                                              QString workingDirectory, std::stop_token stop = {});

} // namespace lockscope::sandbox
