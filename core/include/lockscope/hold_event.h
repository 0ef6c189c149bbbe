// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/detail/standard.h>

#include <cstdint>

namespace lockscope {

/// An event of a hold, reported to the listeners of its lock.
enum class HoldEvent : std::uint8_t {
    Acquired,
    Reentered,
    Renewed,   ///< a renewal was confirmed; with a session: the connection is back and the hold was kept
    Lost,      ///< the hold is gone; `reason` says why
    Released,  ///< one hold was given up
    Suspended, ///< the server does not answer for the hold, which may still last; a Renewed or Lost follows
    /// A hold was given up here, but the server could not be told or no longer knew it; `reason` says which. This
    /// client no longer holds it; on the server, the rest of it ends with its lease, session or connection.
    ReleaseFailed,
    /// A blocking lock's timed wait ended while the server could not be asked; `reason` is the last error. The lock was
    /// not taken.
    WaitFailed,
};

} // namespace lockscope
