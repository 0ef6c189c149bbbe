// SPDX-License-Identifier: Apache-2.0
#include "sandbox/process_supervisor.h"

#include "runtime/completion.h"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockscope::sandbox {

namespace {

constexpr qsizetype kOutputKept = 8192;
// A compiler on a busy machine with few processors has been seen to take over twenty seconds.
constexpr auto kLongestRun = 60s;

// Runs in the child between fork and exec: only async-signal-safe calls.
void dieWithParent(QProcess& process) {
    const pid_t parent = ::getpid();
    process.setChildProcessModifier([parent] {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(127); // it died before the line above
    });
}

} // namespace

ProcessSupervisor::ProcessSupervisor() {
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    m_process.setStandardInputFile(QProcess::nullDevice());
    dieWithParent(m_process);
    connect(&m_process, &QProcess::readyRead, this, &ProcessSupervisor::collectOutput);
    connect(&m_process, &QProcess::finished, this, [this] {
        collectOutput();
        m_paused = false;
        Q_EMIT exited(m_asked);
    });
}

ProcessSupervisor::~ProcessSupervisor() {
    m_process.disconnect(this);
    if (!running()) return;
    m_process.kill();
    m_process.waitForFinished(5000);
}

bool ProcessSupervisor::start(const QString& program, const QStringList& arguments, const QString& workingDirectory) {
    Q_ASSERT(!running());
    m_output.clear();
    m_asked = false;
    m_process.setWorkingDirectory(workingDirectory);
    m_process.start(program, arguments);
    if (m_process.waitForStarted(5000)) return true; // fork and exec only
    m_output = m_process.errorString().toUtf8();
    return false;
}

void ProcessSupervisor::terminate() {
    m_asked = true;
    resume();
    signal(SIGTERM);
}

void ProcessSupervisor::kill() {
    m_asked = true;
    signal(SIGKILL);
}

void ProcessSupervisor::pause() {
    signal(SIGSTOP);
    m_paused = running();
    // A server of many threads has stopped when the last of them has; until then it may still answer. (Or it has
    // ended.)
    siginfo_t state{};
    if (m_paused && pid() > 0) ::waitid(P_PID, id_t(pid()), &state, WSTOPPED | WEXITED | WNOWAIT);
}

void ProcessSupervisor::resume() {
    if (std::exchange(m_paused, false)) signal(SIGCONT);
}

void ProcessSupervisor::signal(int number) {
    if (running() && pid() > 0) ::kill(pid_t(pid()), number);
}

void ProcessSupervisor::collectOutput() {
    m_output += m_process.readAll();
    if (m_output.size() > kOutputKept) m_output = m_output.right(kOutputKept);
}

QString ProcessSupervisor::ending() const {
    if (running()) return {};
    const bool exited = m_process.exitStatus() == QProcess::NormalExit;
    const QString text = exited ? QCoreApplication::translate("Sandbox", "with status %1")
                                : QCoreApplication::translate("Sandbox", "by signal %1");
    return text.arg(m_process.exitCode());
}

QString ProcessSupervisor::lastOutput() const {
    return QString::fromUtf8(m_output).trimmed();
}

QCoro::Task<std::expected<void, QString>> run(Runtime& runtime, QString program, QStringList arguments,
                                              QString workingDirectory, std::stop_token stop) {
    ProcessSupervisor process;
    const Completion<bool> ended;
    QObject::connect(&process, &ProcessSupervisor::exited, &process, [ended] { ended.complete(true); });
    if (!process.start(program, arguments, workingDirectory))
        co_return std::unexpected(
            QCoreApplication::translate("Sandbox", "%1 can not be run: %2.").arg(program, process.lastOutput()));
    const std::optional<bool> done = co_await ended.wait(runtime, kLongestRun, std::move(stop));
    if (!done)
        co_return std::unexpected(QCoreApplication::translate("Sandbox", "%1 did not end in time.").arg(program));
    if (process.exitedWell()) co_return std::expected<void, QString>();
    co_return std::unexpected(
        QCoreApplication::translate("Sandbox", "%1 failed: %2").arg(program, process.lastOutput()));
}

} // namespace lockscope::sandbox
