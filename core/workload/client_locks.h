// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/distributed_condition.h"

#include <QByteArrayList>
#include <vector>

namespace lockscope::workload {

/// The locks that a client's program uses in its present round. A list of several names stands for those locks taken as
/// one: all of them or none.
class ClientLocks {
public:
    /// One of them.
    struct Use {
        QByteArrayList names;
        std::unique_ptr<DistributedLock> lock;
        std::unique_ptr<DistributedCondition> condition = nullptr; ///< made when it is first waited for or signalled
        bool asking = false;                                       ///< it was asked for, and there is no answer yet
        Nanos since{}; ///< trace time: when it was asked for or granted last, whichever is the case now

        bool concerns(const QByteArray& name) const { return names.contains(name); }
        bool isHeld() const { return lock->isHeld(); }
    };
    /// Makes a lock; nullptr: it cannot be had.
    using Make = std::function<std::unique_ptr<DistributedLock>(const QByteArrayList& names)>;
    /// `now` is the trace's time.
    ClientLocks(Make make, std::function<Nanos()> now) : m_make(std::move(make)), m_now(std::move(now)) {}

    /// The lock of these names, made when this round first uses it; nullptr: it cannot be had.
    Use* of(const QByteArrayList& names);
    /// The lock of these names, if this round has used it; their order does not matter.
    Use* known(const QByteArrayList& names);
    void asks(Use& use);
    /// The round is over: locks of the next one are made anew, by the settings of then.
    void endRound() { m_uses.clear(); }
    const std::vector<std::unique_ptr<Use>>& all() const { return m_uses; }

private:
    Make m_make;
    std::function<Nanos()> m_now;
    std::vector<std::unique_ptr<Use>> m_uses; ///< in the order of their first use
};

} // namespace lockscope::workload
