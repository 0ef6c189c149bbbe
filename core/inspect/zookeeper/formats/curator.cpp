// SPDX-License-Identifier: Apache-2.0
// Curator's locks: _c_<uuid>-lock-<number>, __READ__ and __WRIT__, -latch-; and its semaphore's `locks` and `leases`.
#include "inspect/zookeeper/formats.h"
#include "inspect/zookeeper/queue_rows.h"

#include <algorithm>

namespace lockscope::inspect {

using recipes::ZkFamily;

std::vector<LockRow> readCurator(const SeenNode& node) {
    const std::set<ZkFamily> families = node.families();
    if (families.size() != 1) return {};
    switch (*families.begin()) {
    case ZkFamily::Curator:
        return {zkQueueRow(node, "curator-mutex")};
    case ZkFamily::ReadWrite:
        return {zkQueueRow(node, "curator-rw")};
    case ZkFamily::Latch:
        return {zkQueueRow(node, "curator-latch")};
    default:
        return {};
    }
}

namespace {

/// A counter of Curator's (SharedCount) or a directory may lie beside them; then their own children must tell.
bool isSemaphore(const SeenNode& node) {
    if (!node.locks || !node.leases) return false;
    if (node.children.size() == 2) return true;
    const std::set<ZkFamily> locks = node.locks->families(), leases = node.leases->families();
    const auto isOnly = [](const std::set<ZkFamily>& all, ZkFamily one) {
        return all.empty() || all == std::set<ZkFamily>{one};
    };
    return locks.size() + leases.size() > 0 && isOnly(locks, ZkFamily::Curator) && isOnly(leases, ZkFamily::Lease);
}

} // namespace

// Every lease holds, but for the newest ones of the contender that is first in `locks`: it adds its leases and then
// waits until there are few enough. The server does not store how many that is.
std::vector<LockRow> readCuratorSemaphore(const SeenNode& node) {
    if (!isSemaphore(node)) return {};
    LockRow row = zkRow(node, "curator-semaphore");
    row.mode = "permit";
    const SeenChild* first = node.locks->children.empty() ? nullptr : &node.locks->children.front();
    std::vector<Party> waiters;
    for (const SeenChild& place : node.locks->children) {
        Party waiter = zkParty(place, "permit");
        waiter.position = int(waiters.size());
        waiters.push_back(std::move(waiter));
    }
    for (const SeenChild& lease : node.leases->children) {
        const bool asked = first && first->stat && lease.stat && lease.stat->czxid > first->stat->czxid &&
                           lease.stat->ephemeralOwner == first->stat->ephemeralOwner;
        if (asked) continue;
        row.holders.push_back(zkHolder(*node.leases, lease, "permit"));
        addEntry(row, *node.leases, lease);
    }
    row.state =
        row.holders.empty() ? (waiters.empty() ? LockRow::State::Free : LockRow::State::Queued) : LockRow::State::Held;
    row.neverExpires = std::ranges::any_of(row.holders, &Party::neverExpires);
    row.waiterCount = std::int64_t(waiters.size());
    row.waiters = std::move(waiters);
    addRaw(row, *node.locks);
    addRaw(row, *node.leases);
    return {std::move(row)};
}

} // namespace lockscope::inspect
