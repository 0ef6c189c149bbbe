// SPDX-License-Identifier: Apache-2.0
#include "session/run.h"

#include "recipes/recipe_info.h"
#include "sim/world.h"

namespace lockscope::session {

namespace {

/// A dead holder's lock is free when its lease ends; then a waiter polls or is woken, through time-outs if a reply is
/// lost.
Nanos progressBound(Nanos lease) {
    return laterBy(lease, 3s);
}

/// Nothing is claimed of a recipe that is not known.
bool isReentrant(const QString& recipe) {
    const recipes::RecipeInfo* info = recipes::findRecipe(recipe.toUtf8());
    return !info || info->reentrant;
}

/// The dead may have the longest lease that ever was.
void follow(verdict::Bounds& bounds, const QByteArray& change) {
    const qsizetype equals = change.indexOf('=');
    const QByteArray setting = change.left(equals);
    const QString text = QString::fromUtf8(change.mid(equals + 1));
    if (setting == "recipe") {
        bounds.fair = isFair(text);
        bounds.reentrant = isReentrant(text);
    }
    if (setting != "lease") return;
    if (const auto lease = scenario::parseDuration(text))
        bounds.progress = std::max(bounds.progress, progressBound(*lease));
}

} // namespace

verdict::Bounds boundsFor(const scenario::Scenario& scenario) {
    verdict::Bounds bounds;
    bounds.progress = progressBound(scenario.lock.lease);
    bounds.fair = isFair(scenario.recipe);
    bounds.reentrant = isReentrant(scenario.recipe);
    bounds.follow = follow;
    return bounds;
}

bool isFair(const QString& recipe) {
    const recipes::RecipeInfo* info = recipes::findRecipe(recipe.toUtf8());
    return info && info->fair;
}

verdict::Bounds boundsFor(const trace::RecordingMeta& meta) {
    verdict::Bounds bounds;
    if (meta.progressBoundNs > 0) bounds.progress = Nanos(meta.progressBoundNs);
    bounds.fair = isFair(meta.recipe);
    bounds.reentrant = isReentrant(meta.recipe);
    bounds.follow = follow;
    return bounds;
}

RunReport run(const scenario::Scenario& scenario, std::uint64_t seed) {
    RunReport report;
    report.trace = std::make_shared<trace::Trace>();
    {
        sim::World world(scenario, seed, report.trace);
        world.runUntil(scenario.until);
    }
    verdict::Judge judge(report.trace, boundsFor(scenario));
    judge.consume();
    report.verdict = judge.verdict(true);
    for (std::size_t i = 0; i < report.trace->size(); ++i) {
        if (report.trace->kindAt(i) == trace::EventKind::Granted) ++report.acquisitions;
    }
    report.digest = report.trace->digest();
    return report;
}

} // namespace lockscope::session
