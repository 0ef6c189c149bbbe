// SPDX-License-Identifier: Apache-2.0
#include "clock_table.h"
#include "experiment/run.h"
#include "recipes/recipe_info.h"
#include "scenario/scenario_file.h"
#include "sim/fitting_recipes.h"

#include <QTest>

using namespace lockscope;
using test::ClockJump;
using test::kClockJumps;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 3;
#else
constexpr std::uint64_t kSeeds = 20;
#endif

} // namespace

/// The effect of wrong clocks on each recipe, three seconds into a quiet contention: runs that agree with the table.
class tst_clock_table : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aClockThatIsWrong_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<int>("jump");
        for (const recipes::RecipeInfo& recipe : sim::recipesFor({}))
            for (std::size_t i = 0; i < std::size(kClockJumps); ++i)
                QTest::addRow("%s, %s", recipe.id.constData(), kClockJumps[i].name) << recipe.id << int(i);
    }
    void aClockThatIsWrong() {
        QFETCH(const QByteArray, recipe);
        QFETCH(const int, jump);
        const ClockJump& wrong = kClockJumps[jump];
        auto scenario = scenario::loadScenario(QStringLiteral("contention"));
        QVERIFY(scenario.has_value());
        scenario->recipe = QString::fromLatin1(recipe);
        scenario::Fault leap;
        leap.at = 3s;
        leap.action = scenario::Action::JumpClock;
        leap.target = wrong.whose == ClockJump::Whose::Client ? QStringLiteral("A") : QStringLiteral("redis-1");
        leap.value = wrong.by;
        scenario->faults = {leap};
        scenario->until = 30s;
        std::uint64_t broken = 0;
        QStringList how;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const experiment::RunReport report = experiment::run(*scenario, seed);
            QVERIFY(report.acquisitions > 3); // there was contention to judge
            const auto& violations = report.verdict.violations;
            broken += std::ranges::any_of(violations, [](const verdict::Violation& violation) {
                return violation.invariant == verdict::Invariant::MutualExclusion;
            });
            if (!violations.empty() && how.size() < 3) how += verdict::headline(violations.front(), *report.trace);
        }
        if (test::clockBreaks(recipe, wrong)) {
            QVERIFY2(broken > 0, "the table says that this breaks it, and no seed shows it");
        } else {
            QVERIFY2(how.isEmpty(), qPrintable(how.join(QLatin1Char('\n'))));
        }
    }
};

QTEST_GUILESS_MAIN(tst_clock_table)
#include "tst_clock_table.moc"
