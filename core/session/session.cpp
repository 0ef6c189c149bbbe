// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

#include "scenario/scenario_file.h"
#include "session/bounds.h"

namespace lockscope::session {

trace::RecordingMeta Session::recordingMeta() const {
    const scenario::Scenario all = scenario();
    trace::RecordingMeta meta;
    meta.scenario = scenario::toJson(all);
    meta.seed = seed();
    meta.recipe = all.recipe;
    meta.origin = abilities().live ? title() : QStringLiteral("simulated");
    meta.progressBoundNs = boundsFor(all).progress.count();
    return meta;
}

} // namespace lockscope::session
