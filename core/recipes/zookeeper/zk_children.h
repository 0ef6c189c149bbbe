// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QString>
#include <expected>
#include <optional>
#include <set>
#include <vector>

namespace lockscope::recipes {

/// The library that a child's name under a lock's path belongs to, by its format.
enum class ZkFamily : std::uint8_t {
    Curator,        ///< _c_<uuid>-lock-<number>
    GoZooKeeper,    ///< _c_<32 hex>-lock-<number>
    Kazoo,          ///< <32 hex>__lock__<number>; also the writers of kazoo's read/write lock
    Menagerie,      ///< lock-<number>; zk-sequential's own
    ReadWrite,      ///< Curator's _c_<uuid>-__READ__<number>, -__WRIT__
    Lease,          ///< Curator's semaphore: _c_<uuid>-lease-<number>
    Semaphore,      ///< Curator's semaphore: `locks` and `leases`
    Condition,      ///< condition-<number>: Menagerie's waiters for a signal; not contenders
    KazooReadWrite, ///< <32 hex>__rlock__<number>: readers; the writers are named as Kazoo's
    KazooLease,
    MenagerieReadWrite,
    Latch,    ///< Curator's leader latch
    ZkRecipe, ///< x-<session>-<number>, as ZooKeeper's own recipes
    ZkPage,   ///< <anything>-lock-<number>, as ZooKeeper's documentation has it; shared: read-<number>, write-<number>
    // Families that have no children of their own kind, but mark the path's own node:
    ShedLock,       ///< a permanent node that says until when it is locked
    KazooSemaphore, ///< the path says how many permits there are; its children have no number
    Ephemeral,      ///< the node belongs to a session: zk-ephemeral's own
    Unknown,
};

/// A child of a lock's path, parsed.
struct ZkChild {
    QByteArray name;
    ZkFamily family = ZkFamily::Unknown;
    bool writes = true; ///< false: a reader
    std::uint8_t numberLength = 0;

    /// Ten digits as text, because every library compares them as text; empty: no number. A view of the name.
    QByteArrayView number() const { return QByteArrayView(name).last(numberLength); }
};

/// Parses a child's name; ZkFamily::Unknown when no known library writes such names.
ZkChild readZkChild(const QByteArray& name);
/// "Curator", "kazoo", …: for display.
QString familyName(ZkFamily family);
/// Parses all children: those without a number first, then by number.
std::vector<ZkChild> readZkChildren(const std::vector<QByteArray>& names);
/// The family of a path's node by its content; nullopt: no known one. Most nodes are empty, and some libraries write
/// their host's address into every node.
std::optional<ZkFamily> familyOfData(const QByteArray& data);
/// "client:thread" in the data of a node that Lockscope wrote; empty: another library wrote it.
QByteArray zkOwnerIn(const QByteArray& data);
/// The families present, conditions left out.
std::set<ZkFamily> familiesOf(const std::vector<ZkChild>& children);

} // namespace lockscope::recipes
