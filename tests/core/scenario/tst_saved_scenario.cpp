// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"

#include <QTest>

using namespace lockscope;
using scenario::savedAs;

class TestSavedScenario : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWasSabotagedPromisesNothing() {
        auto plain = scenario::loadScenario(QStringLiteral("contention"));
        QVERIFY(plain.has_value());
        QVERIFY(!plain->expect.empty());
        QCOMPARE(savedAs(*plain, QStringLiteral("/tmp/copy.json")), *plain); // nothing was changed
        scenario::Fault pause;
        pause.action = scenario::Action::PauseClient;
        pause.at = 3s;
        pause.target = QStringLiteral("holder");
        pause.duration = 8s;
        pause.byHand = true;
        plain->faults.push_back(pause);
        const scenario::Scenario saved = savedAs(*plain, QStringLiteral("/tmp/My lesson, 2.json"));
        QVERIFY(saved.expect.empty());
        QCOMPARE(saved.id, QStringLiteral("my-lesson-2"));
        QVERIFY(saved.title != plain->title && saved.title.contains(QLatin1String("contention")));
        QVERIFY(saved.summary.isEmpty() && saved.titles.empty() && saved.summaries.empty());
        const auto again = scenario::parseScenario(scenario::toJson(saved), QStringLiteral("x.json"));
        QVERIFY(again.has_value());
        QCOMPARE(*again, saved);
        // Never the id of what it was made from, nor of another built-in one.
        QCOMPARE(savedAs(*plain, QStringLiteral("/tmp/contention.json")).id, QStringLiteral("contention-by-hand"));
        QCOMPARE(savedAs(*plain, QStringLiteral("/tmp/gc-pause.json")).id, QStringLiteral("gc-pause-by-hand"));
        QCOMPARE(savedAs(*plain, QStringLiteral("/tmp/锁.json")).id, QStringLiteral("contention-by-hand"));
    }
};

QTEST_GUILESS_MAIN(TestSavedScenario)
#include "tst_saved_scenario.moc"
