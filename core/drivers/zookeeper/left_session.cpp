// SPDX-License-Identifier: Apache-2.0
#include "drivers/zookeeper/left_session.h"

#include <zookeeper/zookeeper.h>

namespace lockscope::zookeeper {

LeftSession::LeftSession(Runtime& runtime, const QByteArray& servers, const Handle::Key& key, Nanos timeout,
                         std::function<void()> lookSoon)
    : m_runtime(runtime),
      m_end(laterBy(runtime.monotonic(), timeout)),
      m_handle(runtime, servers, timeout,
               Handle::Callbacks{
                   [this, lookSoon](int state) {
                       m_over = m_over || state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE;
                       lookSoon();
                   },
                   [](std::uint64_t, int, const char*) {}, // it sets no watch
                   lookSoon, [] { return -1; },            // it asks nothing
               },
               key) {
    m_over = !m_handle.valid();
}

Nanos LeftSession::look() {
    if (!m_over && m_handle.connected()) { // not in the callback: the C client cannot be closed inside of its own call
        m_handle.endSession(Handle::Farewell::Said);
        m_over = true;
    }
    const Nanos left = m_end - m_runtime.monotonic();
    m_over = m_over || left <= Nanos(0);
    return m_over ? kNever : std::min(m_handle.look(), left);
}

} // namespace lockscope::zookeeper
