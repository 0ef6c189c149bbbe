// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QString>
#include <expected>
#include <optional>
#include <set>
#include <vector>

namespace lockscope::recipes {

/// Whose children's names these are: what libraries leave below a lock's path.
enum class ZkFamily : std::uint8_t {
    Curator,        ///< _c_<uuid>-lock-<number>
    GoZooKeeper,    ///< _c_<32 hex>-lock-<number>
    Kazoo,          ///< <32 hex>__lock__<number>; also the writers of kazoo's read/write lock
    Menagerie,      ///< lock-<number>; zk-sequential's own
    ReadWrite,      ///< Curator's _c_<uuid>-__READ__<number>, -__WRIT__
    Lease,          ///< of Curator's semaphore: _c_<uuid>-lease-<number>
    Semaphore,      ///< `locks` and `leases`: of Curator's semaphore
    Condition,      ///< condition-<number>: Menagerie's waiters for a signal; no contenders
    KazooReadWrite, ///< <32 hex>__rlock__<number>: its readers; its writers are named as Kazoo
    KazooLease,
    MenagerieReadWrite,
    Latch,    ///< Curator's leader latch
    ZkRecipe, ///< x-<session>-<number>, of ZooKeeper's own recipes
    ZkPage,   ///< <anything>-lock-<number>, as ZooKeeper's documentation has it
    // What has no children of its own kind, but is a lock by its path's own node:
    ShedLock,       ///< a lasting node that says until when it is locked
    KazooSemaphore, ///< its path says how many permits there are; its children have no number
    Ephemeral,      ///< the node is a session's: zk-ephemeral's own
    Unknown,
};

/// A child of a lock's path, read.
struct ZkChild {
    QByteArray name;
    QByteArray number; ///< ten digits as they stand: every library compares them as text; empty: it has none
    ZkFamily family = ZkFamily::Unknown;
    bool writes = true; ///< false: a reader
};

/// A child by its name; ZkFamily::Unknown for one that nobody is known to write.
ZkChild readZkChild(const QByteArray& name);
/// "Curator", "kazoo", …: for people.
QString familyName(ZkFamily family);
/// All children, those without a number first, then by number.
std::vector<ZkChild> readZkChildren(const std::vector<QByteArray>& names);
/// Whose a path's node is by what it contains; nullopt: nobody's who is known. Most are empty, and some libraries write
/// their host's address into all that they make.
std::optional<ZkFamily> familyOfData(const QByteArray& data);
/// Which families there are, conditions left out.
std::set<ZkFamily> familiesOf(const std::vector<ZkChild>& children);

} // namespace lockscope::recipes
