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

/// A holder of a lock, or of one permit of a semaphore, as the server reports it. An empty field means that the lock's
/// format does not say it: not known, not "none". Lockscope never guesses:
///
///     recipe                                     client   since           left     token
///     redis-set, redis-reentrant, redis-fenced   yes      –               yes      yes
///     redis-fair, redis-rw                       yes      –               yes      –
///     redis-semaphore                            –        –               yes      –
///     zk-mutex, zk-sequential, zk-rw             yes      while alone     –        yes
///     zk-semaphore                               yes      the newest      –        –
///     zk-ephemeral                               yes      yes             –        yes
///     etcd-lease                                 a lease  –               –        yes
///     sql-lease                                  yes      yes             yes      yes
///     sql-row                                    yes      yes             –        –
///     memcached-lease                            yes      –               –        –
///
/// With all other recipes holder() throws NotSupportedException.
struct Holder {
    std::string client = {}; ///< the holder's Client::identity(), or what another library writes there; on etcd the
                             ///< number of its lease, in hexadecimal: the key's format has nothing else
    std::string thread = {}; ///< the holder's thread within its client, a decimal number
    LockMode mode = LockMode::Exclusive;
    /// When the hold began, by the server's clock. Databases write it into the row. ZooKeeper knows when the holder
    /// began to wait, which is that instant if nobody was before it, as far as nobody has come or gone since. Redis,
    /// etcd and memcached keep only an end, and each renewal moves it.
    std::optional<std::chrono::system_clock::time_point> since = std::nullopt;
    /// The time left of the holder's lease by the server's clock, if the holder does not renew it.
    std::optional<std::chrono::nanoseconds> left = std::nullopt;
    std::optional<std::int64_t> token = std::nullopt; ///< its fencing token
    std::string permit = {}; ///< with LockMode::Permit: the permit's id on the server, hexadecimal or a node's name
};

} // namespace lockscope
