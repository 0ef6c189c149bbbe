// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/workload_panel.h"
#include "recipes/recipe_info.h"
#include "theme/fonts.h"
#include "timeline/timeline_view.h"
#include "trace/recording.h"
#include "transport/verdict_banner.h"
#include "verdict/verdict_panel.h"
#include "welcome/connect_dialog.h"
#include "welcome/scenario_card.h"
#include "welcome/welcome_page.h"
#include "window/language.h"
#include "window_scene.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>

using namespace lockscope;
using tests::WindowScene;

namespace {

/// Runs to the first violation.
void toViolation(WindowScene& scene) {
    scene.window->player()->next(session::Milestone::Violation);
    QTRY_VERIFY_WITH_TIMEOUT(!scene.context()->verdict()->violations.empty(), 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(scene.context()->playhead() >= scene.context()->verdict()->violations.front().from,
                             20'000);
}

QString written(const WindowScene& scene, const char* name, const QByteArray& bytes) {
    const QString path = scene.folder.filePath(QLatin1String(name));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("no room");
    return path;
}

} // namespace

class TestWindowManners : public QObject {
    Q_OBJECT
    app::KeyboardCourtesy m_courtesy;

private Q_SLOTS:
    void initTestCase() {
        qApp->installEventFilter(&m_courtesy);
        views::Theme::instance().setChoice(views::ThemeChoice::Light);
    }

    /// On the welcome page, too, where no dialogue does it.
    void returnPressesTheButtonWithTheFocus() {
        QWidget window;
        QPushButton button(QStringLiteral("b"), &window);
        QCheckBox box(QStringLiteral("c"), &window);
        QSignalSpy pressed(&button, &QPushButton::clicked), ticked(&box, &QCheckBox::toggled);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        button.setFocus();
        QTest::keyClick(&button, Qt::Key_Return);
        QTest::keyClick(&button, Qt::Key_Enter, Qt::KeypadModifier);
        QCOMPARE(pressed.count(), 2);
        box.setFocus();
        QTest::keyClick(&box, Qt::Key_Return);
        QCOMPARE(ticked.count(), 0);
    }

    /// Whether or not a shortcut takes the letter: the list with the focus stays as it is. In a dialogue no key is
    /// meant for the window, and lists take letters as everywhere.
    void aLetterChangesNothingInAClosedList_data() {
        QTest::addColumn<bool>("inDialogue");
        QTest::newRow("window") << false;
        QTest::newRow("dialogue") << true;
    }
    void aLetterChangesNothingInAClosedList() {
        QFETCH(bool, inDialogue);
        const std::unique_ptr<QWidget> window(inDialogue ? new QDialog : new QWidget);
        auto* const list = new QComboBox(window.get());
        list->addItems({QStringLiteral("alpha"), QStringLiteral("beta"), QStringLiteral("gamma")});
        window->show();
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
        list->setFocus();
        QTRY_VERIFY(list->hasFocus());
        QTest::keyClick(list, Qt::Key_B);
        QCOMPARE(list->currentText(), inDialogue ? QStringLiteral("beta") : QStringLiteral("alpha"));
        QTest::keyClick(list, Qt::Key_Down); // arrows are the list's own
        QCOMPARE(list->currentText(), inDialogue ? QStringLiteral("gamma") : QStringLiteral("beta"));
    }

    void anOfferGoesWhenItCannotBeTakenUp() {
        QWidget window;
        window.resize(900, 400);
        app::MessageBar bar(&window);
        window.show();
        // Timers of one instant run in order: by then the one that was due at the next turn of the event loop has run.
        const auto turned = [&bar] {
            bool passed = false;
            QTimer::singleShot(0, &bar, [&passed] { passed = true; });
            return QTest::qWaitFor([&passed] { return passed; });
        };
        QAction redo(QStringLiteral("Redo"));
        bar.offer(QStringLiteral("As it was before."), &redo);
        redo.setEnabled(false);
        redo.setEnabled(true); // within one change
        QVERIFY(turned());
        QCOMPARE(bar.message(), QStringLiteral("As it was before."));
        redo.setEnabled(false);
        QTRY_VERIFY(bar.message().isEmpty());
        QAction undo(QStringLiteral("Undo"));
        bar.offer(QStringLiteral("New future."), &undo);
        redo.setEnabled(true);
        redo.setEnabled(false); // is not on offer any more
        QVERIFY(turned());
        QCOMPARE(bar.message(), QStringLiteral("New future."));
    }

    /// The instant of a planned fault, for one, does not slip into the past while its dialogue is open.
    void timeStandsStillBehindADialogue_data() {
        QTest::addColumn<QString>("command");
        for (const char* command : {"break.plan", "file.save-scenario", "session.connect"})
            QTest::newRow(command) << QString::fromLatin1(command);
    }
    void timeStandsStillBehindADialogue() {
        QFETCH(QString, command);
        WindowScene scene;
        scene.open("gc-pause");
        views::Player* const player = scene.window->player();
        player->play();
        auto* const action = scene.window->findChild<QAction*>(command);
        QVERIFY2(action, qPrintable(command));
        QTRY_VERIFY(action->isEnabled());
        action->trigger();
        QTRY_VERIFY(QApplication::activeModalWidget());
        QVERIFY(!player->isPlaying());
        QTest::keyClick(QApplication::activeModalWidget(), Qt::Key_Escape);
        QTRY_VERIFY(!QApplication::activeModalWidget());
        QVERIFY(player->isPlaying());
    }

    void aClickOnTheBannerShowsTheWholeExplanation() {
        WindowScene scene;
        scene.open("gc-pause");
        toViolation(scene);
        auto* panel = scene.window->findChild<views::VerdictPanel*>();
        QVERIFY(panel);
        QVERIFY(!panel->isVisible()); // behind the protocol
        QTRY_VERIFY(scene.window->transport()->banner()->isEnabled());
        QTest::mouseClick(scene.window->transport()->banner(), Qt::LeftButton);
        QTRY_VERIFY(panel->isVisible());
        const QListView* cards = panel->violations();
        QVERIFY(cards->currentIndex().isValid());
        QTRY_VERIFY2(cards->viewport()->rect().contains(cards->visualRect(cards->currentIndex())),
                     qPrintable(QStringLiteral("%1 high of %2")
                                    .arg(cards->viewport()->height())
                                    .arg(cards->visualRect(cards->currentIndex()).height())));
    }

    void aClickOnABandShowsItsCard() {
        WindowScene scene;
        scene.open("gc-pause");
        toViolation(scene);
        const auto* panel = scene.window->findChild<views::VerdictPanel*>();
        const int last = int(scene.context()->verdict()->violations.size()) - 1;
        Q_EMIT scene.window->findChild<views::TimelineView*>()->violationActivated(last);
        QTRY_VERIFY(panel->isVisible());
        QCOMPARE(panel->violations()->currentIndex().row(), last);
    }

    void aClickOnADamagingWriteShowsItsCard() {
        WindowScene scene;
        scene.open("gc-pause");
        scene.window->player()->seek(20s);
        const auto damage = [&]() -> std::optional<std::size_t> {
            const auto& all = scene.context()->verdict()->violations;
            const auto found = std::ranges::find(all, verdict::Invariant::StaleWrite, &verdict::Violation::invariant);
            return found == all.end() ? std::nullopt : std::optional(std::size_t(found - all.begin()));
        };
        QTRY_VERIFY_WITH_TIMEOUT(scene.context()->playhead() == Nanos(20s) && damage(), 20'000);
        const Nanos at = scene.context()->verdict()->violations[*damage()].from;
        scene.context()->reveal(at);
        auto* view = scene.window->findChild<views::TimelineView*>();
        std::optional<QPoint> place;
        const auto look = [&] {
            const std::lock_guard lock(view->loader()->data()->mutex());
            const views::TimelineScene now = view->scene();
            for (std::size_t row = 0; row < now.layout.rows().size() && !place; ++row) {
                const QRect lane = view->rowRect(int(row));
                for (int x = 0; x < lane.width() && !place; ++x) {
                    const QPoint here(x, lane.center().y());
                    const views::TimelineHit hit = views::hitTest(now, view->viewport()->size(), here);
                    if (hit.what == views::TimelineHit::What::Tick && hit.lane->kind == views::LaneKind::Effect &&
                        hit.lane->ticks[hit.index].at == at.count())
                        place = here;
                }
            }
            return place.has_value();
        };
        QTRY_VERIFY(look());
        const auto* panel = scene.window->findChild<views::VerdictPanel*>();
        QVERIFY(!panel->isVisible());
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, *place);
        QTRY_VERIFY(panel->isVisible());
        QCOMPARE(std::size_t(panel->violations()->currentIndex().row()), *damage());
    }

    void stepsOfRecipesFollowTheLanguage() {
        const auto step = [] { return recipes::findRecipe("redis-set")->steps.at(1); };
        app::speak(QStringLiteral("en"));
        const QString english = step();
        const recipes::RecipeInfo* const before = recipes::findRecipe("redis-set");
        app::speak(QStringLiteral("zh_CN"));
        QVERIFY(step() != english);
        QCOMPARE(before->steps.at(1), english); // what is held on to stays
        app::speak(QStringLiteral("en"));
        QCOMPARE(step(), english);
    }

    void enterInANumberFieldGivesTheKeysBack() {
        WindowScene scene;
        scene.open("contention");
        auto* clients = qobject_cast<QSpinBox*>(
            scene.window->findChild<views::WorkloadPanel*>()->control(QStringLiteral("clients")));
        clients->setFocus(Qt::MouseFocusReason);
        clients->selectAll();
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("5"));
        WindowScene::strike(Qt::Key_Return);
        QTRY_COMPARE(scene.context()->scenario().workload.clients, 4); // the plan itself stays as it is
        WindowScene::strike(Qt::Key_Space);
        QVERIFY(scene.window->player()->isPlaying());
        QCOMPARE(clients->value(), 5);
    }

    /// In the window the page is laid out again and again until all of it is there.
    void theWelcomePageShowsItsScenarios() {
        WindowScene scene;
        scene.window->resize(1280, 720);
        auto* const page = scene.window->findChild<views::WelcomePage*>();
        QTRY_VERIFY(page->urlField());
        const auto cards = page->findChildren<views::ScenarioCard*>();
        QVERIFY(cards.size() > 20);
        QTRY_COMPARE(cards.front()->visibleRegion().boundingRect(), cards.front()->rect());
        page->ensureWidgetVisible(cards.back());
        QTRY_COMPARE(cards.back()->visibleRegion().boundingRect(), cards.back()->rect());
    }

    void findingOnTheWelcomePageHasAFieldInTheMiddle() {
        WindowScene scene;
        scene.press(Qt::Key_K, Qt::ControlModifier);
        auto* field = scene.window->findChild<views::CommandField*>(QStringLiteral("window.finder"));
        QVERIFY(field);
        QVERIFY(field->isVisible() && field->hasFocus());
        QVERIFY(std::abs(field->geometry().center().x() - scene.window->rect().center().x()) < 4);
        const QListView* list = field->list();
        QVERIFY(list);
        QVERIFY(scene.window->rect().contains(list->parentWidget()->geometry()));
        for (int row = 0; row < list->model()->rowCount(); ++row)
            QVERIFY(!list->model()->index(row, 0).data().toString().contains(QLatin1String("Find or do")));
        QTest::keyClicks(field, QStringLiteral("gc"));
        QVERIFY2(list->currentIndex().data().toString().startsWith(QLatin1String("Scenario")),
                 qPrintable(list->currentIndex().data().toString()));
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!field->isVisible());
    }

    void locksAreFoundByTheirNames() {
        WindowScene scene;
        scene.open("contention");
        scene.window->player()->seek(3s);
        QTRY_VERIFY(!scene.context()->entities(trace::EntityKind::Lock).empty());
        scene.press(Qt::Key_K, Qt::ControlModifier);
        views::CommandField* field = scene.window->transport()->commandField();
        QTest::keyClicks(field, QStringLiteral("orders"));
        QVERIFY(field->list()->currentIndex().data().toString().contains(QLatin1String("orders")));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(scene.context()->selection(), scene.context()->entities(trace::EntityKind::Lock).front());
    }

    void tabbingGoesOnlyToWhatCanBeSeenAndSelectsNothing() {
        WindowScene scene;
        scene.open("contention");
        scene.window->player()->seek(5s);
        QTRY_VERIFY(scene.context()->trace()->reached() >= 5s);
        scene.window->work()->events()->raise(); // builds what is in it
        QTRY_VERIFY(scene.window->work()->events()->isVisible());
        scene.window->work()->cluster()->raise();
        QTRY_VERIFY(!app::WorkArea::isBehind(scene.window->work()->cluster()));
        QVERIFY(app::WorkArea::isBehind(scene.window->work()->events()));
        const Nanos playhead = scene.context()->playhead();
        QTRY_VERIFY(scene.context()->playhead() == playhead);
        scene.context()->select(trace::kNoEntity);
        QSet<QWidget*> visited;
        for (int i = 0; i < 80; ++i) {
            WindowScene::strike(Qt::Key_Tab);
            QWidget* const now = QApplication::focusWidget();
            QVERIFY(now);
            visited << now;
            for (const QWidget* dock = now; dock; dock = dock->parentWidget())
                if (qobject_cast<const QDockWidget*>(dock))
                    QVERIFY2(dock->geometry().right() >= 0, now->metaObject()->className());
            QCOMPARE(scene.context()->selection(), trace::kNoEntity);
            QCOMPARE(scene.context()->playhead(), playhead);
        }
        QStringList names;
        for (const QWidget* one : visited)
            names << QLatin1String(one->metaObject()->className());
        QVERIFY2(visited.size() > 12, qPrintable(names.join(u' ')));
    }

    void aMessageMovesNothingAndGoesWhenItIsNotTrueAnyMore() {
        WindowScene scene;
        scene.open("contention");
        scene.window->player()->seek(3s);
        QTRY_VERIFY(scene.context()->trace()->reached() >= 3s);
        const QRect before = scene.window->centralWidget()->geometry();
        scene.window->player()->previous(session::Milestone::Violation);
        QTRY_VERIFY(scene.window->messages()->isVisible());
        QCoreApplication::processEvents(); // a layout that the message moved would be made at the next turn
        QCOMPARE(scene.window->centralWidget()->geometry(), before);
        QVERIFY(scene.window->rect().contains(scene.window->messages()->geometry()));
        scene.window->player()->seek(2s);
        QVERIFY(!scene.window->messages()->isVisible());
        scene.window->messages()->say(QStringLiteral("Saved."));
        scene.window->player()->seek(1s);
        QVERIFY(scene.window->messages()->isVisible()); // that stays true

        // Nobody looks for a row under it: it stands over the picture, in a small window and in a large one.
        for (const QSize size : {QSize(1280, 720), QSize(1600, 1000)}) {
            scene.window->resize(size);
            scene.window->work()->setLayout(app::Layout::Monitor);
            scene.window->complain(QStringLiteral("It could not be written. ").repeated(6));
            QTRY_COMPARE(scene.window->size(), size);
            const auto tables = [&scene] {
                auto all = scene.window->findChildren<QAbstractItemView*>();
                all.removeIf(
                    [](const auto* one) { return !one->isVisible() || one->viewport()->visibleRegion().isEmpty(); });
                return all;
            };
            QTRY_VERIFY(!tables().isEmpty());
            for (const QAbstractItemView* table : tables()) {
                const QRect place(table->mapTo(scene.window.get(), QPoint()), table->size());
                QTRY_VERIFY2(!place.intersects(scene.window->messages()->geometry()), qPrintable(table->objectName()));
            }
        }
    }

    void theWindowFitsItsScreen() {
        QTemporaryDir folder;
        app::Settings settings(folder.filePath(QStringLiteral("s.ini")));
        settings.setPlace({QRect(30'000, 20'000, 31'800, 19'200), app::WindowPlace::Size::Normal});
        const app::MainWindow window(&settings);
        const QSize most = window.screen()->availableGeometry().size().expandedTo(window.minimumSize());
        QVERIFY(window.width() <= most.width() && window.height() <= most.height());
        QVERIFY(window.screen()->geometry().contains(window.pos()));
    }

    void theWindowComesBackWhereItWas() {
        QTemporaryDir folder;
        app::Settings settings(folder.filePath(QStringLiteral("s.ini")));
        QRect first;
        for (int start = 0; start < 4; ++start) {
            app::MainWindow window(&settings);
            if (start == 0) window.setGeometry(10, 60, 700, 480);
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            if (start == 0) first = window.geometry();
            QCOMPARE(window.geometry(), first); // it does not wander with each start
            window.close();
            QCOMPARE(settings.place().rect, first);
        }
        // Its place is kept while it fills the screen, too.
        {
            app::MainWindow window(&settings);
            window.showMaximized();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            window.close();
        }
        QCOMPARE(settings.place().size, app::WindowPlace::Size::Maximized);
        QCOMPARE(settings.place().rect, first);
    }

    void whatIsNoRecordingIsRefusedAndNotRemembered() {
        WindowScene scene;
        scene.window->openFile(written(scene, "noise.lockscope", QByteArray(4096, '\x5a')));
        QVERIFY(!scene.context()->session());
        QVERIFY2(scene.window->messages()->message().contains(QLatin1String("not a Lockscope recording")),
                 qPrintable(scene.window->messages()->message()));
        QVERIFY(scene.settings->recentFiles().isEmpty());
        // The right first bytes and nothing behind them: seen only when it is read.
        scene.window->openFile(written(scene, "begin.lockscope", "SQLite format 3" + QByteArray(3000, '\0')));
        QTRY_VERIFY(!scene.window->messages()->message().isEmpty() && !scene.context()->session());
        QVERIFY(scene.settings->recentFiles().isEmpty());
    }

    void timeStandsStillWhileAFileIsChosen() {
        WindowScene scene;
        scene.open("contention");
        scene.window->player()->play();
        for (const char* id : {"file.save-scenario", "file.record"}) {
            scene.action(id)->trigger();
            auto* dialog = scene.window->findChild<QFileDialog*>();
            QVERIFY(dialog);
            QVERIFY2(!scene.window->player()->isPlaying(), id);
            dialog->reject();
            QTRY_VERIFY(scene.window->player()->isPlaying());
            QTRY_VERIFY(!scene.window->findChild<QFileDialog*>());
        }
    }

    void whatIsLookedAtStaysInAnotherView() {
        WindowScene scene;
        scene.open("contention");
        scene.window->player()->seek(8s);
        QTRY_COMPARE(scene.context()->playhead(), Nanos(8s));
        auto* view = scene.window->findChild<views::TimelineView*>();
        QTRY_VERIFY(view->sight().to > 0);
        view->zoomIn();
        view->zoomIn();
        const auto before = view->sight();
        // As a change of language does: another window around the same session.
        std::unique_ptr<session::Session> session = scene.window->releaseSession();
        app::MainWindow other(scene.settings.get());
        other.show();
        other.setSession(std::move(session), false);
        auto* again = other.findChild<views::TimelineView*>();
        again->setSight(before);
        other.context()->setPlayhead(8s);
        QTest::qWait(300); // its lanes load
        QCOMPARE(again->sight().from, before.from);
        QCOMPARE(again->sight().to, before.to);
    }

    void everyEntryOfThePlayMenuHasALetterOfItsOwn() {
        const WindowScene scene;
        QSet<QKeySequence> letters;
        const QMenu* play = nullptr;
        for (const QAction* title : scene.window->findChild<QMenuBar*>()->actions())
            if (title->menu() &&
                title->menu()->actions().contains(scene.window->transport()->command("transport.play")))
                play = title->menu();
        QVERIFY(play);
        for (const QAction* action : play->actions()) {
            if (action->isSeparator()) continue;
            const QKeySequence letter = QKeySequence::mnemonic(action->text());
            QVERIFY2(!letter.isEmpty() && !letters.contains(letter), qPrintable(action->text()));
            letters << letter;
        }
        QVERIFY(letters.size() > 12);
        QVERIFY(scene.window->transport()->command("transport.next-event")->icon().cacheKey() !=
                scene.window->transport()->command("transport.previous-event")->icon().cacheKey());
    }

    /// Earlier addresses were kept without their passwords; one chosen again asks for it at once.
    void anEarlierAddressAsksForItsPassword() {
        WindowScene s;
        s.window->askForUrl(QStringLiteral("redis://ann@127.0.0.1:1"));
        auto* const dialog = s.window->findChild<views::ConnectDialog*>();
        QVERIFY(dialog);
        const auto fields = dialog->findChildren<QLineEdit*>();
        const auto password = std::ranges::find(fields, QStringLiteral("Password"), &QLineEdit::accessibleName);
        QVERIFY(password != fields.end());
        QTRY_VERIFY((*password)->hasFocus());
        dialog->reject();
    }

    void theTextsSizeIsKept() {
        WindowScene s;
        s.open("contention");
        const double before = QFontMetricsF(s.window->findChild<QMenuBar*>()->font()).height();
        // It has the focus in a run that was opened, and keys of its own for Plus and Minus.
        QVERIFY(qobject_cast<views::TimelineView*>(QApplication::focusWidget()));
        s.strike(Qt::Key_Plus, Qt::ControlModifier);
        s.strike(Qt::Key_Plus, Qt::ControlModifier);
        QVERIFY(s.window->settings()->textScale() > 1.2);
        QVERIFY(QFontMetricsF(s.window->findChild<QMenuBar*>()->font()).height() > before);
        QCOMPARE(views::textScale(), s.window->settings()->textScale());
        // The time is read whole in any size.
        const auto labels = s.window->transport()->findChildren<QLabel*>();
        const auto clock = std::ranges::find_if(labels, [](const QLabel* label) {
            return label->accessibleName() == QStringLiteral("Time ") + label->text();
        });
        QVERIFY(clock != labels.end());
        QTRY_VERIFY((*clock)->width() >= (*clock)->fontMetrics().horizontalAdvance((*clock)->text()));
        s.press(Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(s.window->settings()->textScale(), 1.0);
        QCOMPARE(QFontMetricsF(s.window->findChild<QMenuBar*>()->font()).height(), before);
    }
};

QTEST_MAIN(TestWindowManners)
#include "tst_window_manners.moc"
