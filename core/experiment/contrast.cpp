// SPDX-License-Identifier: Apache-2.0
#include "experiment/contrast.h"

#include "recipes/recipe_info.h"
#include "scenario/fault_check.h"
#include "scenario/settings.h"
#include "sim/fitting_recipes.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>

namespace lockscope::experiment {

namespace {

using scenario::Scenario;
using trace::EventKind;

const QString kRecipe = QStringLiteral("recipe"), kManager = QStringLiteral("manager");
constexpr int kRenewals = 3; ///< in a lease, of a watchdog that is switched on, as Redisson has it

QString tr(const char* text) {
    return QCoreApplication::translate("Contrast", text);
}

/// The complaint: "" when it is done.
QString changeMode(Scenario& scenario, const QString& value) {
    const auto* const mode = scenario::findManagerMode(value);
    if (!scenario.manager) return tr("This scenario has no lock manager.");
    if (!mode) return tr("“%1” is no way to change engines: drain, immediate or naive.").arg(value);
    scenario.manager->mode = *mode;
    return {};
}

/// A row that tells of the run's course and not of how its messages went.
bool isTold(EventKind kind) {
    switch (kind) {
    case EventKind::Granted:
    case EventKind::Reentered:
    case EventKind::TimedOut:
    case EventKind::AcquireFailed:
    case EventKind::Renewed:
    case EventKind::Lost:
    case EventKind::ReleaseSent: // the answer to it races with the grant to the next client
    case EventKind::ReleaseRefused:
    case EventKind::WriteAccepted:
    case EventKind::WriteRefused:
        return true;
    default:
        return false;
    }
}

/// The writes of one client one after the other are one event: how many there are is chance.
bool writesOn(const trace::Trace& trace, std::size_t row, std::optional<std::size_t> before) {
    const auto write = EventKind::WriteAccepted;
    return before && trace.kindAt(row) == write && trace.kindAt(*before) == write &&
           trace.at(row).actor == trace.at(*before).actor;
}

/// The next told row from `row` on, `before` being the last one; size() when there is none.
std::size_t nextTold(const trace::Trace& trace, std::size_t row, std::optional<std::size_t> before) {
    while (row < trace.size() && (!isTold(trace.kindAt(row)) || writesOn(trace, row, before)))
        ++row;
    return row;
}

bool tellAlike(const trace::Trace& a, std::size_t rowA, const trace::Trace& b, std::size_t rowB, Nanos tolerance) {
    const trace::Event first = a.at(rowA), second = b.at(rowB);
    const auto apart = Nanos(first.at > second.at ? first.at - second.at : second.at - first.at);
    const auto client = [](const trace::Trace& trace, trace::EntityId thread) {
        return trace.entity(trace.clientOf(thread)).name;
    };
    return first.kind == second.kind && apart <= tolerance && client(a, first.actor) == client(b, second.actor) &&
           a.entity(first.subject).name == b.entity(second.subject).name;
}

} // namespace

std::optional<Contrast> parseContrast(const QString& text, const Scenario& scenario) {
    if (text == QLatin1String("fencing"))
        return Contrast{QStringLiteral("token_check"),
                        scenario.resource.tokenCheck ? QStringLiteral("off") : QStringLiteral("on")};
    const qsizetype equals = text.indexOf(u'=');
    const QString setting = text.left(std::max<qsizetype>(equals, 0));
    if (setting != kManager && !scenario::findSetting(setting)) return std::nullopt;
    return Contrast{setting, text.mid(equals + 1)};
}

std::vector<Contrast> contrastsOf(const Scenario& scenario) {
    std::vector<Contrast> all;
    const auto offer = [&](const QString& setting, const QString& value) {
        const Contrast one{setting, value};
        if (contrasted(scenario, one)) all.push_back(one);
    };
    // Without an engine that changes, nothing comes of it.
    const bool changes = scenario.manager && (scenario.manager->onFailure ||
                                              std::ranges::any_of(scenario.faults, [](const scenario::Fault& fault) {
                                                  return fault.action == scenario::Action::SwitchEngine;
                                              }));
    if (changes)
        for (const auto mode : scenario::kManagerModes)
            offer(kManager, QString::fromLatin1(scenario::managerModeId(mode)));
    const recipes::RecipeInfo* const recipe = recipes::findRecipe(scenario.recipe.toUtf8());
    if (recipe && recipe->token)
        offer(QStringLiteral("token_check"),
              scenario.resource.tokenCheck ? QStringLiteral("off") : QStringLiteral("on"));
    if (recipe && recipe->watchdog)
        offer(QStringLiteral("watchdog"), scenario.lock.watchdog == Nanos(0)
                                              ? scenario::formatDuration(scenario.lock.lease / kRenewals)
                                              : QStringLiteral("off"));
    offer(QStringLiteral("deadline"),
          scenario.lock.honourDeadline ? QStringLiteral("ignored") : QStringLiteral("honoured"));
    offer(QStringLiteral("on_loss"),
          scenario.workload.stopOnLoss ? QStringLiteral("carry-on") : QStringLiteral("stop"));
    offer(QStringLiteral("lease"), scenario::formatDuration(scenario.lock.lease * 2));
    for (const recipes::RecipeInfo& info : sim::recipesToBeginWith(scenario))
        if (info.id != scenario.recipe.toUtf8()) offer(kRecipe, QString::fromLatin1(info.id));
    return all;
}

std::expected<Scenario, QString> contrasted(const Scenario& scenario, const Contrast& contrast) {
    Scenario other = scenario;
    if (contrast.setting == kRecipe) {
        if (const QString why = sim::whyNot(scenario, contrast.value); !why.isEmpty()) return std::unexpected(why);
        other.recipe = contrast.value;
        other = sim::onFittingServers(std::move(other));
    } else if (contrast.setting == kManager) {
        if (const QString why = changeMode(other, contrast.value); !why.isEmpty()) return std::unexpected(why);
    } else if (const auto done = scenario::changeSetting(other, contrast.setting, contrast.value); !done) {
        return std::unexpected(done.error());
    }
    std::vector<scenario::Complaint> complaints;
    scenario::checkFaults(other, complaints);
    if (!complaints.empty()) return std::unexpected(complaints.front().message);
    if (other == scenario)
        return std::unexpected(
            tr("“%1” is %2 already: the two runs would be one.").arg(contrast.setting, contrast.value));
    return other;
}

std::optional<Contrast> contrastBetween(const Scenario& scenario, const Scenario& other) {
    // One change may bring others along: a resource that checks tokens needs a lock that gives them. Servers, faults
    // and programs are no settings: they have to be equal.
    const auto makes = [&](const Contrast& contrast) {
        const auto made = contrasted(scenario, contrast);
        return made && *made == other;
    };
    if (scenario.recipe != other.recipe) {
        const Contrast recipe{kRecipe, other.recipe};
        const auto made = contrasted(scenario, recipe);
        // A recipe brings its own servers, which a scenario may name already or not.
        return made && *made == sim::onFittingServers(other) ? std::optional(recipe) : std::nullopt;
    }
    for (const scenario::Setting& setting : scenario::allSettings()) {
        const Contrast one{setting.id, scenario::textOf(setting, other)};
        if (one.value != scenario::textOf(setting, scenario) && makes(one)) return one;
    }
    if (other.manager && scenario.manager && other.manager->mode != scenario.manager->mode) {
        const Contrast mode{kManager, QString::fromLatin1(scenario::managerModeId(other.manager->mode))};
        if (makes(mode)) return mode;
    }
    return std::nullopt;
}

std::optional<Difference> firstDifference(const trace::Trace& first, const trace::Trace& second, Nanos tolerance) {
    // Beyond the shorter run nothing can be compared.
    const Nanos end = std::min(first.reached(), second.reached());
    std::size_t a = 0, b = 0;
    std::optional<std::size_t> beforeA, beforeB;
    while (true) {
        a = nextTold(first, a, beforeA);
        b = nextTold(second, b, beforeB);
        const bool more = a < first.size() && Nanos(first.timeAt(a)) <= end;
        const bool moreThere = b < second.size() && Nanos(second.timeAt(b)) <= end;
        if (!more && !moreThere) return std::nullopt;
        if (more && moreThere && tellAlike(first, a, second, b, tolerance)) {
            beforeA = a++;
            beforeB = b++;
            continue;
        }
        Difference difference{kNever, {}, {}};
        if (more) {
            difference.first = a;
            difference.at = std::min(difference.at, Nanos(first.timeAt(a)));
        }
        if (moreThere) {
            difference.second = b;
            difference.at = std::min(difference.at, Nanos(second.timeAt(b)));
        }
        return difference;
    }
}

} // namespace lockscope::experiment
