// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"
#include "recipes/redlock/ballot.h"
#include "recipes/redlock/nodes.h"

namespace lockscope::recipes {

/// One lock's key and value on all nodes.
struct Stake {
    std::shared_ptr<RedlockNodes> nodes;
    QByteArray name;
    QByteArray value;
    Nanos endsBy{}; ///< own monotonic clock: by then the servers have forgotten the key
};

// Each of these asks one node and casts its vote. They run on their own and may end long after the vote was decided.

/// SET NX PX.
QCoro::Task<> setAt(Stake stake, std::size_t node, QByteArray lease, std::shared_ptr<Ballot> votes);
/// Compares the value and extends the key.
QCoro::Task<> extendAt(Stake stake, std::size_t node, QByteArray lease, std::shared_ptr<Ballot> votes);
/// Compares the value and deletes the key; repeats until there is an answer, or the key has expired. `set`: the votes
/// of a setAt() that may still be in flight to the same node; nullptr: none.
QCoro::Task<> undoAt(Stake stake, std::size_t node, std::shared_ptr<Ballot> set, std::shared_ptr<Ballot> votes);
/// Errors about keys that no lock of this kind can have written.
using Foreign = std::vector<LockError>;
/// Deletes the key, whoever wrote it, if its value is a lock's. Yes when it was there; no when nothing was there, or
/// foreign data, which is left alone.
QCoro::Task<> forceAt(std::shared_ptr<RedlockNodes> nodes, std::size_t node, QByteArray name,
                      std::shared_ptr<Ballot> votes, std::shared_ptr<Foreign> foreign);
/// The values of the lock's key by node; empty: no key, or no answer yet.
using Values = std::vector<QByteArray>;
/// Reads the key and changes nothing. Yes when it is a string.
QCoro::Task<> lookAt(std::shared_ptr<RedlockNodes> nodes, std::size_t node, QByteArray name,
                     std::shared_ptr<Ballot> votes, std::shared_ptr<Values> values, std::shared_ptr<Foreign> foreign);
/// Sends any command; yes when the reply equals `yes`, or for any reply when `yes` is nil.
QCoro::Task<> askAt(std::shared_ptr<RedlockNodes> nodes, std::size_t node, redis::Args command, redis::Reply yes,
                    std::shared_ptr<Ballot> votes);

} // namespace lockscope::recipes
