// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/detail/standard.h>

#include <chrono>
#include <concepts>

namespace lockscope {

// The standard's mutex requirements ([thread.req.lockable]) as concepts: std::lock_guard, std::unique_lock,
// std::scoped_lock and std::shared_lock require them of their mutex.

template <typename M>
concept BasicLockable = requires(M& mutex) {
    mutex.lock();
    mutex.unlock();
};

template <typename M>
concept Lockable = BasicLockable<M> && requires(M& mutex) {
    { mutex.try_lock() } -> std::convertible_to<bool>;
};

template <typename M>
concept TimedLockable = Lockable<M> &&
    requires(M& mutex, std::chrono::milliseconds wait, std::chrono::steady_clock::time_point until,
             std::chrono::system_clock::time_point untilWall) {
    { mutex.try_lock_for(wait) } -> std::convertible_to<bool>;
    { mutex.try_lock_until(until) } -> std::convertible_to<bool>;
    { mutex.try_lock_until(untilWall) } -> std::convertible_to<bool>;
};

template <typename M>
concept SharedLockable = requires(M& mutex) {
    mutex.lock_shared();
    mutex.unlock_shared();
    { mutex.try_lock_shared() } -> std::convertible_to<bool>;
};

template <typename M>
concept SharedTimedLockable = SharedLockable<M> &&
    requires(M& mutex, std::chrono::milliseconds wait, std::chrono::steady_clock::time_point until,
             std::chrono::system_clock::time_point untilWall) {
    { mutex.try_lock_shared_for(wait) } -> std::convertible_to<bool>;
    { mutex.try_lock_shared_until(until) } -> std::convertible_to<bool>;
    { mutex.try_lock_shared_until(untilWall) } -> std::convertible_to<bool>;
};

} // namespace lockscope
