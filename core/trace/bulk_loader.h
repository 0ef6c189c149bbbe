// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/columns.h"

namespace lockscope::trace {

/// Fills a trace a chunk at a time: for loading recordings of millions of rows. It is the trace's one writer while it
/// lives; readers see each batch at once.
class BulkLoader {
public:
    explicit BulkLoader(Trace& trace) : m_trace(trace) {}

    /// Adds the next entity under the next id, also when an equal one is there already: ids of a recording are kept.
    void addEntity(const Entity& entity);

    /// Adds the first `count` rows (at most Columns::kRows) of a batch. Preconditions: times do not decrease, neither
    /// within the batch nor from the trace's last row to it.
    void append(const Columns& rows, std::size_t count);

private:
    Trace& m_trace;
};

} // namespace lockscope::trace
