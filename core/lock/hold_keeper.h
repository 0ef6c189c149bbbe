// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/distributed_lock.h"

#include <map>

namespace lockscope {

/// One thread's hold of a lock, kept by its watchdog and its deadline watch while it lasts.
struct DistributedLock::Hold {
    recipes::Grant grant;
    Nanos deadline{};          ///< own monotonic clock: the lease, counted from when it was asked for
    std::stop_source watching; ///< stops both watches
};

/// What a lock's coroutines share; lives until the last of them has ended.
struct DistributedLock::Core : std::enable_shared_from_this<Core> {
    Core(LockClient lockClient, std::unique_ptr<recipes::Recipe> lockRecipe, LockOptions lockOptions,
         trace::EntityId entity)
        : client(lockClient), recipe(std::move(lockRecipe)), options(lockOptions), lock(entity) {}

    LockClient client;
    std::unique_ptr<recipes::Recipe> recipe;
    LockOptions options;
    trace::EntityId lock;
    Listener listener;
    bool watchdogStopped = false;
    bool closed = false; ///< the lock object is gone
    std::map<Thread, std::shared_ptr<Hold>> holds;

    /// Enters a grant: a new hold with its watches, or one more of a thread that holds already.
    void hold(recipes::Grant grant);
    /// The client has learned that the hold is gone.
    /// `reason` is a text of context "Lock": the trace keeps it as it is, so that equal runs have equal digests in
    /// every language; the listener gets it translated.
    void lose(const std::shared_ptr<Hold>& hold, const char* reason);
    /// Takes a hold off the books.
    void forget(const std::shared_ptr<Hold>& hold);
    int holdCount(const Thread& thread) const {
        const auto found = holds.find(thread);
        return found == holds.end() ? 0 : found->second->grant.holds;
    }

    void emit(trace::EventKind kind, const Thread& thread, std::int64_t value = 0, std::uint32_t aux = 0);
    void emitText(trace::EventKind kind, const Thread& thread, const QString& text);
    void tell(Event event, const Thread& thread, const QString& reason) {
        if (listener) listener(event, thread, reason);
    }

private:
    void believeUntilDeadline(const Hold& hold);
    static QCoro::Task<> watchdog(std::shared_ptr<Core> core, std::shared_ptr<Hold> hold);
    static QCoro::Task<> deadlineWatch(std::shared_ptr<Core> core, std::shared_ptr<Hold> hold);
};

} // namespace lockscope
