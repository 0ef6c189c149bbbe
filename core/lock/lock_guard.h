// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/hold_view.h"
#include "recipes/recipe.h"

namespace lockscope {

namespace detail {
struct LockCore;
struct Hold;
} // namespace detail

/// Owns one hold: the destructor gives it back, or unlock() sooner. Movable; empty when it holds nothing. Once its lock
/// object is destroyed it gives nothing back. Single-threaded, on its runtime's thread.
class LockGuard {
public:
    LockGuard() = default;
    LockGuard(LockGuard&&) noexcept = default;
    /// Gives back the hold that this guard had before, as its destructor does.
    LockGuard& operator=(LockGuard&& other) noexcept;
    /// Gives the hold back in the background. A failure goes to the lock's listener as HoldEvent::ReleaseFailed, or to
    /// the log handler when there is none. To see the result, and to be sure that the next holder may go on,
    /// use `co_await unlock()`. The release keeps the parts of lock and connection that it needs. The runtime, its
    /// event loop and a trace's recorder must live until it has ended, which is within the backend's time-out. If the
    /// runtime ends sooner, the hold ends with its lease, session or connection.
    ~LockGuard();
    LockGuard(const LockGuard&) = delete;
    LockGuard& operator=(const LockGuard&) = delete;

    /// True from the grant until unlock(), even when the hold was lost meanwhile.
    explicit operator bool() const { return m_hold != nullptr; }
    /// False once lost, given back, or past the deadline. Compares clocks, does not ask the server.
    bool stillMine() const;
    /// The fencing token to send with every write; 0 = none (no recipe support, or LockOptions::token is false). With a
    /// LockManager whose engine gives no token it is the epoch alone: equal for all holders on that engine, greater
    /// than every token of earlier engines.
    std::int64_t token() const;
    /// One token per part of a DistributedMultiLock, in their order, 0 = none; with other locks the one of token().
    /// Empty for an empty guard.
    std::vector<std::int64_t> tokens() const;
    /// Time left by the local clock; 0 when no longer held, kNever when nothing ends it.
    Nanos remaining() const;
    /// Stopped when the hold is lost, not when it is given back: for work that should end with a loss.
    std::stop_token lost() const;
    /// A view of the hold that other threads of this program may read, also after its end; nullptr for an empty guard.
    std::shared_ptr<const HoldView> view() const;
    /// AnyLock::extend for this hold. Kind::NotOwner for an empty guard.
    recipes::Outcome<void> extend(Nanos lease);
    /// Gives the hold back; returns the holds that its thread has left. Kind::NotOwner when it was lost. The guard is
    /// empty afterwards, even after an error.
    recipes::Outcome<int> unlock();
    /// How many permits it owns: 1 of a lock that is no semaphore, 0 when empty.
    int permits() const;
    /// Gives some of its permits back and keeps the others; returns how many it has left. All of them: as unlock().
    /// Kind::Refused for fewer than one or more than it has. After any other error, too, those are not its own any
    /// more: the server frees them as after a failed unlock().
    recipes::Outcome<int> release(int permits);

private:
    friend struct detail::LockCore;
    LockGuard(std::shared_ptr<detail::LockCore> core, std::shared_ptr<detail::Hold> hold);
    std::shared_ptr<detail::LockCore> keeper() const;
    std::shared_ptr<detail::LockCore> m_core;
    std::shared_ptr<detail::Hold> m_hold;
};

} // namespace lockscope
