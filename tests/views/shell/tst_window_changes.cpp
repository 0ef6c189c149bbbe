// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of changes by hand, and how it takes them back.
#include "theme/palette.h"
#include "transport/player.h"
#include "transport/transport_bar.h"
#include "window/action_registry.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/session_recorder.h"

#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

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

    void aRecordingShowsItsSeedAndSaysWhyItCannotBeBroken() {
        Scene scene;
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
