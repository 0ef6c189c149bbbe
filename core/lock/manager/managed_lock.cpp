// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/lock_manager.h"
#include "lock/manager/managed_core.h"
#include "lock/manager/namespace.h"

namespace lockscope {

using detail::ManagedCore;
using detail::Namespace;

ManagedLock::ManagedLock(std::shared_ptr<Namespace> space, QByteArray name)
    : m_core(std::make_shared<ManagedCore>(std::move(space), std::move(name))) {
    m_core->space->locks.insert(m_core);
}

ManagedLock::~ManagedLock() {
    m_core->space->locks.erase(m_core);
    m_core->locks.clear();
    m_core->closing.request_stop();
    m_core->space->wakeAll(); // those that wait for an engine
}

void ManagedLock::listen(DistributedLock::Listener listener) {
    m_core->listener = std::move(listener);
    for (const auto& [epoch, lock] : m_core->locks)
        lock->listen(m_core->listener);
}

recipes::Outcome<LockGuard> ManagedLock::tryLockFor(Nanos wait, QByteArray thread, std::stop_token stop) {
    LockRequest request;
    request.wait = wait;
    request.thread = std::move(thread);
    return acquire(std::move(request), std::move(stop));
}

recipes::Outcome<LockGuard> ManagedLock::acquire(LockRequest request, std::stop_token stop) {
    return acquireFrom(m_core, std::move(request), std::move(stop));
}

recipes::Outcome<LockGuard> ManagedLock::acquireFrom(std::shared_ptr<ManagedCore> core, LockRequest request,
                                                     std::stop_token stop) {
    const std::shared_ptr<Namespace> space = core->space;
    Runtime& runtime = space->runtime();
    const Nanos until = laterBy(runtime.monotonic(), request.wait);
    const auto left = [&] { return until == kNever ? kNever : std::max(Nanos(0), until - runtime.monotonic()); };
    while (!core->closed() && !space->stopped()) {
        const std::int64_t epoch = space->usable();
        if (epoch == 0) {
            if (left() == Nanos(0)) co_return LockGuard();
            co_await space->changed(left(), stop);
            continue;
        }
        const auto made = core->lockOf(epoch);
        if (!made) co_return std::unexpected(made.error());
        const std::shared_ptr<DistributedLock> lock = *made;
        // Ends with the caller's stop; or when this engine is left: then the wait goes on at the next one; or with the
        // lock object.
        std::stop_source any;
        const auto pass = [&any] { any.request_stop(); };
        const std::stop_callback onStop(stop, pass);
        const std::stop_callback onLeaving(space->whileIn(), pass);
        const std::stop_callback onClosing(core->closing.get_token(), pass);
        request.wait = left();
        std::expected<LockGuard, LockError> guard;
        bool ended = false;
        try {
            guard = co_await lock->acquire(request, any.get_token());
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed || stop.stop_requested()) throw;
            ended = true;
        }
        if (ended) continue;
        if (!guard || !*guard) co_return guard;
        if (space->usable() == epoch && !core->closed()) co_return guard;
        // Granted by an engine that was left meanwhile: nobody may have seen it. Or nobody could give it back later.
        co_await guard->unlock();
    }
    co_return LockGuard();
}

} // namespace lockscope

namespace lockscope::detail {

std::expected<std::shared_ptr<DistributedLock>, LockError> ManagedCore::lockOf(std::int64_t epoch) {
    if (const auto known = locks.find(epoch); known != locks.end()) return known->second;
    auto made = space->makeLock(name);
    if (!made) return std::unexpected(made.error());
    std::shared_ptr<DistributedLock> lock = *std::move(made);
    locks.emplace(epoch, lock);
    lock->listen(listener);
    return lock;
}

QCoro::Task<> ManagedCore::loseBefore(std::shared_ptr<ManagedCore> core, std::int64_t epoch) {
    // All are told before the first server is asked.
    std::vector<std::shared_ptr<DistributedLock>> old;
    for (const auto& [of, lock] : core->locks) {
        if (of < epoch) old.push_back(lock);
    }
    std::vector<QCoro::Task<>> giving;
    giving.reserve(old.size());
    for (const auto& lock : old)
        giving.push_back(lock->loseAll(QT_TRANSLATE_NOOP("Lock", "another engine is used for locks from now on")));
    for (const QCoro::Task<>& task : giving)
        co_await task;
}

} // namespace lockscope::detail
