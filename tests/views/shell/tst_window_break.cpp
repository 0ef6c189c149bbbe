// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster that is broken in the window with the mouse alone, by a person who then reads why.
#include "cluster/cluster_panel.h"
#include "faults/recipe_box.h"
#include "locks/locks_panel.h"
#include "locks/protocol_panel.h"
#include "timeline/timeline_ruler.h"
#include "timeline/timeline_view.h"
#include "transport/why_line.h"
#include "verdict/verdict_panel.h"
#include "welcome/scenario_card.h"
#include "window_scene.h"

#include <QAbstractItemView>
#include <QMenu>
#include <QMenuBar>
#include <QScrollArea>
#include <QToolButton>
#include <QWindow>

using namespace lockscope;
using trace::EventKind;

namespace {

constexpr int kLong = 30'000; ///< ms, until the run is there: on a machine that does much else

/// The window with the mouse over it. All that it does goes through clicks on windows of the screen; it only looks at
/// the session.
class Mouse : public tests::WindowScene {
public:
    static void click(QWidget* on, QPoint at, Qt::MouseButton button = Qt::LeftButton) {
        QWidget* const top = on->window();
        const QPoint there = on->mapTo(top, at);
        QTest::mouseMove(top->windowHandle(), there);
        QTest::mouseClick(top->windowHandle(), button, {}, there);
    }
    static void click(QWidget* on) { click(on, on->rect().center()); }
    /// The entry of an open menu, which closes by it.
    static void choose(QMenu* menu, const QAction* entry) {
        QVERIFY(entry && entry->isEnabled());
        click(menu, menu->actionGeometry(const_cast<QAction*>(entry)).center());
        QTRY_VERIFY(!QApplication::activePopupWidget());
    }
    static QMenu* openMenu() { return qobject_cast<QMenu*>(QApplication::activePopupWidget()); }
    /// An entry of the menu bar's menu that has it.
    void chooseInMenuBar(const char* id) {
        auto* const bar = window->findChild<QMenuBar*>();
        QVERIFY(bar);
        for (QAction* const title : bar->actions()) {
            if (!title->menu() || !title->menu()->actions().contains(action(id))) continue;
            click(bar, bar->actionGeometry(title).center());
            QTRY_VERIFY(openMenu() == title->menu());
            return choose(title->menu(), action(id));
        }
        QFAIL(id);
    }
    void pressButton(const char* id) {
        for (auto* const button : window->findChildren<QToolButton*>())
            if (button->defaultAction() == action(id) && button->isVisible()) return click(button);
        QFAIL(id);
    }
    void standStill() {
        if (window->player()->isPlaying()) pressButton("transport.play");
        QTRY_VERIFY(!window->player()->isPlaying());
    }
    /// `server`: the first one of those that it runs on.
    void chooseRecipe(const char* recipe, const char* server) {
        auto* const box = window->findChild<views::RecipeBox*>();
        QVERIFY(box && box->isVisible());
        click(box);
        QTRY_VERIFY(box->view()->isVisible());
        const QModelIndex entry = box->model()->index(box->findData(QLatin1String(recipe)), 0);
        QVERIFY(entry.isValid());
        box->view()->scrollTo(entry);
        // An open list takes no click that could be the end of the press that has opened it.
        QTest::qWait(QApplication::doubleClickInterval());
        click(box->view()->viewport(), box->view()->visualRect(entry).center());
        QTRY_COMPARE(context()->settings().recipe, QLatin1String(recipe));
        // The run begins anew, on servers of the recipe's kind.
        QTRY_VERIFY(!context()->entities(trace::EntityKind::Node).empty());
        QTRY_COMPARE(trace().entity(context()->entities(trace::EntityKind::Node).front()).name, QByteArray(server));
    }
    void openCard(const char* scenario) {
        views::WelcomePage* const page = window->welcome();
        const auto card = [&]() -> views::ScenarioCard* {
            for (auto* const one : page->findChildren<views::ScenarioCard*>())
                if (one->scenarioId() == QLatin1String(scenario)) return one;
            return nullptr;
        };
        QTRY_VERIFY(card());
        // Cards move while the page is laid out and scrolled: the click is for the one that is at its place.
        const auto isThere = [&] {
            page->ensureWidgetVisible(card());
            const QWidget* const under = window->childAt(card()->mapTo(window.get(), card()->rect().center()));
            return under && (under == card() || card()->isAncestorOf(under));
        };
        QTRY_VERIFY_WITH_TIMEOUT(isThere(), kLong);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest); // what moves it again moves it now
        QTRY_VERIFY_WITH_TIMEOUT(isThere(), kLong);
        click(card());
        QTRY_VERIFY_WITH_TIMEOUT(context()->session(), kLong);
        QCOMPARE(context()->session()->scenario().id, QLatin1String(scenario));
    }

    views::ClusterPanel* cluster() const { return window->findChild<views::ClusterPanel*>(); }
    views::TimelineView* timeline() const { return window->findChild<views::TimelineView*>(); }
    const trace::Trace& trace() const { return *context()->trace(); }
    QString why() const { return window->findChild<views::WhyLine*>()->sentence(); }

    /// A click on the time scale.
    void goTo(Nanos t) {
        auto* const ruler = timeline()->findChild<views::TimelineRuler*>();
        const views::TimelineScene scene = timeline()->scene();
        const views::TimelineCoordinates c = scene.coordinates(ruler->width());
        QVERIFY(t.count() >= scene.from && t.count() <= scene.to); // in sight
        click(ruler, QPoint(int(std::lround(scene.metrics.labelWidth() + c.x(t.count()))), 8));
        // As exact as a hand: lanes that come meanwhile may move the axis a little.
        QTRY_VERIFY_WITH_TIMEOUT(std::chrono::abs(context()->playhead() - t) < 100ms, 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(trace().reached() >= context()->playhead(), 20'000);
    }
    trace::EntityId serverThat(const char* role) const {
        for (const auto& [id, node] : context()->state().nodes)
            if (trace().entity(node.role).name == role && node.life != trace::ClientState::Life::Dead) return id;
        return trace::kNoEntity;
    }
    /// The client that believes that it holds the lock; kNoEntity: there is none.
    trace::EntityId holder() const {
        for (const auto& [key, belief] : context()->state().beliefs)
            if (belief.phase == trace::Belief::Phase::Holding) return trace().clientOf(key.second);
        return trace::kNoEntity;
    }
    /// A right click on a server or a client in the cluster, and a click on the first entry of its menu that begins so.
    void breakIt(trace::EntityId struck, const QString& entry) {
        const std::size_t before = context()->session()->doneByHand().size();
        // After what was done before, the run is computed anew: its picture is empty, and its servers have no roles,
        // until it comes to the playhead again.
        const auto isThere = [&] {
            const auto* const item = cluster()->picture().find(struck);
            return trace().reached() >= context()->playhead() && item &&
                   cluster()->visibleRegion().contains(item->box.center().toPoint());
        };
        QTRY_VERIFY_WITH_TIMEOUT(isThere(), 20'000);
        click(cluster(), cluster()->picture().find(struck)->box.center().toPoint(), Qt::RightButton);
        QTRY_VERIFY(openMenu());
        const auto entries = openMenu()->actions();
        const auto chosen = std::ranges::find_if(entries, [&](QAction* a) { return a->text().startsWith(entry); });
        QVERIFY2(chosen != entries.end(), qPrintable(entry));
        choose(openMenu(), *chosen);
        QTRY_COMPARE_WITH_TIMEOUT(context()->session()->doneByHand().size(), before + 1, kLong);
    }
    std::set<trace::EntityId> believers() const {
        std::set<trace::EntityId> all;
        for (const auto& [key, belief] : context()->state().beliefs)
            if (belief.phase == trace::Belief::Phase::Holding) all.insert(trace().clientOf(key.second));
        return all;
    }
    /// How one server came to replace another, as the record has it.
    struct Failover {
        bool agreed = false;
        std::map<trace::EntityId, int> votes; ///< by the Sentinel that they are for
        trace::EntityId leader = trace::kNoEntity, promoted = trace::kNoEntity;
    };
    Failover failoverAfter(Nanos t) const {
        Failover seen;
        for (std::size_t row = trace().upperBound(t); row < trace().size(); ++row) {
            const trace::Event event = trace().at(row);
            if (event.time() > context()->playhead()) break;
            if (event.kind == EventKind::NodeDoubted) seen.agreed |= event.value == int(trace::Doubt::Agreed);
            if (event.kind == EventKind::VoteCast) ++seen.votes[event.subject];
            if (event.kind != EventKind::FailoverStep) continue;
            if (event.value == int(trace::FailoverPhase::Led)) seen.leader = event.actor;
            if (event.value == int(trace::FailoverPhase::Promoted)) seen.promoted = event.subject;
        }
        return seen;
    }
    /// The kinds of acts that stand on the Sentinels' lane of the timeline until the playhead.
    std::set<views::WatcherTick> watcherTicks() const {
        std::set<views::WatcherTick> kinds;
        const views::TimelineScene scene = timeline()->scene();
        for (const auto& lane : scene.data.lanes()) {
            if (lane->kind != views::LaneKind::Watchers) continue;
            for (std::size_t i = 0; i < lane->ticks.size() && lane->ticks[i].at <= scene.playhead; ++i)
                kinds.insert(views::WatcherTick(lane->ticks[i].kind));
        }
        return kinds;
    }
    verdict::Outcome exclusion() const {
        return context()->session()->verdict()->outcomes[std::size_t(verdict::Invariant::MutualExclusion)];
    }
    /// How often the lock was granted after t, as far as the run has come.
    int grantsAfter(Nanos t) const {
        int grants = 0;
        for (std::size_t row = trace().upperBound(t); row < trace().size(); ++row)
            grants += trace().kindAt(row) == EventKind::Granted;
        return grants;
    }
};

} // namespace

class TestWindowBreak : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theClusterStandsInFrontWhereItIsBroken() {
        Mouse m;
        m.click(m.window->welcome()->lessonButton());
        QTRY_VERIFY(m.context()->session());
        m.standStill();
        m.chooseInMenuBar("layout.break");
        QTRY_VERIFY(m.cluster() && !m.cluster()->visibleRegion().isEmpty());
        // A wide window has the table of locks beside it, a narrow one behind it.
        const auto* const locks = m.window->findChild<views::LocksPanel*>();
        const auto leftOf = [&m](const QWidget* part) { return part->mapTo(m.window.get(), QPoint()).x(); };
        QTRY_VERIFY(leftOf(locks) >= leftOf(m.cluster()) + m.cluster()->width());
        Mouse narrow;
        narrow.window->resize(1280, 800);
        narrow.click(narrow.window->welcome()->lessonButton());
        QTRY_VERIFY(narrow.context()->session());
        narrow.standStill();
        narrow.chooseInMenuBar("layout.break");
        QTRY_VERIFY(narrow.cluster() && !narrow.cluster()->visibleRegion().isEmpty());
        QVERIFY(narrow.window->findChild<views::LocksPanel*>()->visibleRegion().isEmpty());
    }

    /// The session outlives the leader, and so does the lock.
    void aZooKeeperLeaderIsKilledAndNobodyGetsInTwice() {
        Mouse m;
        m.click(m.window->welcome()->lessonButton());
        QTRY_VERIFY(m.context()->session());
        m.standStill();
        m.chooseInMenuBar("layout.break");
        m.chooseRecipe("zk-mutex", "zk-1");
        m.standStill();
        m.goTo(3s);
        QTRY_VERIFY_WITH_TIMEOUT(m.holder() != trace::kNoEntity && m.serverThat("leader") != trace::kNoEntity, kLong);
        const trace::EntityId leader = m.serverThat("leader");
        const QString name = m.trace().displayName(leader);
        m.breakIt(leader, QStringLiteral("Kill %1").arg(name));
        const Nanos killed = *m.context()->session()->doneByHand().front().at;
        // The line over the lanes says why, a little later.
        m.goTo(killed + 1500ms);
        QTRY_VERIFY2_WITH_TIMEOUT(m.why().contains(QStringLiteral("took over")), qPrintable(m.why()), kLong);
        QVERIFY(m.why().contains(QStringLiteral("The leader %1 was killed").arg(name)));
        m.goTo(9s);
        QTRY_COMPARE_WITH_TIMEOUT(m.context()->session()->verdict()->reached, m.trace().reached(), kLong);
        QCOMPARE(m.exclusion(), verdict::Outcome::Holds);
        QVERIFY(m.grantsAfter(killed) > 2);
        const trace::EntityId next = m.serverThat("leader");
        QVERIFY(next != leader && next != trace::kNoEntity);
        QCOMPARE(m.context()->state().nodes.at(leader).life, trace::ClientState::Life::Dead);
    }

    /// The Sentinels agree that the killed master is down and vote; the replica that one of them promotes has not heard
    /// of the lock, and gives it away. The holder is paused, and believes in it all the while.
    void aRedisMasterIsKilledAndTwoGetIn() {
        Mouse m;
        m.openCard("replicas");
        m.standStill();
        m.chooseInMenuBar("layout.break");
        m.goTo(1s);
        QTRY_VERIFY_WITH_TIMEOUT(m.holder() != trace::kNoEntity && m.serverThat("master") != trace::kNoEntity, kLong);
        const trace::EntityId holder = m.holder(), master = m.serverThat("master");
        const QString name = m.trace().displayName(master);
        m.breakIt(holder, QStringLiteral("Pause %1").arg(m.trace().displayName(holder)));
        m.breakIt(master, QStringLiteral("Kill %1").arg(name));
        const Nanos killed = *m.context()->session()->doneByHand().back().at;
        m.goTo(8s);
        QTRY_COMPARE_WITH_TIMEOUT(m.context()->session()->verdict()->reached, m.trace().reached(), kLong);
        QCOMPARE(m.context()->state().nodes.at(master).life, trace::ClientState::Life::Dead);

        // Votes, in the record and on the Sentinels' lane: enough of them are for the one that led.
        const Mouse::Failover seen = m.failoverAfter(killed);
        QVERIFY(seen.agreed && seen.leader != trace::kNoEntity);
        QVERIFY2(seen.votes.contains(seen.leader) && seen.votes.at(seen.leader) >= 2, "less than two of three votes");
        using views::WatcherTick;
        for (const WatcherTick tick :
             {WatcherTick::Agreed, WatcherTick::Votes, WatcherTick::Leads, WatcherTick::Promotes})
            QTRY_VERIFY_WITH_TIMEOUT(m.watcherTicks().contains(tick), kLong);

        // The promoted replica has no copy of the lock: somebody else gets it, and the paused client goes on believing.
        const trace::EntityId next = m.serverThat("master");
        QVERIFY(next == seen.promoted && next != master);
        const std::set<trace::EntityId> believers = m.believers();
        QCOMPARE(believers.size(), std::size_t(2));
        QVERIFY(believers.contains(holder));
        QCOMPARE(m.exclusion(), verdict::Outcome::Violated);
        const auto nameOf = [&](trace::EntityId id) { return m.trace().displayName(id); };
        const trace::EntityId second = *believers.begin() == holder ? *believers.rbegin() : *believers.begin();
        for (const QString& part : {QStringLiteral("%1 was killed at").arg(name),
                                    QStringLiteral("before the lock of %1 had reached a replica, so %2 became master")
                                        .arg(nameOf(holder), nameOf(next)),
                                    QStringLiteral("without it and gave %1 the lock").arg(nameOf(second))})
            QTRY_VERIFY2_WITH_TIMEOUT(m.why().contains(part), qPrintable(m.why() + part), kLong);
    }

    /// The replica that takes over has not heard of the lock, and gives it away; the holder is paused, and hears
    /// nothing.
    void aLaggingRedisReplicaIsPromotedAndTwoGetIn() {
        Mouse m;
        m.openCard("replicas");
        m.standStill();
        m.chooseInMenuBar("layout.break");
        m.goTo(1s);
        QTRY_VERIFY_WITH_TIMEOUT(m.holder() != trace::kNoEntity && m.serverThat("master") != trace::kNoEntity, kLong);
        const trace::EntityId holder = m.holder(), master = m.serverThat("master");
        const QString name = m.trace().displayName(master);
        m.breakIt(holder, QStringLiteral("Pause %1").arg(m.trace().displayName(holder)));
        m.breakIt(master, QStringLiteral("Demote %1").arg(name));
        m.goTo(4s);
        QTRY_COMPARE_WITH_TIMEOUT(m.context()->session()->verdict()->reached, m.trace().reached(), kLong);
        QCOMPARE(m.exclusion(), verdict::Outcome::Violated);
        // The line over the lanes says why.
        QTRY_VERIFY2_WITH_TIMEOUT(m.why().contains(QStringLiteral("took the place of %1").arg(name)),
                                  qPrintable(m.why()), kLong);
        QVERIFY2(m.why().contains(QStringLiteral(" behind, took ")), qPrintable(m.why()));
        QVERIFY2(m.why().contains(QStringLiteral("without the lock of %1").arg(m.trace().displayName(holder))),
                 qPrintable(m.why()));
    }

    /// Where there is room, the recipe's steps and the verdict are read together; else they share a place.
    void stepsAndVerdictStandTogetherWhereThingsAreBroken() {
        tests::WindowScene scene;
        scene.open("failover-async");
        const auto* const steps = scene.window->findChild<views::ProtocolPanel*>();
        const auto* const verdict = scene.window->findChild<views::VerdictPanel*>();
        QTRY_VERIFY(steps->isVisible() && !verdict->isVisible());
        scene.action("layout.break")->trigger();
        QTRY_VERIFY(steps->isVisible() && verdict->isVisible());
        QVERIFY(steps->mapTo(scene.window.get(), QPoint()).y() < verdict->mapTo(scene.window.get(), QPoint()).y());
        scene.window->resize(1280, 720);
        QTRY_VERIFY(steps->isVisible() && !verdict->isVisible());
        scene.window->resize(1600, 1000);
        QTRY_VERIFY(steps->isVisible() && verdict->isVisible());
        scene.action("layout.teach")->trigger();
        QTRY_VERIFY(steps->isVisible() && !verdict->isVisible());
    }
};

QTEST_MAIN(TestWindowBreak)
#include "tst_window_break.moc"
