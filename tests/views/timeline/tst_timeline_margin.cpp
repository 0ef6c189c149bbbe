// SPDX-License-Identifier: GPL-3.0-or-later
// The margin of a hold, lanes of clocks, short tokens, and the marks of faults with their words.
#include "scenes.h"
#include "session/planning.h"
#include "theme/palette.h"
#include "theme/short_number.h"
#include "timeline/fault_chips.h"
#include "timeline/margin.h"
#include "timeline/render_timeline.h"
#include "timeline/timeline_ruler.h"
#include "timeline/timeline_view.h"

#include <QMenu>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EventKind;

namespace {

const Lane* laneOf(const TimelineData& data, LaneKind kind, trace::EntityId entity) {
    for (const auto& lane : data.lanes())
        if (lane->kind == kind && lane->entity == entity) return lane.get();
    return nullptr;
}

/// A session whose past can be changed, over the story of the pause.
class Changeable : public FixedSession, public session::Planning {
public:
    using FixedSession::FixedSession;
    using FixedSession::replace;
    session::Abilities abilities() const override { return {.faults = true, .serverFaults = true, .rewind = true}; }
    std::vector<scenario::Fault> doneByHand() const override { return byHand; }
    void withdraw(std::size_t index) override { withdrawn.push_back(index); }
    void plan(scenario::Fault) override {}
    void replace(std::size_t index, scenario::Fault fault) override { moved.emplace_back(index, *fault.at); }
    std::vector<scenario::Fault> byHand;
    std::vector<std::size_t> withdrawn;
    std::vector<std::pair<std::size_t, Nanos>> moved;
};

scenario::Fault doneAt(Nanos at) {
    scenario::Fault fault;
    fault.action = scenario::Action::PauseClient;
    fault.target = QStringLiteral("A");
    fault.at = at;
    fault.byHand = true;
    return fault;
}

struct Stage {
    Cast cast = gcPause();
    Changeable session{cast.trace, 10s};
    ViewContext context;
    TimelineView view{&context};

    Stage() {
        cast.at(9500ms, EventKind::ClientPaused, cast.c.client, 0, 0, 0, trace::kFault | trace::kByHand);
        cast.trace->reach(10s);
        session.byHand = {doneAt(3s), doneAt(9500ms)};
        context.setSession(&session);
        view.resize(1200, 700);
        view.show();
        const bool exposed = QTest::qWaitForWindowExposed(&view);
        Q_ASSERT(exposed);
        view.fit();
    }
    TimelineRuler* ruler() { return view.findChild<TimelineRuler*>(); }
    std::vector<FaultChip> chips() {
        const TimelineScene scene = view.scene();
        return faultChips(scene, scene.coordinates(ruler()->width()));
    }
    QPoint middleOf(const FaultChip& chip) {
        const TimelineMetrics m = view.scene().metrics;
        return (chip.box.center() + QPointF(m.labelWidth(), m.rulerHeight())).toPoint();
    }
};

} // namespace

class TimelineMargin : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void itIsWhatTheServerWouldStillKeep() {
        const Cast cast = gcPause();
        TimelineData data(cast.trace);
        data.consume();
        const Lane* a = laneOf(data, LaneKind::Belief, cast.a.thread);
        QVERIFY(a);
        const Margin early = marginAt(data, *a, Nanos(2s).count());
        QCOMPARE(early.kind, Margin::Kind::Known);
        QVERIFY(std::abs(early.left - Nanos(3800ms).count()) < Nanos(5ms).count()); // a lease of 5 s from 0.8 s
        QCOMPARE(marginRole(early), Role::TextDim);
        const Margin late = marginAt(data, *a, Nanos(5s).count());
        QCOMPARE(late.kind, Margin::Kind::Known);
        QVERIFY(late.left < late.low());
        QCOMPARE(marginRole(late), Role::WaitingText);
        QCOMPARE(marginAt(data, *a, Nanos(6500ms).count()).kind, Margin::Kind::Over); // B has it by then
        QCOMPARE(marginWords(marginAt(data, *a, Nanos(6500ms).count())), u"margin 0 s"_qs);
        QCOMPARE(marginAt(data, *a, Nanos(100ms).count()).kind, Margin::Kind::None);
        QVERIFY(marginWords(marginAt(data, *a, Nanos(100ms).count())).isEmpty());
    }

    void itIsUnknownWhereNobodyLooked() {
        Cast cast;
        cast.ask(1s, cast.a);
        cast.grant(1s, cast.a, 5s);
        cast.at(2s, EventKind::RecordUnobserved, 0, cast.lock);
        cast.trace->reach(4s);
        TimelineData data(cast.trace);
        data.consume();
        const Lane* a = laneOf(data, LaneKind::Belief, cast.a.thread);
        QCOMPARE(marginAt(data, *a, Nanos(1500ms).count()).kind, Margin::Kind::Known);
        QCOMPARE(marginAt(data, *a, Nanos(3s).count()).kind, Margin::Kind::Unknown);
    }

    void aSessionKeepsAHoldThatHasNoLease() {
        const auto marginIn = [](const char* format) {
            Cast cast;
            cast.ask(1s, cast.a);
            cast.grant(1s, cast.a, 5s);
            cast.at(2s, EventKind::RecordFreed, cast.a.thread, cast.lock, 0, cast.a.thread);
            cast.at(2s, EventKind::RecordHeld, cast.a.thread, cast.lock, trace::kEndNotKnown, 1);
            cast.at(2s, EventKind::RecordFormat, 0, cast.lock, 0, cast.trace->text(format));
            cast.trace->reach(4s);
            TimelineData data(cast.trace);
            data.consume();
            return marginAt(data, *laneOf(data, LaneKind::Belief, cast.a.thread), Nanos(3s).count());
        };
        const Margin kept = marginIn("curator-mutex");
        QCOMPARE(kept.kind, Margin::Kind::Kept);
        QCOMPARE(marginWords(kept), u"kept by its session"_qs);
        QCOMPARE(marginIn("redis-set").kind, Margin::Kind::Unknown); // it has leases, and this one was not told
    }

    void theStripHasItsThreeColours() {
        const Cast cast = gcPause();
        TimelinePicture picture;
        picture.trace = cast.trace;
        picture.playhead = 6500ms;
        const QImage image = renderTimelineImage({1200, 700}, 1, picture);
        const QRect all = image.rect();
        QVERIFY(countPixels(image, color(Role::AcceptedSoft, false), all, 2) > 200);
        QVERIFY(countPixels(image, color(Role::WaitingSoft, false), all, 2) > 100);
        QVERIFY(countPixels(image, color(Role::ViolationSoft, false), all, 2) > 50);
    }

    /// Faults of one instant are told by the kind that says most, with the names of all that it struck.
    void faultsOfOneInstantAreTakenTogether() {
        Cast cast;
        const trace::EntityId other = cast.trace->intern(trace::EntityKind::Node, "redis-2");
        const trace::EntityId links[] = {cast.trace->intern(trace::EntityKind::Link, "", cast.a.client, cast.node),
                                         cast.trace->intern(trace::EntityKind::Link, "", cast.a.client, other),
                                         cast.trace->intern(trace::EntityKind::Link, "", cast.b.client, cast.node)};
        const QString first = cast.trace->displayName(cast.node);
        cast.at(1s, EventKind::LinkCut, 0, links[0], 0, 0, trace::kFault);
        cast.at(1s, EventKind::ClockJumped, cast.node, 0, Nanos(11s).count(), 0, trace::kFault);
        cast.at(1s, EventKind::ClockJumped, other, 0, Nanos(11s).count(), 0, trace::kFault);
        cast.at(4s, EventKind::LinkCut, 0, links[0], 0, 0, trace::kFault);
        cast.at(4s, EventKind::LinkCut, 0, links[1], 0, 0, trace::kFault);
        cast.at(7s, EventKind::LinkDelayed, 0, links[0], Nanos(1s).count(), 0, trace::kFault);
        cast.at(7s, EventKind::LinkDelayed, 0, links[2], Nanos(1s).count(), 0, trace::kFault);
        cast.trace->reach(10s);
        Changeable session{cast.trace, 10s};
        ViewContext context;
        TimelineView view(&context);
        context.setSession(&session);
        view.resize(1600, 700);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.fit();
        const TimelineScene scene = view.scene();
        const auto chips = faultChips(scene, scene.coordinates(view.findChild<TimelineRuler*>()->width()));
        QCOMPARE(chips.size(), std::size_t(3));
        QCOMPARE(chips[0].words, u"clock of %1, redis-2 +1"_qs.arg(first));
        QCOMPARE(chips[1].words, u"cut A ↔ 2 others"_qs);
        QCOMPARE(chips[2].words, u"slowed %1 ↔ 2 others"_qs.arg(first));
    }

    void aClockThatWasEverOffHasALaneBelowItsOwner() {
        Cast cast;
        cast.at(1s, EventKind::ClockJumped, cast.node, 0, Nanos(180ms).count(), 0, trace::kFault);
        cast.at(2s, EventKind::ClockJumped, cast.a.client, 0, -Nanos(10s).count(), 0, trace::kFault);
        cast.at(5s, EventKind::Healed, 0, 0, 0, 0, trace::kFault);
        cast.ask(6s, cast.a);
        cast.trace->reach(7s);
        TimelineData data(cast.trace);
        data.consume();
        const Lane* node = laneOf(data, LaneKind::Clock, cast.node);
        const Lane* client = laneOf(data, LaneKind::Clock, cast.a.client);
        QVERIFY(node && client);
        QVERIFY(!laneOf(data, LaneKind::Clock, cast.b.client)); // never off
        QCOMPARE(clockOffsetAt(*node, Nanos(500ms).count()), 0);
        QCOMPARE(clockOffsetAt(*node, Nanos(3s).count()), Nanos(180ms).count());
        QCOMPARE(clockOffsetAt(*client, Nanos(3s).count()), -Nanos(10s).count());
        QCOMPARE(clockOffsetAt(*node, Nanos(6s).count()), 0); // healed
        QCOMPARE(clockState(data, *node, Nanos(3s).count()).replace(QChar(0xa0), u' '),
                 u"the clock of redis-1 is 180 ms ahead"_qs);
        QCOMPARE(clockState(data, *client, Nanos(6s).count()), u"the clock of A is right"_qs);
        TimelineLayout layout;
        layout.update(data, TimelineMetrics());
        const auto rowOf = [&layout](const Lane* lane) {
            for (std::size_t i = 0; i < layout.rows().size(); ++i)
                if (layout.rows()[i].lane == lane) return int(i);
            return -1;
        };
        QCOMPARE(rowOf(node), rowOf(laneOf(data, LaneKind::Node, cast.node)) + 1);
        QCOMPARE(rowOf(client), rowOf(laneOf(data, LaneKind::Belief, cast.a.thread)) + 1);
    }

    /// A low lane has no room for the strip with words: a line tells the same by its colour and its pattern.
    void aLowLaneHasItsMarginAsALine() {
        Stage s;
        s.context.setPlayhead(10s);
        int height = 700;
        while (!s.view.scene().metrics.lowBeliefs() && height > 300) {
            s.view.resize(1000, height -= 10);
            settle();
        }
        QVERIFY(s.view.scene().metrics.lowBeliefs());
        const TimelineScene scene = s.view.scene();
        const QRect lane = s.view.rowRect(s.view.layoutOfLanes().rowOf(s.cast.a.thread));
        const QRectF line = scene.metrics.marginLine(0, lane.height());
        QVERIFY2(!line.isEmpty() || line.height() > 0, qPrintable(QString::number(lane.height())));
        const QImage picture = s.view.viewport()->grab().toImage();
        const auto share = [&](Role role, Nanos from, Nanos to) {
            const TimelineCoordinates c = scene.coordinates(s.view.viewport()->width());
            const int left = scene.metrics.labelWidth() + int(c.x(from.count())),
                      right = scene.metrics.labelWidth() + int(c.x(to.count()));
            const QRect where(left, lane.top() + int(line.center().y()), right - left, 1);
            return double(countPixels(picture, color(role), where)) / where.width();
        };
        QVERIFY(share(Role::Accepted, 1500ms, 2800ms) > 0.9); // of five seconds from 0.8 s
        const double little = share(Role::Waiting, 4500ms, 5500ms);
        QVERIFY2(little > 0.5 && little < 0.9, qPrintable(QString::number(little)));
        const double gone = share(Role::Violation, 6100ms, 6900ms);
        QVERIFY2(gone > 0.3 && gone < 0.7, qPrintable(QString::number(gone)));
        QCOMPARE(share(Role::Accepted, 4500ms, 6900ms), 0.0);
    }

    void aSessionThatWasEverSuspendedHasALaneBelowItsClient() {
        Cast cast;
        const auto tell = [&](Nanos t, const Cast::Actor& who, trace::SessionPhase phase) {
            cast.at(t, EventKind::SessionChanged, who.client, 0, std::int64_t(phase));
        };
        tell(1s, cast.a, trace::SessionPhase::Connected);
        tell(1s, cast.b, trace::SessionPhase::Connected);
        cast.ask(2s, cast.a);
        cast.ask(2s, cast.b);
        cast.trace->reach(3s);
        TimelineData data(cast.trace);
        data.consume();
        QVERIFY(!laneOf(data, LaneKind::Session, cast.a.client)); // nothing is wrong with it
        tell(4s, cast.a, trace::SessionPhase::Suspended);
        tell(6s, cast.a, trace::SessionPhase::Expired);
        tell(7s, cast.a, trace::SessionPhase::Connected);
        cast.trace->reach(9s);
        data.consume();
        const Lane* const lane = laneOf(data, LaneKind::Session, cast.a.client);
        QVERIFY(lane);
        QVERIFY(!laneOf(data, LaneKind::Session, cast.b.client));
        QCOMPARE(lane->spans.size(), std::size_t(4));
        QCOMPARE(lane->spans[0].from, Nanos(1s).count()); // as it was before
        QCOMPARE(sessionState(data, *lane, Nanos(500ms).count()), u"A has no session yet"_qs);
        QCOMPARE(sessionState(data, *lane, Nanos(5s).count()), u"the session of A is suspended"_qs);
        QCOMPARE(sessionState(data, *lane, Nanos(6500ms).count()), u"the session of A is expired"_qs);
        TimelineLayout layout;
        layout.update(data, TimelineMetrics());
        const int client = layout.rowOf(cast.a.thread);
        QCOMPARE(layout.rows()[std::size_t(client) + 1].lane, lane);
        QVERIFY(layout.rowOf(cast.b.thread) > client + 1);
    }

    /// Two hundred clients have no room for all their names beside the lanes; the holder has its name.
    void amongManyTheHolderHasItsName() {
        Cast cast;
        std::vector<Cast::Actor> actors;
        for (int i = 0; i < 200; ++i) {
            Cast::Actor one;
            one.client = cast.trace->intern(trace::EntityKind::Client, "m" + QByteArray::number(i));
            one.thread = cast.trace->intern(trace::EntityKind::Thread, "1", one.client);
            one.link = cast.trace->intern(trace::EntityKind::Link, {}, one.client, cast.node);
            actors.push_back(one);
            cast.ask(1s, one);
        }
        cast.grant(2s, actors[61], 5s);
        cast.release(3s, actors[61]);
        cast.grant(4s, actors[20], 5s);
        cast.trace->reach(8s);
        FixedSession session(cast.trace, 60s, true);
        ViewContext context;
        TimelineView view(&context);
        context.setSession(&session);
        view.resize(1200, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QTRY_VERIFY(view.layoutOfLanes().rowOf(actors[20].thread) >= 0);
        const auto named = [&](Nanos at) {
            context.setPlayhead(at);
            return believersAtPlayhead(view.scene());
        };
        using Rows = std::vector<std::size_t>;
        QCOMPARE(named(2500ms), Rows{std::size_t(view.layoutOfLanes().rowOf(actors[61].thread))});
        QCOMPARE(named(3500ms), Rows());
        QCOMPARE(named(5s), Rows{std::size_t(view.layoutOfLanes().rowOf(actors[20].thread))});
        // The name stands beside its lane: the picture changes there with the playhead.
        const QRect row = view.rowRect(view.layoutOfLanes().rowOf(actors[20].thread));
        const auto label = [&](Nanos at) {
            context.setPlayhead(at);
            return view.viewport()->grab(QRect(0, row.center().y() - 8, view.scene().metrics.labelWidth() - 4, 16));
        };
        QVERIFY(label(5s).toImage() != label(2500ms).toImage());
        // All of them are in sight, with the record and the effect: in the window of a small screen, too.
        for (const int height : {600, 560}) { // the latter: of a window of 1280x720
            view.resize(1000, height);
            const auto inSight = [&](trace::EntityId entity) {
                const QRect place = view.rowRect(view.layoutOfLanes().rowOf(entity));
                return place.height() > 0 && place.top() >= 0 && place.bottom() <= view.viewport()->height();
            };
            QTRY_VERIFY2(inSight(actors[199].thread), qPrintable(QString::number(height)));
            QVERIFY(inSight(actors[0].thread) && inSight(cast.lock) && inSight(cast.node));
        }
        // Where not even lines of all have room, whoever believes at the playhead stands first.
        view.resize(1000, 330);
        for (const auto& [at, holder] : {std::pair(Nanos(2500ms), actors[61]), std::pair(Nanos(5s), actors[20])}) {
            context.setPlayhead(at);
            (void)view.grab();
            const QRect place = view.rowRect(view.layoutOfLanes().rowOf(holder.thread));
            QVERIFY2(place.top() >= 0 && place.bottom() <= view.viewport()->height(),
                     qPrintable(QString::number(place.top())));
            QVERIFY(view.layoutOfLanes().height() > view.viewport()->height());
            QCOMPARE(believersAtPlayhead(view.scene()).size(), 1u);
        }
    }

    void aLargeTokenIsShort() {
        QCOMPARE(shortNumber(7), u"7"_qs);
        QCOMPARE(shortNumber(999'999), u"999999"_qs);
        QCOMPARE(shortNumber(281'474'976'710'042), u"…0042"_qs);
        QCOMPARE(shortNumber(562'954'248'388'949), u"2…8949"_qs); // of the engine after the second change
        QCOMPARE(damageWords({281'474'976'710'042, 281'474'976'710'043}, Digits::Last),
                 u"damage: #…0042 after #…0043"_qs);
        QVERIFY(damageWords({281'474'976'710'042, 0}).contains(u"281474976710042"_qs));
    }

    void faultsHaveTwoWordsOnTheTimeAxis() {
        Stage s;
        const std::vector<FaultChip> chips = s.chips();
        QVERIFY(chips.size() >= 3);
        QCOMPARE(chips.front().words, u"paused A"_qs);
        QCOMPARE(chips.front().at, Nanos(3s).count());
        for (std::size_t i = 1; i < chips.size(); ++i)
            QVERIFY(chips[i].box.left() >= chips[i - 1].box.right());
    }

    void aFaultByHandIsDraggedToAnotherTime() {
        Stage s;
        const std::vector<FaultChip> chips = s.chips();
        const FaultChip last = chips.back();
        QCOMPARE(last.at, Nanos(9500ms).count());
        QVERIFY(last.byHand);
        const QPoint from = s.middleOf(last), to = from - QPoint(100, 0);
        QTest::mousePress(s.ruler(), Qt::LeftButton, {}, from);
        for (const QPoint& at : {from - QPoint(50, 0), to}) {
            QMouseEvent move(QEvent::MouseMove, at, s.ruler()->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                             Qt::NoModifier);
            QApplication::sendEvent(s.ruler(), &move);
        }
        QVERIFY(!s.ruler()->grab().isNull()); // with what is being dragged
        QTest::mouseRelease(s.ruler(), Qt::LeftButton, {}, to);
        QCOMPARE(s.session.moved.size(), std::size_t(1));
        QCOMPARE(s.session.moved.front().first, std::size_t(1));
        const TimelineScene scene = s.view.scene();
        const double pixel = scene.coordinates(s.ruler()->width()).nanosPerPixel();
        QVERIFY(std::abs(double(s.session.moved.front().second.count()) - (9.5e9 - 100 * pixel)) <
                4 * pixel); // a round instant

        // A click without a move goes there.
        QTest::mouseClick(s.ruler(), Qt::LeftButton, {}, from);
        QCOMPARE(s.session.moved.size(), std::size_t(1));
        QCOMPARE(s.context.playhead(), Nanos(9500ms));
    }

    void theRunBeforeAChangeIsAGhost() {
        Stage s;
        // Another past: A never held. Its hold of the former run shows faintly from where the runs differ.
        Cast calm;
        calm.ask(1s, calm.a);
        calm.trace->reach(10s);
        s.session.replace(calm.trace);
        QVERIFY(!s.view.scene().ghost.data); // not known yet from when on
        s.context.setPlayhead(9s);
        Q_EMIT s.session.futureReplaced(session::Rewrite::Apply, 2s);
        const GhostRun ghost = s.view.scene().ghost;
        QVERIFY(ghost.data);
        QCOMPARE(ghost.from, Nanos(2s).count());
        const Lane* lane = laneOf(*s.view.loader()->data(), LaneKind::Belief, calm.a.thread);
        QVERIFY(lane);
        const Lane* former = ghostLane(ghost, *calm.trace, *lane);
        QVERIFY(former && former->spans.size() > 1);
        const QColor ink = onGround(color(Role::Holding, 0.10));
        const auto seen = [&s, &ink] {
            const QImage image = s.view.viewport()->grab().toImage();
            return countPixels(image, ink, image.rect(), 2);
        };
        const int drawn = seen();
        QVERIFY2(drawn > 500, qPrintable(QString::number(drawn)));
        s.view.setGhostShown(false);
        QVERIFY(seen() < drawn / 4);
    }

    /// A record that nobody holds now was held then, and the resource was written to.
    void recordAndEffectHaveTheirGhosts() {
        Stage s;
        Cast calm;
        calm.at(0s, EventKind::NodeStarted, calm.node);
        calm.ask(1s, calm.a);
        calm.trace->reach(10s);
        s.session.replace(calm.trace);
        s.context.setPlayhead(9s);
        Q_EMIT s.session.futureReplaced(session::Rewrite::Apply, 2s);
        settle();
        const QImage with = s.view.viewport()->grab().toImage();
        s.view.setGhostShown(false);
        const QImage without = s.view.viewport()->grab().toImage();
        const auto drawn = [&](trace::EntityId entity) {
            const QRect lane = s.view.rowRect(s.view.layoutOfLanes().rowOf(entity)).intersected(with.rect());
            int count = 0;
            for (int y = lane.top(); y <= lane.bottom(); ++y)
                for (int x = lane.left(); x <= lane.right(); ++x)
                    count += with.pixel(x, y) != without.pixel(x, y);
            return count;
        };
        QVERIFY2(drawn(calm.lock) > 500, qPrintable(QString::number(drawn(calm.lock))));
        QVERIFY2(drawn(calm.stock) > 40, qPrintable(QString::number(drawn(calm.stock))));
        QCOMPARE(drawn(calm.node), 0); // a server has none
    }

    void theLastEightFormerRunsCanBeLookedAt() {
        Stage s;
        const auto change = [&s](Nanos from) {
            Cast calm;
            calm.ask(1s, calm.a);
            calm.trace->reach(10s);
            s.session.replace(calm.trace);
            Q_EMIT s.session.futureReplaced(session::Rewrite::Apply, from);
            return calm.trace;
        };
        s.context.setPlayhead(9s);
        std::vector<const trace::Trace*> runs; // the newest first
        for (int i = 0; i < 10; ++i) {
            runs.insert(runs.begin(), &s.view.loader()->data()->trace());
            change(i == 7 ? Nanos(1s) : Nanos(2s));
        }
        auto* older = s.view.findChild<QAction*>(QStringLiteral("timeline.ghost-older"));
        QVERIFY(older && !older->shortcut().isEmpty());
        for (std::size_t i = 0; i < FormerRuns::kKept; ++i) {
            const GhostRun ghost = s.view.scene().ghost;
            QCOMPARE(&ghost.data->trace(), runs[i]);
            QCOMPARE(ghost.changesAgo, int(i) + 1);
            // The third change from the end was in an earlier past than the others.
            QCOMPARE(Nanos(ghost.from), i < 2 ? Nanos(2s) : Nanos(1s));
            older->trigger();
        }
        QCOMPARE(&s.view.scene().ghost.data->trace(), runs[0]); // round and round
        s.view.setGhostShown(false);
        QVERIFY(!s.view.scene().ghost.data);
    }

    void aFaultByHandIsTakenBackByItsMenu() {
        Stage s;
        const QPoint at = s.middleOf(s.chips().back());
        QContextMenuEvent menu(QContextMenuEvent::Mouse, at, s.ruler()->mapToGlobal(at));
        QApplication::sendEvent(s.ruler(), &menu);
        auto* shown = s.ruler()->findChild<QMenu*>();
        QVERIFY(shown);
        shown->actions().front()->trigger();
        QCOMPARE(s.session.withdrawn, std::vector<std::size_t>{1});
    }
};

QTEST_MAIN(TimelineMargin)
#include "tst_timeline_margin.moc"
