// SPDX-License-Identifier: Apache-2.0
#include "trace/member.h"

#include "trace/connection.h"

namespace lockscope::trace {

bool isMember(const Trace& trace, EntityId node) {
    const Entity& e = trace.entity(node);
    return e.kind == EntityKind::Node && e.other != kNoEntity && connectionOf(trace, node) != kNoEntity;
}

EntityId keeperOf(const Trace& trace, EntityId lock, EntityId decider) {
    const EntityId own = trace.entity(lock).parent;
    return own != kNoEntity && decider != kNoEntity && trace.entity(decider).other == own ? decider : own;
}

} // namespace lockscope::trace
