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

    /// Frees the memory of rows before this one, whole chunks of them, and keeps the trace's last row: nobody may ask
    /// for the others any more. Names stay. Any thread may call it, one at a time.
    static void forget(Trace& trace, std::size_t row);
    /// The first row that was not forgotten.
    static std::size_t firstKept(const Trace& trace);

private:
    Trace& m_trace;
};

} // namespace lockscope::trace
