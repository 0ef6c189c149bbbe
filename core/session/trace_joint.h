// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <QObject>

namespace lockscope::session {

/// How a session's trace goes on in another one, since the beginning took too much memory: the new one has the end of
/// the former one, at equal times and with equal ids, and then what comes.
struct TraceJoint {
    std::weak_ptr<const trace::Trace> before; ///< complete: nobody writes it any more
    std::size_t row = 0;                      ///< of the new trace: the first one that the former one does not have
    /// Whether `trace` is the former one.
    bool isBefore(const std::shared_ptr<const trace::Trace>& trace) const { return trace && before.lock() == trace; }
};

/// A session whose trace goes on so. An interface of its own, since most sessions have one trace to their end.
class JoinedTraces {
public:
    virtual ~JoinedTraces() = default;
    /// The last joint, if there was one. Session::traceReplaced() tells of each.
    virtual TraceJoint traceJoint() const = 0;
};

} // namespace lockscope::session

Q_DECLARE_INTERFACE(lockscope::session::JoinedTraces, "lockscope.session.JoinedTraces/1")

namespace lockscope::session {

/// The first row of the session's trace that `before` does not have; nullopt: it does not go on from that one.
inline std::optional<std::size_t> rowAfter(const std::shared_ptr<const trace::Trace>& before, QObject* session) {
    const auto* const joined = qobject_cast<JoinedTraces*>(session);
    if (!joined) return std::nullopt;
    const TraceJoint joint = joined->traceJoint();
    return joint.isBefore(before) ? std::optional(joint.row) : std::nullopt;
}

} // namespace lockscope::session
