// SPDX-License-Identifier: GPL-3.0-or-later
// Menus, keys and the picture of the cluster say of faults what the faults do.
#include "cluster/cluster_paint.h"
#include "cluster/cluster_panel.h"
#include "cluster/looks.h"
#include "fake_session.h"
#include "faults/break_panel.h"
#include "faults/fault_menu.h"
#include "faults/fault_targets.h"
#include "faults/fault_verbs.h"
#include "models/lock_facts.h"
#include "models/locks_model.h"
#include "models/story.h"
#include "session/shared_run.h"
#include "session/simulated_session.h"
#include "theme/palette.h"

#include <QAccessible>
#include <QAction>
#include <QMenu>
#include <QTest>
#include <QToolTip>
#include <set>

using namespace lockscope;
using namespace lockscope::views;
using namespace lockscope::views::testing;
using scenario::Action;
using session::Breakable;
using trace::EventKind;

namespace {

struct Scene : PauseScene {
    Scene() : PauseScene(2s) {} // A holds, B waits
    void set(trace::EntityId party, const char* text) {
        session.writable().append(
            {Nanos(20s).count(), 0, party, 0, session.writable().text(text), EventKind::SettingChanged, trace::kFault});
        context.setPlayhead(22s);
        Q_EMIT session.advanced();
    }
    void keepOn(scenario::ServiceSpec::Persistence persistence) {
        scenario::ServiceSpec service = scenario::defaultService(u"redis"_qs);
        service.persistence = persistence;
        session.plan.setServices({service});
        Q_EMIT session.scenarioChanged();
    }
};

/// The entry of a menu, or of its submenus, that begins so; nullptr: there is none.
QAction* entryOf(const QMenu& menu, const QString& begin) {
    for (QAction* action : menu.actions()) {
        if (action->menu())
            if (QAction* const found = entryOf(*action->menu(), begin)) return found;
        if (!action->menu() && action->text().startsWith(begin)) return action;
    }
    return nullptr;
}

QStringList struckWordsOf(const ViewContext& context) {
    QStringList words;
    for (const Struck& struck : struckOnes(context))
        words += struck.words;
    return words;
}

} // namespace

class FaultTruths : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void eachActionIsACommandWithAKeyOfItsOwn() {
        Scene scene;
        const Breakable::Sight sight = scene.context.sightToActOn();
        QList<QKeySequence> keys;
        for (const Verb& verb : kVerbs) {
            QVERIFY2(!keys.contains(QKeySequence(verb.key)), verb.id);
            keys += QKeySequence(verb.key);
        }
        for (const Breakable& target :
             {Breakable::client(sight, scene.story.a), Breakable::server(sight, scene.story.node),
              Breakable::link(sight, scene.story.a, scene.story.node), Breakable::world(sight)})
            for (const Action action : target.actions())
                QVERIFY2(keyOf(target.kind(), action), scenario::actionId(action).constData());
        BreakPanel panel(&scene.context);
        QCOMPARE(std::size_t(panel.breakActions().size()), kVerbs.size() + 1); // and the dialog of plans
    }

    void aRunningClientCanBeRestarted() {
        Scene scene;
        QMenu menu;
        fillFaultMenu(menu, scene.context, scene.story.aThread);
        QAction* const restart = entryOf(menu, u"Restart A"_qs);
        QVERIFY(restart);
        restart->trigger();
        QCOMPARE(scene.last().action, Action::RestartClient);
        QCOMPARE(scene.last().target, u"A"_qs);
        // A dead one has one way to come back, in the place of the one that kills it.
        scene.add(EventKind::ClientKilled, scene.story.a);
        QMenu dead;
        fillFaultMenu(dead, scene.context, scene.story.aThread);
        const auto named = [](const QAction* entry) { return entry->text().startsWith(u"Restart A"_qs); };
        QCOMPARE(int(std::ranges::count_if(dead.actions(), named)), 1);
    }

    /// The mouse, the keyboard and a screen reader learn the reason; the menu is no wider for it.
    void anEntryThatIsOffSaysWhyBesideItself() {
        Scene scene;
        QMenu menu;
        fillFaultMenu(menu, scene.context, scene.story.node);
        QAction* const off = entryOf(menu, u"Demote redis-1"_qs);
        QVERIFY(off && !off->isEnabled());
        const QString why = off->toolTip();
        QVERIFY(why.endsWith(u'.') && !off->text().contains(why));
        menu.popup(QPoint(10, 10));
        QTRY_VERIFY(menu.isVisible());
        for (qsizetype i = 0; i < menu.actions().size() && menu.activeAction() != off; ++i)
            QTest::keyClick(&menu, Qt::Key_Down);
        QCOMPARE(menu.activeAction(), off);
        QTRY_VERIFY2(QToolTip::text().contains(why.toHtmlEscaped()), qPrintable(QToolTip::text()));
        QTest::keyClick(&menu, Qt::Key_Return); // which does nothing
        QVERIFY(scene.session.applied.empty());
        QTest::keyClick(&menu, Qt::Key_Home); // to one that is on
        QTRY_VERIFY(!QToolTip::isVisible());

        QAccessibleInterface* const all = QAccessible::queryAccessibleInterface(&menu);
        QVERIFY(all && all->role() == QAccessible::PopupMenu);
        QCOMPARE(all->childCount(), int(menu.actions().size()));
        QAccessibleInterface* const read = all->child(int(menu.actions().indexOf(off)));
        QCOMPARE(read->text(QAccessible::Name), off->text());
        QCOMPARE(read->text(QAccessible::Description), why);
        QVERIFY(read->state().disabled && read->state().focusable && read->actionInterface()->actionNames().isEmpty());
        QAccessibleInterface* const first = all->child(0);
        QCOMPARE(first->text(QAccessible::Name), u"Kill redis-1"_qs); // without its key
        QVERIFY(first->text(QAccessible::Description).isEmpty());
        first->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(scene.session.applied.size(), 1u);
    }

    void theMenuOfALockEvictsThatLock() {
        Scene scene;
        const auto stock = scene.session.writable().intern(trace::EntityKind::Lock, "stock", scene.story.node);
        QMenu menu;
        fillFaultMenu(menu, scene.context, stock);
        QAction* const evict = entryOf(menu, u"Evict stock from redis-1"_qs);
        QVERIFY(evict);
        evict->trigger();
        QCOMPARE(scene.last().action, Action::EvictKey);
        QCOMPARE(scene.last().text, u"stock"_qs);
        QMenu server;
        fillFaultMenu(server, scene.context, scene.story.node);
        QVERIFY(entryOf(server, u"Evict the lock from redis-1"_qs));
    }

    /// A server's menu, also that of an instant of the time axis, has a list of several locks.
    void theMenuOfAServerEvictsAnyOfSeveralLocks() {
        Scene scene;
        scene.session.plan.moreLocks = {{.settings = {.name = u"stock"_qs}, .recipe = {}}};
        Q_EMIT scene.session.scenarioChanged();
        QMenu server;
        fillFaultMenu(server, scene.context, scene.story.node);
        QVERIFY(entryOf(server, u"Evict orders from redis-1"_qs));
        QVERIFY(!entryOf(server, u"Evict the lock from redis-1"_qs));
        QAction* const evict = entryOf(server, u"Evict stock from redis-1"_qs);
        QVERIFY(evict);
        evict->trigger();
        QCOMPARE(scene.last().text, u"stock"_qs);
        // The button acts on the lock in focus.
        const auto stock = scene.session.writable().intern(trace::EntityKind::Lock, "stock", scene.story.node);
        BreakPanel panel(&scene.context);
        const auto press = [&panel] {
            for (QAction* const action : panel.breakActions())
                if (action->objectName() == u"break.evict-key"_qs) action->trigger();
        };
        scene.context.select(stock);
        press();
        QCOMPARE(scene.last().text, u"stock"_qs);
        scene.context.select(scene.story.lock);
        press();
        QCOMPARE(scene.last().text, u"orders"_qs);
        QMenu span;
        fillSpanMenu(span, scene.context, scene.story.node, 4s, 4s);
        QVERIFY(entryOf(span, u"Evict stock from redis-1"_qs));
    }

    void dataComeBackOnlyFromADisk() {
        using Persistence = scenario::ServiceSpec::Persistence;
        Scene scene;
        const auto restarts = [&scene] {
            QMenu menu;
            fillFaultMenu(menu, scene.context, scene.story.node);
            const QAction* const kept = entryOf(menu, u"Restart redis-1 with its data"_qs);
            const QAction* const flushed = entryOf(menu, u"Restart redis-1 with what its disk has"_qs);
            return std::pair(kept && kept->isEnabled(), flushed != nullptr);
        };
        scene.keepOn(Persistence::None);
        QCOMPARE(restarts(), std::pair(false, false));
        scene.keepOn(Persistence::EverySecond);
        QCOMPARE(restarts(), std::pair(true, true));
        QMenu menu;
        fillFaultMenu(menu, scene.context, scene.story.node);
        entryOf(menu, u"Restart redis-1 with what its disk has"_qs)->trigger();
        QCOMPARE(scene.session.applied.size(), 2u);
        QCOMPARE(scene.session.applied[0].action, Action::CrashNode);
        QCOMPARE(scene.session.applied[1].action, Action::RestartNode);
    }

    /// After a failover the decider is another server: the key goes on to act on the one that it paused.
    void theKeyThatPausedAServerLetsItGoOn() {
        Scene scene;
        const auto other = scene.session.writable().intern(trace::EntityKind::Node, "redis-2");
        scene.add(EventKind::NodePaused, other);
        QCOMPARE(faultTargets(scene.context).node, scene.story.node);
        scenario::Fault pause;
        pause.action = Action::PauseNode;
        pause.target = u"redis-2"_qs;
        pause.at = 20s;
        scene.session.byHand = {pause};
        QCOMPARE(faultTargets(scene.context).node, other);
        scene.context.select(scene.story.node); // another one is meant only when chosen
        QCOMPARE(faultTargets(scene.context).node, scene.story.node);
        scene.context.select(trace::kNoEntity);
        scene.add(EventKind::NodeResumed, other);
        QCOMPARE(faultTargets(scene.context).node, scene.story.node);
    }

    void aClockThatDriftsIsTold() {
        Scene scene;
        QVERIFY(struckWordsOf(scene.context).isEmpty());
        scene.set(scene.story.a, "drift=50ms");
        QCOMPARE(struckWordsOf(scene.context), QStringList{u"clock of A drifts"_qs});
        const ClientLook look = Looks(scene.context).of(scene.story.a);
        QCOMPARE(look.clock.offsetAt(Nanos(22s).count()), Nanos(100ms).count());
    }

    void aSessionInDoubtIsTold() {
        Scene scene;
        // As clients tell of it: connected with a server, and suspended with nobody.
        Nanos at = 11s;
        const auto change = [&](trace::SessionPhase phase) {
            const bool connected = phase == trace::SessionPhase::Connected;
            at += 100ms;
            scene.session.writable().append({at.count(), std::int64_t(phase), scene.story.a,
                                             connected ? scene.story.node : trace::kNoEntity, 0,
                                             EventKind::SessionChanged, 0});
            scene.context.setPlayhead(at + 50ms);
            return sessionWords(Looks(scene.context).of(scene.story.a));
        };
        QCOMPARE(change(trace::SessionPhase::Connected), QString());
        QCOMPARE(change(trace::SessionPhase::Suspended), u"session suspended"_qs);
        QCOMPARE(change(trace::SessionPhase::Connected), QString());
        QCOMPARE(change(trace::SessionPhase::Expired), u"session expired"_qs);
        QCOMPARE(sessionWords(Looks(scene.context).of(scene.story.b)), QString());
    }

    void aOneWayCutIsNoWholeCut_data() {
        QTest::addColumn<int>("ways");
        QTest::addColumn<QString>("words");
        QTest::newRow("both") << 0 << u"cut"_qs;
        QTest::newRow("forth") << 1 << u"nothing comes from B to redis-1"_qs;
        QTest::newRow("back") << 2 << u"nothing comes from redis-1 to B"_qs;
    }
    void aOneWayCutIsNoWholeCut() {
        QFETCH(int, ways);
        QFETCH(QString, words);
        Scene scene;
        ClusterPanel panel(&scene.context);
        panel.resize(900, 400);
        panel.show();
        scene.context.setPlayhead(12s);
        const auto shown = [&](std::int64_t value) {
            scene.session.writable().append(
                {Nanos(11s).count(), value, scene.story.b, scene.story.bLink, 0, EventKind::LinkCut, trace::kFault});
            Q_EMIT scene.session.advanced();
            return panel.grab().toImage();
        };
        const QImage both = shown(0), now = shown(ways);
        QCOMPARE(both == now, ways == 0); // an arrow says which way
        const ClusterLayout::Item* const link = panel.picture().find(scene.story.bLink);
        QVERIFY(link && panel.describe(*link).endsWith(words));
    }

    /// The holder at the loss of the quorum is not said to hold for ever.
    void withoutAQuorumNobodyIsSaidToHold() {
        const auto run = session::readSharedText(
            u"lockscope:contention?recipe=etcd-lease&seed=1&do=7s,kill-node,etcd-1&do=7s,kill-node,etcd-2"_qs);
        QVERIFY(run);
        session::SimulatedSession session(*run);
        ViewContext context;
        context.setSession(&session);
        session.advanceTo(30s);
        QTRY_VERIFY(context.trace()->reached() >= Nanos(30s));
        context.setPlayhead(30s);
        const trace::EntityId lock = context.focusedLock();
        QVERIFY(lock != trace::kNoEntity);
        QVERIFY2(locksAtPlayhead(context).contains(u"no server can decide"), qPrintable(locksAtPlayhead(context)));
        QVERIFY(targetsOfLock(context, lock).why == FaultTargets::Why::Waiter);
        context.setSession(nullptr);
    }

    /// The keys for servers go for the one that matters, as at a master with replicas.
    void ofAnEnsembleTheLeaderIsTheTarget() {
        const auto run = session::readSharedText(u"lockscope:zk-leader-loss?seed=1"_qs);
        QVERIFY(run);
        session::SimulatedSession session(*run);
        ViewContext context;
        context.setSession(&session);
        session.advanceTo(2s);
        QTRY_VERIFY(context.trace()->reached() >= Nanos(2s));
        context.setPlayhead(2s);
        const trace::EntityId server = faultTargets(context).node;
        QVERIFY(server != trace::kNoEntity);
        const auto& nodes = context.stateToActOn().nodes;
        QCOMPARE(context.trace()->entity(nodes.at(server).role).name, QByteArray("leader"));
        QVERIFY(std::ranges::count_if(nodes, [&](const auto& node) { return node.second.role != trace::kNoEntity; }) >
                1);
        context.setSession(nullptr);
    }

    /// The record that was seen last may name a client that waits again.
    void withoutAQuorumEverybodyWhoAsksIsInTheQueue() {
        const auto run = session::readSharedText(
            u"lockscope:contention?recipe=zk-mutex&seed=1&do=7s,kill-node,zk-3&do=12s,kill-node,zk-1"_qs);
        QVERIFY(run);
        session::SimulatedSession session(*run);
        ViewContext context;
        context.setSession(&session);
        session.advanceTo(30s);
        QTRY_VERIFY(context.trace()->reached() >= Nanos(30s));
        context.setPlayhead(30s);
        const LockFacts facts = lockFacts(context.focusedLock(), context);
        QVERIFY(!facts.observed);
        std::set<trace::EntityId> asking;
        for (const auto& [key, belief] : context.state().beliefs)
            if (belief.waiting()) asking.insert(key.second);
        QVERIFY(asking.contains(facts.owner)); // as the last look said
        std::set<trace::EntityId> queue;
        for (const Waiter& waiter : facts.waiters)
            queue.insert(waiter.thread);
        QCOMPARE(queue, asking);
        const LocksModel model(&context);
        const QString tip = model.index(0, LocksModel::WaitersColumn).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(u"As clients asked: no server answers"), qPrintable(tip));
        context.setSession(nullptr);
    }

    /// One rule for the line of now and for the queue.
    void aClientThatHasTheLockOnTheServerWaitsNoMore() {
        const auto run = session::readSharedText(u"lockscope:contention?recipe=redis-set&seed=1"_qs);
        QVERIFY(run);
        session::SimulatedSession session(*run);
        ViewContext context;
        context.setSession(&session);
        session.advanceTo(10s);
        QTRY_VERIFY(context.trace()->reached() >= Nanos(10s));
        int unheard = 0;
        for (std::size_t row = 0; row < context.trace()->size(); ++row) {
            const trace::Event held = context.trace()->at(row);
            if (held.kind != EventKind::RecordHeld) continue;
            context.setPlayhead(held.time());
            const QString who = context.trace()->displayName(context.trace()->clientOf(held.actor)),
                          now = locksAtPlayhead(context);
            const LockFacts facts = lockFacts(held.subject, context);
            QVERIFY(std::ranges::find(facts.waiters, held.actor, &Waiter::thread) == facts.waiters.end());
            QVERIFY2(now.contains(QStringLiteral("%1 has not heard of it yet").arg(who)), qPrintable(now));
            ++unheard;
        }
        QVERIFY(unheard > 2);
        context.setSession(nullptr);
    }
};

QTEST_MAIN(FaultTruths)
#include "tst_fault_truths.moc"
