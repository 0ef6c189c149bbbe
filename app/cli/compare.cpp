// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/comparison_report.h"
#include "cli/exit_status.h"
#include "cli/judgement.h"
#include "cli/output.h"
#include "cli/seeds.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "recipes/recipe_info.h"
#include "scenario/scenario_file.h"
#include "scenario/schema_check.h"
#include "session/open_scenario.h"

namespace lockscope::cli {

namespace {

using experiment::Cell;

constexpr std::uint64_t kSeedsUnlessTold = 100;
constexpr std::uint64_t kMostSeeds = 1'000'000; ///< of one cell: what can be counted without a thought

/// Empty where the option is not given. An error is a sentence: a name is missing, and all would be played for it.
std::expected<QStringList, QString> listOf(const Arguments& arguments, const char* option) {
    const auto text = arguments.value(option);
    if (!text) return QStringList();
    QStringList names = text->split(QLatin1Char(','));
    if (!names.contains(QString())) return names;
    return std::unexpected(tr("--%1: a name is missing in “%2”").arg(QLatin1String(option), *text));
}

bool fits(const QString& recipe, const QString& pattern) {
    return pattern.endsWith(QLatin1Char('*')) ? recipe.startsWith(pattern.chopped(1)) : recipe == pattern;
}

/// The complaint about a pattern that fits no recipe of the simulator; empty: each fits one.
QString wrongRecipe(const QStringList& patterns) {
    QStringList ids;
    for (const recipes::RecipeInfo& recipe : recipes::simulatedRecipes())
        ids += QString::fromLatin1(recipe.id);
    for (const QString& pattern : patterns) {
        if (std::ranges::any_of(ids, [&](const QString& id) { return fits(id, pattern); })) continue;
        return tr("the simulator has no recipe “%1”%2").arg(pattern, scenario::suggestion(pattern, ids));
    }
    return {};
}

/// The scenarios of these names or files, all built-in ones if there are none; nullopt after complaints.
std::optional<std::vector<scenario::Scenario>> scenariosOf(const QStringList& names) {
    std::vector<scenario::Scenario> scenarios;
    bool fine = true;
    for (const QString& name : names.empty() ? scenario::builtinScenarios() : names) {
        auto loaded = session::openScenario(name);
        if (loaded) {
            scenarios.push_back(*std::move(loaded));
            continue;
        }
        fine = false;
        for (const scenario::Problem& problem : loaded.error())
            complainOfWords(problem.toString());
    }
    return fine ? std::optional(std::move(scenarios)) : std::nullopt;
}

QByteArray millisecondsOrNull(Nanos time) {
    return time == kNever ? QByteArray("null") : milliseconds(time.count());
}

QByteArray jsonOf(const Cell& cell) {
    JsonLine line;
    line.add("recipe", cell.recipe)
        .add("scenario", cell.scenario)
        .add("outcome", experiment::outcomeId(cell.outcome))
        .addJson("invariants", outcomesJson(cell.invariants))
        .addJson("recovery_ms", millisecondsOrNull(cell.recovery))
        .add("acquisitions", cell.acquisitions);
    const bool acquired = cell.acquisitions > 0;
    line.addJson("wait_p50_ms", millisecondsOrNull(acquired ? cell.waitP50 : kNever))
        .addJson("wait_p99_ms", millisecondsOrNull(acquired ? cell.waitP99 : kNever))
        .addJson("requests_per_acquisition",
                 acquired ? QByteArray::number(requestsPerAcquisition(cell), 'f', 2) : QByteArray("null"))
        .add("seeds", cell.seeds);
    if (cell.promised)
        line.add("expected", expectedId(cell)).add("as_expected", QJsonValue(cell.asExpected));
    else
        line.addJson("expected", "null").addJson("as_expected", "null");
    line.add("starved", cell.starved);
    if (!cell.unknown.isEmpty()) line.add("unknown", cell.unknown);
    return line.toJson();
}

/// The way in which cells are shown.
enum class Form : std::uint8_t { Text, Json, Markdown, Csv, Html };

std::expected<Form, QString> formOf(const Arguments& arguments) {
    const auto to = arguments.value("to");
    if (to && arguments.has("json")) return std::unexpected(tr("give --json or --to, not both"));
    if (!to) return arguments.has("json") ? Form::Json : Form::Text;
    const QStringList forms{QStringLiteral("markdown"), QStringLiteral("csv"), QStringLiteral("html")};
    switch (forms.indexOf(*to)) {
    case 0:
        return Form::Markdown;
    case 1:
        return Form::Csv;
    case 2:
        return Form::Html;
    default:
        return std::unexpected(tr("there is no format “%1”%2").arg(*to, scenario::suggestion(*to, forms)));
    }
}

/// Shows a cell at once where the form is a line for each.
void sayCell(const Cell& cell, Form form) {
    if (form == Form::Json) say(jsonOf(cell));
    if (form == Form::Csv) say(csvLine(cell));
    if (form == Form::Text) say(textLine(cell));
}

} // namespace

int compare(const QStringList& words) {
    const auto arguments = Arguments::parse(words,
                                            {{QStringLiteral("recipes")},
                                             {QStringLiteral("scenarios")},
                                             {QStringLiteral("seed")},
                                             {QStringLiteral("seeds")},
                                             {QStringLiteral("to")},
                                             {QStringLiteral("json"), false}},
                                            {});
    if (!arguments) return misused("compare", arguments.error());
    const auto form = formOf(*arguments);
    if (!form) return misused("compare", form.error());
    const auto told = seedsOf(*arguments);
    if (!told) return misused("compare", told.error());
    const Seeds seeds = told->value_or(Seeds{1, kSeedsUnlessTold});
    if (seeds.last - seeds.first >= kMostSeeds)
        return misused("compare", tr("--seeds may be %1 at most").arg(kMostSeeds));
    const auto listed = listOf(*arguments, "recipes"), named = listOf(*arguments, "scenarios");
    if (!listed) return misused("compare", listed.error());
    if (!named) return misused("compare", named.error());
    const QStringList& patterns = *listed;
    if (const QString wrong = wrongRecipe(patterns); !wrong.isEmpty()) return misused("compare", wrong);
    const auto scenarios = scenariosOf(*named);
    if (!scenarios) return kUsage;
    const auto pairings = experiment::pairingsOf(*scenarios, [&](const QString& recipe) {
        return patterns.empty() ||
               std::ranges::any_of(patterns, [&](const QString& pattern) { return fits(recipe, pattern); });
    });
    if (pairings.empty()) {
        complain(tr("none of these scenarios can run with any of these recipes"));
        return kUsage;
    }
    if (*form == Form::Csv) say(csvHeader());
    std::vector<Cell> cells;
    experiment::compare(pairings, seeds.first, seeds.last, [&](const Cell& cell) {
        cells.push_back(cell);
        sayCell(cell, *form);
        if (!cell.difference.isEmpty())
            complain(tr("%1 with %2 is not as expected: %3").arg(cell.scenario, cell.recipe, cell.difference));
    });
    if (*form == Form::Text) say(summaryText(cells));
    if (*form == Form::Markdown) say(markdownOf(cells));
    if (*form == Form::Html) say(htmlOf(cells));
    if (!std::ranges::all_of(cells, [](const Cell& cell) { return cell.difference.isEmpty(); })) return kViolated;
    return std::ranges::all_of(cells, &Cell::asExpected) ? kFine : kUnknown;
}

} // namespace lockscope::cli
