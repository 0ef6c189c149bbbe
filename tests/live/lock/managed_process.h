// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "client/connect.h"
#include "live_connection.h"
#include "lock/manager/lock_manager.h"

namespace lockscope::test {

using Inside = std::vector<const LockGuard*>; ///< who is between lock and unlock

/// One process: a manager and a thread of work that never stops taking the lock.
struct ManagedProcess {
    ManagedProcess(Runtime& processRuntime, const ManagerConfig& config, trace::Recorder* recorder = nullptr)
        : runtime(processRuntime), manager(LockManager::make(runtime, config, makeConnection, {}, recorder).value()) {
        manager->listen([this](const ManagerEvent& event) { heard.push_back(event); });
        lock = manager->lock("shop", "orders");
    }
    bool start() { return run(manager->start(10s)); }
    /// `toldFirst`: who was told of the loss is inside no more, which is what an immediate switch promises.
    void work(Inside& inside, int& clashes, const bool& stop, bool toldFirst = false) {
        runtime.spawn([this, &inside, &clashes, &stop, toldFirst]() -> QCoro::Task<> {
            while (!stop) {
                auto guard = co_await lock->tryLockFor(2s);
                if (!guard) trouble = guard.error().message;
                if (!guard || !*guard) {
                    const Nanos pause = 10ms;
                    co_await runtime.sleep(pause);
                    continue;
                }
                clashes += int(
                    std::ranges::count_if(inside, [&](const LockGuard* g) { return !toldFirst || g->stillMine(); }));
                inside.push_back(&*guard);
                ++grants;
                tokens.push_back(guard->token());
                const Nanos nap = 2ms;
                co_await runtime.sleep(nap);
                std::erase(inside, &*guard);
                co_await guard->unlock();
                // For who looks now and then (databases): with no gap between two holds they would never see it free.
                const Nanos away = runtime.random(Nanos(0), Nanos(8ms));
                co_await runtime.sleep(away);
            }
            ended = true;
        });
    }
    Runtime& runtime;
    std::unique_ptr<LockManager> manager;
    std::unique_ptr<ManagedLock> lock;
    std::vector<ManagerEvent> heard;
    std::vector<std::int64_t> tokens;
    QString trouble; ///< the last error of a try
    int grants = 0;
    bool ended = false;
};

} // namespace lockscope::test
