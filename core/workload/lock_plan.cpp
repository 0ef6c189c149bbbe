// SPDX-License-Identifier: Apache-2.0
#include "workload/lock_plan.h"

#include "lock/recipe_choice.h"

#include <algorithm>

namespace lockscope::workload {

using scenario::Program;
using scenario::ProgramStep;
using scenario::Scenario;

namespace {

Program programNamed(const Scenario& scenario, const QString& name) {
    const auto found = std::ranges::find(scenario.programs, name, &Program::name);
    return found == scenario.programs.end() ? scenario::defaultProgram() : *found;
}

bool offersStep(const recipes::RecipeInfo& recipe, const ProgramStep& step) {
    switch (step.act) {
    case ProgramStep::Do::Take:
        return offers(recipe, modeOf(step));
    case ProgramStep::Do::Await:
    case ProgramStep::Do::Signal:
        return recipe.condition;
    default:
        return true;
    }
}

} // namespace

HoldOptions holdOptionsOf(const scenario::LockSettings& settings) {
    HoldOptions options;
    options.lease = settings.lease;
    options.watchdog = settings.watchdog;
    options.maxHold = settings.maxHold;
    options.honourDeadline = settings.honourDeadline;
    options.token = settings.token;
    options.allowNaive = true; // to be seen failing
    return options;
}

LockPlan lockPlan(const Scenario& scenario, const QByteArray& name) {
    LockPlan plan{scenario.lock, scenario.recipe.toUtf8()};
    if (name == scenario.lock.name.toUtf8()) return plan;
    plan.settings.name = QString::fromUtf8(name);
    const auto found = std::ranges::find_if(
        scenario.moreLocks, [&](const scenario::NamedLock& lock) { return lock.settings.name.toUtf8() == name; });
    if (found == scenario.moreLocks.end()) return plan;
    plan.settings = found->settings;
    if (!found->recipe.isEmpty()) plan.recipe = found->recipe.toUtf8();
    return plan;
}

QByteArray engineRecipe(const Scenario& scenario, int engine) {
    const auto own = scenario.manager->recipes.find(scenario.manager->engines[engine]);
    return (own == scenario.manager->recipes.end() ? scenario.recipe : own->second).toUtf8();
}

QByteArrayList lockNames(const Scenario& scenario) {
    QByteArrayList names{scenario.lock.name.toUtf8()};
    for (const scenario::NamedLock& lock : scenario.moreLocks)
        names += lock.settings.name.toUtf8();
    return names;
}

QByteArrayList locksOf(const ProgramStep& step, const Scenario& scenario) {
    if (step.locks.isEmpty()) return {scenario.lock.name.toUtf8()};
    QByteArrayList names;
    for (const QString& name : step.locks)
        names += name.toUtf8();
    return names;
}

recipes::Mode modeOf(const ProgramStep& step) {
    switch (step.hold) {
    case ProgramStep::Hold::Shared:
        return recipes::Mode::Shared;
    case ProgramStep::Hold::Permits:
        return recipes::Mode::Permit;
    case ProgramStep::Hold::Exclusive:
        break;
    }
    return recipes::Mode::Exclusive;
}

Program programOf(const Scenario& scenario, int client) {
    if (scenario.programs.empty() || scenario.groups.empty()) return scenario::defaultProgram();
    int end = 0;
    for (const scenario::ClientGroup& group : scenario.groups) {
        end += group.count;
        if (client < end) return programNamed(scenario, group.program);
    }
    return programNamed(scenario, scenario.groups.back().program);
}

std::vector<Program> programsOf(const Scenario& scenario) {
    if (scenario.programs.empty() || scenario.groups.empty()) return {scenario::defaultProgram()};
    std::vector<Program> all;
    for (const scenario::ClientGroup& group : scenario.groups) {
        Program program = programNamed(scenario, group.program);
        if (std::ranges::find(all, program) == all.end()) all.push_back(std::move(program));
    }
    return all;
}

QByteArrayList locksOf(const Program& program, const Scenario& scenario) {
    QByteArrayList all;
    for (const ProgramStep& step : program.steps) {
        if (step.act == ProgramStep::Do::Think || step.act == ProgramStep::Do::Work) continue;
        for (const QByteArray& name : locksOf(step, scenario))
            if (!all.contains(name)) all += name;
    }
    return all;
}

bool canRunPrograms(const Scenario& scenario, const recipes::RecipeInfo& recipe) {
    Scenario tried = scenario;
    tried.recipe = QString::fromLatin1(recipe.id);
    for (const Program& program : programsOf(tried)) {
        for (const ProgramStep& step : program.steps) {
            if (step.locks.size() > 1 && modeOf(step) != recipes::Mode::Exclusive) return false; // several as one
            for (const QByteArray& name : locksOf(step, tried)) {
                const recipes::RecipeInfo* const used = recipes::findRecipe(lockPlan(tried, name).recipe);
                if (!used || !offersStep(*used, step)) return false;
            }
        }
    }
    return true;
}

} // namespace lockscope::workload
