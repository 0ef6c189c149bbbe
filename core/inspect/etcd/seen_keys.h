// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"
#include "ports/etcd/port.h"

#include <map>

namespace lockscope::inspect {

/// A lease as the server told it last.
struct SeenLease {
    EndsWithin ends;   ///< by our own wall clock; the server tells whole seconds
    bool gone = false; ///< the server has no such lease any more
    friend bool operator==(const SeenLease&, const SeenLease&) = default;
};

/// The keys below one name that may be a lock, with everything that tells which one it is.
struct SeenKeys {
    QByteArray name;
    std::vector<etcd::KeyValue> keys; ///< the oldest first, by creation revision
    /// The oldest key of all below the name, whatever it is: the server's own answer. Empty: not asked yet.
    QByteArray oldest;
    const std::map<std::int64_t, SeenLease>& leases;
    std::int64_t wallMs = 0; ///< the present in ms since 1970
};

/// The name of the lock that a key may belong to, which is a part of the key; nullopt: nothing about it says that it is
/// one.
std::optional<QByteArrayView> etcdLockOf(const etcd::KeyValue& key);

/// A lease as keys have it: hexadecimal, without leading zeros.
QByteArray leaseInHex(std::int64_t lease);

} // namespace lockscope::inspect
