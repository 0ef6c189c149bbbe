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
    if (name == QByteArrayView("pid")) m_process = value.toLongLong();
    if (name == QByteArrayView("cmd_flush")) m_flushes = value.toLongLong();
    if (name == QByteArrayView("version")) m_version = value.toByteArray();
    const auto time = [](QByteArrayView seconds) -> std::optional<Nanos> {
        constexpr double kMost = 1e9; // s, which is beyond the life of any server
        bool number = false;
        const double passed = seconds.toDouble(&number);
        if (!number || !(passed >= 0 && passed < kMost)) return std::nullopt;
        return std::chrono::duration_cast<Nanos>(std::chrono::duration<double>(passed));
    };
    if (name == QByteArrayView("rusage_user")) m_user = time(value);
    if (name == QByteArrayView("rusage_system")) m_system = time(value);
}

Statistics Protocol::statistics() const {
    Statistics told;
    if (m_user && m_system) told.worked = *m_user + *m_system;
    told.process = m_process;
    told.uptime = m_uptime;
    told.flushes = m_flushes;
    told.version = m_version;
    return told;
}

} // namespace lockscope::memcached
