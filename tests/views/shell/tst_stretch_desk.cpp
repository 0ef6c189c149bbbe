// SPDX-License-Identifier: GPL-3.0-or-later
// A stretch of the session as a scenario, and what changed in it.
#include "events/what_changed_dialog.h"
#include "scenario/scenario_file.h"
#include "timeline/timeline_view.h"
#include "window/stretch_desk.h"
#include "window_scene.h"

#include <QFileDialog>
#include <QListView>
#include <QSignalSpy>
#include <QToolButton>

using namespace lockscope;

class TestStretchDesk : public QObject {
    Q_OBJECT
    /// A scenario that has run for twenty seconds.
    static void play(const tests::WindowScene& scene) {
        scene.window->openScenario(QStringLiteral("contention"));
        scene.window->player()->pause();
        scene.context()->seek(20s);
        QTRY_VERIFY(scene.context()->trace()->reached() >= Nanos(20s));
        QTRY_COMPARE(scene.context()->playhead(), Nanos(20s));
    }
private Q_SLOTS:
    /// A second file is saved where the first one was.
    void aFileIsSavedWhereTheLastOneWas() {
        tests::WindowScene scene;
        scene.open("contention");
        QTemporaryDir folder;
        const auto ask = [&](const char* id) -> QFileDialog* {
            scene.action(id)->trigger();
            const auto all = scene.window->findChildren<QFileDialog*>();
            return all.isEmpty() ? nullptr : all.back();
        };
        QFileDialog* dialog = ask("share.save-picture");
        QVERIFY(dialog);
        QVERIFY(dialog->directory() != QDir(folder.path()));
        const QString picture = folder.filePath(QStringLiteral("run.png"));
        Q_EMIT dialog->fileSelected(picture);
        dialog->close();
        QTRY_VERIFY(scene.window->findChildren<QFileDialog*>().isEmpty());
        dialog = ask("file.save-scenario");
        QVERIFY(dialog);
        QCOMPARE(dialog->directory().canonicalPath(), QDir(folder.path()).canonicalPath());
        dialog->close();
    }

    void whatHappenedBecomesAScenario() {
        const tests::WindowScene scene;
        play(scene);
        auto* desk = scene.window->findChild<app::StretchDesk*>();
        QVERIFY(desk);
        QVERIFY(scene.action("stretch.replay")->isEnabled());
        const QString path = scene.folder.filePath(QStringLiteral("again.json"));
        const QSignalSpy done(desk, &app::StretchDesk::replayed);
        desk->writeReplay(path);
        QTRY_COMPARE(done.size(), 1);
        QCOMPARE(done[0][1].toString(), QString());
        const auto replay = scenario::loadScenario(path);
        QVERIFY2(replay, replay ? "" : qPrintable(replay.error().front().toString()));
        QVERIFY(replay->programs.size() >= 2);
        QVERIFY(scene.window->messages()->message().contains(path));

        scene.window->messages()->offerButton()->click();
        QTRY_COMPARE(scene.context()->scenario().id, replay->id);
    }

    void whatChangedIsListed() {
        tests::WindowScene scene;
        play(scene);
        scene.context()->seek(1s);
        QTRY_COMPARE(scene.context()->playhead(), Nanos(1s));
        scene.press(Qt::Key_W, Qt::ControlModifier | Qt::AltModifier);
        auto* dialog = scene.window->findChild<views::WhatChangedDialog*>();
        QVERIFY(dialog);
        QTRY_VERIFY(!dialog->sentences().isEmpty());
        const QStringList sentences = dialog->sentences();
        QVERIFY2(sentences.join(u'\n').contains(QStringLiteral("orders")), qPrintable(sentences.join(u'\n')));
        auto* list = dialog->findChild<QListView*>();
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_COMPARE(scene.context()->playhead(), scene.context()->trace()->reached());
        QVERIFY(scene.context()->selection() != trace::kNoEntity);
    }

    /// At the end of time there is nothing to compare with: the window says how to choose two instants.
    void withoutTwoInstantsItSaysWhatToDo() {
        tests::WindowScene scene;
        play(scene);
        scene.context()->seek(scene.context()->trace()->reached());
        QTRY_COMPARE(scene.context()->playhead(), scene.context()->trace()->reached());
        scene.press(Qt::Key_W, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(!scene.window->findChild<views::WhatChangedDialog*>());
        QVERIFY(scene.window->messages()->message().contains(QStringLiteral("two instants")));
        QCOMPARE(scene.window->messages()->kind(),
                 app::MessageBar::Kind::Note); // nothing went wrong: it goes by itself
    }
};

QTEST_MAIN(TestStretchDesk)
#include "tst_stretch_desk.moc"
