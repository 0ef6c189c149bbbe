// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/trace.h"

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace lockscope::app {

/// The gaps of a watch: the times in which a server could not be seen. One pass over the trace; a step forward reads
/// the new rows alone.
class WatchGaps {
public:
    /// Up to this instant of this trace, or of another one.
    void moveTo(const std::shared_ptr<const trace::Trace>& trace, Nanos t);
    /// From when on the trace has the watch, whose beginning is not kept; nullopt: it has all of it.
    std::optional<Nanos> begins() const { return m_begins; }
    int count() const { return m_count + int(m_open.size()); }
    /// All of them together, one that is open up to the instant of moveTo().
    Nanos length() const;

private:
    void take(const trace::Trace& trace, std::size_t row);

    std::weak_ptr<const trace::Trace> m_trace;
    std::size_t m_row = 0; ///< the first one that was not looked at
    Nanos m_at{};
    std::map<trace::EntityId, std::int64_t> m_open; ///< by server: since when
    std::set<trace::EntityId> m_leftOut;            ///< servers before the beginning
    std::optional<Nanos> m_begins;
    int m_count = 0;
    Nanos m_closed{};
};

} // namespace lockscope::app
