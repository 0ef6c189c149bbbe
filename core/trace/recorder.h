// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <deque>
#include <functional>
#include <memory>

namespace lockscope::trace {

/// The pen of a world: stamps rows with the world's clock and writes them into its trace, then tells whoever listens.
/// Belongs to the thread that writes the trace.
class Recorder {
public:
    /// `clock` gives the time since the trace's origin. It may stand still; it should not go back (rows that would are
    /// raised to the last row's time).
    Recorder(std::shared_ptr<Trace> trace, std::function<Nanos()> clock);

    /// Writes a row at this very instant. What actor, subject, value and aux mean stands at each EventKind.
    void emit(EventKind kind, EntityId actor, EntityId subject = kNoEntity, std::int64_t value = 0,
              std::uint32_t aux = 0, std::uint8_t flags = 0);

    /// The time that the next row would bear.
    Nanos now() const { return m_clock(); }

    /// Called after each row, in order of registration. A listener may emit and add listeners; rows that it emits reach
    /// listeners after the row at hand, so that all of them see rows in trace order.
    void onEvent(std::function<void(const Event&)> listener);

    /// What it writes; to be written by nobody else.
    Trace& trace() { return *m_trace; }
    const Trace& trace() const { return *m_trace; }
    std::shared_ptr<Trace> sharedTrace() const { return m_trace; }

private:
    void tellListeners();

    std::shared_ptr<Trace> m_trace;
    std::function<Nanos()> m_clock;
    std::deque<std::function<void(const Event&)>> m_listeners; ///< a deque: one may be added while another runs
    std::size_t m_told = 0;                                    ///< rows that listeners have heard of
    bool m_telling = false;
};

} // namespace lockscope::trace
