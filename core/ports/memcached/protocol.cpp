// SPDX-License-Identifier: Apache-2.0
#include "ports/memcached/protocol.h"

namespace lockscope::memcached {

void Protocol::feed(const char* bytes, qsizetype size) {
    if (left() == 0) {
        m_in.resize(0); // keeps its room
    } else if (m_at > 0) {
        m_in.remove(0, m_at);
    }
    m_at = 0;
    m_in.append(bytes, size);
}

void Protocol::takeStatistic(QByteArrayView name, QByteArrayView value) {
    if (name == QByteArrayView("time")) m_time = value.toLongLong();
    if (name == QByteArrayView("uptime")) m_uptime = value.toLongLong();
}

} // namespace lockscope::memcached
