// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "faults/break_panel.h"
#include "faults/fault_menu.h"
#include "faults/fault_offers.h"
#include "faults/workload_panel.h"
#include "scenario/scenario_file.h"
#include "session/breakable.h"
#include "session/simulated_session.h"
#include "theme/palette.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

using namespace lockscope;
using namespace lockscope::views;
using scenario::Action;
using views::testing::FakeSession;
using views::testing::PauseScene;
using views::testing::PauseStory;

class FaultPanels : public QObject {
    Q_OBJECT

    struct Scene : PauseScene {
        Scene() : PauseScene(2s) {} // A holds, B waits
    };

    static QAction* action(const BreakPanel& panel, const char* id) {
        for (QAction* a : panel.breakActions())
            if (a->objectName() == QLatin1String(id)) return a;
        return nullptr;
    }
    static QToolButton* button(const BreakPanel& panel, const char* id) {
        for (auto* b : panel.findChildren<QToolButton*>())
            if (b->defaultAction() == action(panel, id)) return b;
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void aClickPausesTheHolderWhenNobodyIsSelected() {
        Scene scene;
        BreakPanel panel(&scene.context);
        panel.show();
        QCOMPARE(panel.targetText(), u"acts on A, the holder"_qs);
        QTest::mouseClick(button(panel, "break.pause-client"), Qt::LeftButton);
        QCOMPARE(scene.session.applied.size(), std::size_t(1));
        QCOMPARE(scene.last().action, Action::PauseClient);
        QCOMPARE(scene.last().target, u"A"_qs);
        QCOMPARE(scene.session.appliedAt.back(), Nanos(2s));
    }

    void aKeyKillsTheSelectedClient() {
        Scene scene;
        BreakPanel panel(&scene.context);
        panel.show();
        panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        scene.context.select(scene.story.cThread);
        QTRY_COMPARE(panel.targetText(), u"acts on C, selected"_qs);
        QTest::keyClick(&panel, Qt::Key_K);
        QTRY_COMPARE(scene.session.applied.size(), std::size_t(1));
        QCOMPARE(scene.last().action, Action::KillClient);
        QCOMPARE(scene.last().target, u"C"_qs);
        QTest::keyClick(&panel, Qt::Key_K, Qt::ShiftModifier);
        QTRY_COMPARE(scene.session.applied.size(), std::size_t(2));
        QCOMPARE(scene.last().action, Action::KillNode);
        QCOMPARE(scene.last().target, u"redis-1"_qs);
        QTest::keyClick(&panel, Qt::Key_C);
        QTRY_COMPARE(scene.session.applied.size(), std::size_t(3));
        QCOMPARE(scene.last().action, Action::CutLink);
        QCOMPARE(scene.last().target, u"C-redis-1"_qs);
        QTest::keyClick(&panel, Qt::Key_H);
        QTRY_COMPARE(scene.session.applied.size(), std::size_t(4));
        QCOMPARE(scene.last().action, Action::HealAll);
    }

    void whatIsBrokenIsOfferedToBeMended() {
        Scene scene;
        BreakPanel panel(&scene.context);
        scene.context.select(scene.story.a);
        scene.add(trace::EventKind::ClientPaused, scene.story.a);
        scene.add(trace::EventKind::NodeKilled, scene.story.node);
        scene.add(trace::EventKind::LinkCut, scene.story.a, scene.story.aLink);
        QTRY_COMPARE(action(panel, "break.pause-client")->text(), u"Resume client"_qs);
        QCOMPARE(action(panel, "break.kill-node")->text(), u"Restart server"_qs);
        QCOMPARE(action(panel, "break.crash-node")->text(), u"Crash machine"_qs);
        QVERIFY(!action(panel, "break.crash-node")->isEnabled() && button(panel, "break.restart-node")->isHidden());
        QCOMPARE(action(panel, "break.cut-link")->text(), u"Mend link"_qs);
        QVERIFY(!action(panel, "break.pause-node")->isEnabled()); // a dead node cannot be paused
        action(panel, "break.cut-link")->trigger();
        QCOMPARE(scene.last().action, Action::MendLink);
        scene.add(trace::EventKind::ClientKilled, scene.story.a);
        QTRY_COMPARE(action(panel, "break.kill-client")->text(), u"Restart client"_qs);
        QVERIFY(!action(panel, "break.lose-reply")->isEnabled());
        QVERIFY(action(panel, "break.lose-reply")->toolTip().contains(u"dead"_qs));
    }

    void theWatchdogCanBeStoppedOnlyWhereThereIsOne() {
        Scene scene;
        BreakPanel panel(&scene.context);
        QVERIFY(!action(panel, "break.stop-watchdog")->isEnabled());
        scene.session.plan.lock.watchdog = 1s;
        Q_EMIT scene.session.scenarioChanged();
        QTRY_VERIFY(action(panel, "break.stop-watchdog")->isEnabled());
        action(panel, "break.stop-watchdog")->trigger();
        QCOMPARE(scene.last().action, Action::StopWatchdog);
        scene.session.plan.recipe = u"redis-set-del"_qs; // never renews, whatever the setting says
        Q_EMIT scene.session.scenarioChanged();
        QTRY_VERIFY(!action(panel, "break.stop-watchdog")->isEnabled());
    }

    void delayAndClockAskForAValueInAMenu() {
        Scene scene;
        BreakPanel panel(&scene.context);
        panel.show();
        QTest::mouseClick(button(panel, "break.delay-link"), Qt::LeftButton);
        auto* menu = panel.findChild<QMenu*>(u"break.values"_qs);
        QVERIFY(menu);
        QTRY_VERIFY(menu->isVisible());
        QTest::keyClick(menu, Qt::Key_Down);
        QTest::keyClick(menu, Qt::Key_Return);
        QTRY_COMPARE(scene.session.applied.size(), std::size_t(1));
        QCOMPARE(scene.last().action, Action::DelayLink);
        QCOMPARE(scene.last().target, u"A-redis-1"_qs);
        QCOMPARE(scene.last().value, Nanos(50ms)); // the second
    }

    void aSessionThatCannotBeBrokenGreysAllOut() {
        Scene scene;
        scene.session.can.faults = false;
        BreakPanel panel(&scene.context);
        for (const QAction* a : panel.breakActions())
            QVERIFY2(!a->isEnabled(), qPrintable(a->objectName()));
        scene.session.can.faults = true;
        scene.session.can.serverFaults = false;
        scene.context.select(scene.story.a);
        QTRY_VERIFY(action(panel, "break.pause-client")->isEnabled());
        QVERIFY(!action(panel, "break.kill-node")->isEnabled());
        QVERIFY(!action(panel, "break.cut-link")->isEnabled());
    }

    void atSomebodysServerOnlyOurOwnClientsAreOffered() {
        FakeSession session;
        session.can = {.faults = true, .workload = true, .live = true};
        const trace::EntityId observer = session.writable().intern(trace::EntityKind::Client, "lockscope");
        ViewContext context;
        context.setSession(&session);
        BreakPanel panel(&context);
        QVERIFY2(panel.targetText().isEmpty(), qPrintable(panel.targetText()));
        QVERIFY(!action(panel, "break.pause-client")->isEnabled());

        const PauseStory story(session.writable());
        session.writable().append({Nanos(11s).count(), 0, story.cThread, story.lock, 0, trace::EventKind::Released});
        session.writable().append(
            {Nanos(11s).count(), 0, story.cThread, story.lock, story.cThread, trace::EventKind::RecordFreed});
        Q_EMIT session.advanced();
        context.setPlayhead(11s); // ours have started; nobody holds or waits
        QTRY_COMPARE(panel.targetText(), u"acts on A"_qs);
        QVERIFY(action(panel, "break.pause-client")->isEnabled());
        QVERIFY(action(panel, "break.kill-client")->isEnabled());
        for (const char* never : {"break.lose-reply", "break.jump-clock"}) {
            QVERIFY2(!action(panel, never)->isEnabled(), never);
            QVERIFY2(action(panel, never)->toolTip().contains(u"real"_qs), never);
        }

        context.select(observer);
        QTRY_VERIFY(!action(panel, "break.pause-client")->isEnabled());
        QVERIFY(!action(panel, "break.kill-client")->isEnabled());
        QVERIFY(action(panel, "break.pause-client")->toolTip().contains(u"lockscope"_qs));
    }

    // A fault that cannot be done in the past is done now: so the state now decides whether it is offered.
    void atSomebodysServerFaultsGoByWhatIsTrueNow() {
        Scene scene; // looks at 2 s: A holds, B waits
        scene.session.can = {.faults = true, .workload = true, .live = true};
        Q_EMIT scene.session.scenarioChanged();
        BreakPanel panel(&scene.context);
        QCOMPARE(panel.targetText(), u"acts on C, the holder"_qs);
        scene.session.writable().append(
            {Nanos(12s).count(), 0, scene.story.c, 0, 0, trace::EventKind::ClientPaused, trace::kFault});
        Q_EMIT scene.session.advanced();
        QTRY_COMPARE(action(panel, "break.pause-client")->text(), u"Resume client"_qs);
        QCOMPARE(scene.context.playhead(), Nanos(2s));
        scene.context.setPlayhead(5s); // A is paused there, and was resumed since
        scene.context.select(scene.story.a);
        QTRY_COMPARE(panel.targetText(), u"acts on A, selected"_qs);
        QCOMPARE(action(panel, "break.pause-client")->text(), u"Pause client"_qs);
        QMenu menu;
        fillFaultMenu(menu, scene.context, scene.story.lock);
        QCOMPARE(menu.actions().front()->text(), u"Resume C"_qs); // without a key: P is for A, who is selected
    }

    void messagesAndWorkHaveTheirKeys() {
        Scene scene;
        BreakPanel panel(&scene.context);
        panel.show();
        panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        QTest::keyClick(&panel, Qt::Key_L, Qt::ShiftModifier);
        QTRY_COMPARE(scene.session.applied.size(), std::size_t(1));
        QCOMPARE(scene.last().action, Action::LosePush);
        QCOMPARE(scene.last().target, u"A"_qs);
        QTest::keyClick(&panel, Qt::Key_W, Qt::ShiftModifier);
        QTRY_COMPARE(scene.session.applied.size(), std::size_t(2));
        QCOMPARE(scene.last().action, Action::HangWork);
        QTest::keyClick(&panel, Qt::Key_L, Qt::ControlModifier | Qt::AltModifier);
        QTRY_COMPARE(scene.session.applied.size(), std::size_t(3));
        QCOMPARE(scene.last().action, Action::RepeatRequest);
        QCOMPARE(scene.last().target, u"A"_qs);
        QTest::keyClick(&panel, Qt::Key_I, Qt::ControlModifier | Qt::AltModifier);
        QTRY_COMPARE(scene.session.applied.size(), std::size_t(4));
        QCOMPARE(scene.last().action, Action::CutLink);
        QCOMPARE(scene.last().target, u"A"_qs); // all its links
        QCOMPARE(button(panel, "break.isolate-client")->accessibleName(), u"Isolate A"_qs);
        QTest::mouseClick(button(panel, "break.isolate-node"), Qt::LeftButton);
        QCOMPARE(scene.last().action, Action::CutLink);
        QCOMPARE(scene.last().target, u"redis-1"_qs);
        QCOMPARE(button(panel, "break.lose-push")->accessibleName(), u"Lose the next message to A"_qs);
        scene.add(trace::EventKind::WorkHung, scene.story.a);
        scene.context.select(scene.story.a);
        QTRY_VERIFY(!action(panel, "break.hang-work")->isEnabled());
        QVERIFY(button(panel, "break.hang-work")->accessibleName().contains(u"hangs already"_qs));
    }

    void aServerIsRestartedWithOrWithoutItsData() {
        Scene scene;
        BreakPanel panel(&scene.context);
        panel.show();
        QTest::mouseClick(button(panel, "break.restart-node"), Qt::LeftButton);
        auto* menu = panel.findChild<QMenu*>(u"break.values"_qs);
        QTRY_VERIFY(menu && menu->isVisible());
        QTest::keyClick(menu, Qt::Key_Down); // the entry that is off, for its reason
        QTest::keyClick(menu, Qt::Key_Down);
        QTest::keyClick(menu, Qt::Key_Return);
        QTRY_COMPARE(scene.session.applied.size(), std::size_t(1));
        QCOMPARE(scene.last().action, Action::RestartNodeEmpty);
        QCOMPARE(scene.last().target, u"redis-1"_qs);
    }

    // A menu may stay open while time goes on: what was possible when it was opened need not be so any more.
    void anOldMenuDoesNothingThatCannotBeDone() {
        Scene scene;
        QMenu menu;
        fillFaultMenu(menu, scene.context, scene.story.aThread);
        scene.add(trace::EventKind::ClientKilled, scene.story.a);
        QSignalSpy complained(&scene.session, &session::Session::complained);
        menu.actions().front()->trigger(); // "Pause A"
        QVERIFY(scene.session.applied.empty());
        QCOMPARE(complained.count(), 1);
        QCOMPARE(complained.at(0).at(0).toString(), u"A is dead."_qs);
    }

    void noTwoKeysAreTheSame() {
        Scene scene;
        const BreakPanel panel(&scene.context);
        QSet<QString> keys;
        for (const QAction* a : panel.breakActions()) {
            QVERIFY(!a->shortcut().isEmpty());
            QVERIFY2(!keys.contains(a->shortcut().toString()), qPrintable(a->objectName()));
            keys += a->shortcut().toString();
        }
    }

    void menusOfferWhatFitsTheEntity() {
        Scene scene;
        const auto texts = [&](trace::EntityId entity) {
            QMenu menu;
            fillFaultMenu(menu, scene.context, entity);
            QStringList all;
            for (const QAction* a : menu.actions())
                if (!a->isSeparator()) all += a->text().section(u'\t', 0, 0);
            return all;
        };
        QVERIFY(texts(scene.story.aThread).contains(u"Pause A"_qs));
        QVERIFY(texts(scene.story.aThread).contains(u"Cut A ↔ redis-1"_qs));
        QVERIFY(texts(scene.story.node).contains(u"Kill redis-1"_qs));
        QCOMPARE(texts(scene.story.bLink).front(), u"Cut B ↔ redis-1"_qs);
        QCOMPARE(texts(scene.story.lock).front(), u"Pause A"_qs); // the holder
        QVERIFY(texts(scene.story.resource).isEmpty());
        // A key is told where it does the same, to the same target.
        const auto keyOf = [&](trace::EntityId entity) {
            QMenu menu;
            fillFaultMenu(menu, scene.context, entity);
            return menu.actions().front()->text().section(u'\t', 1, 1);
        };
        QCOMPARE(keyOf(scene.story.aThread), u"P"_qs); // A holds
        QCOMPARE(keyOf(scene.story.bThread), QString());
        scene.context.select(scene.story.bThread);
        QCOMPARE(keyOf(scene.story.bThread), u"P"_qs);
        QCOMPARE(keyOf(scene.story.aThread), QString());
        QMenu menu;
        fillFaultMenu(menu, scene.context, scene.story.bThread);
        menu.actions().front()->trigger();
        QCOMPARE(scene.last().action, Action::PauseClient);
        QCOMPARE(scene.last().target, u"B"_qs);
    }

    /// Each thing that can be done to a server or a client is in its menu or one below it, and the menu stays short.
    void aMenuIsShortAndWhole_data() {
        QTest::addColumn<bool>("ofServer");
        QTest::newRow("a server's") << true;
        QTest::newRow("a client's") << false;
    }
    void aMenuIsShortAndWhole() {
        QFETCH(bool, ofServer);
        Scene scene;
        QMenu menu;
        fillFaultMenu(menu, scene.context, ofServer ? scene.story.node : scene.story.aThread);
        int entries = 0;
        QStringList all;
        for (const QAction* entry : menu.actions()) {
            entries += !entry->isSeparator();
            all += entry->text();
            if (entry->menu())
                for (const QAction* below : entry->menu()->actions())
                    all += below->text();
        }
        QVERIFY2(entries <= 15, qPrintable(all.join(QLatin1Char('\n'))));
        const session::Breakable::Sight sight = scene.context.sightToActOn();
        const auto target = ofServer ? session::Breakable::server(sight, scene.story.node)
                                     : session::Breakable::client(sight, scene.story.a);
        for (const Action action : target.actions()) {
            const FaultOffer offer = offerOf(target, action);
            if (offer.undoes) continue; // stands in the place of what it ends
            const QString text = offer.text;
            QVERIFY2(std::ranges::any_of(all, [&](const QString& one) { return one.startsWith(text); }),
                     qPrintable(text));
        }
    }

    void theFormShowsTheSettingsAtThePlayhead() {
        Scene scene;
        scene.session.plan.workload.hold = {2s, 4s};
        scenario::Fault change;
        change.action = Action::Set;
        change.at = 5s;
        change.setting = u"lease"_qs;
        change.text = u"250ms"_qs;
        scene.session.plan.faults = {change};
        Q_EMIT scene.session.scenarioChanged();
        WorkloadPanel panel(&scene.context);
        const auto text = [&](const char* setting) {
            return qobject_cast<QLineEdit*>(panel.control(QLatin1String(setting)))->text().replace(QChar(0xa0), u' ');
        };
        QCOMPARE(text("lease"), u"5 s"_qs);
        QCOMPARE(text("hold"), u"2 – 4 s"_qs);
        QCOMPARE(text("watchdog"), u"off"_qs);
        scene.context.setPlayhead(6s);
        QCOMPARE(text("lease"), u"250 ms"_qs);
    }

    void typingALeaseSendsItOnce() {
        Scene scene;
        WorkloadPanel panel(&scene.context);
        panel.show();
        auto* lease = qobject_cast<QLineEdit*>(panel.control(u"lease"_qs));
        lease->setFocus();
        lease->selectAll();
        QTest::keyClicks(lease, u"1.5 s"_qs);
        QTest::keyClick(lease, Qt::Key_Return);
        QCOMPARE(scene.session.applied.size(), std::size_t(1));
        QCOMPARE(scene.last().action, Action::Set);
        QCOMPARE(scene.last().setting, u"lease"_qs);
        QCOMPARE(scene.last().text, u"1.5s"_qs);
        QTest::keyClick(lease, Qt::Key_Return); // nothing new
        QCOMPARE(scene.session.applied.size(), std::size_t(1));
    }

    void nonsenseIsToldAndNotSent() {
        Scene scene;
        WorkloadPanel panel(&scene.context);
        panel.show();
        auto* hold = qobject_cast<QLineEdit*>(panel.control(u"hold"_qs));
        hold->setFocus();
        hold->selectAll();
        QTest::keyClicks(hold, u"soon"_qs);
        QTest::keyClick(hold, Qt::Key_Return);
        QVERIFY(scene.session.applied.empty());
        QVERIFY2(panel.complaint().contains(u"soon"_qs), qPrintable(panel.complaint()));
        hold->selectAll();
        QTest::keyClicks(hold, u"1 - 3 s"_qs);
        QVERIFY(panel.complaint().isEmpty());
        QTest::keyClick(hold, Qt::Key_Return);
        QCOMPARE(scene.last().text, u"1s-3s"_qs);
    }

    void nonsenseDoesNotOutliveItsSession() {
        Scene scene;
        WorkloadPanel panel(&scene.context);
        panel.show();
        auto* hold = qobject_cast<QLineEdit*>(panel.control(u"hold"_qs));
        hold->setFocus();
        hold->selectAll();
        QTest::keyClicks(hold, u"soon"_qs);
        QTest::keyClick(hold, Qt::Key_Return);
        QVERIFY(!panel.complaint().isEmpty());
        Q_EMIT scene.session.traceReplaced(); // a rewind: the same world
        QVERIFY(!panel.complaint().isEmpty());
        FakeSession other;
        scene.context.setSession(&other);
        QVERIFY2(panel.complaint().isEmpty(), qPrintable(panel.complaint()));
        QVERIFY2(!hold->text().contains(u"soon"_qs), qPrintable(hold->text()));
    }

    void aTypedRangeIsTakenByTheWorld() {
        const auto story = scenario::loadScenario(u"contention"_qs);
        QVERIFY(story.has_value());
        session::SimulatedSession session(*story, 1);
        QSignalSpy complained(&session, &session::Session::complained);
        ViewContext context;
        context.setSession(&session);
        WorkloadPanel panel(&context);
        panel.show();
        const auto type = [&](const char* setting, const QString& text) {
            auto* field = qobject_cast<QLineEdit*>(panel.control(QLatin1String(setting)));
            field->setFocus();
            field->setText(text);
            field->setModified(true);
            QTest::keyClick(field, Qt::Key_Return);
        };
        type("hold", QStringLiteral("2 – 4 s"));
        type("think", QStringLiteral("150ms..1.5s"));
        QVERIFY2(complained.isEmpty(), complained.isEmpty() ? "" : qPrintable(complained[0][0].toString()));
        QCOMPARE(session.settings().workload.hold, (scenario::Range{2s, 4s}));
        QCOMPARE(session.settings().workload.think, (scenario::Range{150ms, 1500ms}));
    }

    void theFormReadsAChangeAsTheWorldDoes() {
        Scene scene;
        scenario::Fault change;
        change.action = Action::Set;
        change.at = 5s;
        change.setting = u"token_check"_qs;
        change.text = u"on"_qs;
        scenario::Fault hold = change;
        hold.setting = u"hold"_qs;
        hold.text = u"2s..4s"_qs;
        scene.session.plan.faults = {change, hold};
        Q_EMIT scene.session.scenarioChanged();
        WorkloadPanel panel(&scene.context);
        const auto* check = qobject_cast<QComboBox*>(panel.control(u"token_check"_qs));
        QCOMPARE(check->currentData().toString(), u"off"_qs);
        scene.context.setPlayhead(6s);
        QCOMPARE(check->currentData().toString(), u"on"_qs);
        QCOMPARE(qobject_cast<QLineEdit*>(panel.control(u"hold"_qs))->text().replace(QChar(0xa0), u' '), u"2 – 4 s"_qs);
    }

    void whatIsNoValueForAllIsTheSessionsToJudge() {
        Scene scene;
        scene.session.can = {.faults = true, .workload = true, .live = true};
        scene.session.plan.workload.clients = 1;
        Q_EMIT scene.session.scenarioChanged();
        WorkloadPanel panel(&scene.context);
        panel.show();
        auto* clients = qobject_cast<QSpinBox*>(panel.control(u"clients"_qs));
        clients->setFocus();
        QTest::keyClick(clients, Qt::Key_Down);
        QCOMPARE(scene.session.applied.size(), std::size_t(1));
        QCOMPARE(scene.last().text, u"0"_qs);
    }

    void choicesAndNumbersGoOutToo() {
        Scene scene;
        WorkloadPanel panel(&scene.context);
        panel.show();
        auto* clients = qobject_cast<QSpinBox*>(panel.control(u"clients"_qs));
        clients->setFocus();
        QTest::keyClick(clients, Qt::Key_Up);
        QCOMPARE(scene.last().setting, u"clients"_qs);
        QCOMPARE(scene.last().text, u"4"_qs);
        auto* token = qobject_cast<QComboBox*>(panel.control(u"token_check"_qs));
        token->setFocus();
        QTest::keyClick(token, Qt::Key_Down);
        QCOMPARE(scene.last().setting, u"token_check"_qs);
        QCOMPARE(scene.last().text, u"on"_qs);
        auto* recipe = qobject_cast<QComboBox*>(panel.control(u"recipe"_qs));
        QVERIFY(recipe->findData(u"redis-reentrant"_qs) >= 0);
        QCOMPARE(recipe->currentData().toString(), u"redis-set"_qs);
    }

    void aSessionWithoutClientsOfItsOwnHasNoForm() {
        Scene scene;
        scene.session.can.workload = false;
        const WorkloadPanel panel(&scene.context);
        QVERIFY(!panel.control(u"lease"_qs)->isEnabled());
        QVERIFY(!panel.control(u"recipe"_qs)->isEnabled());
    }
};

QTEST_MAIN(FaultPanels)
#include "tst_fault_panels.moc"
