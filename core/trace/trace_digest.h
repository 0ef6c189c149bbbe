// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/columns.h"

#include <memory>

namespace lockscope::trace {

/// The digest of a trace, taken piece by piece, so that its rows need not be in memory together: first all its names,
/// then all its rows.
class TraceDigest {
public:
    TraceDigest();
    ~TraceDigest();
    /// Adds the next name.
    void add(const Entity& entity);
    /// Adds the next rows, the first `count` of a chunk.
    void add(const Columns& rows, std::size_t count);
    /// 32 hex digits over all that was added (XXH3-128).
    QByteArray hex() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace lockscope::trace
