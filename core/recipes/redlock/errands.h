// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"
#include "recipes/redlock/ballot.h"
#include "recipes/redlock/nodes.h"

namespace lockscope::recipes {

/// One lock's key and value on all nodes: what the errands below are about.
struct Stake {
    std::shared_ptr<RedlockNodes> nodes;
    QByteArray name;
    QByteArray value;
    Nanos endsBy{}; ///< own monotonic clock: by then the servers have forgotten it
};

// Each asks one node and casts its vote. They live on their own and may end long after their question was decided.

/// SET NX PX.
QCoro::Task<> setAt(Stake stake, std::size_t node, QByteArray lease, std::shared_ptr<Ballot> votes);
/// Compare and extend.
QCoro::Task<> extendAt(Stake stake, std::size_t node, QByteArray lease, std::shared_ptr<Ballot> votes);
/// Compare and delete, and again until there is an answer or nothing left to delete. `set`: the votes of a setAt() that
/// may still be under way to the same node, or null.
QCoro::Task<> undoAt(Stake stake, std::size_t node, std::shared_ptr<Ballot> set, std::shared_ptr<Ballot> votes);
/// What a forced release has found that no lock of this kind can have written.
using Foreign = std::vector<LockError>;
/// Delete what stands there, whoever's it is, if it is a lock's value. Yes when it was there; no when nothing was, or
/// something that was left alone.
QCoro::Task<> forceAt(std::shared_ptr<RedlockNodes> nodes, std::size_t node, QByteArray name,
                      std::shared_ptr<Ballot> votes, std::shared_ptr<Foreign> foreign);
/// What stands on each node under a lock's name; empty: nothing, or no answer yet.
using Values = std::vector<QByteArray>;
/// Look what stands there, and change nothing. Yes when a string does.
QCoro::Task<> lookAt(std::shared_ptr<RedlockNodes> nodes, std::size_t node, QByteArray name,
                     std::shared_ptr<Ballot> votes, std::shared_ptr<Values> values, std::shared_ptr<Foreign> foreign);
/// Any one command; yes when it answers `yes`, or when any answer will do and `yes` is nil.
QCoro::Task<> askAt(std::shared_ptr<RedlockNodes> nodes, std::size_t node, redis::Args command, redis::Reply yes,
                    std::shared_ptr<Ballot> votes);

} // namespace lockscope::recipes
