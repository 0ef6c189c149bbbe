// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <vector>

namespace lockscope {

/// Calls ordered by the instants at which they are due; calls for one instant run in the order of adding.
///
/// Most calls are time-outs of requests and are cancelled soon. So cancelling is cheap: it forgets the call at once,
/// and removes its entry later together with others.
class CallQueue {
public:
    using Callback = Runtime::Callback;
    using Id = Runtime::TimerId; ///< never 0

    /// Adds a call for that instant.
    Id add(Nanos at, Callback callback);
    /// Does nothing when the call has run or was cancelled.
    void cancel(Id id);
    /// When to look again; may be earlier than the next due call. kNever: no calls.
    Nanos next() const { return m_entries.empty() ? kNever : m_entries.front().at; }
    /// Takes the first due call; empty when none is due.
    Callback takeDue(Nanos now);

private:
    struct Entry {
        Nanos at;
        std::uint64_t order;
        Id id;
        bool operator>(const Entry& other) const { return at != other.at ? at > other.at : order > other.order; }
    };
    /// Where a call is kept; an id consists of a place and its number of uses.
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
    std::size_t m_calledOff = 0; ///< cancelled entries still in m_entries
};

} // namespace lockscope
