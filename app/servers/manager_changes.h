// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lock/manager/engine_survey.h"
#include "lock/manager/hysteresis.h"

namespace lockscope::cli {

/// A change between two looks at a namespace.
struct ManagerChange {
    enum class Kind : std::uint8_t {
        Found,       ///< the first look
        SwitchBegun, ///< a new record is decided, or proposed: nothing is granted
        Drained,     ///< every holder on the engine that is left has ended, or has lost its lock; leases may not have
        Settled,     ///< the record's engine is in use
        Unhealthy,
        Healthy,
        Unreadable, ///< too few servers answer for the record
        Readable,
    };
    Kind kind = Kind::Found;
    int engine = -1; ///< with Unhealthy and Healthy: its position in the configuration
};

/// Finds the changes between looks at a namespace, with the health of its engines judged as its processes do.
class ManagerChanges {
public:
    std::vector<ManagerChange> next(const EngineReport& report);

private:
    void judgeHealth(const EngineReport& report, std::vector<ManagerChange>& changes);
    void judgeRecord(const EngineReport& report, std::vector<ManagerChange>& changes);
    std::vector<Hysteresis> m_health;
    EngineReport m_last; ///< of those in which the record could be read
    bool m_begun = false;
    bool m_readable = true;
    std::int64_t m_drained = 0; ///< the latest epoch for which Drained was said
};

/// A stable id for JSON.
const char* nameOf(ManagerChange::Kind kind);

} // namespace lockscope::cli
