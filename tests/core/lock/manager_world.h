// SPDX-License-Identifier: Apache-2.0
// Processes with a manager each, over three servers of the test's own.
#pragma once
#include "lock/manager/lock_manager.h"
#include "lock/manager/managed_condition.h"
#include "lock/manager/switch_reason.h"
#include "pretend_backend.h"

namespace lockscope::tests {
/// With ' for ": moc loses its way in raw strings.
inline QByteArray configText(const QByteArray& mode, const QByteArray& more = {},
                             const QByteArray& recipe = "redis-reentrant") {
    return QByteArray("{'lockscope-manager': 1, 'namespaces': [{'name': 'shop', 'engines': ["
                      "{'url': 'redis://one', 'recipe': 'redis-reentrant'},"
                      "{'url': 'redis://two', 'recipe': 'redis-reentrant'},"
                      "{'url': 'redis://three', 'recipe': 'redis-reentrant'}], 'lease': '3s', 'token': true,"
                      "'switch': {'mode': '" +
                      mode +
                      "', 'on-failure': true, 'drain-for': '2s', 'confirm-for': '1s'},"
                      "'health': {'every': '200ms', 'timeout': '100ms', 'failures': 3, 'successes': 3}" +
                      more + "}]}")
        .replace("redis-reentrant", recipe)
        .replace('\'', '"');
}

template <typename T>
using Told = std::optional<std::expected<T, LockError>>; ///< what came of a call; nullopt: it has not ended
template <typename T>
bool says(const Told<T>& told, std::type_identity_t<T> value) {
    return told && told->has_value() && **told == value;
}
template <typename T>
bool fails(const Told<T>& told, LockError::Kind kind) {
    return told && !told->has_value() && told->error().kind == kind;
}

/// One process with a manager, and a thread of work that takes one lock again and again.
struct Process {
    Process(VirtualScheduler& scheduler, PretendBackends& world, const QByteArray& processName, std::uint64_t seed,
            const ManagerConfig& config, trace::Recorder* recorder = nullptr)
        : name(processName), runtime(scheduler, seed) {
        const auto connect = [&world](Runtime& made, ConnectionUrl url, QByteArray client) {
            return std::make_unique<PretendConnection>(made, world, std::move(url), client);
        };
        manager = LockManager::make(runtime, config, connect, name, recorder).value();
        manager->listen([this](const ManagerEvent& event) { heard.push_back(event); });
        lock = manager->lock("shop", "orders");
    }
    ~Process() {
        runtime.kill();
        guard = LockGuard();
        lock.reset();
        manager.reset();
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    void start() {
        runtime.spawn([this]() -> QCoro::Task<> { co_await manager->start(); });
    }
    void work() {
        runtime.spawn([this]() -> QCoro::Task<> {
            for (;;) {
                auto taken = co_await lock->tryLockFor(5s);
                if (taken && *taken) {
                    guard = *std::move(taken);
                    ++grants;
                    tokens.push_back(guard.token());
                    const Nanos hold = runtime.random(Nanos(10ms), Nanos(4s));
                    co_await runtime.sleep(hold);
                    co_await guard.unlock();
                }
                const Nanos pause = runtime.random(Nanos(1ms), Nanos(50ms));
                co_await runtime.sleep(pause);
            }
        });
    }
    int heardOf(ManagerEvent::Kind kind) const {
        return static_cast<int>(std::ranges::count(heard, kind, &ManagerEvent::kind));
    }
    /// How often it returned to the primary because NamespaceConfig::failBackAfter was over.
    int returns() const {
        const QString reason = detail::sentenceOf(detail::SwitchReason::FailBack);
        return static_cast<int>(std::ranges::count_if(heard, [&](const ManagerEvent& event) {
            return event.kind == ManagerEvent::Kind::InUse && event.reason == reason;
        }));
    }
    QByteArray name;
    VirtualRuntime runtime;
    std::unique_ptr<LockManager> manager;
    std::unique_ptr<ManagedLock> lock;
    LockGuard guard;
    int grants = 0;
    std::vector<std::int64_t> tokens;
    std::vector<ManagerEvent> heard;
};

/// Three processes, or more, over three servers.
struct World {
    explicit World(const char* mode, std::uint64_t seed = 1, int count = 3,
                   const QByteArray& recipe = "redis-reentrant")
        : World(readManagerConfig(configText(mode, {}, recipe)).value(), seed, count) {}
    explicit World(const ManagerConfig& with, std::uint64_t seed = 1, int count = 3) : config(with) {
        for (int i = 0; i < count; ++i) {
            const QByteArray name = i < 26 ? QByteArray(1, static_cast<char>('A' + i)) : QByteArray::number(i);
            processes.push_back(std::make_unique<Process>(scheduler, backends, name, seed++, config));
        }
        for (const auto& process : processes)
            process->start();
    }
    void work() {
        for (const auto& process : processes)
            process->work();
    }
    void run(Nanos duration) { scheduler.runUntil(scheduler.now() + duration); }
    int holders() const {
        return static_cast<int>(
            std::ranges::count_if(processes, [](const auto& process) { return process->guard.stillMine(); }));
    }
    /// The result of a coroutine that ends within a second of virtual time; nullopt when it does not.
    template <typename T>
    Told<T> soon(std::size_t i, std::function<recipes::Outcome<T>()> work) {
        const auto told = std::make_shared<Told<T>>();
        processes[i]->runtime.spawn([work, told]() -> QCoro::Task<> { told->emplace(co_await work()); });
        run(1s);
        return *told;
    }
    LockManager::Status status(std::size_t i) const { return processes[i]->manager->status("shop"); }
    bool allUse(const char* host) const {
        return std::ranges::all_of(processes, [&](const auto& process) {
            const auto status = process->manager->status("shop");
            return status.usable && status.engine.contains(host);
        });
    }
    VirtualScheduler scheduler;
    PretendBackends backends;
    ManagerConfig config;
    std::vector<std::unique_ptr<Process>> processes;
};

} // namespace lockscope::tests
