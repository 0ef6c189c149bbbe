// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/hold_view.h"
#include "recipes/recipe.h"

namespace lockscope {

namespace detail {
struct LockCore;
struct Hold;
} // namespace detail

/// One hold, owned: given back when the guard goes, or sooner by unlock(). Movable; empty when nothing is held by it.
/// It gives nothing back once the lock that it came from is gone. Single-threaded, on its runtime's thread.
class LockGuard {
public:
    LockGuard() = default;
    LockGuard(LockGuard&&) noexcept = default;
    /// What this one held before is given back, as by its destructor.
    LockGuard& operator=(LockGuard&& other) noexcept;
    /// Gives the hold back in the background; what goes wrong with that is told to the lock's listener as
    /// HoldEvent::ReleaseFailed, or to the handler of onWarning() when there is none. `co_await unlock()` to
    /// know, and to be sure that the next holder may go on. The release keeps what it needs of the lock and of the
    /// connection; the runtime and its event loop, and a trace's recorder, must go on until it has ended, which is
    /// within the backend's time-out. A runtime that ends sooner leaves the hold to its lease, session or connection.
    ~LockGuard();
    LockGuard(const LockGuard&) = delete;
    LockGuard& operator=(const LockGuard&) = delete;

    /// True from its grant until unlock(): also when the hold was lost meanwhile.
    explicit operator bool() const { return m_hold != nullptr; }
    /// False once lost, given back, or past the own deadline; looks at the clock, not at the server.
    bool stillMine() const;
    /// The fencing token to send with every write, 0 = the recipe gives none. Of a LockManager's lock whose engine
    /// gives none it is the epoch alone: the same for all holders on that engine, greater than on any before.
    std::int64_t token() const;
    /// The tokens of a DistributedMultiLock's parts, in their order, 0 = that part gives none; of other locks the one
    /// that token() is. Empty of an empty guard.
    std::vector<std::int64_t> tokens() const;
    /// What is left by the own clock; 0 when it is no longer ours, kNever when nothing ends it.
    Nanos remaining() const;
    /// Stopped when the hold is lost, not when it is given back: for work that should end then.
    std::stop_token lost() const;
    /// What other threads of this program may look at while the hold lasts, and after it; nullptr of an empty guard.
    std::shared_ptr<const HoldView> view() const;
    /// Gives the hold back; the holds that its thread has left. Kind::NotOwner when it was lost. The guard is empty
    /// afterwards, whatever the outcome.
    recipes::Outcome<int> unlock();

private:
    friend struct detail::LockCore;
    LockGuard(std::shared_ptr<detail::LockCore> core, std::shared_ptr<detail::Hold> hold);
    std::shared_ptr<detail::LockCore> keeper() const;
    std::shared_ptr<detail::LockCore> m_core;
    std::shared_ptr<detail::Hold> m_hold;
};

} // namespace lockscope
