// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that a person has replaced stay behind the present one, whatever is done at its front.
#include "pause_view.h"
#include "scenario/scenario_file.h"
#include "session/simulated_session.h"
#include "timeline/ghost.h"
#include "timeline/paint_kit.h"
#include "timeline/timeline_data.h"

#include <QAction>
#include <QMenu>
#include <QScreen>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using scenario::Action;
using scenario::Fault;

namespace {

/// A simulation that a person looks at.
struct Stage {
    session::SimulatedSession session{*scenario::loadScenario(QStringLiteral("contention")), 7};
    ViewContext context;
    TimelineView view{&context};

    Stage() {
        context.setSession(&session);
        view.resize(1400, 700);
    }
    /// Computes the world as far as the player does, ahead of what is seen.
    [[nodiscard]] bool compute(Nanos to) {
        session.advanceTo(to);
        return QTest::qWaitFor([&] { return session.trace()->reached() >= to; }, 30'000);
    }
    /// The clock of A jumps there, where the playhead comes to.
    void strike(Nanos at, Nanos offset) {
        context.setPlayhead(at);
        Fault fault;
        fault.action = Action::JumpClock;
        fault.target = QStringLiteral("A");
        fault.value = offset;
        context.breakIt(fault);
    }
    GhostRun ghost() const { return view.scene().ghost; }
};

} // namespace

class KeptGhosts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The words on a hold that was to be are not written over those on its client, which was killed instead.
    void theirWordsLeaveTheDeadAlone() {
        const auto run = [](auto&& rest) {
            Cast cast;
            cast.at(0s, trace::EventKind::ClientStarted, cast.a.client);
            cast.ask(900ms, cast.a);
            cast.grant(1s, cast.a, 5s);
            rest(cast);
            auto data = std::make_shared<TimelineData>(cast.trace);
            data->consume();
            return data;
        };
        const auto former = run([](Cast& cast) {
            cast.release(9s, cast.a);
            cast.trace->reach(10s);
        });
        const auto present = run([](Cast& cast) {
            cast.at(2s, trace::EventKind::ClientKilled, cast.a.client, 0, 0, 0, trace::kFault);
            cast.trace->reach(4s);
        });
        const auto lane = std::ranges::find_if(
            present->lanes(), [](const auto& one) { return one->kind == LaneKind::Belief && !one->spans.empty(); });
        QVERIFY(lane != present->lanes().end());
        const TimelineMetrics metrics(QFontMetricsF(QApplication::font()).height());
        QImage image(1000, metrics.laneHeight(**lane), QImage::Format_RGB32);
        QPainter painter(&image);
        PaintKit kit(painter, *present, {0, Nanos(10s).count(), 1000}, metrics, 1);
        std::vector<WrittenWords> written;
        kit.written = &written;
        paintGhost(kit, GhostRun{former, Nanos(2s).count(), 1}, **lane);
        paintBelief(kit, **lane, image.height());
        const auto place = [&](QStringView words) {
            const auto found = std::ranges::find_if(written, [&](const auto& one) { return one.words == words; });
            return found == written.end() ? QRectF() : found->place;
        };
        const QRectF dead = place(u"✕ dead"), before = place(u"before the change");
        QVERIFY(dead.isValid() && before.isValid());
        QVERIFY2(before.left() > 400, "behind the line of the dead client"); // which goes on until 4 s
    }

    void aStrikeAtTheFrontKeepsThem() {
        Stage s;
        QVERIFY(s.compute(10s));
        s.context.setPlayhead(5s);
        s.strike(3s, 1s);
        const GhostRun first = s.ghost();
        QVERIFY(first.data);
        QCOMPARE(Nanos(first.from), Nanos(3s));
        for (const Nanos at : {Nanos(4s), Nanos(6s)}) {
            QVERIFY(s.compute(10s)); // ahead of the playhead: nobody has seen it
            s.context.setPlayhead(at);
            s.strike(at, at);
            QCOMPARE(s.ghost().data, first.data);
            QCOMPARE(Nanos(s.ghost().from), Nanos(3s));
            QCOMPARE(s.ghost().changesAgo, 1);
        }
        QCOMPARE(s.session.doneByHand().size(), std::size_t(3));
        // A plan further on that is taken back leaves a ghost from there; a strike before that parts both runs.
        QVERIFY(s.compute(20s));
        Fault later;
        later.action = Action::PauseClient;
        later.target = QStringLiteral("B");
        later.at = 15s;
        s.session.plan(later);
        s.session.withdraw(3);
        QVERIFY(s.ghost().data);
        QCOMPARE(Nanos(s.ghost().from), Nanos(15s));
        QVERIFY(s.compute(20s));
        s.strike(7s, 7s);
        QCOMPARE(Nanos(s.ghost().from), Nanos(7s));
    }

    /// The future may have been computed, and painted as one that nobody has seen, before a fast playhead leaps over
    /// it.
    void whatALeapUncoversIsOnTheScreen() {
        Stage s;
        s.view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&s.view));
        QVERIFY(s.compute(20s));
        s.context.setPlayhead(20s);
        s.strike(14s, 1s);
        s.context.setPlayhead(14s);
        QTRY_COMPARE(s.session.trace()->reached(), Nanos(14s));
        s.context.setLookAhead(20s);
        QVERIFY(s.compute(20s));
        QTRY_COMPARE(s.view.loader()->data()->now(), Nanos(20s).count());
        QTRY_COMPARE(s.context.verdict()->reached, Nanos(20s));
        const auto shown = [&] { return s.view.screen()->grabWindow(s.view.winId()).toImage(); };
        const QImage before = shown();
        s.context.setPlayhead(20s);
        QTRY_VERIFY(shown() != before);
        const auto whole = [&] { return s.view.grab().toImage().convertToFormat(QImage::Format_RGB32); };
        QTRY_COMPARE(shown().convertToFormat(QImage::Format_RGB32), whole());
    }

    void theSameRunAgainIsNoOther() {
        Stage s;
        QVERIFY(s.compute(10s));
        s.context.setPlayhead(5s);
        s.strike(3s, 1s);
        const GhostRun first = s.ghost();
        QVERIFY(first.data);
        s.session.restart(s.session.seed(), session::ByHand::Keep);
        QCOMPARE(s.ghost().data, first.data);
        QCOMPARE(s.ghost().changesAgo, 1);
    }

    void aGhostBecomesTheRunAgain() {
        Stage s;
        auto* const again = s.view.findChild<QAction*>(QStringLiteral("timeline.ghost-run"));
        auto* const list = s.view.findChild<QAction*>(QStringLiteral("timeline.ghost-list"));
        QVERIFY(again && list && !again->isEnabled() && !list->isEnabled());
        QVERIFY(s.compute(10s));
        s.context.setPlayhead(9s);
        const QByteArray first = s.session.trace()->digest();
        s.strike(3s, 1s);
        QVERIFY(again->isEnabled() && list->isEnabled());
        QVERIFY(s.compute(10s));
        s.context.setPlayhead(9s);
        const QByteArray second = s.session.trace()->digest();
        QVERIFY(first != second);
        {
            QMenu menu;
            s.view.fillGhostMenu(menu);
            auto* const item = menu.findChild<QAction*>(QStringLiteral("ghost.run"));
            QVERIFY(item);
            QVERIFY2(item->text().contains(QStringLiteral("without")), qPrintable(item->text()));
            item->trigger();
        }
        QVERIFY(s.session.doneByHand().empty());
        QTRY_VERIFY(s.session.trace()->reached() >= Nanos(10s));
        QCOMPARE(s.session.trace()->digest(), first);
        // The run until now is the ghost, and the only one: the other is no ghost of itself.
        QCOMPARE(s.view.formerRuns().size(), std::size_t(1));
        QCOMPARE(s.ghost().data->trace().digest(), second);
        QCOMPARE(Nanos(s.ghost().from), Nanos(3s));
        s.session.undo();
        QTRY_VERIFY(s.session.trace()->reached() >= Nanos(10s));
        QCOMPARE(s.session.trace()->digest(), second);
        QCOMPARE(s.view.formerRuns().size(), std::size_t(1));
        QCOMPARE(s.ghost().data->trace().digest(), first);
        again->trigger();
        QVERIFY(s.session.doneByHand().empty());
    }

    void theListShowsAndTakesAnyOfThem() {
        Stage s;
        for (const Nanos at : {Nanos(3s), Nanos(2s), Nanos(1s)}) {
            QVERIFY(s.compute(6s));
            s.context.setPlayhead(5s);
            s.strike(at, at);
        }
        QCOMPARE(s.view.formerRuns().size(), std::size_t(3));
        s.view.listGhosts();
        auto* const menu = s.view.findChild<QMenu*>(QStringLiteral("timeline.ghosts"));
        QVERIFY(menu);
        QCOMPARE(menu->actions().size(), 3);
        QAction* const oldest = menu->actions().back();
        oldest->hover();
        QCOMPARE(s.ghost().data, s.view.formerRuns().back().data);
        oldest->trigger();
        QVERIFY(s.session.doneByHand().empty()); // the very first run
    }

    void anotherRunFromTheStartHasTheOldOneBehindIt_data() {
        QTest::addColumn<int>("how");
        QTest::addColumn<qint64>("from");
        QTest::newRow("another seed") << 0 << qint64(0);
        QTest::newRow("without what was done by hand") << 1 << qint64(Nanos(3s).count());
        QTest::newRow("servers of another kind") << 2 << qint64(0);
    }
    void anotherRunFromTheStartHasTheOldOneBehindIt() {
        QFETCH(int, how);
        QFETCH(qint64, from);
        Stage s;
        QVERIFY(s.compute(10s));
        s.context.setPlayhead(5s);
        s.strike(3s, 1s);
        const GhostRun first = s.ghost();
        QVERIFY(s.compute(10s));
        s.context.setPlayhead(6s); // what nobody has seen of a run leaves nothing behind
        if (how == 0) s.session.restart(s.session.seed() + 1, session::ByHand::Keep);
        if (how == 1) s.session.restart(s.session.seed(), session::ByHand::Drop);
        if (how == 2) {
            Fault recipe;
            recipe.action = Action::Set;
            recipe.setting = QStringLiteral("recipe");
            recipe.text = QStringLiteral("zk-mutex");
            s.context.breakIt(recipe);
            QCOMPARE(s.session.scenario().recipe, QStringLiteral("zk-mutex"));
        }
        QVERIFY(s.ghost().data);
        QVERIFY(s.ghost().data != first.data);
        QCOMPARE(s.ghost().from, from);
        // Without what was done by hand, the first run is the run again, and no ghost of itself.
        if (how == 1) {
            QCOMPARE(s.view.formerRuns().size(), std::size_t(1));
            return;
        }
        s.view.showOlderGhost();
        QCOMPARE(s.ghost().data, first.data);
        QCOMPARE(s.ghost().changesAgo, 2);
    }
};

QTEST_MAIN(KeptGhosts)
#include "tst_kept_ghosts.moc"
