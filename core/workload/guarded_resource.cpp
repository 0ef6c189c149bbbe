// SPDX-License-Identifier: Apache-2.0
#include "workload/guarded_resource.h"

namespace lockscope::workload {

bool GuardedResource::write(trace::EntityId thread, std::int64_t token) {
    if (m_tokenCheck && token != 0 && token < m_newest) {
        const QByteArray why = "token " + QByteArray::number(qlonglong(token)) + " is older than " +
                               QByteArray::number(qlonglong(m_newest));
        m_recorder.emit(trace::EventKind::WriteRefused, thread, m_entity, token, m_recorder.trace().text(why));
        return false;
    }
    m_newest = std::max(m_newest, token);
    m_recorder.emit(trace::EventKind::WriteAccepted, thread, m_entity, token);
    return true;
}

} // namespace lockscope::workload
