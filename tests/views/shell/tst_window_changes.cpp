// SPDX-License-Identifier: GPL-3.0-or-later
// The window's texts about changes by hand, and how it takes them back.
#include "faults/break_button.h"
#include "faults/break_panel.h"
#include "faults/fault_verbs.h"
#include "faults/hand_list.h"
#include "theme/format.h"
#include "theme/palette.h"
#include "trace/connection.h"
#include "trace/recording.h"
#include "transport/player.h"
#include "transport/transport_bar.h"
#include "window/action_registry.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/session_recorder.h"
#include "window/window_keeper.h"
#include "window/work_area.h"

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

using namespace lockscope;
using app::MainWindow;

namespace {

struct Scene {
    QTemporaryDir folder;
    app::Settings settings{folder.filePath(QStringLiteral("s.ini"))};
    std::unique_ptr<MainWindow> window = std::make_unique<MainWindow>(&settings);

    Scene() {
        window->show();
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
        QTRY_VERIFY(window->findChild<QAction*>(QStringLiteral("file.open"))); // menus fill after the first picture
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(window.get(), key, modifiers); }
    views::ViewContext* context() const { return window->context(); }
    /// By hand, at the playhead.
    void pauseA() const {
        scenario::Fault pause;
        pause.action = scenario::Action::PauseClient;
        pause.target = QStringLiteral("A");
        context()->breakIt(pause);
    }
};

} // namespace

class TestWindowChanges : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { views::Theme::instance().setChoice(views::ThemeChoice::Light); }

    void anotherLanguageChangesOnlyTheWords() {
        QTemporaryDir folder;
        app::Settings settings(folder.filePath(QStringLiteral("s.ini")));
        settings.setLanguage(QStringLiteral("en"));
        app::WindowKeeper keeper(&settings);
        keeper.window()->show();
        keeper.window()->openScenario(QStringLiteral("contention"));
        keeper.window()->player()->pause();
        keeper.window()->player()->setSpeed(1000);
        const QPointer<MainWindow> before = keeper.window();
        const session::Session* const session = before->context()->session();
        const auto speed = [&keeper]() -> QString {
            const QSlider* slider = keeper.window()->transport()->speedSlider();
            for (const QLabel* label : keeper.window()->transport()->findChildren<QLabel*>())
                if (label->buddy() == slider) return label->text();
            return {};
        };
        QCOMPARE(speed(), views::speedText(1000));
        settings.setLanguage(QStringLiteral("zh_CN"));
        QTRY_VERIFY(!before);
        QCOMPARE(keeper.window()->context()->session(), session);
        QCOMPARE(keeper.window()->player()->speed(), 1000.0);
        QCOMPARE(speed(), views::speedText(1000));
        QCOMPARE(keeper.window()->transport()->speedSlider()->value(),
                 keeper.window()->transport()->speedSlider()->maximum());
        settings.setLanguage(QStringLiteral("en"));
        QTRY_COMPARE(keeper.window()->transport()->speedSlider()->accessibleName(), QStringLiteral("Speed"));
        QCOMPARE(speed(), views::speedText(1000));
    }

    void whatWasDoneByHandHasRoomBesideItsCures() {
        Scene scene;
        scene.window->resize(1600, 1200);
        scene.window->openScenario(QStringLiteral("gc-pause"));
        scene.window->player()->pause();
        const auto* list = scene.window->findChild<views::HandList*>();
        const auto* area = scene.window->work()->controls()->findChild<QScrollArea*>();
        QVERIFY(list && area);
        scene.pauseA();
        scenario::Fault stop;
        stop.action = scenario::Action::PauseNode;
        stop.target = QStringLiteral("redis-1");
        scene.context()->breakIt(stop);
        QTRY_COMPARE_WITH_TIMEOUT(list->rows()->topLevelItemCount(), 2, 30'000);
        QTRY_COMPARE(scene.window->findChild<views::BreakPanel*>()->cures().size(), 2);
        // As much as it wants: a layout that was not made yet has no scroll bar either.
        QTRY_VERIFY2(area->widget()->sizeHint().height() <= area->viewport()->height(),
                     (QByteArray::number(area->widget()->sizeHint().height()) + " of " +
                      QByteArray::number(area->viewport()->height()))
                         .constData());
        QTRY_VERIFY2(area->verticalScrollBar()->maximum() == 0,
                     QByteArray::number(area->verticalScrollBar()->maximum()).constData());
        QCOMPARE(list->rows()->verticalScrollBar()->maximum(), 0);
        const QToolButton* const restart = list->restartWithout();
        const auto inSight = [restart] { return restart->visibleRegion().boundingRect() == restart->rect(); };
        QVERIFY(inSight());
        // In a lower window the form and the buttons are scrolled; the cures and the list stand below them.
        const auto* faults = scene.window->findChild<views::BreakPanel*>();
        const auto* heal = scene.window->findChild<views::BreakButton*>(QStringLiteral("heal"));
        QVERIFY(heal);
        for (const QSize size : {QSize(1600, 1000), QSize(1280, 720)}) {
            scene.window->resize(size);
            QTRY_COMPARE(scene.window->size(), size);
            QTRY_VERIFY(area->verticalScrollBar()->maximum() > 0);
            QTRY_VERIFY(inSight());
            const auto whole = [](const QWidget* w) { return w->visibleRegion().boundingRect() == w->rect(); };
            QTRY_VERIFY(whole(heal));
            for (const QAbstractButton* cure : faults->cures())
                QTRY_VERIFY2(whole(cure), qPrintable(cure->text()));
        }
        const QWidget* const rows = list->rows()->viewport();
        QTRY_COMPARE(rows->visibleRegion().boundingRect(), rows->rect());
    }

    /// Where many suffer in a low window, the form gives way, not the buttons.
    void manyCuresLeaveRoomToTheVerbs() {
        Scene scene;
        scene.window->resize(1280, 800);
        scene.window->openScenario(QStringLiteral("gc-pause"));
        scene.window->player()->pause();
        const auto* const faults = scene.window->findChild<views::BreakPanel*>();
        const auto* const area = scene.window->work()->controls()->findChild<QScrollArea*>();
        QVERIFY(faults && area);
        const auto strike = [&](scenario::Action action, const char* target) {
            scenario::Fault fault;
            fault.action = action;
            fault.target = QLatin1String(target);
            if (action == scenario::Action::DelayLink) fault.value = 1s;
            scene.context()->breakIt(fault);
        };
        for (const char* const client : {"A", "B", "C"})
            strike(scenario::Action::PauseClient, client);
        strike(scenario::Action::PauseNode, "redis-1");
        for (const char* const link : {"A-redis-1", "B-redis-1"}) // three that suffer alike would be cured as one
            strike(scenario::Action::CutLink, link);
        strike(scenario::Action::DelayLink, "C-redis-1");
        QTRY_COMPARE_WITH_TIMEOUT(faults->cures().size(), 7, 30'000);
        const auto inSight = [&] {
            const auto buttons = faults->findChildren<views::BreakButton*>();
            return std::ranges::count_if(buttons, [](const views::BreakButton* button) {
                return button->isVisible() && button->visibleRegion().boundingRect() == button->rect();
            });
        };
        QTRY_VERIFY2(inSight() >= 8, QByteArray::number(inSight()).constData());
        const auto* const list = scene.window->findChild<views::HandList*>();
        QVERIFY(list->restartWithout()->visibleRegion().boundingRect() == list->restartWithout()->rect());
    }

    /// Its faults stand in a menu each for the client, the server and the link, whose words are alike.
    void theMenuOfFaultsFitsIntoALowWindow() {
        Scene scene;
        scene.window->openScenario(QStringLiteral("gc-pause"));
        QTRY_VERIFY(scene.window->findChild<views::BreakPanel*>());
        QMenu* all = nullptr;
        for (const QAction* const title : scene.window->findChild<QMenuBar*>()->actions())
            if (title->menu() && title->text().remove(u'&') == QLatin1String("Break")) all = title->menu();
        QVERIFY(all);
        std::size_t faults = 0;
        for (int shown = 0; shown < 2; ++shown) { // it is filled anew
            Q_EMIT all->aboutToShow();
            QStringList parts;
            faults = 0;
            for (const QAction* const entry : all->actions()) {
                if (!entry->menu()) continue;
                parts += entry->text().section(u' ', 0, 0);
                faults += std::size_t(entry->menu()->actions().size());
                QVERIFY2(entry->menu()->sizeHint().height() < 600, qPrintable(entry->text()));
            }
            QCOMPARE(parts, (QStringList{u"&Client"_qs, u"&Server"_qs, u"&Link"_qs}));
            QVERIFY(all->sizeHint().height() < 400);
        }
        QCOMPARE(faults + 1, views::kVerbs.size()); // all but "Heal everything"
    }

    void aChangeInThePastCanBeUndone() {
        Scene scene;
        scene.window->openScenario(QStringLiteral("contention"));
        scene.window->player()->pause();
        scene.window->player()->seek(12s);
        QTRY_COMPARE_WITH_TIMEOUT(scene.context()->playhead(), Nanos(12s), 20'000);
        QTRY_VERIFY(scene.context()->trace()->reached() >= Nanos(12s));
        QAction* undo = scene.window->registry()->find(QStringLiteral("edit.undo"));
        QVERIFY(!undo->isEnabled());
        const std::size_t rows = scene.context()->trace()->upperBound(12s);
        const std::size_t names = scene.context()->trace()->entityCount();
        const QByteArray before = scene.context()->trace()->digest(rows, names);

        // At the very front a change loses nothing, and nothing is said.
        scene.pauseA();
        QCOMPARE(scene.window->messages()->message(), QString());
        QVERIFY(undo->isEnabled());
        scene.press(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(scene.context()->session()->doneByHand().empty());

        QTRY_VERIFY(scene.context()->trace()->reached() >= Nanos(12s));
        scene.window->player()->seek(7s);
        QCOMPARE(scene.context()->playhead(), Nanos(7s));
        scene.pauseA();
        QVERIFY2(scene.window->messages()->message().contains(QLatin1String("New future from 7.0 s")),
                 qPrintable(scene.window->messages()->message()));
        QToolButton* offer = scene.window->messages()->offerButton();
        QVERIFY(offer->isVisible() && offer->text().contains(QLatin1String("Ctrl+Z")));
        QTest::mouseClick(offer, Qt::LeftButton);
        QVERIFY(scene.context()->session()->doneByHand().empty());
        QTRY_VERIFY_WITH_TIMEOUT(scene.context()->trace()->reached() >= Nanos(12s), 20'000);
        const auto trace = scene.context()->trace();
        QCOMPARE(trace->upperBound(12s), rows);
        QCOMPARE(trace->digest(rows, names), before); // the old future is back, whole
    }

    void aRestartSaysWhatItDoesAgain() {
        Scene scene;
        scene.window->openScenario(QStringLiteral("contention"));
        scene.window->player()->pause();
        QAction* without = scene.window->registry()->find(QStringLiteral("transport.restart-without"));
        QVERIFY(!without->isEnabled());
        scene.pauseA();
        QTRY_VERIFY(without->isEnabled());
        scene.press(Qt::Key_R);
        QVERIFY2(scene.window->messages()->message().contains(QLatin1String("done by hand")),
                 qPrintable(scene.window->messages()->message()));
        QCOMPARE(scene.context()->session()->doneByHand().size(), 1u);
        scene.press(Qt::Key_R, Qt::ControlModifier);
        QVERIFY(scene.context()->session()->doneByHand().empty());
        QVERIFY(!without->isEnabled());
    }

    void aRecordingOfServersOpensAtItsEnd() {
        Scene scene;
        const auto trace = std::make_shared<trace::Trace>();
        trace->setOriginWallMs(1'700'000'000'000);
        const auto shop = trace::internConnection(*trace, "shop", "redis://10.0.0.1:6379");
        const auto node = trace->intern(trace::EntityKind::Node, "10.0.0.1:6379", shop);
        const auto orders = trace->intern(trace::EntityKind::Lock, "orders", node);
        const auto client = trace->intern(trace::EntityKind::Client, "A");
        const auto thread = trace->intern(trace::EntityKind::Thread, "1", client);
        for (const Nanos at : {2s, 10s})
            trace->append({at.count(), trace::kNeverEnds, thread, orders, 1, trace::EventKind::RecordHeld, 0});
        const QString path = scene.folder.filePath(QStringLiteral("watched.lockscope"));
        QVERIFY(trace::saveRecording(path, trace, {}));
        scene.window->openFile(path);
        QTRY_COMPARE(scene.context()->playhead(), Nanos(10s));
        QVERIFY(!scene.window->player()->isPlaying());
        QVERIFY2(scene.window->messages()->message().contains(QLatin1String("as it ended")),
                 qPrintable(scene.window->messages()->message()));
        scene.window->messages()->offerButton()->click(); // the way to the start
        QCOMPARE(scene.context()->playhead(), Nanos(0));
        QVERIFY(!scene.window->messages()->message().contains(QLatin1String("as it ended"))); // it is not any more
    }

    void aRecordingShowsItsSeedAndSaysWhyItCannotBeBroken() {
        Scene scene;
        scene.window->resize(1600, 1000); // a narrow row has no field for the seed
        scene.window->openScenario(QStringLiteral("contention"));
        const QString seed = scene.window->transport()->seedField()->text();
        const QString path = scene.folder.filePath(QStringLiteral("b.lockscope"));
        QVERIFY(scene.window->recorder()->start(path));
        QTRY_VERIFY_WITH_TIMEOUT(scene.context()->playhead() > 1s, 20'000);
        scene.window->recorder()->stop();
        scene.window->openFile(path);
        QLineEdit* field = scene.window->transport()->seedField();
        QTRY_VERIFY(field->isVisible());
        QTRY_COMPARE(field->text(), seed);
        QVERIFY(field->isReadOnly());
        scene.press(Qt::Key_P);
        QVERIFY2(scene.window->messages()->message().contains(QLatin1String("cannot be changed")),
                 qPrintable(scene.window->messages()->message()));
    }
};

QTEST_MAIN(TestWindowChanges)
#include "tst_window_changes.moc"
