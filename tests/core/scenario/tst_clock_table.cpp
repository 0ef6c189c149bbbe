// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_info.h"
#include "scenario/scenario_file.h"
#include "session/run.h"

#include <QTest>

using namespace lockscope;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 3;
#else
constexpr std::uint64_t kSeeds = 20;
#endif

/// Whose wall clock jumps, and by how much, three seconds into a quiet contention.
struct Jump {
    const char* name;
    const char* target;
    Nanos by;
};
const Jump kJumps[] = {
    {"a client an hour ahead", "A", 1h},
    {"a client an hour behind", "A", -1h},
    {"the server an hour ahead", "redis-1", 1h},
    {"the server an hour behind", "redis-1", -1h},
};

/// Which recipes such a jump breaks; all others stay safe. Leases are kept by the server's clock, so its leap ends them
/// all at once; the one recipe that goes by the clients' clocks is broken by theirs, and does not mind the server's.
bool breaks(const QByteArray& recipe, const Jump& jump) {
    const bool clientsClock = recipe == "redis-setnx";
    if (QByteArrayView(jump.target) == "A") return clientsClock;
    return jump.by > 0s && !clientsClock;
}

} // namespace

/// What clocks that are wrong do to each recipe: a table, and runs that agree with it.
class tst_clock_table : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aClockThatIsWrong_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<int>("jump");
        for (const recipes::RecipeInfo& recipe : recipes::simulatedRecipes())
            for (std::size_t i = 0; i < std::size(kJumps); ++i)
                QTest::addRow("%s, %s", recipe.id.constData(), kJumps[i].name) << recipe.id << int(i);
    }
    void aClockThatIsWrong() {
        QFETCH(const QByteArray, recipe);
        QFETCH(const int, jump);
        const Jump& wrong = kJumps[jump];
        auto scenario = scenario::loadScenario(QStringLiteral("contention"));
        QVERIFY(scenario.has_value());
        scenario->recipe = QString::fromLatin1(recipe);
        scenario::Fault leap;
        leap.at = 3s;
        leap.action = scenario::Action::JumpClock;
        leap.target = QString::fromLatin1(wrong.target);
        leap.value = wrong.by;
        scenario->faults = {leap};
        scenario->until = 30s;
        std::uint64_t broken = 0;
        QStringList how;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const session::RunReport report = session::run(*scenario, seed);
            QVERIFY(report.acquisitions > 3); // there was contention to judge
            const auto& violations = report.verdict.violations;
            broken += std::ranges::any_of(violations, [](const verdict::Violation& violation) {
                return violation.invariant == verdict::Invariant::MutualExclusion;
            });
            if (!violations.empty() && how.size() < 3) how += verdict::headline(violations.front(), *report.trace);
        }
        if (breaks(recipe, wrong)) {
            QVERIFY2(broken > 0, "the table says that this breaks it, and no seed shows it");
        } else {
            QVERIFY2(how.isEmpty(), qPrintable(how.join(QLatin1Char('\n'))));
        }
    }
};

QTEST_GUILESS_MAIN(tst_clock_table)
#include "tst_clock_table.moc"
