// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <vector>

namespace lockscope {

/// Calls by the instants at which they are due; those of one instant in the order in which they came.
///
/// Nearly all of them are time-outs of requests, which are called off a moment later. So that costs next to nothing:
/// the call is forgotten at once, and its entry is thrown away together with others.
class CallQueue {
public:
    using Callback = Runtime::Callback;
    using Id = Runtime::TimerId; ///< never 0

    /// A call at that instant; those of the same instant come in the order in which they were added.
    Id add(Nanos at, Callback callback);
    /// Does nothing when it was called or called off before.
    void cancel(Id id);
    /// When to look again; may be sooner than there is something due. kNever: there is nothing.
    Nanos next() const { return m_entries.empty() ? kNever : m_entries.front().at; }
    /// Takes the first of those that are due; empty when none is.
    Callback takeDue(Nanos now);

private:
    struct Entry {
        Nanos at;
        std::uint64_t order;
        Id id;
        bool operator>(const Entry& other) const { return at != other.at ? at > other.at : order > other.order; }
    };
    /// Where a call is kept; an id is a place and how often it has been used.
    struct Place {
        Callback callback; ///< empty: free
        std::uint32_t uses = 1;
    };
    Place* placeOf(Id id);
    Callback take(Id id);
    void sweep();

    std::vector<Entry> m_entries; ///< a heap, the earliest first
    std::vector<Place> m_places;
    std::vector<std::uint32_t> m_free; ///< places
    std::uint64_t m_order = 0;
    std::size_t m_calledOff = 0; ///< of the entries
};

} // namespace lockscope
