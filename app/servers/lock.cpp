// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "drivers/other_service.h"
#include "runtime/completion.h"
#include "runtime/event_loop_runtime.h"
#include "servers/commands.h"
#include "servers/job.h"
#include "servers/lock_backend.h"
#include "servers/lock_plan.h"
#include "trace/text.h"

#include <csignal>
#include <cstdlib>

namespace lockscope::cli {

namespace {

/// The least time allowed for connecting, however short the wait: connecting is not waiting for the lock, and `--wait
/// 0s` means one try.
constexpr Nanos kConnecting = 1s;

/// From the key that stops a job to the stop of a command that ignores it, or cannot stop yet: what is in front of
/// somebody's shell is to give way.
constexpr Nanos kStopping = 300ms;

/// For giving the lock back from when somebody asks for the end: long for a server that answers, and without an answer
/// the lock ends by itself.
constexpr Nanos kGivingBack = 1s;

/// For saying goodbye to the server, which frees nothing that is not free already.
constexpr Nanos kGoodbye = 2s;

/// Ends this process by SIGINT. Shells read this as the same status; but a script goes on with its next line when what
/// it waits for ends by itself after Ctrl-C, as an editor does.
void endByInterrupt() {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
}

/// One run of `lockscope lock`: connect, take the lock, run the command, give the lock back.
class LockRun : public QObject {
public:
    explicit LockRun(LockPlan plan)
        : m_plan(std::move(plan)),
          m_backend(m_plan.managerFile.isEmpty() ? makeBackend(m_runtime, m_plan)
                                                 : makeManagedBackend(m_runtime, m_plan)) {
        connect(&m_signals, &SignalInbox::interrupted, this, [this](int signal) { interrupt(signal); });
        connect(&m_signals, &SignalInbox::childChanged, this, [this] { lookAtCommand(); });
        connect(&m_signals, &SignalInbox::stopKeyPressed, this, [this] { awaitStop(); });
        connect(&m_signals, &SignalInbox::woken, this, [this] { goOn(); });
        connect(&m_signals, &SignalInbox::terminalWanted, this, [this](int signal) { giveWay(signal); });
    }
    ~LockRun() override {
        m_lock.reset();
        m_runtime.kill();
    }

    int run() {
        if (!m_backend) return kLockFailed; // the configuration has been complained about
        // From the event loop: what ends at once would otherwise end a loop that has not begun.
        m_runtime.post([this] { m_runtime.spawn([this] { return whole(); }); });
        QCoreApplication::exec();
        return m_status;
    }
    /// It has found no server within the wait.
    bool unreached() const { return m_unreached; }
    /// Ctrl-C ended it.
    bool interrupted() const {
        return m_status == kSignalBase + SIGINT && (m_job ? m_job->interrupted() : m_interruptedBy == SIGINT);
    }

private:
    QCoro::Task<> whole() {
        int status = kLockFailed;
        try {
            status = co_await takeAndRun();
        } catch (const Cancelled&) {
            status = m_interruptedBy != 0 ? kSignalBase + m_interruptedBy : notConnected();
        }
        if (m_unreached) co_await tellOtherService();
        m_lock.reset();
        // A session or a lease of the connection's own should not outlive this program; a server that is gone ends it.
        m_runtime.spawn([this] { return sayGoodbye(); });
        co_await m_goodbye.wait(m_runtime, kGoodbye);
        m_status = status;
        QCoreApplication::exit();
    }

    QCoro::Task<> sayGoodbye() {
        co_await m_backend->close();
        m_goodbye.complete(true);
    }

    QCoro::Task<int> takeAndRun() {
        limitConnecting();
        const auto opened = co_await m_backend->open(m_stop.get_token());
        m_runtime.cancelCall(m_connecting);
        if (!opened) {
            complain(opened.error().message);
            co_await tellOtherService();
            co_return kLockFailed;
        }
        auto made = m_backend->makeLock();
        if (!made) co_return failed(made.error());
        m_lock = *std::move(made);
        m_lock->listen([this](HoldEvent event, const QByteArray&, const QString& reason) { hear(event, reason); });
        auto taken = co_await take();
        if (!taken && taken.error().kind == LockError::Kind::NotPrepared) { // its table is missing
            const auto prepared = co_await m_backend->prepare(m_stop.get_token());
            if (!prepared) co_return failed(prepared.error());
            taken = co_await take();
        }
        if (!taken) co_return failed(taken.error());
        if (!*taken) {
            complain(tr("the lock “%1” was not free within the wait").arg(trace::readable(m_plan.name)));
            co_return kNotAcquired;
        }
        if (m_lost || m_interruptedBy != 0) { // while the grant was on its way
            if (!m_lost) co_await m_lock->unlock(m_plan.thread, m_plan.mode);
            co_return m_lost ? kLockLost : kSignalBase + m_interruptedBy;
        }
        const int status = co_await runCommand();
        co_return co_await giveBack(status);
    }

    /// Within the wait: the drivers' own patience may be longer.
    void limitConnecting() {
        if (m_plan.wait == kNever) return;
        m_giveUpAt = m_runtime.monotonic() + m_plan.wait;
        const Nanos latest = m_runtime.monotonic() + std::max(m_plan.wait, kConnecting);
        m_connecting = m_runtime.callAt(latest, [this] { m_stop.request_stop(); });
    }

    /// Says so when a server of another kind listens there.
    QCoro::Task<> tellOtherService() {
        if (!m_plan.managerFile.isEmpty() || m_interruptedBy != 0) co_return;
        // The wait may be over already: what is silent to all questions is not waited for.
        constexpr Nanos kLongest = 1500ms;
        const auto enough =
            m_runtime.callAt(m_runtime.monotonic() + kLongest, [this] { m_lookingAround.request_stop(); });
        try {
            const QString other = co_await otherServiceAt(m_runtime, m_plan.url, m_lookingAround.get_token());
            if (!other.isEmpty()) complain(other);
        } catch (const Cancelled&) { // by a signal, or for its length
        }
        m_runtime.cancelCall(enough);
    }

    int notConnected() {
        m_unreached = true;
        complain(m_backend->notReached(std::max(m_plan.wait, kConnecting)));
        return kLockFailed;
    }

    static int failed(const LockError& error) {
        complain(error.message);
        return kLockFailed;
    }

    void hear(HoldEvent event, const QString& reason) {
        if (event == HoldEvent::Lost) lose(reason);
        if (event == HoldEvent::Suspended)
            complain(tr("the lock “%1” may be lost soon: %2").arg(trace::readable(m_plan.name), reason));
    }

    recipes::Outcome<bool> take() {
        LockRequest request;
        request.mode = m_plan.mode;
        if (m_giveUpAt != kNever) request.wait = std::max(m_giveUpAt - m_runtime.monotonic(), Nanos(0));
        request.thread = m_plan.thread;
        return m_lock->take(std::move(request), m_stop.get_token());
    }

    QCoro::Task<int> runCommand() {
        const std::vector<std::int64_t> tokens = m_lock->tokens(m_plan.thread, m_plan.mode);
        const std::int64_t token = tokens.empty() ? 0 : tokens.front();
        auto started = Job::start(
            m_plan.command,
            {{"LOCKSCOPE_LOCK", m_plan.name},
             {"LOCKSCOPE_TOKEN", token > 0 ? std::optional(QByteArray::number(qlonglong(token))) : std::nullopt}},
            m_signals);
        if (!started) {
            complain(
                QStringLiteral("%1: %2").arg(QString::fromLocal8Bit(m_plan.command.front()), started.error().reason));
            co_return started.error().notFound ? kNotFound : kCannotRun;
        }
        m_job = *std::move(started);
        lookAtCommand(); // it may have ended before anybody listened
        co_return (co_await m_commandEnded.wait(m_runtime)).value_or(kLockFailed);
    }

    QCoro::Task<int> giveBack(int status) {
        if (m_lost) co_return kLockLost;
        m_givingBack = true;
        const auto left = co_await m_lock->unlock(m_plan.thread, m_plan.mode);
        m_givingBack = false;
        m_runtime.cancelCall(m_leaving);
        if (left) co_return status;
        if (left.error().kind == LockError::Kind::NotOwner) {
            complain(tr("the command has ended, but the lock was lost while it ran: %1").arg(left.error().message));
            co_return kLockLost;
        }
        // It was ours to the end; until its lease ends, nobody else gets it.
        complain(tr("the lock could not be given back; it is free when its lease or session ends: %1")
                     .arg(left.error().message));
        co_return status;
    }

    /// While this process was stopped nothing renewed, so the command was stopped with it.
    void goOn() {
        if (!m_job || m_job->ended()) return;
        const auto view = m_lock->view(m_plan.thread, m_plan.mode);
        if (m_lost || (view && view->stillMineAt(m_runtime.monotonic())))
            m_job->wake();
        else
            lose(tr("nothing renewed it while this process was stopped"));
    }

    /// A stop wakes us at once; that a command does not stop, nothing tells.
    void awaitStop() {
        if (!m_job || m_job->ended()) return;
        m_job->expectStop();
        m_runtime.callAt(m_runtime.monotonic() + kStopping, [this] {
            if (!m_job->ended() && m_job->stopAnyway()) goOn();
        });
    }

    void giveWay(int signal) {
        if (!m_job)
            m_signals.stop(signal);
        else if (m_job->giveWay(signal))
            goOn();
    }

    void lose(const QString& reason) {
        if (m_lost) return;
        m_lost = true;
        complain(tr("the lock “%1” is lost: %2").arg(trace::readable(m_plan.name), reason));
        if (!m_job || m_job->ended()) return;
        complain(tr("ending the command"));
        m_job->signal(SIGTERM);
        m_job->wake(); // a stopped process would not hear it
        m_runtime.callAt(m_runtime.monotonic() + kGrace, [this] {
            if (!m_job->ended()) m_job->signal(SIGKILL);
        });
    }

    void interrupt(int signal) {
        m_interruptedBy = signal;
        m_lookingAround.request_stop();
        if (!m_job) {
            m_stop.request_stop();
            return;
        }
        if (m_givingBack) { // processes that the command left behind do not concern the one who wants us to end
            const bool end = signal != SIGUSR1 && signal != SIGUSR2;
            if (end && m_leaving == 0)
                m_leaving = m_runtime.callAt(m_runtime.monotonic() + kGivingBack, [this] { leave(); });
            return;
        }
        m_job->signal(signal);
        if (signal != SIGUSR1 && signal != SIGUSR2) m_job->wake(); // a stopped process would not hear it
    }

    /// The server that the lock is to go back to does not answer, and the user does not want to wait any longer.
    void leave() {
        complain(tr("the lock “%1” is not given back, as the server has not answered; it is free when its lease or "
                    "session ends")
                     .arg(trace::readable(m_plan.name)));
        m_job.reset(); // what the command left behind goes on, as after any other end
        if (m_interruptedBy == SIGINT) endByInterrupt();
        std::quick_exit(kSignalBase + m_interruptedBy); // a database's client library may wait on a thread
    }

    void lookAtCommand() {
        if (!m_job) return;
        const auto status = m_job->ended();
        if (!status) {
            if (!m_lost && m_job->followStop()) goOn();
            return;
        }
        if (m_lost) m_job->signal(SIGKILL); // what it left behind in its group has no lock either
        m_commandEnded.complete(*status);
    }

    LockPlan m_plan;
    SignalInbox m_signals{SignalInbox::Which::EndsAndJobControl};
    EventLoopRuntime m_runtime;
    std::unique_ptr<LockBackend> m_backend;
    std::unique_ptr<AnyLock> m_lock;
    std::optional<Job> m_job;
    Completion<int> m_commandEnded;
    Completion<bool> m_goodbye;
    std::stop_source m_stop;
    std::stop_source m_lookingAround; ///< for what else listens there, when m_stop may have been asked for
    Nanos m_giveUpAt = kNever;
    Runtime::TimerId m_connecting = 0; ///< ends it
    Runtime::TimerId m_leaving = 0;    ///< before the lock is given back
    bool m_givingBack = false;
    int m_interruptedBy = 0;
    bool m_lost = false;
    bool m_unreached = false;
    int m_status = kLockFailed;
};

} // namespace

int lock(const QStringList& words, const std::vector<QByteArray>& command) {
    const auto plan = lockPlan(words, command);
    if (!plan) {
        misused("lock", plan.error());
        return kLockFailed; // 2 could be the command's own
    }
    int status = kLockFailed;
    bool interrupted = false;
    {
        LockRun run(*plan);
        status = run.run();
        interrupted = run.interrupted();
        // A database's client library may still be connecting, on a thread that an orderly end would wait for.
        if (run.unreached()) std::quick_exit(status);
    }
    if (interrupted) endByInterrupt();
    return status;
}

} // namespace lockscope::cli
