// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/lock_manager.h"
#include "lock/manager/namespace.h"

namespace lockscope {

using detail::Namespace;

ManagedLock::ManagedLock(std::shared_ptr<Namespace> space, QByteArray name)
    : m_space(std::move(space)), m_name(std::move(name)) {
    m_space->locks.insert(this);
}

ManagedLock::~ManagedLock() {
    m_space->locks.erase(this);
}

void ManagedLock::listen(DistributedLock::Listener listener) {
    m_listener = std::move(listener);
    for (const auto& [epoch, lock] : m_locks)
        lock->listen(m_listener);
}

std::expected<DistributedLock*, LockError> ManagedLock::lockOf(std::int64_t epoch) {
    if (const auto known = m_locks.find(epoch); known != m_locks.end()) return known->second.get();
    auto made = m_space->makeLock(m_name);
    if (!made) return std::unexpected(made.error());
    DistributedLock* const lock = made->get();
    m_locks.emplace(epoch, *std::move(made));
    lock->listen(m_listener);
    return lock;
}

QCoro::Task<> ManagedLock::loseBefore(std::int64_t epoch) {
    // All are told before the first server is asked; nothing of this object is touched after that.
    std::vector<std::shared_ptr<DistributedLock>> old;
    for (const auto& [of, lock] : m_locks) {
        if (of < epoch) old.push_back(lock);
    }
    std::vector<QCoro::Task<>> giving;
    giving.reserve(old.size());
    for (const auto& lock : old)
        giving.push_back(lock->loseAll(QT_TRANSLATE_NOOP("Lock", "another engine is used for locks from now on")));
    for (const QCoro::Task<>& task : giving)
        co_await task;
}

recipes::Outcome<LockGuard> ManagedLock::tryLockFor(Nanos wait, QByteArray thread, std::stop_token stop) {
    LockRequest request;
    request.wait = wait;
    request.thread = std::move(thread);
    return acquire(std::move(request), std::move(stop));
}

recipes::Outcome<LockGuard> ManagedLock::acquire(LockRequest request, std::stop_token stop) {
    const std::shared_ptr<Namespace> space = m_space;
    Runtime& runtime = space->runtime();
    const Nanos until = laterBy(runtime.monotonic(), request.wait);
    const auto left = [&] { return until == kNever ? kNever : std::max(Nanos(0), until - runtime.monotonic()); };
    for (;;) {
        const std::int64_t epoch = space->usable();
        if (epoch == 0) {
            if (left() == Nanos(0)) co_return LockGuard();
            co_await space->changed(left(), stop);
            continue;
        }
        const auto lock = lockOf(epoch);
        if (!lock) co_return std::unexpected(lock.error());
        const std::shared_ptr<DistributedLock> kept = m_locks[epoch];
        // Ends with the caller's stop, or when this engine is left: then the wait goes on at the next one.
        std::stop_source either;
        const auto pass = [&either] { either.request_stop(); };
        const std::stop_callback onStop(stop, pass);
        const std::stop_callback onLeaving(space->whileIn(), pass);
        request.wait = left();
        std::expected<LockGuard, LockError> guard;
        bool engineLeft = false;
        try {
            guard = co_await kept->acquire(request, either.get_token());
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed || stop.stop_requested()) throw;
            engineLeft = true;
        }
        if (engineLeft) continue;
        if (!guard || !*guard) co_return guard;
        if (space->usable() == epoch) co_return guard;
        // Granted by an engine that was left meanwhile: nobody may have seen it.
        co_await guard->unlock();
    }
}

} // namespace lockscope
