// SPDX-License-Identifier: Apache-2.0
#include "workload/resources.h"

namespace lockscope::workload {

Resources::Resources(trace::Recorder& recorder, const scenario::Scenario& settings,
                     std::function<trace::EntityId(const QByteArray& lockName)> lockEntity)
    : m_recorder(recorder), m_settings(settings), m_lockEntity(std::move(lockEntity)) {
}

GuardedResource& Resources::of(const QByteArray& lockName) {
    const auto known = m_all.find(lockName);
    if (known != m_all.end()) return known->second;
    const bool first = lockName == m_settings.lock.name.toUtf8();
    const QByteArray name = first ? m_settings.resource.name.toUtf8() : lockName;
    const trace::EntityId entity = m_recorder.trace().intern(trace::EntityKind::Resource, name, m_lockEntity(lockName));
    return m_all.try_emplace(lockName, m_recorder, entity, m_settings.resource.tokenCheck).first->second;
}

void Resources::settingsChanged() {
    for (auto& [lock, resource] : m_all)
        resource.setTokenCheck(m_settings.resource.tokenCheck);
}

} // namespace lockscope::workload
