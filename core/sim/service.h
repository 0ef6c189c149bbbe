// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/server.h"

#include <QString>
#include <expected>

namespace lockscope::sim {

/// The meaning of a plain string under a lock's key.
enum class Strings : std::uint8_t {
    AreLocks,     ///< the lock, held
    CountPermits, ///< a semaphore's number of free permits
};

/// One or several simulated servers that are one thing to their clients. Knows which of them decide what the record
/// says.
class Service {
public:
    virtual ~Service() = default;

    /// All servers, in the order of their numbers.
    virtual std::vector<Server*> servers() const = 0;
    /// A server by its id, or by its present role ("master", "replica[1]", "sentinel[0]"); nullptr: there is none.
    virtual Server* find(const QString& target) const = 0;
    /// The URL that clients use.
    virtual QString url() const = 0;

    virtual trace::EntityId lockEntity(const QByteArray& lockName) = 0;
    /// The lock's record is written to the trace. `keys`: what on the servers says who holds it.
    virtual void watch(const QByteArray& lockName, std::vector<QByteArray> keys, Strings strings) = 0;
    /// Asks for a failover, as an operator would. The complaint is a sentence: why nobody begins one.
    virtual std::expected<void, QString> failOver(const Server& master) = 0;
    /// Frees a lock as an operator would.
    virtual void forceRelease(const QByteArray& lockName) = 0;
    /// The work that its servers have done so far: a measure of cost that is equal on every machine.
    virtual std::uint64_t steps() const = 0;
};

} // namespace lockscope::sim
