// SPDX-License-Identifier: Apache-2.0
#include "trace/node.h"

namespace lockscope::trace {

bool isMasterRole(const QByteArray& role) {
    return role == "master" || role == "leader" || role == "primary";
}

void applyRole(NodeState& node, const Event& event, const QByteArray& name) {
    node.role = event.aux;
    node.follows = event.subject;
    node.wasReplica = node.wasReplica || name == "replica";
    node.copiesNobody = (event.flags & kCopiesNobody) != 0;
    node.lag = -1;
    node.candidate = node.candidate && !isMasterRole(name);
}

void applyLag(NodeState& node, const Event& event) {
    if (event.subject != kNoEntity) node.follows = event.subject;
    node.lag = event.value < 0 ? -1 : event.value;
    node.lagUnit = (event.flags & kLagUnitMask) == unsigned(LagUnit::Bytes) ? LagUnit::Bytes : LagUnit::Time;
}

} // namespace lockscope::trace
