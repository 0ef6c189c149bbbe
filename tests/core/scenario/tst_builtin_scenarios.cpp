// SPDX-License-Identifier: Apache-2.0
#include "experiment/parallel.h"
#include "experiment/promise.h"
#include "recipes/recipe_info.h"
#include "scenario/scenario_file.h"
#include "sim/fitting_recipes.h"

#include <QTest>

using namespace lockscope;
using trace::EventKind;

namespace {

// Sanitizers look for defects of the code, not of the promises, and take many times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 10, kSeedsElsewhere = 5;
#else
constexpr std::uint64_t kSeeds = 200, kSeedsElsewhere = 25;
#endif

std::map<QString, verdict::Outcome> outcomesOf(const verdict::Verdict& verdict) {
    std::map<QString, verdict::Outcome> outcomes;
    for (const verdict::Invariant invariant : verdict::kInvariants) {
        outcomes[QString::fromLatin1(verdict::invariantId(invariant))] =
            verdict.outcomes[static_cast<std::size_t>(invariant)];
    }
    return outcomes;
}

/// A recipe that the scenario's servers are not for brings servers of its own: such pairs are many, and their own
/// scenarios try the same faults with all seeds. SEEDS=n: so many with any pair.
std::uint64_t seedsFor(const scenario::Scenario& written, const QString& recipe) {
    if (const int seeds = qEnvironmentVariableIntValue("SEEDS"); seeds > 0) return std::uint64_t(seeds);
    return sim::whyNotNow(written, recipe).isEmpty() ? kSeeds : kSeedsElsewhere;
}

/// Runs seeds from 1 on on all cores; those that `judge` finds fault with.
QStringList overAllSeeds(const scenario::Scenario& scenario, std::uint64_t seeds,
                         const std::function<QString(const experiment::RunReport&)>& judge) {
    QStringList wrong;
    experiment::runInParallel<QString>(
        1, seeds, [&](std::uint64_t seed) { return judge(experiment::run(scenario, seed)); },
        [&](std::uint64_t seed, const QString& why) {
            if (!why.isEmpty()) wrong += QStringLiteral("seed %1: %2").arg(seed).arg(why);
        });
    return wrong;
}

void expectAsPromised(const scenario::Scenario& scenario,
                      const std::function<QString(const experiment::RunReport&)>& judge, std::uint64_t seeds = kSeeds) {
    const QStringList wrong = overAllSeeds(scenario, seeds, judge);
    QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("%1 of %2 seeds, such as\n%3")
                                             .arg(wrong.size())
                                             .arg(seeds)
                                             .arg(wrong.mid(0, 5).join(QLatin1Char('\n')))));
}

} // namespace

class tst_builtin_scenarios : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void endAsTheirFilesPromise_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("recipe");
        for (const QString& id : scenario::builtinScenarios()) {
            const auto scenario = scenario::loadScenario(id);
            if (!scenario) continue; // refused files are another test's business
            for (const recipes::RecipeInfo& recipe : sim::recipesToBeginWith(*scenario)) {
                QTest::addRow("%s with %s", qPrintable(id), recipe.id.constData())
                    << id << QString::fromLatin1(recipe.id);
            }
        }
    }
    void endAsTheirFilesPromise() {
        QFETCH(QString, id);
        QFETCH(QString, recipe);
        auto scenario = scenario::loadScenario(id);
        QVERIFY(scenario.has_value());
        const std::uint64_t seeds = seedsFor(*scenario, recipe);
        scenario->recipe = recipe;
        const scenario::Expectation* const promised = scenario->expectationFor(recipe);
        QVERIFY2(promised, "the file promises nothing for this recipe");
        const auto judge = [&](const auto& report) {
            return experiment::differenceFrom(*promised, report, experiment::measure(*report.trace));
        };
        expectAsPromised(*scenario, judge, seeds);
    }

    /// A scenario that never comes to its rare path shows nothing: it names the path, or measures what follows from it.
    void proveTheirRarePath_data() {
        QTest::addColumn<QString>("id");
        const QStringList nothingFails{QStringLiteral("contention"), QStringLiteral("contention-permits"),
                                       QStringLiteral("replicas")}; // the last one is broken by hand
        for (const QString& id : scenario::builtinScenarios())
            if (!nothingFails.contains(id)) QTest::newRow(qPrintable(id)) << id;
    }
    void proveTheirRarePath() {
        QFETCH(QString, id);
        const auto scenario = scenario::loadScenario(id);
        QVERIFY(scenario.has_value());
        const scenario::Expectation* const promised = scenario->expectationFor(scenario->recipe);
        QVERIFY2(promised, "the file promises nothing for its own recipe");
        // A deadlock or a time without progress is the rare path itself.
        const bool stuck = promised->violates.contains(QStringLiteral("no-deadlock")) ||
                           promised->violates.contains(QStringLiteral("progress"));
        QVERIFY2(!promised->reaches.isEmpty() || promised->longestWait || promised->requestsPerSecond || stuck,
                 "add the path to “reaches”");
    }

    /// A client that gives the lock up by its own clock needs no server to tell it.
    void aPartitionedHolderThatHonoursItsDeadlineIsSafe_data() {
        QTest::addColumn<QString>("recipe");
        QTest::newRow("redis-set") << QStringLiteral("redis-set");
        QTest::newRow("redis-reentrant") << QStringLiteral("redis-reentrant");
    }
    void aPartitionedHolderThatHonoursItsDeadlineIsSafe() {
        QFETCH(QString, recipe);
        auto scenario = scenario::loadScenario(QStringLiteral("partition-holder"));
        QVERIFY(scenario.has_value());
        scenario->recipe = recipe;
        scenario->lock.honourDeadline = true;
        expectAsPromised(*scenario, [](const experiment::RunReport& report) {
            return report.verdict.violations.empty()
                       ? QString()
                       : verdict::headline(report.verdict.violations.front(), *report.trace);
        });
    }

    /// The point of the lesson: not only does the one who deletes do wrong, the rightful holder gets company by it.
    void deletingAnothersLockLetsAThirdIn() {
        const auto scenario = scenario::loadScenario(QStringLiteral("delete-others-lock"));
        QVERIFY(scenario.has_value());
        expectAsPromised(*scenario, [](const experiment::RunReport& report) {
            const auto& violations = report.verdict.violations;
            const auto deleted =
                std::ranges::find(violations, verdict::Invariant::Ownership, &verdict::Violation::invariant);
            if (deleted == violations.end()) return QStringLiteral("nobody deleted another's lock");
            const trace::EntityId culprit = deleted->actors.front();
            // The actors that begin a violation stand first; others, the culprit among them, may join later.
            const bool othersTogether = std::ranges::any_of(violations, [&](const verdict::Violation& v) {
                return v.invariant == verdict::Invariant::MutualExclusion && v.from >= deleted->from &&
                       v.actors.at(0) != culprit && v.actors.at(1) != culprit;
            });
            return othersTogether ? QString() : QStringLiteral("nobody else was let in");
        });
    }

    /// Two things help against a circle: both locks in one step, all or none, or an end to the waiting.
    void bothLocksAtOnceOrATimeOutGetThrough_data() {
        QTest::addColumn<bool>("atOnce");
        QTest::newRow("both at once") << true;
        QTest::newRow("time-outs") << false;
    }
    void bothLocksAtOnceOrATimeOutGetThrough() {
        QFETCH(bool, atOnce);
        auto scenario = scenario::loadScenario(QStringLiteral("multi-deadlock"));
        QVERIFY(scenario.has_value());
        using Do = scenario::ProgramStep::Do;
        for (scenario::Program& program : scenario->programs) {
            if (atOnce) {
                scenario::Program other{program.name, {}};
                for (const Do act : {Do::Think, Do::Take, Do::Work, Do::Release}) {
                    scenario::ProgramStep& step = other.steps.emplace_back();
                    step.act = act;
                    if (act == Do::Take || act == Do::Release)
                        step.locks = {program.steps[1].locks[0], program.steps[3].locks[0]};
                }
                program = other;
            } else {
                program.steps[3].wait = program.name == QLatin1String("orders-first") ? 1s : 3s;
            }
        }
        expectAsPromised(*scenario, [&](const experiment::RunReport& report) {
            const auto deadlock = outcomesOf(report.verdict).at(QStringLiteral("no-deadlock"));
            if (atOnce && deadlock != verdict::Outcome::Holds) return QStringLiteral("a circle");
            return report.acquisitions > 6 ? QString() : QStringLiteral("%1 grants").arg(report.acquisitions);
        });
    }

    /// Tokens are what helps where a lock cannot: the resource itself refuses the late writer.
    void aResourceThatChecksTokensTakesNoStaleWrite() {
        auto scenario = scenario::loadScenario(QStringLiteral("gc-pause"));
        QVERIFY(scenario.has_value());
        scenario->lock.token = true;
        scenario->resource.tokenCheck = true;
        for (const char* recipe : {"redis-set", "redis-reentrant"}) {
            scenario->recipe = QLatin1String(recipe);
            int refusals = 0;
            for (std::uint64_t seed = 1; seed <= 20; ++seed) {
                const experiment::RunReport report = experiment::run(*scenario, seed);
                QCOMPARE(outcomesOf(report.verdict).at(QStringLiteral("stale-write")), verdict::Outcome::Holds);
                for (std::size_t i = 0; i < report.trace->size(); ++i)
                    refusals += report.trace->kindAt(i) == EventKind::WriteRefused;
            }
            QVERIFY2(refusals >= 20, recipe);
        }
    }

    void equalSeedsGiveEqualRunsAndOthersDiffer() {
        for (const QString& id : scenario::builtinScenarios()) {
            const auto scenario = scenario::loadScenario(id);
            QVERIFY(scenario.has_value());
            QSet<QByteArray> digests;
            for (std::uint64_t seed = 1; seed <= 5; ++seed) {
                const QByteArray digest = experiment::run(*scenario, seed).digest();
                QCOMPARE(experiment::run(*scenario, seed).digest(), digest);
                digests += digest;
            }
            QCOMPARE(digests.size(), 5);
        }
    }
};

QTEST_GUILESS_MAIN(tst_builtin_scenarios)
#include "tst_builtin_scenarios.moc"
