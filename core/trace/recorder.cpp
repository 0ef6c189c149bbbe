// SPDX-License-Identifier: Apache-2.0
#include "trace/recorder.h"

namespace lockscope::trace {

Recorder::Recorder(std::shared_ptr<Trace> trace, std::function<Nanos()> clock)
    : m_trace(std::move(trace)), m_clock(std::move(clock)), m_told(m_trace->size()) {
}

void Recorder::emit(EventKind kind, EntityId actor, EntityId subject, std::int64_t value, std::uint32_t aux,
                    std::uint8_t flags) {
    m_trace->append({m_clock().count(), value, actor, subject, aux, kind, flags});
    if (!m_telling) tellListeners();
}

void Recorder::onEvent(std::function<void(const Event&)> listener) {
    m_listeners.push_back(std::move(listener));
}

void Recorder::tellListeners() {
    m_telling = true;
    for (; m_told < m_trace->size(); ++m_told) {
        const Event event = m_trace->at(m_told);
        for (std::size_t i = 0; i < m_listeners.size(); ++i)
            m_listeners[i](event);
    }
    m_telling = false;
}

} // namespace lockscope::trace
