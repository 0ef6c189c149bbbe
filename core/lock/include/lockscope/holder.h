// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/detail/standard.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace lockscope {

/// How a lock is held.
enum class LockMode : std::uint8_t {
    Exclusive,
    Shared, ///< a reader, beside other readers
    Permit, ///< some of a semaphore's permits
};

/// A holder of a lock, as the server reports it. An empty field means that the lock's format does not say it: not
/// known, not "none".
struct Holder {
    std::string client = {}; ///< the holder's Client::identity(), or what another library writes there; on etcd the
                             ///< number of its lease, in hexadecimal: the key's format has nothing else
    std::string thread = {}; ///< the holder's thread within its client, a decimal number
    LockMode mode = LockMode::Exclusive;
    /// When the hold began, by the server's clock: only ZooKeeper tells, and only of one who had nobody before it.
    std::optional<std::chrono::system_clock::time_point> since = std::nullopt;
    /// The time left of the holder's lease by the server's clock, if the holder does not renew it.
    std::optional<std::chrono::nanoseconds> left = std::nullopt;
    std::optional<std::int64_t> token = std::nullopt; ///< its fencing token
};

} // namespace lockscope
