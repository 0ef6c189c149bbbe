// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "workload/guarded_resource.h"

#include <functional>
#include <map>

namespace lockscope::workload {

/// The resources of a workload: each lock guards one. That of the scenario's first lock has the name that the scenario
/// gives it; another lock's bears the lock's name.
class Resources {
public:
    /// `lockEntity` gives a lock's entity in the trace, by name. Recorder and settings outlive this.
    Resources(trace::Recorder& recorder, const scenario::Scenario& settings,
              std::function<trace::EntityId(const QByteArray& lockName)> lockEntity);

    /// The resource that the lock guards; made when it is first asked for.
    GuardedResource& of(const QByteArray& lockName);
    /// The settings say now whether tokens are checked.
    void settingsChanged();

private:
    trace::Recorder& m_recorder;
    const scenario::Scenario& m_settings;
    std::function<trace::EntityId(const QByteArray& lockName)> m_lockEntity;
    std::map<QByteArray, GuardedResource> m_all; ///< by lock
};

} // namespace lockscope::workload
