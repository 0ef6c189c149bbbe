// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/columns.h"

namespace lockscope::trace {

/// Fills a trace one chunk at a time, to load recordings of millions of rows. It is the trace's only writer while it
/// exists; readers see each batch at once.
class BulkLoader {
public:
    explicit BulkLoader(Trace& trace) : m_trace(trace) {}

    /// Adds the next entity with the next id, even if an equal one exists: a recording's ids stay valid.
    void addEntity(const Entity& entity);

    /// Adds the first `count` rows (at most Columns::kRows) of a batch. Precondition: times do not decrease, neither
    /// within the batch nor from the trace's last row to it.
    void append(const Columns& rows, std::size_t count);

private:
    Trace& m_trace;
};

} // namespace lockscope::trace
