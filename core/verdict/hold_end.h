// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/chronicle.h"
#include "verdict/engine_change.h"

namespace lockscope::verdict {

/// The sentences on how one hold of a lock came to its end. Translated; empty where nothing is known of it.
class HoldEnd {
public:
    /// `length` of the violation: the longer it is, the coarser are the times. The chronicle and the trace
    /// are kept by reference.
    HoldEnd(const Chronicle& chronicle, trace::EntityId lock, Nanos length, const trace::Trace& trace);

    /// Why the lease was not renewed in time.
    QString cause() const;
    /// How its record ended, and who got the lock then.
    QString record() const;
    /// The client that got the lock last, where others had had it meanwhile.
    QString lastHeir() const;
    /// record() of a permit whose lease ended.
    QString permit() const;
    /// Until when its client thought that it held the lock, and what told it.
    QString belief() const;
    /// belief() without what told it.
    QString beliefAfterwards() const;

private:
    /// Its cut lasted for no time: connections ended, the hold with them, and new ones could be made at once.
    bool endedByReset() const;
    QString jumps(const std::vector<trace::Event>& all) const;
    QString drifts() const;
    QString leaseEnd(const QString& when, const QString& nextAt) const;
    /// The change of engines after which the successor got the lock, if the record had ended before; nullopt: none.
    std::optional<EngineChange> engineOfSuccessor() const;
    QString at(Nanos t) const;
    QString actor(trace::EntityId id) const;

    const Chronicle& m_c;
    trace::EntityId m_lock;
    Nanos m_length;
    const trace::Trace& m_trace;
};

} // namespace lockscope::verdict
