// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

#include "scenario/scenario_file.h"
#include "session/bounds.h"

namespace lockscope::session {

std::expected<void, QString> Session::allows(scenario::Action action, scenario::TargetKind target) const {
    using scenario::Action;
    using scenario::TargetKind;
    const Abilities can = abilities();
    if (!can.faults) return std::unexpected(tr("This session cannot be changed."));
    // A message is lost on its link, and a client is cut off by its links.
    const bool onLink = target == TargetKind::Link || scenario::targetKind(action) == TargetKind::Link ||
                        action == Action::LoseReply || action == Action::LosePush || action == Action::RepeatRequest;
    if (!can.serverFaults && (onLink || target == TargetKind::Node))
        return std::unexpected(
            tr("Servers and links of this session are real: only our own clients can be broken here."));
    if (can.live && (action == Action::JumpClock || action == Action::DriftClock))
        return std::unexpected(tr("Time is real in this session: no clock can be made to jump."));
    if (can.live && action == Action::HangWork)
        return std::unexpected(tr("Only the work of simulated clients can be made to hang."));
    return {};
}

trace::RecordingMeta Session::recordingMeta() const {
    const scenario::Scenario all = scenario();
    trace::RecordingMeta meta;
    meta.scenario = scenario::toJson(all);
    // Servers that others use are only watched: no recipe ran there, and no seed chose anything.
    if (!abilities().live || all.workload.clients > 0) {
        meta.seed = seed();
        meta.recipe = all.recipe;
    }
    meta.origin = abilities().live ? title() : QStringLiteral("simulated");
    meta.progressBoundNs = boundsFor(all).progress.count();
    return meta;
}

} // namespace lockscope::session
