// SPDX-License-Identifier: Apache-2.0
// The cells of a lesson's table of recipes and failures.
#include "lesson/lesson_table.h"

#include <QTest>

using namespace lockscope;
using lesson::NotPlayed;

namespace {

lesson::Table table(const QStringList& recipes, const QStringList& scenarios, bool tokens) {
    return {.recipes = recipes, .columns = {{.title = {}, .scenarios = scenarios, .tokens = tokens}}};
}

} // namespace

class TestFailureCells : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Two believe in each of them; only a resource that checks tokens makes that harmless.
    void tokensMakeAPauseHarmless() {
        const QString recipe = QStringLiteral("redis-fenced"), pause = QStringLiteral("gc-pause");
        const lesson::TableCell plain = lesson::computed(table({recipe}, {pause}, false)).front().front();
        QCOMPARE(plain.outcome, experiment::CellOutcome::Violated);
        QVERIFY(!plain.harmless);
        const lesson::TableCell checked = lesson::computed(table({recipe}, {pause}, true)).front().front();
        QCOMPARE(checked.outcome, experiment::CellOutcome::Violated);
        QVERIFY(checked.harmless);
    }

    void recipesWithoutTokensDoNotPlay() {
        const auto cells = lesson::computed(
            table({QStringLiteral("redis-redlock"), QStringLiteral("zk-mutex")}, {QStringLiteral("gc-pause")}, true));
        QCOMPARE(cells[0][0].notPlayed, NotPlayed::NoTokens);
        QVERIFY(cells[0][0].scenario.isEmpty());
        QCOMPARE(cells[1][0].notPlayed, NotPlayed::No);
        QVERIFY(cells[1][0].harmless);
    }

    void theRunOfACellIsTheOneThatWasPlayed() {
        const lesson::Table checked = table({QStringLiteral("redis-fenced")}, {QStringLiteral("gc-pause")}, true);
        const auto run = lesson::runOf(checked, 0, 0);
        QVERIFY(run);
        QCOMPARE(run->recipe, QStringLiteral("redis-fenced"));
        QVERIFY(run->lock.token && run->resource.tokenCheck);
        const auto none =
            lesson::runOf(table({QStringLiteral("redis-set")}, {QStringLiteral("memcached-restart")}, false), 0, 0);
        QVERIFY(!none);
        QCOMPARE(none.error(), NotPlayed::NoFault);
    }
};

QTEST_GUILESS_MAIN(TestFailureCells)
#include "tst_failure_cells.moc"
