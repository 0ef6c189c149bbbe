// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <deque>
#include <functional>
#include <memory>

namespace lockscope::trace {

/// Writes rows into a world's trace, stamped with the world's clock, then calls the listeners. Belongs to the thread
/// that writes the trace.
class Recorder {
public:
    /// `clock` gives the time since the trace's origin. It may stand still. It should not go back: such rows get the
    /// last row's time.
    Recorder(std::shared_ptr<Trace> trace, std::function<Nanos()> clock);

    /// Writes a row with the present time. EventKind says what actor, subject, value and aux mean.
    void emit(EventKind kind, EntityId actor, EntityId subject = kNoEntity, std::int64_t value = 0,
              std::uint32_t aux = 0, std::uint8_t flags = 0);

    /// The time that a row written now would get.
    Nanos now() const { return m_clock(); }

    /// Calls `listener` after each row; listeners are called in the order of registration. A listener may emit rows and
    /// add listeners. Rows that it emits reach listeners after the present row, so all of them see rows in trace order.
    void onEvent(std::function<void(const Event&)> listener);

    /// The trace that it writes; nobody else may write it.
    Trace& trace() { return *m_trace; }
    const Trace& trace() const { return *m_trace; }
    std::shared_ptr<Trace> sharedTrace() const { return m_trace; }

private:
    void tellListeners();

    std::shared_ptr<Trace> m_trace;
    std::function<Nanos()> m_clock;
    std::deque<std::function<void(const Event&)>> m_listeners; ///< a deque, because one may be added while another runs
    std::size_t m_told = 0;                                    ///< rows that were reported to the listeners
    bool m_telling = false;
};

} // namespace lockscope::trace
