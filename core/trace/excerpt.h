// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/bulk_loader.h"
#include "trace/event_shift.h"
#include "trace/state.h"

#include <map>

namespace lockscope::trace {

/// The end of a growing trace, from an instant on, as a trace of its own: its time begins at 0 there. Its first rows
/// say how the world was at that instant; since when it was so is not kept. All names are kept, so that ids mean the
/// same in both. Belongs to one thread, which is the new trace's writer; others may read it.
class Excerpt {
public:
    /// Precondition: `from` is not below 0.
    Excerpt(std::shared_ptr<const Trace> source, Nanos from);
    /// A watch whose times stay as they are, and whose beginning is left out: until `from` no server is in sight of the
    /// observer, for the reason that `why` tells. Precondition: both are entities of the source.
    struct LeftOut {
        EntityId observer, why;
    };
    Excerpt(std::shared_ptr<const Trace> source, Nanos from, LeftOut beginning);
    /// Copies the rows and names that the source has got since.
    void follow();
    /// The source goes on in another trace, with equal times and ids, from this row of it on.
    void goOnIn(std::shared_ptr<const Trace> source, std::size_t row);
    std::shared_ptr<const Trace> trace() const { return m_trace; }
    /// When the excerpt's time begins, by the source's.
    Nanos begins() const { return m_begins; }
    /// How many of its rows say how the world was at the beginning: what happened comes after them.
    std::size_t openingRows() const { return m_opening; }
    /// Rows before this one leave memory: nobody may ask for them any more.
    void forget(std::size_t row) { BulkLoader::forget(*m_trace, row); }
    /// For a new writer: from then on this excerpt must not follow any more.
    std::shared_ptr<Trace> takeTrace() { return m_trace; }

private:
    void open(const State& state);
    /// The slots that a cluster's members have: no state keeps them.
    void openSlots();
    void openRecord(EntityId lock, const Record& record);
    void put(EventKind kind, EntityId actor, EntityId subject, std::int64_t value = 0, std::uint32_t aux = 0,
             std::uint8_t flags = 0);
    void copyNames();
    /// An instant of the source as one of the excerpt; negative ones mean something else, and stay.
    std::int64_t instant(std::int64_t of) const { return shiftedInstant(of, m_begins); }

    std::shared_ptr<const Trace> m_source;
    std::shared_ptr<Trace> m_trace = std::make_shared<Trace>();
    Nanos m_from;                                                  ///< of the source
    Nanos m_begins;                                                ///< when the excerpt's time begins, by the source's
    std::map<std::pair<EntityId, EntityId>, std::int64_t> m_begun; ///< holds that were seen to begin, before a LeftOut
    std::size_t m_row;                                             ///< of the source: the next one to copy
    std::size_t m_opening = 0;
};

/// From when on a trace tells all that happened: not from 0 where its beginning was left out (Excerpt::LeftOut).
Nanos keptFrom(const Trace& trace);

} // namespace lockscope::trace
