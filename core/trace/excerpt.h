// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"

namespace lockscope::trace {

/// The end of a growing trace, from an instant on, as a trace of its own: its time begins at 0 there. Its first rows
/// say how the world was at that instant; since when it was so is not kept. All names are kept, so that ids mean the
/// same in both. Belongs to one thread, which is the new trace's writer; others may read it.
class Excerpt {
public:
    /// Precondition: `from` is not below 0.
    Excerpt(std::shared_ptr<const Trace> source, Nanos from);
    /// Copies the rows and names that the source has got since.
    void follow();
    std::shared_ptr<const Trace> trace() const { return m_trace; }

private:
    void open(const State& state);
    void openRecord(EntityId lock, const Record& record);
    void put(EventKind kind, EntityId actor, EntityId subject, std::int64_t value = 0, std::uint32_t aux = 0,
             std::uint8_t flags = 0);
    void copyNames();
    /// An instant of the source as one of the excerpt; negative ones mean something else, and stay.
    std::int64_t instant(std::int64_t of) const { return of < 0 ? of : std::max<std::int64_t>(of - m_from.count(), 0); }

    std::shared_ptr<const Trace> m_source;
    std::shared_ptr<Trace> m_trace = std::make_shared<Trace>();
    Nanos m_from;
    std::size_t m_row; ///< of the source: the next one to copy
};

} // namespace lockscope::trace
