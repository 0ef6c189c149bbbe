// SPDX-License-Identifier: GPL-3.0-or-later
// The Break panel's texts about struck clients and servers, and about a person's own faults.
#include "fake_session.h"
#include "faults/break_panel.h"
#include "faults/fault_menu.h"
#include "faults/fault_offers.h"
#include "faults/fault_targets.h"
#include "faults/fault_verbs.h"
#include "faults/hand_list.h"
#include "theme/palette.h"

#include <QAction>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <functional>

using namespace lockscope;
using namespace lockscope::views;
using scenario::Action;
using views::testing::PauseStory;
using views::testing::PlanningSession;

class BreakPanelStruck : public QObject {
    Q_OBJECT

    struct Scene {
        PlanningSession session;
        PauseStory story{session.writable()};
        ViewContext context;
        Scene() {
            context.setSession(&session);
            context.setPlayhead(2s); // A holds, B waits
        }
        const scenario::Fault& last() const { return session.applied.back(); }
        void add(trace::EventKind kind, trace::EntityId actor, trace::EntityId subject = 0) {
            session.writable().append({Nanos(20s).count(), 0, actor, subject, 0, kind, trace::kFault});
            context.setPlayhead(21s);
            Q_EMIT session.advanced();
        }
    };

    static QAction* action(const BreakPanel& panel, const char* id) {
        for (QAction* a : panel.breakActions())
            if (a->objectName() == QLatin1String(id)) return a;
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    /// A client's menu and the keys are about one link, also where there are several servers.
    void aClientsMenuIsAboutTheLinkThatTheKeysStrike() {
        Scene scene;
        trace::Trace& trace = scene.session.writable();
        const trace::EntityId second = trace.intern(trace::EntityKind::Node, "redis-2");
        trace.intern(trace::EntityKind::Link, {}, scene.story.a, second);
        const auto links = [&] {
            QMenu menu;
            fillFaultMenu(menu, scene.context, scene.story.aThread);
            QStringList cut;
            for (const QAction* entry : menu.actions())
                if (entry->text().startsWith(u"Cut "_qs)) cut += entry->text().section(u'\t', 0, 0);
            return cut;
        };
        QCOMPARE(links(), QStringList{u"Cut A ↔ redis-1"_qs});
        scene.context.select(second);
        QCOMPARE(links(), QStringList{u"Cut A ↔ redis-2"_qs});
    }

    /// A fault without a button of its own is in the menu beside the name of its target, greyed with the reason where
    /// it cannot be had.
    void faultsWithoutAButtonAreInTheirTargetsMenu() {
        Scene scene;
        using Kind = session::Breakable::Kind;
        const auto entriesFor = [&](trace::EntityId target) {
            QMenu menu;
            fillFaultMenu(menu, scene.context, target);
            QStringList all;
            const auto read = [&all](const QMenu& part, const auto& self) -> void {
                for (const QAction* entry : part.actions()) {
                    all += entry->text().section(u'\t', 0, 0);
                    if (!entry->isEnabled() && !entry->isSeparator() && entry->toolTip().isEmpty())
                        all += u"no reason"_qs;
                    if (entry->menu()) self(*entry->menu(), self);
                }
            };
            read(menu, read);
            return all;
        };
        const QStringList ofClient = entriesFor(scene.story.a), ofServer = entriesFor(scene.story.node);
        QVERIFY(!ofClient.contains(u"no reason"_qs) && !ofServer.contains(u"no reason"_qs));
        const session::Breakable::Sight sight = scene.context.sightToActOn();
        int without = 0;
        for (const Verb& verb : kVerbs) {
            if (verb.shown == Verb::Shown::Button) continue;
            ++without;
            QVERIFY(verb.kind == Kind::Client || verb.kind == Kind::Server);
            const bool isClient = verb.kind == Kind::Client;
            const auto target = isClient ? session::Breakable::client(sight, scene.story.a)
                                         : session::Breakable::server(sight, scene.story.node);
            QVERIFY2((isClient ? ofClient : ofServer).contains(offerOf(target, verb.action).text), verb.id);
        }
        QCOMPARE(without, 9);
    }

    /// As many buttons as there are lines would push the verbs out of sight.
    void linesThatSufferAlikeAreCuredTogether() {
        Scene scene;
        BreakPanel panel(&scene.context);
        const auto delay = [&scene](trace::EntityId link, Nanos by) {
            scene.session.writable().append(
                {Nanos(20s).count(), by.count(), 0, link, 0, trace::EventKind::LinkDelayed, trace::kFault});
        };
        for (const trace::EntityId link : {scene.story.aLink, scene.story.bLink, scene.story.cLink})
            delay(link, 1s);
        scene.context.setPlayhead(21s);
        Q_EMIT scene.session.advanced();
        QTRY_COMPARE(panel.cures().size(), 1);
        QVERIFY2(panel.cures().front()->text() == u"redis-1 ↔ 3 others slower"_qs,
                 qPrintable(panel.cures().front()->text()));
        QTest::mouseClick(panel.cures().front(), Qt::LeftButton);
        QCOMPARE(scene.last().action, Action::DelayLink);
        QCOMPARE(scene.last().target, u"redis-1"_qs);
        QCOMPARE(scene.last().value, Nanos(0));
        // One that suffers more than the others is told by itself, as are they.
        delay(scene.story.cLink, 2s);
        Q_EMIT scene.session.advanced();
        QTRY_COMPARE(panel.cures().size(), 3);
    }

    void theKeyThatPausedAClientLetsItGoOn() {
        Scene scene;
        scenario::Fault pause;
        pause.action = Action::PauseClient;
        pause.target = u"A"_qs;
        pause.at = 3s;
        scene.session.byHand = {pause};
        BreakPanel panel(&scene.context);
        QCOMPARE(panel.targetText(), u"acts on A, the holder"_qs); // at 2 s nobody is paused yet
        scene.context.setPlayhead(6500ms);                         // A is paused and believes, B holds by record
        QTRY_COMPARE(panel.targetText(), u"acts on A, paused"_qs);
        QCOMPARE(action(panel, "break.pause-client")->text(), u"Resume client"_qs);
        action(panel, "break.pause-client")->trigger();
        QCOMPARE(scene.last().action, Action::ResumeClient);
        QCOMPARE(scene.last().target, u"A"_qs);
        // The lock's menu means the same client.
        QMenu menu;
        fillFaultMenu(menu, scene.context, scene.story.lock);
        QCOMPARE(menu.actions().front()->text(), u"Resume A\tP"_qs);
        scene.context.select(scene.story.bThread); // somebody else is meant only when chosen
        QTRY_COMPARE(panel.targetText(), u"acts on B, selected"_qs);
        scene.context.select(trace::kNoEntity);
        scene.context.setPlayhead(8s); // A goes on since 7 s
        QTRY_COMPARE(panel.targetText(), u"acts on B, the holder"_qs);
        // A pause that is part of the scenario is not the person's to end by that key.
        scene.session.byHand.clear();
        scene.context.setPlayhead(6500ms);
        QTRY_VERIFY(panel.targetText().endsWith(u"the holder"_qs));
    }

    void whoeverSuffersHasAButtonThatMakesItGood() {
        Scene scene;
        BreakPanel panel(&scene.context);
        panel.show();
        QVERIFY(panel.cures().isEmpty());
        scene.add(trace::EventKind::ClientPaused, scene.story.a);
        scene.add(trace::EventKind::ClientKilled, scene.story.b);
        scene.add(trace::EventKind::NodePaused, scene.story.node);
        scene.add(trace::EventKind::LinkCut, scene.story.a, scene.story.aLink);
        const auto words = [&] {
            QStringList all;
            for (const QAbstractButton* button : panel.cures())
                all += button->text();
            return all;
        };
        QTRY_COMPARE(words(), (QStringList{u"A paused"_qs, u"B dead"_qs, u"redis-1 paused"_qs, u"A ↔ redis-1 cut"_qs}));
        for (const QAbstractButton* button : panel.cures()) {
            QVERIFY(button->isVisible() && button->focusPolicy() & Qt::TabFocus);
            QVERIFY(!button->accessibleName().isEmpty());
        }
        const std::array done{Action::ResumeClient, Action::RestartClient, Action::ResumeNode, Action::MendLink};
        for (std::size_t i = 0; i < done.size(); ++i) {
            QTest::mouseClick(panel.cures().at(int(i)), Qt::LeftButton);
            QCOMPARE(scene.last().action, done[i]);
        }
        QCOMPARE(scene.last().target, u"A-redis-1"_qs);
    }

    void whatWasDoneByHandIsListedAndCanBeTakenBack() {
        Scene scene;
        QWidget window;
        auto* list = new HandList(&scene.context, &window);
        window.show();
        QVERIFY(!list->isVisible());
        scenario::Fault pause;
        pause.action = Action::PauseClient;
        pause.target = u"A"_qs;
        pause.at = 4200ms;
        scenario::Fault cut = pause;
        cut.action = Action::CutLink;
        cut.target = u"B-redis-1"_qs;
        cut.at = 9s;
        scene.session.byHand = {pause, cut};
        Q_EMIT scene.session.scenarioChanged();
        QVERIFY(list->isVisible());
        QTreeWidget* rows = list->rows();
        QCOMPARE(rows->topLevelItemCount(), 2);
        QCOMPARE(rows->topLevelItem(0)->text(0), u"4.2 s"_qs);
        QCOMPARE(rows->topLevelItem(0)->text(1), u"Pause A"_qs);
        QCOMPARE(rows->topLevelItem(1)->text(1), u"Cut B ↔ redis-1"_qs);
        rows->setFocus();
        rows->setCurrentItem(rows->topLevelItem(1));
        QTest::keyClick(rows, Qt::Key_Delete);
        QCOMPARE(scene.session.withdrawn, std::vector<std::size_t>{1});
        QTest::keyClick(rows, Qt::Key_Left, Qt::AltModifier);
        QTest::keyClick(rows, Qt::Key_Right, Qt::AltModifier | Qt::ShiftModifier);
        QCOMPARE(scene.session.replaced.size(), 2u);
        QCOMPARE(scene.session.replaced[0].first, 1u);
        QCOMPARE(scene.session.replaced[0].second.at, std::optional<Nanos>(8900ms));
        QCOMPARE(scene.session.replaced[1].second.at, std::optional<Nanos>(10s));
        const QRect cross = rows->visualRect(rows->model()->index(0, 2));
        QTest::mouseClick(rows->viewport(), Qt::LeftButton, {}, cross.center());
        QCOMPARE(scene.session.withdrawn, (std::vector<std::size_t>{1, 0}));
        QTest::keyClick(rows, Qt::Key_Return); // goes there
        QCOMPARE(scene.context.playhead(), Nanos(4200ms));
        QSignalSpy restart(&scene.context, &ViewContext::restartRequested);
        QTest::mouseClick(list->restartWithout(), Qt::LeftButton);
        QCOMPARE(restart.count(), 1);
        QCOMPARE(restart.at(0).at(0).value<session::ByHand>(), session::ByHand::Drop);
        // Faults on somebody's server cannot be taken back.
        scene.session.can.rewind = scene.session.can.restart = false;
        Q_EMIT scene.session.scenarioChanged();
        QTest::keyClick(rows, Qt::Key_Delete);
        QCOMPARE(scene.session.withdrawn.size(), 2u);
        QVERIFY(!list->restartWithout()->isVisible());
    }

    /// Faults that have no button of their own are a button away, too.
    void aMenuOfTheTargetHasAllVerbsWithoutAButton() {
        Scene scene;
        BreakPanel panel(&scene.context);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const FaultTargets targets = faultTargets(scene.context);
        const session::Breakable::Sight sight = scene.context.sightToActOn();
        using Kind = session::Breakable::Kind;
        for (const auto& [kind, target, name] :
             {std::tuple(Kind::Client, session::Breakable::client(sight, targets.client), "more.client"),
              std::tuple(Kind::Server, session::Breakable::server(sight, targets.node), "more.server")}) {
            auto* const more = panel.findChild<QToolButton*>(QLatin1String(name));
            QVERIFY(more && more->isVisible() && more->isEnabled());
            QTest::mouseClick(more, Qt::LeftButton);
            auto* const menu = panel.findChild<QMenu*>(u"break.more"_qs);
            QVERIFY(menu && menu->isVisible());
            QStringList entries;
            std::function<void(const QMenu*)> gather = [&](const QMenu* of) {
                for (const QAction* entry : of->actions()) {
                    entries << entry->text().section(u'\t', 0, 0);
                    if (entry->menu()) gather(entry->menu());
                }
            };
            gather(menu);
            int without = 0;
            for (const Verb& verb : kVerbs) {
                if (verb.kind != kind || verb.shown == Verb::Shown::Button) continue;
                ++without;
                QVERIFY2(entries.contains(offerOf(target, verb.action).text), verb.id);
            }
            QVERIFY(without > 3);
            menu->close();
            QTRY_VERIFY(!panel.findChild<QMenu*>(u"break.more"_qs));
        }
    }

    void aKeyThatCanDoNothingSaysWhy() {
        Scene scene;
        scene.session.can = {}; // a recording
        BreakPanel panel(&scene.context);
        panel.show();
        panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        QSignalSpy complained(&scene.session, &session::Session::complained);
        QTest::keyClick(&panel, Qt::Key_P);
        QCOMPARE(complained.count(), 1);
        QCOMPARE(complained.at(0).at(0).toString(), u"This session cannot be changed."_qs);
        QVERIFY(scene.session.applied.empty());
    }
};

QTEST_MAIN(BreakPanelStruck)
#include "tst_break_panel_struck.moc"
