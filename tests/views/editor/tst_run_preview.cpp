// SPDX-License-Identifier: GPL-3.0-or-later
// The editors show the run of the text that is being written.
#include "editor/fault_axis.h"
#include "editor/lesson_editor.h"
#include "editor/run_preview.h"
#include "editor/scenario_editor.h"
#include "editor/step_axis.h"
#include "lesson/lesson_file.h"
#include "lesson/scene_run.h"
#include "theme/palette.h"

#include <QFile>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;

namespace {

constexpr int kRunTakes = 20'000; ///< ms at most, on a busy machine

QByteArray builtin(const char* id) {
    QFile file(QStringLiteral(":/scenarios/%1.json").arg(QLatin1String(id)));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

struct Scene {
    ScenarioEditor window;
    explicit Scene(const char* id = "gc-pause") {
        window.resize(1440, 920);
        window.openText(builtin(id));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
    }
    ~Scene() { window.document()->text()->setModified(false); }
    RunPreview& preview() { return *window.preview(); }
    EditedDocument& document() { return *window.document(); }
    /// The digest of what is shown.
    QByteArray shown() { return preview().trace() ? preview().trace()->digest() : QByteArray(); }
    /// The digest of the run of the text as it stands.
    QByteArray expected() {
        const scenario::Scenario& scenario = *document().scenario();
        return experiment::run(scenario, scenario.seed.value_or(scenario::kUsualSeed)).digest();
    }
};

} // namespace

class tst_run_preview : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void theRunOfTheTextIsShown() {
        Scene s;
        QTRY_VERIFY_WITH_TIMEOUT(s.preview().isUpToDate(), kRunTakes);
        QCOMPARE(s.shown(), s.expected());
        QVERIFY2(s.preview().sentence().contains(QStringLiteral("believed at the same time")),
                 qPrintable(s.preview().sentence()));
        QCOMPARE(s.preview().accessibleDescription(), s.preview().sentence());
    }

    void aChangeIsRunAgain() {
        Scene s;
        QTRY_VERIFY_WITH_TIMEOUT(s.preview().isUpToDate(), kRunTakes);
        const QByteArray before = s.shown();
        s.document().remove(QStringLiteral("/faults"));
        QVERIFY(!s.preview().isUpToDate());
        QTRY_VERIFY_WITH_TIMEOUT(s.preview().isUpToDate(), kRunTakes);
        QVERIFY(s.shown() != before);
        QCOMPARE(s.shown(), s.expected());
        QVERIFY2(s.preview().sentence().contains(QStringLiteral("All invariants hold")),
                 qPrintable(s.preview().sentence()));
    }

    void aMistakeLeavesTheLastRunAndSaysSo() {
        Scene s;
        QTRY_VERIFY_WITH_TIMEOUT(s.preview().isUpToDate(), kRunTakes);
        const QByteArray before = s.shown();
        s.document().set(QStringLiteral("/until"), QStringLiteral("soon"));
        QTRY_VERIFY(!s.document().scenario());
        QVERIFY2(s.preview().sentence().contains(QStringLiteral("mistake")), qPrintable(s.preview().sentence()));
        QCOMPARE(s.shown(), before);
        s.document().undo();
        QTRY_VERIFY_WITH_TIMEOUT(s.preview().isUpToDate(), kRunTakes);
        QCOMPARE(s.shown(), before);
    }

    void faultsStandAboveTheirInstantInTheLanes() {
        Scene s;
        QTRY_VERIFY_WITH_TIMEOUT(s.preview().isUpToDate(), kRunTakes);
        QVERIFY(s.preview().axisLeft() > 0);
        QCOMPARE(s.window.axis()->xOf(Nanos(0)), s.preview().axisLeft());
    }

    void itGivesWayInALowWindowAndWhenItIsNotWanted() {
        Scene s;
        QVERIFY(s.preview().isVisible());
        QTest::keyClick(&s.window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!s.preview().isVisible());
        QTest::keyClick(&s.window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(s.preview().isVisible());
        s.window.resize(1024, 640);
        QTRY_VERIFY(!s.preview().isVisible());
    }

    void ofALongRunTheFirstMinutesAreShown() {
        Scene s("contention");
        s.document().set(QStringLiteral("/until"), QStringLiteral("20h"));
        QTRY_VERIFY(s.document().scenario());
        QTRY_VERIFY_WITH_TIMEOUT(s.preview().isUpToDate(), kRunTakes);
        QVERIFY(s.preview().trace()->reached() <= 301s);
        QVERIFY2(s.preview().sentence().contains(QStringLiteral("so far")), qPrintable(s.preview().sentence()));
    }

    /// A lesson's scenes are runs: the one of the chosen step is shown, on the axis of its narration.
    void aLessonShowsTheSceneOfTheChosenStep() {
        LessonEditor window;
        window.resize(1440, 920);
        QFile file(lesson::lessonPath(QStringLiteral("redlock-critics")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        window.openText(file.readAll());
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const lesson::Lesson& lesson = *window.document()->lesson();
        QVERIFY(lesson.scenes.size() > 1);
        for (int step : {0, int(lesson.steps.size()) - 1}) {
            window.axis()->setCurrent(step);
            QTRY_VERIFY_WITH_TIMEOUT(window.axis()->isUpToDate() && window.run()->isUpToDate(), 3 * kRunTakes);
            const lesson::Scene* const scene = window.axis()->scene();
            QVERIFY(scene);
            QCOMPARE(scene->id, lesson.steps[std::size_t(step)].scene);
            QCOMPARE(window.run()->trace()->digest(),
                     experiment::run(*lesson::scenarioOf(*scene), scene->seed).digest());
            QCOMPARE(window.axis()->xOf(Nanos(0)), window.run()->axisLeft());
        }
        QVERIFY(lesson.steps.front().scene != lesson.steps.back().scene);
        window.document()->text()->setModified(false);
    }
};

QTEST_MAIN(tst_run_preview)
#include "tst_run_preview.moc"
