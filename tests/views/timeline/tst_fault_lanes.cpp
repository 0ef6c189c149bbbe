// SPDX-License-Identifier: GPL-3.0-or-later
// Clocks that drift and links that are cut one way: their lanes and their words.
#include "scenes.h"
#include "theme/palette.h"
#include "timeline/fault_chips.h"
#include "timeline/fault_labels.h"
#include "timeline/timeline_view.h"
#include "timeline/words.h"
#include "trace/death.h"

#include <QAction>
#include <QTest>
#include <QTranslator>

using namespace lockscope;
using namespace lockscope::views;
using trace::EventKind;

namespace {

const Lane* laneOf(const TimelineData& data, LaneKind kind, trace::EntityId entity) {
    for (const auto& lane : data.lanes())
        if (lane->kind == kind && lane->entity == entity) return lane.get();
    return nullptr;
}

} // namespace

class tst_fault_lanes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aClockThatDriftsHasALaneWithASlope() {
        Cast cast;
        const auto drift = [&cast](Nanos at, trace::EntityId party, const char* text) {
            cast.at(at, EventKind::SettingChanged, party, 0, 0, cast.trace->text(text), trace::kFault);
        };
        drift(1s, cast.node, "drift=50ms");
        drift(2s, cast.a.client, "drift=-250ms");
        drift(4s, cast.node, "drift=0s");
        cast.at(6s, EventKind::ClockJumped, cast.node, 0, 0, 0, trace::kFault);
        cast.ask(8s, cast.a);
        cast.trace->reach(9s);
        TimelineData data(cast.trace);
        data.consume();
        const Lane* node = laneOf(data, LaneKind::Clock, cast.node);
        const Lane* client = laneOf(data, LaneKind::Clock, cast.a.client);
        QVERIFY(node && client);
        const auto words = [&](const Lane* lane, Nanos t) {
            return clockState(data, *lane, t.count()).replace(QChar(0xa0), u' ');
        };
        QCOMPARE(clockOffsetAt(*node, Nanos(3s).count()), Nanos(100ms).count());
        QCOMPARE(words(node, 3s), u"the clock of redis-1 is 100 ms ahead, gains 50 ms a second"_qs);
        QCOMPARE(words(node, 5s), u"the clock of redis-1 is 150 ms ahead"_qs); // right speed, wrong time
        QCOMPARE(words(node, 7s), u"the clock of redis-1 is right"_qs);
        QCOMPARE(words(client, 4s), u"the clock of A is 500 ms behind, loses 250 ms a second"_qs);
        QCOMPARE(node->spans.size(), node->clocks.size());
        QCOMPARE(node->spans.size(), std::size_t(2));

        FixedSession session(cast.trace, 9s, true);
        ViewContext context;
        TimelineView view(&context);
        context.setSession(&session);
        context.setPlayhead(9s);
        view.resize(1600, 900);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.fit();
        const QImage image = view.viewport()->grab().toImage();
        QVERIFY(countPixels(image, color(Role::Waiting), image.rect(), 2) > 100);
    }

    /// Nobody can read the record of a dead master. Whether the lock died with it shows when the next one decides.
    void aLockIsLostWithItsServerOnlyIfTheNextOneHasIt_data() {
        QTest::addColumn<bool>("survives");
        QTest::newRow("copied in time") << true;
        QTest::newRow("not copied") << false;
    }
    void aLockIsLostWithItsServerOnlyIfTheNextOneHasIt() {
        QFETCH(const bool, survives);
        Cast cast;
        const trace::EntityId other = cast.trace->intern(trace::EntityKind::Node, "redis-2");
        const trace::EntityId lock = cast.trace->intern(trace::EntityKind::Lock, "stock-list");
        const trace::EntityId copy = cast.trace->intern(trace::EntityKind::Lock, "stock-list", other);
        const auto on = [&](Nanos t, EventKind kind, trace::EntityId actor, std::int64_t value = 0,
                            std::uint32_t aux = 0,
                            std::uint8_t flags = 0) { cast.at(t, kind, actor, lock, value, aux, flags); };
        on(0s, EventKind::RecordDecider, cast.node, 1);
        on(1s, EventKind::Requested, cast.a.thread, -1);
        on(1s, EventKind::RecordHeld, cast.a.thread, Nanos(20s).count(), 1);
        on(1s, EventKind::Granted, cast.a.thread, 0, 1);
        if (survives) cast.at(2s, EventKind::RecordHeld, cast.a.thread, copy, Nanos(20s).count(), 1);
        cast.at(3s, EventKind::NodeKilled, cast.node, 0, 0, 0, trace::kFault);
        on(3s, EventKind::RecordFreed, 0, 0, cast.a.thread, std::uint8_t(trace::FreedBy::NodeLoss));
        on(3s, EventKind::RecordDecider, 0, 0);
        on(3s, EventKind::RecordUnobserved, 0);
        on(5s, EventKind::RecordDecider, other, 1);
        on(5s, EventKind::RecordObserved, 0);
        if (survives) on(5s, EventKind::RecordHeld, cast.a.thread, Nanos(20s).count(), 1);
        cast.trace->reach(6s);
        TimelineData data(cast.trace);
        data.consume();
        const Lane* const record = laneOf(data, LaneKind::Record, lock);
        QVERIFY(record);
        std::vector<std::int64_t> losses;
        for (std::size_t i = 0; i < record->ticks.size(); ++i)
            if (RecordTick(record->ticks[i].kind) == RecordTick::NodeLoss) losses.push_back(record->ticks[i].at);
        QCOMPARE(losses, survives ? std::vector<std::int64_t>() : std::vector<std::int64_t>{Nanos(5s).count()});
        const auto belief = std::ranges::find_if(data.lanes(), [&](const auto& lane) {
            return lane->kind == LaneKind::Belief && lane->entity == cast.a.thread && !lane->spans.empty();
        });
        QVERIFY(belief != data.lanes().end());
        std::size_t holds = 0; // blocks of the one hold
        for (std::size_t i = 0; i < (*belief)->spans.size(); ++i)
            holds += (*belief)->spans[i].state == unsigned(BeliefState::Holding);
        QCOMPARE(holds, std::size_t(1));
    }

    /// In a language whose verb comes last, too: all names stand before it.
    void severalThatAreStruckAlikeAreOneSubject() {
        class VerbLast : public QTranslator {
        public:
            QString translate(const char*, const char* source, const char*, int) const override {
                return qstrcmp(source, "crashed %1") == 0 ? u"%1 is down"_qs : QString();
            }
            bool isEmpty() const override { return false; }
        } language;
        QCoreApplication::installTranslator(&language);
        Cast cast;
        const trace::EntityId other = cast.trace->intern(trace::EntityKind::Node, "redis-2");
        for (const trace::EntityId node : {cast.node, other})
            cast.at(3s, EventKind::NodeKilled, node, 0, trace::kPowerLost, 0, trace::kFault);
        cast.trace->reach(6s);
        TimelineData data(cast.trace);
        data.consume();
        QCOMPARE(faultsLabel(*cast.trace, data.faults(), 0, 2),
                 u"%1, redis-2 is down"_qs.arg(cast.trace->displayName(cast.node)));
        QCOMPARE(faultLabel(*cast.trace, data.faults()[1]), u"redis-2 is down"_qs);
        QCoreApplication::removeTranslator(&language);
    }

    /// A link that is cut one way only says which way, on its mark and in the words for its lane.
    void aOneWayCutSaysWhichWay() {
        Cast cast;
        const QString server = cast.trace->displayName(cast.node);
        cast.at(1s, EventKind::LinkCut, cast.a.client, cast.a.link, 1, 0, trace::kFault);
        cast.at(3s, EventKind::LinkCut, cast.a.client, cast.a.link, 0, 0, trace::kFault);
        cast.at(5s, EventKind::LinkCut, cast.a.client, cast.a.link, 2, 0, trace::kFault);
        cast.at(7s, EventKind::LinkMended, cast.a.client, cast.a.link, 0, 0, trace::kFault);
        cast.trace->reach(10s);
        TimelineData data(cast.trace);
        data.consume();
        const Lane* link = laneOf(data, LaneKind::Link, cast.a.link);
        QVERIFY(link);
        QCOMPARE(link->spans.size(), std::size_t(3)); // each change of the ways begins another one
        const auto label = [&](std::size_t i) { return faultLabel(*cast.trace, data.faults()[i]); };
        QCOMPARE(label(0), u"cut A → %1"_qs.arg(server));
        QCOMPARE(label(1), u"cut A ↔ %1"_qs.arg(server));
        QCOMPARE(label(2), u"cut %1 → A"_qs.arg(server));
    }

    /// Servers that elect a leader by themselves say so on their lanes, with a mark for each vote.
    void anElectionStandsOnTheLanesOfItsServers() {
        Cast cast;
        const trace::EntityId one = cast.trace->intern(trace::EntityKind::Node, "zk-1");
        const trace::EntityId two = cast.trace->intern(trace::EntityKind::Node, "zk-2");
        const auto tell = [&cast](Nanos at, trace::EntityId node, const char* role) {
            cast.at(at, EventKind::NodeRole, node, 0, 0, cast.trace->text(role));
        };
        for (const trace::EntityId node : {one, two}) {
            cast.at(0s, EventKind::NodeStarted, node);
            tell(0s, node, "follower");
        }
        tell(2s, one, "looking");
        cast.at(2s, EventKind::VoteCast, one, one, 7);
        cast.at(2500ms, EventKind::VoteCast, one, two, 7);
        tell(4s, one, "follower");
        cast.trace->reach(9s);
        TimelineData data(cast.trace);
        data.consume();
        const Lane* lane = laneOf(data, LaneKind::Node, one);
        QVERIFY(lane);
        QCOMPARE(lane->roles.size(), std::size_t(3));
        QCOMPARE(lane->roles[1].state, unsigned(RoleBand::Looking));
        QCOMPARE(roleBandWords(*cast.trace, lane->roles[1]).front(), u"elects a leader"_qs);
        QCOMPARE(roleBandWords(*cast.trace, lane->roles[2]).front(), u"follower"_qs);
        QCOMPARE(lane->ticks.size(), std::size_t(2));
        QVERIFY(tickSentence(data, *lane, lane->ticks[1]).endsWith(u"zk-1 votes for zk-2"_qs));
        QVERIFY(laneOf(data, LaneKind::Node, two)->ticks.empty());
    }

    /// Links between servers have lanes, which are shown when they are asked for, or broken.
    void linksBetweenServersHaveTheirMessages() {
        Cast cast;
        const trace::EntityId other = cast.trace->intern(trace::EntityKind::Node, "redis-2");
        const trace::EntityId quiet = cast.trace->intern(trace::EntityKind::Node, "redis-3");
        const trace::EntityId link = cast.trace->intern(trace::EntityKind::Link, "", cast.node, other);
        const trace::EntityId unused = cast.trace->intern(trace::EntityKind::Link, "", cast.node, quiet);
        const auto text = cast.trace->text("replicate");
        cast.at(1s, EventKind::PeerMessage, cast.node, other, 100'000, text);
        cast.at(2s, EventKind::PeerMessage, other, cast.node, 100'000, text);
        cast.at(3s, EventKind::PeerMessage, cast.node, other, -1, text);
        cast.trace->reach(9s);
        FixedSession session(cast.trace, 9s);
        ViewContext context;
        TimelineView view(&context);
        context.setSession(&session);
        context.setPlayhead(9s);
        view.resize(1200, 900);
        QTRY_COMPARE(view.loader()->data()->rows(), cast.trace->size());
        const TimelineData& data = *view.loader()->data();
        const Lane* lane = laneOf(data, LaneKind::Link, link);
        QVERIFY(lane && !lane->folded);
        QVERIFY(laneOf(data, LaneKind::Link, unused)->folded); // nothing to be seen on it
        QCOMPARE(lane->ticks.size(), std::size_t(3));
        QCOMPARE(LinkTick(lane->ticks[0].kind), LinkTick::Request);
        QCOMPARE(LinkTick(lane->ticks[1].kind), LinkTick::Reply);
        QCOMPARE(LinkTick(lane->ticks[2].kind), LinkTick::Lost);
        QVERIFY(tickSentence(data, *lane, lane->ticks[1]).contains(u"redis-2 tells redis-1: replicate"_qs));
        QTRY_COMPARE(view.layoutOfLanes().rowOf(link), -1);
        view.findChild<QAction*>(u"timeline.links"_qs)->trigger();
        QTRY_VERIFY(view.layoutOfLanes().rowOf(link) >= 0);
        QVERIFY(!view.viewport()->grab().isNull());
    }
};

QTEST_MAIN(tst_fault_lanes)
#include "tst_fault_lanes.moc"
