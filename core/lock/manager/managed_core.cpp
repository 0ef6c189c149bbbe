// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/managed_core.h"

#include "lock/manager/namespace.h"

#include <QCoreApplication>

namespace lockscope::detail {

ManagedCore::Place ManagedCore::placeFor(const LockRequest& request) const {
    Place place;
    place.epoch = space->usable();
    const auto [held, lock] = heldBy(request.thread, request.mode);
    place.reentry = lock && lock->recipe().reentrant && request.mode != Mode::Permit;
    if (place.epoch > 0 || !place.reentry) return place;
    // While an engine is being left, only a thread that already holds the lock there may take it again: it has to get
    // through its work to release it.
    place.until = space->holdsUntil(held);
    if (place.until > space->runtime().monotonic()) place.epoch = held;
    return place;
}

template <typename T>
ManagedCore::Outcome<T> ManagedCore::take(std::shared_ptr<ManagedCore> core, LockRequest request, std::stop_token stop,
                                          std::shared_ptr<Hold> again) {
    const std::shared_ptr<Namespace> space = core->space;
    Runtime& runtime = space->runtime();
    const Nanos until = laterBy(runtime.monotonic(), request.wait);
    if (const Nanos most = space->config().options.lease; request.lease && *request.lease > most) {
        co_return std::unexpected(LockError{
            LockError::Kind::Refused,
            QCoreApplication::translate("LockManager", "A lease of its own can be no longer than those of “%1”, %2 s: "
                                                       "a switch of its engine waits for as long as that.")
                .arg(QString::fromUtf8(space->config().name))
                .arg(std::chrono::duration<double>(most).count())});
    }
    const auto left = [&](Nanos end) { return end == kNever ? kNever : std::max(Nanos(0), end - runtime.monotonic()); };
    while (!core->closed() && !space->stopped()) {
        const Place place = core->placeFor(request);
        if (place.epoch == 0) {
            if (left(until) == Nanos(0)) break;
            co_await space->changed(left(until), stop);
            continue;
        }
        const auto made = core->lockOf(place.epoch);
        if (!made) co_return std::unexpected(made.error());
        const Lock& lock = *made; // kept until this has ended
        // The wait on this engine ends with the caller's stop, with the lock object, or when the engine is left: then
        // it goes on at the next one.
        std::stop_source any;
        const auto pass = [&any] { any.request_stop(); };
        const std::stop_callback onStop(stop, pass);
        const std::stop_callback onLeaving(place.until == kNever ? space->whileIn() : std::stop_token(), pass);
        const std::stop_callback onClosing(core->closing.get_token(), pass);
        request.wait = left(std::min(until, place.until));
        std::expected<LockCore::Taken, LockError> taken;
        bool ended = false;
        try {
            taken = co_await LockCore::take<LockCore::Taken>(lock->m_core, request, any.get_token(), again);
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed || stop.stop_requested()) throw;
            ended = true;
        }
        if (ended) continue;
        if (!taken) co_return std::unexpected(taken.error());
        if (!taken->hold && place.until < until) continue; // too late for this engine only
        if (!taken->hold) break;
        const bool inUse =
            space->usable() == place.epoch || (place.reentry && runtime.monotonic() < space->holdsUntil(place.epoch));
        if (inUse && !core->closed()) co_return LockCore::made<T>(lock->m_core, taken->hold);
        // The engine was left meanwhile, so the grant does not count; or the lock object is gone, and nothing could
        // release it later.
        co_await LockCore::giveUp(lock->m_core, taken->hold, true);
    }
    co_return LockCore::made<T>(nullptr, nullptr);
}

template ManagedCore::Outcome<bool> ManagedCore::take<bool>(std::shared_ptr<ManagedCore>, LockRequest, std::stop_token,
                                                            std::shared_ptr<Hold>);
template ManagedCore::Outcome<LockGuard> ManagedCore::take<LockGuard>(std::shared_ptr<ManagedCore>, LockRequest,
                                                                      std::stop_token, std::shared_ptr<Hold>);

template ManagedCore::Outcome<LockCore::Taken> ManagedCore::take<LockCore::Taken>(std::shared_ptr<ManagedCore>,
                                                                                  LockRequest, std::stop_token,
                                                                                  std::shared_ptr<Hold>);

std::expected<ManagedCore::Lock, LockError> ManagedCore::lockOf(std::int64_t epoch) {
    if (const auto known = locks.find(epoch); known != locks.end()) return known->second;
    auto made = space->makeLock(name, permits);
    if (!made) return std::unexpected(made.error());
    Lock lock = *std::move(made);
    lock->m_core->engineUntil = space->believedUntil();
    locks.emplace(epoch, lock);
    lock->listen(listener);
    return lock;
}

std::expected<ManagedCore::Lock, LockError> ManagedCore::lockInUse() {
    const std::int64_t epoch = space->usable();
    if (epoch == 0) return std::unexpected(space->notInUse());
    return lockOf(epoch);
}

std::pair<std::int64_t, ManagedCore::Lock> ManagedCore::heldBy(const Thread& thread, Mode mode) const {
    for (auto one = locks.rbegin(); one != locks.rend(); ++one) {
        if (one->second->holdCount(thread, mode) > 0) return *one;
    }
    return {};
}

std::shared_ptr<Hold> ManagedCore::goneFrom(const Thread& thread, Mode mode) const {
    for (auto one = locks.rbegin(); one != locks.rend(); ++one) {
        if (auto hold = one->second->m_core->findOrGone(thread, mode)) return hold;
    }
    return nullptr;
}

QCoro::Task<> ManagedCore::loseBefore(std::shared_ptr<ManagedCore> core, std::int64_t epoch, const char* reason,
                                      LockCore::Pause pause) {
    // All holders are told before the first release is sent.
    std::vector<Lock> old;
    for (const auto& [of, lock] : core->locks) {
        if (of < epoch) old.push_back(lock);
    }
    std::vector<QCoro::Task<>> giving;
    giving.reserve(old.size());
    for (const auto& lock : old)
        giving.push_back(LockCore::loseAll(lock->m_core, reason, pause));
    for (const QCoro::Task<>& task : giving)
        co_await task;
}

} // namespace lockscope::detail
