// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/lock_backend.h"
#include "client/connect.h"

#include "cli/output.h"
#include "cli/text.h"
#include "lock/distributed_lock.h"
#include "lock/manager/lock_manager.h"
#include "lock/recipe_choice.h"
#include "ports/words.h"
#include "servers/manager_file.h"

namespace lockscope::cli {

namespace {

/// How long a manager without `--wait` looks for servers that tell which engine is in use.
constexpr Nanos kPatience = 10s;

/// Whether an engine is in use by now.
constexpr Nanos kLook = 10ms;

class UrlBackend final : public LockBackend {
public:
    UrlBackend(Runtime& runtime, const LockPlan& plan)
        : m_runtime(runtime), m_plan(plan), m_connection(makeConnection(runtime, plan.url, plan.client)) {}

    recipes::Outcome<void> open(std::stop_token stop) override { return m_connection->open(std::move(stop)); }
    recipes::Outcome<void> prepare(std::stop_token stop) override { return m_connection->prepare(std::move(stop)); }
    std::expected<std::unique_ptr<AnyLock>, LockError> makeLock() override {
        auto recipe = chooseRecipe(*m_connection, m_plan.recipe, m_plan.mode, {m_plan.name, m_plan.permits});
        if (!recipe) return std::unexpected(recipe.error());
        const recipes::RecipeInfo& info = (*recipe)->info();
        if (info.naive) {
            complain(tr("the recipe “%1” is unsafe: it exists to be seen failing").arg(QString::fromLatin1(info.id)));
        }
        HoldOptions options;
        options.lease = m_plan.lease;
        options.watchdog = m_plan.lease / 3; // two more tries before the lease ends
        options.token = m_plan.token;
        return std::make_unique<DistributedLock>(
            LockClient{m_runtime, m_connection->client(), nullptr, trace::kNoEntity}, *std::move(recipe), options);
    }
    QCoro::Task<> close() override { co_await m_connection->close(); }
    QString notReached(Nanos within) const override {
        return tr("%1 could not be reached within %2. Check that it runs there, address, port and firewall.")
            .arg(m_plan.url.display(), inWords(within));
    }

private:
    Runtime& m_runtime;
    const LockPlan& m_plan;
    std::unique_ptr<Connection> m_connection;
};

class ManagedBackend final : public LockBackend {
public:
    ManagedBackend(Runtime& runtime, const LockPlan& plan, QByteArray space, std::unique_ptr<LockManager> manager)
        : m_runtime(runtime), m_plan(plan), m_space(std::move(space)), m_manager(std::move(manager)) {}

    recipes::Outcome<void> open(std::stop_token stop) override {
        const Nanos until = m_runtime.monotonic() + kPatience;
        co_await m_manager->start(Nanos::zero(), stop);
        for (;;) {
            const LockManager::Status status = m_manager->status(m_space);
            if (status.usable || status.switching) co_return {};
            if (m_plan.wait == kNever && m_runtime.monotonic() >= until)
                co_return std::unexpected(LockError{LockError::Kind::Unreachable, notReached(kPatience)});
            co_await m_runtime.sleep(kLook, stop);
        }
    }
    recipes::Outcome<void> prepare(std::stop_token stop) override {
        // A server that is away needs no table now: taking the lock tells what is still missing.
        co_await m_manager->prepare(std::move(stop));
        co_return {};
    }
    std::expected<std::unique_ptr<AnyLock>, LockError> makeLock() override {
        return m_manager->lockAs(m_space, m_plan.name, m_plan.mode, m_plan.permits);
    }
    QCoro::Task<> close() override { return m_manager->close(); }
    QString notReached(Nanos within) const override {
        return tr("no engine of “%1” was found in use within %2: too few of the servers that keep its record answer")
            .arg(QString::fromUtf8(m_space), inWords(within));
    }

private:
    Runtime& m_runtime;
    const LockPlan& m_plan;
    QByteArray m_space;
    std::unique_ptr<LockManager> m_manager;
};

} // namespace

std::unique_ptr<LockBackend> makeBackend(Runtime& runtime, const LockPlan& plan) {
    return std::make_unique<UrlBackend>(runtime, plan);
}

std::unique_ptr<LockBackend> makeManagedBackend(Runtime& runtime, const LockPlan& plan) {
    const auto config = readManagerFile(plan.managerFile);
    if (!config) {
        complainAbout(plan.managerFile, config.error());
        return nullptr;
    }
    const auto space = namespaceOf(*config, plan.space);
    if (!space) {
        complainOfWords(space.error());
        return nullptr;
    }
    ManagerConfig only;
    only.namespaces.push_back(*space);
    auto manager = LockManager::make(runtime, std::move(only), makeConnection, plan.client);
    if (!manager) {
        complain(manager.error());
        return nullptr;
    }
    return std::make_unique<ManagedBackend>(runtime, plan, space->name, *std::move(manager));
}

} // namespace lockscope::cli
