// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/recordings.h"

#include "cli/judgement.h"
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "session/bounds.h"
#include "trace/recording.h"

namespace lockscope::cli {

std::expected<void, QString> saveRecording(const QString& path, const experiment::RunReport& report,
                                           const scenario::Scenario& scenario, std::uint64_t seed) {
    trace::RecordingMeta meta;
    meta.scenario = scenario::toJson(scenario);
    meta.seed = seed;
    meta.recipe = scenario.recipe;
    meta.origin = QStringLiteral("simulated");
    meta.progressBoundNs = session::boundsFor(scenario).progress.count();

    std::vector<trace::RecordedViolation> violations;
    for (const verdict::Violation& violation : report.verdict.violations) {
        QStringList actors;
        for (const trace::EntityId actor : violation.actors)
            actors += actorName(actor, *report.trace);
        violations.push_back({verdict::invariantId(violation.invariant), violation.lock, violation.from, violation.to,
                              actors.join(QStringLiteral(", ")), verdict::explain(violation, *report.trace)});
    }
    const auto saved = trace::saveRecording(path, report.trace, meta, violations);
    if (!saved) return std::unexpected(saved.error().message);
    return {};
}

} // namespace lockscope::cli
