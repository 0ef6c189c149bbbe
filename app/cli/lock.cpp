// SPDX-License-Identifier: GPL-3.0-or-later
#include "backends/redis/driver.h"
#include "backends/url.h"
#include "cli/arguments.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lock/distributed_lock.h"
#include "recipes/redis/redis_recipe.h"
#include "runtime/completion.h"
#include "runtime/event_loop_runtime.h"
#include "scenario/schema_check.h"

#include <csignal>

namespace lockscope::cli {

namespace {

/// From SIGTERM to SIGKILL for a command whose lock is lost: time to clean up, not to go on.
constexpr Nanos kGrace = 5s;

struct Plan {
    ConnectionUrl url;
    const recipes::RecipeInfo* recipe = nullptr;
    QByteArray name;
    QByteArray client; ///< empty: a new identity
    Nanos lease = 30s;
    Nanos wait = kNever;
    QStringList command;
};

/// One run of `lockscope lock`: connect, take the lock, run the command, give the lock back.
class LockRun : public QObject {
public:
    explicit LockRun(Plan plan) : m_plan(std::move(plan)), m_driver(m_runtime, m_plan.url) {
        connect(&m_signals, &SignalInbox::interrupted, this,
                [this](int signal, bool fromTerminal) { interrupt(signal, fromTerminal); });
        connect(&m_signals, &SignalInbox::childChanged, this, [this] { lookAtChild(); });
    }
    ~LockRun() override {
        m_lock.reset();
        m_runtime.kill();
    }

    int run() {
        m_runtime.spawn([this] { return whole(); });
        QCoreApplication::exec();
        return m_status;
    }

private:
    QCoro::Task<> whole() {
        int status = kLockFailed;
        try {
            status = co_await takeAndRun();
        } catch (const Cancelled&) {
            status = kSignalBase + m_interruptedBy;
        }
        m_status = status;
        QCoreApplication::exit();
    }

    QCoro::Task<int> takeAndRun() {
        if (const auto opened = co_await m_driver.open(m_stop.get_token()); !opened) {
            complain(opened.error().message);
            co_return kLockFailed;
        }
        makeLock();
        const auto taken = co_await m_lock->tryLockFor(m_plan.wait, "1", m_stop.get_token());
        if (!taken) {
            complain(taken.error().message);
            co_return kLockFailed;
        }
        if (!*taken) {
            complain(tr("the lock “%1” was not free within the wait").arg(QString::fromUtf8(m_plan.name)));
            co_return kNotAcquired;
        }
        if (m_lost || m_interruptedBy != 0) { // while the grant was on its way
            if (!m_lost) co_await m_lock->unlock();
            co_return m_lost ? kLockLost : kSignalBase + m_interruptedBy;
        }
        const int status = co_await runCommand();
        co_return co_await giveBack(status);
    }

    void makeLock() {
        LockOptions options;
        options.lease = m_plan.lease;
        options.watchdog = m_plan.lease / 3; // two more tries before the lease ends
        options.token = m_plan.recipe->token;
        const QByteArray client = m_plan.client.isEmpty() ? m_runtime.randomUuid() : m_plan.client;
        m_lock = std::make_unique<DistributedLock>(
            LockClient{m_runtime, client, nullptr, trace::kNoEntity},
            recipes::makeRedisRecipe(m_plan.recipe->id, {m_driver, m_plan.name, client}), options);
        m_lock->listen([this](DistributedLock::Event event, const QByteArray&, const QString& reason) {
            if (event == DistributedLock::Event::Lost) lose(reason);
        });
    }

    QCoro::Task<int> runCommand() {
        const std::int64_t token = m_lock->token();
        auto started = ChildProcess::start(
            m_plan.command,
            {{"LOCKSCOPE_LOCK", m_plan.name},
             {"LOCKSCOPE_TOKEN", token > 0 ? std::optional(QByteArray::number(qlonglong(token))) : std::nullopt}});
        if (!started) {
            complain(QStringLiteral("%1: %2").arg(m_plan.command.front(), started.error().reason));
            co_return started.error().notFound ? kNotFound : kCannotRun;
        }
        m_child = *started;
        lookAtChild(); // it may have ended before anybody listened
        co_return (co_await m_childEnded.wait(m_runtime)).value_or(kLockFailed);
    }

    QCoro::Task<int> giveBack(int status) {
        if (m_lost) co_return kLockLost;
        const auto left = co_await m_lock->unlock();
        if (left) co_return status;
        if (left.error().kind == LockError::Kind::NotOwner) {
            complain(tr("the command has ended, but the lock was lost while it ran: %1").arg(left.error().message));
            co_return kLockLost;
        }
        // It was ours to the end; until its lease ends, nobody else gets it.
        complain(tr("the lock could not be given back; it is free when its lease ends: %1").arg(left.error().message));
        co_return status;
    }

    void lose(const QString& reason) {
        m_lost = true;
        complain(tr("the lock “%1” is lost: %2").arg(QString::fromUtf8(m_plan.name), reason));
        if (!m_child || m_child->ended()) return;
        complain(tr("ending the command"));
        m_child->signal(SIGTERM);
        m_child->signal(SIGCONT); // a stopped process would not hear it
        m_runtime.callAt(m_runtime.monotonic() + kGrace, [this] {
            if (!m_child->ended()) m_child->signal(SIGKILL);
        });
    }

    void interrupt(int signal, bool fromTerminal) {
        m_interruptedBy = signal;
        if (!m_child) {
            m_stop.request_stop();
        } else if (!(fromTerminal && m_child->sharesTerminal())) { // a key reached it already
            m_child->signal(signal);
        }
    }

    void lookAtChild() {
        if (!m_child) return;
        const auto status = m_child->ended();
        if (!status) return;
        if (m_lost) m_child->signal(SIGKILL); // what it left behind in its group has no lock either
        m_childEnded.complete(*status);
    }

    Plan m_plan;
    SignalInbox m_signals;
    EventLoopRuntime m_runtime;
    redis::RedisDriver m_driver;
    std::unique_ptr<DistributedLock> m_lock;
    std::optional<ChildProcess> m_child;
    Completion<int> m_childEnded;
    std::stop_source m_stop;
    int m_interruptedBy = 0;
    bool m_lost = false;
    int m_status = kLockFailed;
};

/// What the words ask for, or a sentence.
std::expected<Plan, QString> planOf(const Arguments& arguments) {
    Plan plan;
    auto url = parseConnectionUrl(arguments.place(0));
    if (!url) return std::unexpected(url.error());
    plan.url = *std::move(url);
    plan.name = arguments.place(1).toUtf8();
    if (plan.name.isEmpty()) return std::unexpected(tr("the lock needs a name"));
    if (!arguments.hasRest() || arguments.rest().isEmpty()) {
        return std::unexpected(tr("the command to run is missing; it stands behind “--”"));
    }
    plan.command = arguments.rest();
    const QString recipe = arguments.value("recipe").value_or(QStringLiteral("redis-reentrant"));
    plan.recipe = recipes::findRecipe(recipe.toUtf8());
    if (!plan.recipe) {
        QStringList ids;
        for (const auto& known : recipes::allRecipes())
            ids += QString::fromLatin1(known.id);
        return std::unexpected(tr("there is no recipe “%1”%2").arg(recipe, scenario::suggestion(recipe, ids)));
    }
    if (const auto lease = arguments.value("lease")) {
        const auto duration = durationOf("lease", *lease);
        if (!duration) return std::unexpected(duration.error());
        plan.lease = *duration;
    }
    if (const auto wait = arguments.value("wait")) {
        const auto duration = durationOf("wait", *wait, Nanos::zero());
        if (!duration) return std::unexpected(duration.error());
        plan.wait = *duration;
    }
    plan.client = arguments.value("id").value_or(QString()).toUtf8();
    return plan;
}

} // namespace

int lock(const QStringList& words) {
    const auto arguments = Arguments::parse(
        words,
        {{QStringLiteral("recipe")}, {QStringLiteral("lease")}, {QStringLiteral("wait")}, {QStringLiteral("id")}},
        {QStringLiteral("URL"), QStringLiteral("NAME")});
    const auto plan = arguments ? planOf(*arguments) : std::unexpected(arguments.error());
    if (!plan) {
        misused("lock", plan.error());
        return kLockFailed; // 2 could be the command's own
    }
    if (plan->recipe->naive) {
        complain(
            tr("the recipe “%1” is unsafe: it exists to be seen failing").arg(QString::fromLatin1(plan->recipe->id)));
    }
    return LockRun(*plan).run();
}

} // namespace lockscope::cli
