// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/recorder.h"

namespace lockscope::workload {

/// The resource that a lock guards. If it was told to check, it refuses a write whose fencing token is older than the
/// newest it has seen. A write without a token cannot be checked and is accepted.
class GuardedResource {
public:
    GuardedResource(trace::Recorder& recorder, trace::EntityId entity, bool tokenCheck)
        : m_recorder(recorder), m_entity(entity), m_tokenCheck(tokenCheck) {}

    /// True when taken.
    bool write(trace::EntityId thread, std::int64_t token);
    void setTokenCheck(bool check) { m_tokenCheck = check; }

private:
    trace::Recorder& m_recorder;
    trace::EntityId m_entity;
    bool m_tokenCheck;
    std::int64_t m_newest = 0;
};

} // namespace lockscope::workload
