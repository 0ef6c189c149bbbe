// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

#include <map>
#include <optional>

namespace lockscope::trace {

/// How long holds lasted that were seen from their beginning to their end, by the servers' record.
class SeenHolds {
public:
    /// Whether take() needs rows of this kind.
    static bool needs(EventKind kind);
    /// Takes the next row of a trace. The length of the hold that ends with it; nullopt: none ends, or nobody saw it
    /// begin, or the lock was out of sight meanwhile.
    std::optional<Nanos> take(const Event& event);

private:
    std::map<EntityId, std::int64_t> m_since; ///< by the lock
};

} // namespace lockscope::trace
