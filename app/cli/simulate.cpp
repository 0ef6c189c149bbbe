// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/judgement.h"
#include "cli/output.h"
#include "cli/recordings.h"
#include "cli/seeds.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "experiment/parallel.h"
#include "experiment/run.h"
#include "session/bounds.h"
#include "session/open_scenario.h"
#include "session/shared_run.h"
#include "trace/time_text.h"

namespace lockscope::cli {

namespace {

/// A run that was shared from another version may take another course here: says so, and goes on.
void noteOtherVersion(const QString& named) {
    if (!session::looksShared(named)) return;
    const auto run = session::readSharedText(named);
    if (run && !run->version.isEmpty() && run->version != QLatin1String(LOCKSCOPE_VERSION))
        complain(tr("this run was shared from version %1; here, in version %2, it may take another course")
                     .arg(run->version, QLatin1String(LOCKSCOPE_VERSION)));
}

/// The scenario with the command line's changes; everything that is wrong goes to stderr.
std::optional<scenario::Scenario> scenarioOf(const Arguments& arguments) {
    const auto recipe = arguments.value("recipe");
    if (recipe && recipe->isEmpty()) { // such as a variable that is not set
        complain(tr("--recipe is empty: name one of “lockscope list recipes”, or leave the option out"));
        return std::nullopt;
    }
    auto loaded = session::openScenario(arguments.place(0), recipe.value_or(QString()));
    if (!loaded) {
        for (const scenario::Problem& problem : loaded.error())
            complainOfWords(problem.toString());
        return std::nullopt;
    }
    noteOtherVersion(arguments.place(0));
    if (const QString others = session::otherServers(*loaded); !others.isEmpty()) complain(others);
    if (const auto until = arguments.value("until")) {
        const auto duration = durationOf("until", *until);
        if (!duration) {
            complainOfWords(duration.error());
            return std::nullopt;
        }
        loaded->until = *duration;
        if (loaded->liveness && *loaded->liveness >= *duration) loaded->liveness.reset();
    }
    if (arguments.has("liveness")) return session::withLiveness(*std::move(loaded));
    return *std::move(loaded);
}

/// Hours of virtual time are millions of events, all in memory: that is told before, as no word follows until the end.
void noteLongRun(const scenario::Scenario& scenario, std::uint64_t seed) {
    constexpr Nanos kLong = 1h, kTried = 1min;
    constexpr double kMillion = 1e6;
    if (scenario.until <= kLong) return;
    scenario::Scenario tried = scenario;
    tried.until = kTried;
    tried.liveness.reset(); // it may lie after the end
    const double events = double(experiment::run(tried, seed).trace->size());
    const double millions = events * double(scenario.until.count()) / double(kTried.count()) / kMillion;
    complain(tr("%1 of virtual time: about %2 million events, all kept in memory. Ctrl+C ends it; --until makes it "
                "shorter.")
                 .arg(durationText(scenario.until), QString::number(millions, 'f', 1)));
}

QByteArray reportJson(const scenario::Scenario& scenario, std::uint64_t seed, const experiment::RunReport& report) {
    JsonLine line;
    line.add("scenario", scenario.id)
        .add("recipe", scenario.recipe)
        .add("seed", seed)
        .addJson("until_ms", milliseconds(scenario.until.count()))
        .add("events", static_cast<std::uint64_t>(report.trace->size()))
        .add("acquisitions", report.acquisitions)
        .add("digest", report.digest())
        .addJson("invariants", outcomesJson(report.verdict.outcomes))
        .addJson("violations", violationsJson(report.verdict, *report.trace))
        .addJson("starved", starvedJson(report.verdict, *report.trace));
    return line.toJson();
}

int simulateOne(const scenario::Scenario& scenario, std::uint64_t seed, const Arguments& arguments) {
    const experiment::RunReport report = experiment::run(scenario, seed);
    std::expected<void, QString> recorded; // before anything is said: where that fails, the program ends
    if (const auto file = arguments.value("record")) recorded = saveRecording(*file, report, scenario, seed);
    if (arguments.has("json")) {
        say(reportJson(scenario, seed, report));
    } else {
        say(tr("%1 with %2, seed %3, %4 of virtual time")
                .arg(scenario.id, scenario.recipe, QString::number(seed), durationText(scenario.until)));
        say(judgementText(report.verdict, *report.trace));
        say(QStringLiteral("  ") + sizeText(report.acquisitions, report.trace->size(), report.digest()));
    }
    if (!recorded) {
        complainOfWords(recorded.error());
        return kUsage;
    }
    return statusOf(report.verdict);
}

QString violatedInvariants(const verdict::Verdict& verdict) {
    QStringList ids;
    for (const verdict::Invariant invariant : verdict::kInvariants) {
        if (verdict.outcomes[static_cast<std::size_t>(invariant)] == verdict::Outcome::Violated) {
            ids += QString::fromLatin1(verdict::invariantId(invariant));
        }
    }
    return ids.join(QStringLiteral(", "));
}

int simulateMany(const scenario::Scenario& scenario, Seeds seeds, bool json) {
    struct Result {
        QByteArray line;
        int status = kFine;
        bool starved = false;
    };
    std::uint64_t violated = 0, unknown = 0, starved = 0;
    std::optional<std::uint64_t> firstViolating;
    const auto work = [&](std::uint64_t seed) {
        const experiment::RunReport report = experiment::run(scenario, seed);
        Result result{{}, statusOf(report.verdict), !report.verdict.starved.empty()};
        if (json) {
            result.line = reportJson(scenario, seed, report);
        } else {
            const QString broken = violatedInvariants(report.verdict);
            result.line = tr("seed %1: %2")
                              .arg(QString::number(seed), broken.isEmpty() ? outcomeWord(report.verdict.overall())
                                                                           : tr("violates %1").arg(broken))
                              .toUtf8();
            if (result.starved)
                result.line += "; " + verdict::headline(report.verdict.starved.front(), *report.trace, kNever).toUtf8();
        }
        return result;
    };
    experiment::runInParallel<Result>(seeds.first, seeds.last, work, [&](std::uint64_t seed, const Result& result) {
        say(result.line);
        if (result.status == kUnknown) ++unknown;
        if (result.starved) ++starved;
        if (result.status != kViolated) return;
        ++violated;
        if (!firstViolating) firstViolating = seed;
    });

    const std::uint64_t runs = seeds.last - seeds.first + 1;
    if (json) {
        JsonLine line;
        line.add("runs", runs).add("violated", violated);
        if (firstViolating)
            line.add("first_violating_seed", *firstViolating);
        else
            line.add("first_violating_seed", QJsonValue(QJsonValue::Null));
        line.add("unknown", unknown).add("starved", starved);
        say(line.toJson());
    } else {
        const QString broken = firstViolating ? tr("%1 runs, %2 violated; the first is seed %3")
                                                    .arg(QString::number(runs), QString::number(violated),
                                                         QString::number(*firstViolating))
                                              : tr("%1 runs, none violated").arg(runs);
        const QString whole =
            unknown > 0 ? tr("%1; %2 unknown", "runs of a simulation").arg(broken, QString::number(unknown)) : broken;
        //: %1 a sentence on some runs of a simulation, %2 in how many of them a waiter starved.
        say(starved > 0 ? tr("%1; a waiter starves in %2").arg(whole, QString::number(starved)) : whole);
    }
    return violated > 0 ? kViolated : unknown > 0 ? kUnknown : kFine;
}

} // namespace

int simulate(const QStringList& words) {
    const auto arguments = Arguments::parse(words,
                                            {{QStringLiteral("recipe")},
                                             {QStringLiteral("seed")},
                                             {QStringLiteral("seeds")},
                                             {QStringLiteral("until")},
                                             {QStringLiteral("record")},
                                             {QStringLiteral("liveness"), false},
                                             {QStringLiteral("json"), false}},
                                            {QStringLiteral("SCENARIO")});
    if (!arguments) return misused("simulate", arguments.error());
    const auto seeds = seedsOf(*arguments);
    if (!seeds) return misused("simulate", seeds.error());
    if (arguments->has("seeds") && arguments->has("record")) {
        return misused("simulate", tr("--record takes one run: give --seed instead of --seeds"));
    }
    if (const auto file = arguments->value("record"); file && leadToOneFile(arguments->place(0), *file))
        return misused("simulate", tr("--record: that is the scenario itself, and would be lost: name another file"));
    const auto scenario = scenarioOf(*arguments);
    if (!scenario) return kUsage;
    const std::uint64_t seed = *seeds ? (*seeds)->first : scenario->seed.value_or(1);
    noteLongRun(*scenario, seed);
    if (arguments->has("seeds")) return simulateMany(*scenario, **seeds, arguments->has("json"));
    return simulateOne(*scenario, seed, *arguments);
}

} // namespace lockscope::cli
