// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/detail/standard.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace lockscope::blocking {

namespace detail {
class Handle;
class Service;
struct Entry;
struct GuardBox;
} // namespace detail

/// Owns one hold of a lock, or some permits of a semaphore, independently of threads: any thread may give it back. The
/// destructor does so, or unlock() sooner. Movable; empty when nothing was taken. May outlive its lock object. Several
/// threads must not use one object at once.
///
///     Hold hold = orders.acquire();
///     pool.run([hold = std::move(hold)]() mutable {
///         const std::stop_callback end(hold.lost(), [] { cancelTheWork(); });
///         ship(hold.token());
///     });                                       // given back here, by the pool's thread
class [[nodiscard]] Hold {
public:
    Hold() = default;
    Hold(Hold&&) noexcept = default;
    /// Gives back the hold that this object had before, as its destructor does.
    Hold& operator=(Hold&& other) noexcept;
    /// Calls unlock(); a failure goes to the log handler.
    ~Hold();

    /// True from the grant until unlock(), even when the hold was lost meanwhile.
    explicit operator bool() const { return m_box != nullptr; }
    /// False once lost or past the deadline. Compares clocks, does not ask the server.
    bool stillMine() const;
    /// Stopped when the hold is lost, not when it is given back; its callbacks run on the service thread and must not
    /// block. A token of an empty object is never stopped. Remains valid after this object.
    std::stop_token lost() const;
    /// Time left unless renewed, by the local clock. 0 when empty or lost; nanoseconds::max() when nothing ends it.
    /// Does not ask the server.
    std::chrono::nanoseconds remaining() const;
    /// The fencing token, to send with each write; 0 = none: permits, a MultiLock and an empty object have none.
    std::int64_t token() const;
    /// The tokens of a MultiLock's parts, in their order; with other locks the one of token(). Asks the service thread.
    /// Empty for an empty object.
    std::vector<std::int64_t> tokens() const;
    /// Asks the server to keep the hold for `lease` from now; otherwise as Mutex::extend().
    void extend(std::chrono::nanoseconds lease);
    /// Gives the hold back; the object is empty afterwards. Throws NotOwnerException when it was lost, other
    /// LockExceptions when the server does not answer.
    void unlock();
    /// How many permits of a semaphore it owns; 1 of another lock, 0 when empty.
    int permits() const;
    /// Gives some of its permits back and keeps the others; the object is empty when none is left. Throws
    /// RefusedException for fewer than one or more than it has, otherwise as unlock(). After any other exception, too,
    /// those permits are not its own any more.
    void release(int permits);

private:
    friend class detail::Handle;
    std::shared_ptr<detail::Entry> m_entry; ///< destroyed last: the release needs it
    std::shared_ptr<detail::Service> m_service;
    std::shared_ptr<detail::GuardBox> m_box;
};

} // namespace lockscope::blocking
