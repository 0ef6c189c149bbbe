// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/manager_changes.h"

namespace lockscope::cli {

using Kind = ManagerChange::Kind;
using State = EngineReport::State;

namespace {
bool isSwitch(State state) {
    return state == State::Proposed || state == State::Switching;
}

/// When the last holder on the engine that is left has ended, by the clock that said when the switch began.
std::int64_t drainedMs(const EngineReport& report) {
    const Nanos time = report.config.confirmFor + report.config.drainFor;
    return report.record.beganMs + (time + time / 10) / 1ms;
}
} // namespace

std::vector<ManagerChange> ManagerChanges::next(const EngineReport& report) {
    std::vector<ManagerChange> changes;
    if (!m_begun) changes.push_back({Kind::Found, -1});
    judgeHealth(report, changes);
    judgeRecord(report, changes);
    m_begun = true;
    return changes;
}

void ManagerChanges::judgeHealth(const EngineReport& report, std::vector<ManagerChange>& changes) {
    for (std::size_t i = 0; i < report.engines.size(); ++i) {
        const bool good = !report.engines[i].trouble;
        if (m_health.size() == i) { // the first look decides alone
            m_health.emplace_back(report.config.failures, report.config.successes);
            for (int checks = 0; checks < report.config.failures && !good; ++checks)
                m_health[i].enter(false);
        } else if (m_health[i].enter(good)) {
            changes.push_back({good ? Kind::Healthy : Kind::Unhealthy, int(i)});
        }
    }
}

void ManagerChanges::judgeRecord(const EngineReport& report, std::vector<ManagerChange>& changes) {
    const bool readable = report.state != State::Unreadable;
    if (m_begun && readable != m_readable) changes.push_back({readable ? Kind::Readable : Kind::Unreadable, -1});
    m_readable = readable;
    if (!readable) return;
    const bool other = !report.record.sameProposal(m_last.record);
    if (m_begun && isSwitch(report.state) && other) changes.push_back({Kind::SwitchBegun, -1});
    // An immediate switch waits for nobody's work; only processes that cannot read the record go on.
    const bool drains = report.mode() == SwitchMode::Drain;
    if (report.state == State::Switching && drains && m_drained < report.record.epoch && report.record.epoch > 1 &&
        report.record.beganMs > 0 && report.seenMs >= drainedMs(report)) {
        m_drained = report.record.epoch;
        changes.push_back({Kind::Drained, -1});
    }
    const bool settled = report.state == State::InUse && (other || m_last.state != State::InUse);
    if (m_begun && settled) changes.push_back({Kind::Settled, -1});
    m_last = report;
}

const char* nameOf(Kind kind) {
    switch (kind) {
    case Kind::Found:
        break;
    case Kind::SwitchBegun:
        return "switch-begun";
    case Kind::Drained:
        return "drained";
    case Kind::Settled:
        return "settled";
    case Kind::Unhealthy:
        return "unhealthy";
    case Kind::Healthy:
        return "healthy";
    case Kind::Unreadable:
        return "unreadable";
    case Kind::Readable:
        return "readable";
    }
    return "found";
}

} // namespace lockscope::cli
