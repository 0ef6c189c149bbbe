// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "theme/format.h"
#include "theme/palette.h"
#include "theme/widgets.h"
#include "transport/transport_bar.h"
#include "transport/verdict_banner.h"

#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>

using namespace lockscope;
using namespace lockscope::views;

namespace {

/// A window with the bar in it, and verbs for what a person does to it.
class Scene {
public:
    FakeSession session;
    ViewContext context;
    Player player{&context};
    QWidget window;
    TransportBar bar{&context, &player, &window};

    Scene() {
        bar.setGeometry(0, 0, 1600, 52);
        window.resize(1600, 600);
        context.setSession(&session);
        window.show();
        QVERIFY2(QTest::qWaitForWindowActive(&window), "window");
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&window, key, modifiers); }
    void clickOn(const char* command) {
        for (QToolButton* button : bar.findChildren<QToolButton*>())
            if (button->defaultAction() == bar.command(command)) return QTest::mouseClick(button, Qt::LeftButton);
        QFAIL("no such button");
    }
    QLabel* clockLabel() const {
        for (QLabel* label : bar.findChildren<QLabel*>())
            if (label->accessibleName() == QLatin1String("Time ") + label->text()) return label;
        return nullptr;
    }
    QString clockText() const { return clockLabel()->text(); }
};

} // namespace

class TestTransport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void spacePlaysAndPauses() {
        Scene scene;
        scene.player.setSpeed(50);
        scene.press(Qt::Key_Space);
        QVERIFY(scene.player.isPlaying());
        QTRY_VERIFY(scene.context.playhead() > 2s);
        QVERIFY(scene.clockText() > QStringLiteral("00:02"));
        scene.press(Qt::Key_Space);
        QVERIFY(!scene.player.isPlaying());
        const Nanos stopped = scene.context.playhead();
        QSignalSpy moved(&scene.context, &ViewContext::playheadChanged);
        QVERIFY(!moved.wait(100));
        QCOMPARE(scene.context.playhead(), stopped);
    }

    void theButtonShowsWhatAPressWouldDo() {
        Scene scene;
        QAction* play = scene.bar.command("transport.play");
        QCOMPARE(play->text(), QStringLiteral("&Play"));
        scene.clickOn("transport.play");
        QCOMPARE(play->text(), QStringLiteral("&Pause"));
        QVERIFY(play->isChecked());
        QVERIFY(play->toolTip().contains(QLatin1String("Space")));
    }

    void playStopsAtTheEndAndStartsOver() {
        Scene scene;
        scene.session.plan = 2s;
        scene.player.setSpeed(100);
        scene.press(Qt::Key_Space);
        QTRY_VERIFY(!scene.player.isPlaying());
        QCOMPARE(scene.context.playhead(), Nanos(2s));
        scene.player.setSpeed(0.01);
        scene.press(Qt::Key_Space);
        QVERIFY(scene.player.isPlaying());
        QVERIFY(scene.context.playhead() < 1s);
    }

    void arrowsStepFromEventToEvent() {
        Scene scene;
        scene.press(Qt::Key_Right);
        QTRY_COMPARE(scene.context.playhead(), Nanos(1s));
        scene.press(Qt::Key_Period);
        QTRY_COMPARE(scene.context.playhead(), Nanos(2s));
        scene.press(Qt::Key_Left);
        QTRY_COMPARE(scene.context.playhead(), Nanos(1s));
    }

    void runningToMilestonesBothWays() {
        Scene scene;
        scene.session.violate();
        scene.press(Qt::Key_N);
        QTRY_COMPARE(scene.context.playhead(), Nanos(1s));
        scene.press(Qt::Key_BracketRight);
        QTRY_COMPARE(scene.context.playhead(), Nanos(2s));
        scene.press(Qt::Key_N);
        QTRY_COMPARE(scene.context.playhead(), Nanos(3s));
        scene.press(Qt::Key_BracketLeft);
        QTRY_COMPARE(scene.context.playhead(), Nanos(2s));
        scene.press(Qt::Key_N, Qt::ShiftModifier);
        QTRY_COMPARE(scene.context.playhead(), Nanos(1s));
    }

    void aSearchThatFindsNothingSaysSo() {
        Scene scene;
        QSignalSpy said(&scene.player, &Player::nothingFound);
        scene.press(Qt::Key_F);
        QTRY_COMPARE(said.count(), 1);
        QCOMPARE(said.takeFirst().first().toString(), QStringLiteral("No fault from here up to 5.000 s."));
        scene.press(Qt::Key_BracketLeft);
        QCOMPARE(said.count(), 1);
    }

    void aLongSearchBackLeavesTheWindowItsTurn() {
        Scene scene;
        auto* trace = const_cast<trace::Trace*>(scene.session.trace().get());
        const trace::EntityId client = trace->intern(trace::EntityKind::Client, "A");
        trace->append({.at = 1000, .actor = client, .kind = trace::EventKind::ClientPaused, .flags = trace::kFault});
        for (std::int64_t i = 0; i < 1'000'000; ++i)
            trace->append({.at = 2000 + i, .actor = client, .kind = trace::EventKind::Step});
        scene.context.setPlayhead(1s);
        scene.session.live(1s);
        QSignalSpy said(&scene.player, &Player::nothingFound);
        scene.player.previous(session::Milestone::Fault);
        QCOMPARE(scene.context.playhead(), Nanos(1s)); // it goes on when the window has nothing else to do
        QTRY_COMPARE(scene.context.playhead(), Nanos(1000));
        scene.context.setPlayhead(1s);
        scene.player.previous(session::Milestone::Fault);
        scene.player.seek(500ms); // who goes elsewhere is not fetched back
        QTRY_COMPARE(scene.context.playhead(), Nanos(500ms));
        scene.player.previous(session::Milestone::Acquisition);
        QTRY_COMPARE(said.count(), 1); // that there was none; slices come in turn, so the one before would be over
        QCOMPARE(scene.context.playhead(), Nanos(500ms));
    }

    void aNewPastBeyondThePlanIsWaitedFor() {
        Scene scene;
        scene.session.live(100s); // the plan is a minute
        scene.context.setPlayhead(85s);
        scene.player.setSpeed(0.01);
        scene.player.play();
        scene.session.restart(42, session::ByHand::Keep);
        QSignalSpy frames(&scene.player, &Player::frame);
        QTRY_VERIFY(frames.count() > 5);
        QCOMPARE(scene.context.playhead(), Nanos(85s));
        QVERIFY(scene.player.isPlaying());
        scene.session.live(90s);
        QTRY_VERIFY(scene.context.playhead() > 85s);
    }

    void theClockHasRoomForHours() {
        Scene scene;
        scene.session.plan = 400h;
        for (const Nanos t : {Nanos(6812ms), Nanos(1h + 6812ms), Nanos(300h), Nanos(6s)}) {
            scene.context.setPlayhead(t);
            const QLabel* clock = scene.clockLabel();
            const int needed = QFontMetrics(clock->font()).horizontalAdvance(clock->text());
            QVERIFY2(clock->minimumWidth() >= needed, qPrintable(clock->text()));
        }
    }

    void homeAndEnd() {
        Scene scene;
        scene.player.seek(7s);
        QTRY_COMPARE(scene.context.playhead(), Nanos(7s));
        scene.press(Qt::Key_Home);
        QCOMPARE(scene.context.playhead(), Nanos(0));
        scene.press(Qt::Key_End);
        QCOMPARE(scene.context.playhead(), Nanos(7s));
        scene.press(Qt::Key_End);
        QTRY_COMPARE(scene.context.playhead(), Nanos(60s));
    }

    void restartKeepsOrTakesASeed() {
        Scene scene;
        scene.press(Qt::Key_R);
        QCOMPARE(scene.session.restarts, std::vector<std::uint64_t>{42});
        scene.press(Qt::Key_R, Qt::ShiftModifier);
        QCOMPARE(scene.session.restarts.size(), std::size_t(2));
        QVERIFY(scene.session.restarts.back() != 42);
        QLineEdit* seed = scene.bar.seedField();
        QTest::mouseClick(seed, Qt::LeftButton);
        seed->selectAll();
        QTest::keyClicks(seed, QStringLiteral("7"));
        QTest::keyClick(seed, Qt::Key_Return);
        QCOMPARE(scene.session.restarts.back(), std::uint64_t(7));
        QCOMPARE(seed->text(), QStringLiteral("seed 7"));
    }

    void whatIsNoSeedIsNotMadeOne() {
        Scene scene;
        QSignalSpy said(&scene.bar, &TransportBar::said);
        QLineEdit* seed = scene.bar.seedField();
        const auto type = [&](const QString& text) {
            seed->setFocus();
            seed->setText(text);
            QTest::keyClick(seed, Qt::Key_Return);
        };
        for (const char* text : {"-5", "1.5", "seed -5", "", "seed", "18446744073709551616"})
            type(QString::fromLatin1(text));
        QCOMPARE(said.count(), 6);
        QVERIFY(scene.session.restarts.empty());
        type(QStringLiteral("seed 18446744073709551615"));
        QCOMPARE(scene.session.restarts, std::vector<std::uint64_t>{18446744073709551615u});
    }

    void theSpeedSliderIsLogarithmic() {
        Scene scene;
        QSlider* slider = scene.bar.speedSlider();
        slider->setValue(slider->minimum());
        QVERIFY(qFuzzyCompare(scene.player.speed(), 0.01));
        slider->setValue(slider->maximum());
        QVERIFY(qFuzzyCompare(scene.player.speed(), 1000.0));
        slider->setValue(3);
        QCOMPARE(scene.player.speed(), 1.0);
        scene.press(Qt::Key_Greater);
        QCOMPARE(scene.player.speed(), 2.0);
        QVERIFY(slider->value() > 20);
        scene.press(Qt::Key_Less);
        scene.press(Qt::Key_Less);
        QCOMPARE(scene.player.speed(), 0.5);
    }

    void theSpeedIsReadOffFromTheStart() {
        FakeSession session;
        ViewContext context;
        Player player(&context);
        context.setSession(&session);
        player.setSpeed(1000); // before there is a bar, as when the window is built anew in another language
        TransportBar bar(&context, &player);
        bar.show();
        QLabel* shown = nullptr;
        for (QLabel* label : bar.findChildren<QLabel*>())
            if (label->accessibleName() == QLatin1String("Speed")) shown = label;
        QVERIFY(shown);
        QCOMPARE(shown->text(), speedText(1000));
        QCOMPARE(bar.speedSlider()->value(), bar.speedSlider()->maximum());
        FakeSession next;
        context.setSession(&next);
        QCOMPARE(player.speed(), Player::kNormal);
        QCOMPARE(shown->text(), speedText(Player::kNormal));
        context.setSession(nullptr);
    }

    void ofNothingTheVerdictSaysNothing() {
        Scene scene;
        VerdictBanner* banner = scene.bar.banner();
        QCOMPARE(scene.session.judged->rows, std::size_t(0)); // as of a server that never answered
        QCOMPARE(banner->outcome(), verdict::Outcome::Unknown);
        QVERIFY2(!banner->text().contains(QLatin1String("hold")), qPrintable(banner->text()));
        QVERIFY(!banner->text().isEmpty());
        scene.session.judged->rows = 1;
        Q_EMIT scene.session.verdictChanged();
        QCOMPARE(banner->outcome(), verdict::Outcome::Holds);
        // A gap from 1 s on leaves one invariant undecided: the others were judged.
        constexpr auto kProgress = std::size_t(verdict::Invariant::Progress);
        scene.session.judged->outcomes[kProgress] = verdict::Outcome::Unknown;
        scene.session.judged->unknownSince[kProgress] = 1s;
        Q_EMIT scene.session.verdictChanged();
        QCOMPARE(banner->outcome(), verdict::Outcome::Holds); // the playhead is before it
        scene.context.setPlayhead(2s);
        QCOMPARE(banner->outcome(), verdict::Outcome::Unknown);
        QVERIFY2(banner->text().contains(QLatin1String("not all can")), qPrintable(banner->text())); // all is seen
    }

    void whatGoesOnIsToldThoughTheJudgeIsBehind() {
        Scene scene;
        scene.session.violate();
        auto judged = std::make_shared<verdict::Verdict>(*scene.session.judged);
        judged->violations.front().to = kNever;
        judged->violations.push_back(judged->violations.front());
        judged->violations.back().from = judged->violations.back().to = 3s; // over at once
        judged->reached = 4s;
        scene.session.judged = judged;
        Q_EMIT scene.session.verdictChanged();
        scene.context.setPlayhead(5s);
        QVERIFY(scene.bar.banner()->shown());
        QCOMPARE(scene.bar.banner()->shown()->from, Nanos(2s));
        QCOMPARE(scene.bar.banner()->shown()->to, kNever);
        QVERIFY2(scene.bar.banner()->text().contains(QLatin1String("so far, since 2.0")),
                 qPrintable(scene.bar.banner()->text()));
    }

    void aClickOnTheVerdictGoesThere() {
        Scene scene;
        VerdictBanner* banner = scene.bar.banner();
        scene.session.violate();
        scene.player.seek(1s);
        QTRY_COMPARE(scene.context.playhead(), Nanos(1s));
        // Later violations are not told.
        QCOMPARE(banner->outcome(), verdict::Outcome::Holds);
        QVERIFY(!banner->shown());
        scene.player.seek(5s);
        QTRY_COMPARE(scene.context.playhead(), Nanos(5s));
        QVERIFY(banner->shown());
        QCOMPARE(banner->outcome(), verdict::Outcome::Violated);
        QVERIFY2(banner->text().contains(QLatin1String("1.2 s")), qPrintable(banner->text()));
        QSignalSpy revealed(&scene.context, &ViewContext::revealRequested);
        QTest::mouseClick(banner, Qt::LeftButton);
        QCOMPARE(scene.context.playhead(), Nanos(2s));
        QCOMPARE(revealed.count(), 1);
        QCOMPARE(revealed.first().at(1).value<trace::EntityId>(), scene.session.lock());
    }

    void aLiveSessionIsFollowedUntilOneLooksBack() {
        FakeSession session;
        session.can = {};
        session.can.live = true;
        session.plan = Nanos(0);
        ViewContext context;
        Player player(&context);
        context.setSession(&session);
        QVERIFY(player.isPlaying());
        session.live(4s);
        QTRY_COMPARE(context.playhead(), Nanos(4s));
        player.seek(2s);
        QVERIFY(!player.isPlaying());
        session.live(6s);
        QCOMPARE(context.playhead(), Nanos(2s));
        player.toEnd();
        QTRY_COMPARE(context.playhead(), Nanos(6s));
        QVERIFY(player.isPlaying());
        // A click on an event or a violation looks back, too.
        context.reveal(2s);
        QVERIFY(!player.isPlaying());
        QSignalSpy moved(&context, &ViewContext::playheadChanged);
        session.live(8s);
        QVERIFY(!moved.wait(100)); // a few frames, each of which would go back to what happens now
        QCOMPARE(context.playhead(), Nanos(2s));
    }

    void whereTheWorldHasNotComeYetItIsSentFirst() {
        Scene scene;
        scene.context.seek(7s);
        QCOMPARE(scene.context.playhead(), Nanos(0)); // nothing of it is known
        QTRY_COMPARE(scene.context.playhead(), Nanos(7s));
        QVERIFY(scene.session.trace()->reached() >= Nanos(7s));
    }

    void aSearchEndsWithItsWorld() {
        Scene scene;
        scene.session.live(50s);
        QSignalSpy said(&scene.bar, &TransportBar::said);
        QSignalSpy answered(&scene.session, &session::Session::milestoneReached);
        scene.player.next(session::Milestone::Violation);
        Q_EMIT scene.session.traceReplaced();
        Q_EMIT scene.session.milestoneReached(true, 40s);
        QCOMPARE(scene.context.playhead(), Nanos(0));
        QTRY_COMPARE(answered.count(), 2); // the session's own answer, that there is none
        QCOMPARE(scene.context.playhead(), Nanos(0));
        QCOMPARE(said.count(), 0);
    }

    void whoGoesElsewhereIsNotFetchedBackByASearch() {
        Scene scene;
        scene.session.live(50s);
        QSignalSpy answered(&scene.session, &session::Session::milestoneReached);
        scene.player.next(session::Milestone::Event);
        scene.context.seek(30s);
        QTRY_COMPARE(answered.count(), 1);
        QVERIFY(answered[0][0].toBool());
        QCOMPARE(scene.context.playhead(), Nanos(30s));
    }

    void whatASessionCannotDoIsNotOffered() {
        Scene scene;
        scene.session.can.restart = scene.session.can.speed = false;
        scene.session.can.live = true;
        Q_EMIT scene.session.traceReplaced();
        QVERIFY(!scene.bar.command("transport.restart")->isEnabled());
        QVERIFY(!scene.bar.speedSlider()->isEnabled() && !scene.bar.seedField()->isVisible());
        for (const QLabel* const label : scene.bar.findChildren<QLabel*>())
            if (label->accessibleName() == QLatin1String("Speed")) QVERIFY(!label->isVisible());
        QVERIFY(scene.bar.command("transport.play")->isEnabled());
    }

    void commandsAreFoundByAFewLetters() {
        QVERIFY(fuzzyScore(u"nv", u"Next violation") > fuzzyScore(u"nv", u"Step to the next event"));
        QVERIFY(fuzzyScore(u"pause", u"Pause client") > fuzzyScore(u"pause", u"Previous acquisition use"));
        QCOMPARE(fuzzyScore(u"zz", u"Next violation"), 0);
        QCOMPARE(fuzzyScore(u"", u"Next violation"), 1);
        QVERIFY(fuzzyScore(u"暂停", u"暂停客户端") > 0);
    }

    void ctrlKFindsAndDoes() {
        Scene scene;
        CommandField* field = scene.bar.commandField();
        field->setCommands([&] { return scene.bar.commands(); });
        scene.session.violate();
        scene.press(Qt::Key_K, Qt::ControlModifier);
        QVERIFY(field->hasFocus());
        QVERIFY(field->list());
        QVERIFY(field->list()->model()->rowCount() >= 15);
        QTest::keyClicks(field, QStringLiteral("nex vio"));
        QVERIFY(field->list()->currentIndex().data().toString().contains(QLatin1String("Next violation")));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(scene.context.playhead(), Nanos(2s));
        QVERIFY(!field->list());
        QVERIFY(field->text().isEmpty());
        QVERIFY(!field->hasFocus());
    }

    void aNarrowCommandFieldNamesNoHalfKey() {
        CommandField field;
        field.show();
        QVERIFY(QTest::qWaitForWindowExposed(&field));
        int narrow = 0, wide = 0;
        for (int width = 60; width < 260; width += 5) {
            field.resize(width, field.height());
            const bool whole = field.placeholderText().contains(QStringLiteral("Ctrl+K"));
            ++(whole ? wide : narrow);
            if (whole) QVERIFY(field.fontMetrics().horizontalAdvance(field.placeholderText()) < field.width());
        }
        QVERIFY(narrow > 0 && wide > 0);
    }

    void aLongTitleIsShortenedBeforeItGoes() {
        Scene scene;
        scene.bar.resize(1280, 52);
        scene.session.can.restart = false; // a simulation has its name alone then
        scene.session.now.text = QStringLiteral("Simulated · ") + QString(90, QLatin1Char('m'));
        Q_EMIT scene.session.healthChanged();
        Pill* title = nullptr;
        for (Pill* const pill : scene.bar.findChildren<Pill*>())
            if (pill->text() == scene.session.now.text) title = pill;
        QTRY_VERIFY(title && title->isVisible() && title->width() >= 150);
        QCOMPARE(title->toolTip(), scene.session.now.text);
        QTRY_VERIFY(title->geometry().right() < scene.bar.commandField()->geometry().left());
    }

    void aCommandFieldThatWasNarrowIsWideAgain() {
        Scene scene;
        const CommandField* const field = scene.bar.commandField();
        const auto isWhole = [field] { return field->placeholderText().contains(QStringLiteral("Ctrl+K")); };
        QTRY_VERIFY(isWhole());
        int width = 1600;
        while (isWhole() && width > 400) {
            scene.bar.resize(width -= 10, 52);
            QCoreApplication::processEvents(); // the field is laid out
        }
        QVERIFY(!isWhole());
        scene.bar.resize(1600, 52);
        QTRY_VERIFY(isWhole());
    }

    void aTimeInTheCommandFieldGoesThere() {
        Scene scene;
        CommandField* field = scene.bar.commandField();
        field->setCommands([&] { return scene.bar.commands(); });
        scene.press(Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(field, QStringLiteral("6.8s"));
        QCOMPARE(field->list()->currentIndex().data().toString(), QStringLiteral("Go to 6.800 s"));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(scene.context.playhead(), Nanos(6800ms));
    }

    void escapeLeavesTheCommandField() {
        Scene scene;
        scene.press(Qt::Key_K, Qt::ControlModifier);
        QTest::keyClick(scene.bar.commandField(), Qt::Key_Escape);
        QVERIFY(!scene.bar.commandField()->hasFocus());
        QVERIFY(!scene.bar.commandField()->list());
        // Space is the window's again.
        scene.press(Qt::Key_Space);
        QVERIFY(scene.player.isPlaying());
    }

    void everyControlHasANameForScreenReaders() {
        Scene scene;
        for (const QWidget* widget : scene.bar.findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible()) continue;
            QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
        }
        for (const QAction* action : scene.bar.commands()) {
            QVERIFY2(!action->shortcut().isEmpty(), qPrintable(action->objectName()));
            QVERIFY2(action->toolTip().contains(action->shortcut().toString(QKeySequence::NativeText)),
                     qPrintable(action->objectName()));
        }
    }
};

QTEST_MAIN(TestTransport)
#include "tst_transport.moc"
