// SPDX-License-Identifier: GPL-3.0-or-later
// The lane of a lock of several servers that decide together: when nobody can, and how the lock was lost.
#include "models/event_words.h"
#include "timeline/render_timeline.h"
#include "timeline/words.h"
#include "trace/doubt.h"

#include <QBuffer>
#include <QPainter>
#include <QSvgGenerator>
#include <QTest>
#include <cmath>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityId;
using trace::EntityKind;
using trace::EventKind;

namespace {

/// A lock on several servers, of which so many must agree.
struct Story {
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    std::vector<EntityId> nodes, copies;
    EntityId a, b, lock;

    Story(int servers, std::int64_t deciders) : a(thread("A")), b(thread("B")) {
        lock = trace->intern(EntityKind::Lock, "orders");
        at(0, EventKind::RecordDecider, 0, lock, deciders);
        for (int i = 1; i <= servers; ++i) {
            nodes.push_back(trace->intern(EntityKind::Node, "redis-" + QByteArray::number(i)));
            copies.push_back(trace->intern(EntityKind::Lock, "orders", nodes.back(), lock));
            at(0, EventKind::NodeStarted, nodes.back());
        }
    }
    EntityId thread(const char* client) {
        return trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, client));
    }
    static std::int64_t ms(std::int64_t n) { return n * 1'000'000; }
    void at(double seconds, EventKind kind, EntityId actor, EntityId subject = 0, std::int64_t value = 0,
            std::uint32_t aux = 0, std::uint8_t flags = 0) {
        trace->append({std::llround(seconds * 1000) * 1'000'000, value, actor, subject, aux, kind, flags});
    }
    void held(double seconds, EntityId by, EntityId subject) {
        at(seconds, EventKind::RecordHeld, by, subject, ms(60'000), 1);
    }
    void leaves(double seconds, trace::EngineNews news, std::int64_t epoch) {
        at(seconds, EventKind::EngineChanged, trace->clientOf(a), 0, epoch,
           trace->text("redlock://redis-1:6379 redis-redlock"), std::uint8_t(news));
    }
    std::unique_ptr<TimelineData> data() const {
        auto data = std::make_unique<TimelineData>(trace);
        data->consume();
        return data;
    }
};

const Lane& laneOf(const TimelineData& data, LaneKind kind, EntityId entity) {
    const auto lane =
        std::ranges::find_if(data.lanes(), [&](const auto& l) { return l->kind == kind && l->entity == entity; });
    if (lane == data.lanes().end()) qFatal("no such lane");
    return **lane;
}

Decider deciderAt(const Lane& lane, std::int64_t t) {
    return Decider(lane.deciders[lane.deciders.firstEndingAfter(t)].state);
}

} // namespace

class Deciders : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Four living servers name two clients: nobody can have three, until one entry ends.
    void serversThatNameSeveralClientsDecideNothing() {
        Story s(5, 3);
        for (std::size_t i = 0; i < 4; ++i)
            s.held(1 + 0.1 * double(i), i < 2 ? s.a : s.b, s.copies[i]);
        s.at(2, EventKind::NodeKilled, s.nodes[4]);
        s.at(3, EventKind::RecordFreed, s.b, s.copies[2], 0, s.b);
        s.trace->reach(5s);
        const auto folded = s.data();
        const TimelineData& data = *folded;
        const Lane& lane = laneOf(data, LaneKind::Record, s.lock);
        QCOMPARE(deciderAt(lane, Story::ms(1500)), Decider::Several); // the fifth may make it three
        QCOMPARE(deciderAt(lane, Story::ms(2500)), Decider::Nobody);
        QCOMPARE(laneState(data, lane, Story::ms(2500)), u"nobody decides"_qs);
        QCOMPARE(deciderAt(lane, Story::ms(3500)), Decider::Several);
    }

    /// A server that dies while the engines change does not end that change.
    void aDeathWhileEnginesChangeChangesNothing() {
        Story s(3, 2);
        s.leaves(1, trace::EngineNews::Leaving, 1);
        s.at(2, EventKind::NodeKilled, s.nodes[1]);
        s.at(3, EventKind::NodeKilled, s.nodes[2]);
        s.leaves(4, trace::EngineNews::Refused, 1);
        s.trace->reach(5s);
        const auto folded = s.data();
        const TimelineData& data = *folded;
        const Lane& lane = laneOf(data, LaneKind::Record, s.lock);
        QCOMPARE(deciderAt(lane, Story::ms(500)), Decider::Several);
        for (const int ms : {1500, 2500, 3500})
            QCOMPARE(deciderAt(lane, Story::ms(ms)), Decider::Switching);
        QCOMPARE(deciderAt(lane, Story::ms(4500)), Decider::Nobody); // two of three are dead
    }

    /// One lane says that others have a copy; the lock's own does not say that it went with its server.
    void aMinorityThatHasItIsNoLossOfAServer() {
        Story s(3, 2);
        const auto lost = std::uint8_t(trace::FreedBy::NodeLoss);
        for (std::size_t i = 0; i < 2; ++i)
            s.held(1, s.a, s.copies[i]);
        s.held(1, s.a, s.lock);
        s.at(2, EventKind::NodeKilled, s.nodes[0]);
        s.at(2, EventKind::RecordFreed, 0, s.copies[0], 0, s.a, lost);
        s.at(2, EventKind::RecordFreed, 0, s.lock, 0, s.a, lost);
        s.trace->reach(5s);
        const auto folded = s.data();
        const TimelineData& data = *folded;
        const Lane &copy = laneOf(data, LaneKind::Copy, s.copies[0]), &whole = laneOf(data, LaneKind::Record, s.lock);
        QCOMPARE(copy.ticks.size(), std::size_t(1));
        QCOMPARE(copyTickWords(data, copy, copy.ticks[0]), u"died; others have a copy"_qs);
        QCOMPARE(whole.ticks.size(), std::size_t(1));
        QCOMPARE(recordTickWords(*s.trace, whole.ticks[0]), u"too few servers have it"_qs);
    }

    /// A replica is promoted that has no copy, though another one has.
    void aServerThatDecidesWithoutTheCopyIsNamed() {
        Story s(3, 0);
        const auto lost = std::uint8_t(trace::FreedBy::NodeLoss);
        s.at(0, EventKind::RecordDecider, s.nodes[0], s.lock, 1);
        for (const EntityId entry : {s.copies[0], s.copies[1], s.lock})
            s.held(1, s.a, entry);
        s.at(2, EventKind::NodeKilled, s.nodes[0]);
        s.at(2, EventKind::RecordFreed, 0, s.copies[0], 0, s.a, lost);
        s.at(2, EventKind::RecordFreed, 0, s.lock, 0, s.a, lost);
        s.at(2, EventKind::RecordDecider, 0, s.lock, 0);
        s.at(2, EventKind::RecordUnobserved, 0, s.lock);
        s.at(3, EventKind::RecordDecider, s.nodes[2], s.lock, 1);
        s.at(3, EventKind::RecordObserved, 0, s.lock);
        s.trace->reach(5s);
        const auto folded = s.data();
        const TimelineData& data = *folded;
        const Lane &copy = laneOf(data, LaneKind::Copy, s.copies[0]), &whole = laneOf(data, LaneKind::Record, s.lock);
        QCOMPARE(copyTickWords(data, copy, copy.ticks[0]), u"died; others have a copy"_qs);
        QCOMPARE(whole.ticks.size(), std::size_t(1));
        QCOMPARE(recordTickWords(*s.trace, whole.ticks[0]), u"redis-3 does not know it"_qs);
        QCOMPARE(deciderAt(whole, Story::ms(2500)), Decider::Nobody);
        QCOMPARE(deciderAt(whole, Story::ms(3500)), Decider::One);
    }

    /// A promotion ends doubts about a server that does not answer; an answer ends them, too.
    void aDoubtThatAPromotionEndsIsNoAnswer() {
        Story s(3, 2);
        const EntityId sentinel = s.trace->intern(EntityKind::Node, "sentinel-1");
        const auto doubts = [&](double seconds, trace::Doubt doubt) {
            s.at(seconds, EventKind::NodeDoubted, sentinel, s.nodes[0], std::int64_t(doubt));
        };
        s.at(0, EventKind::NodeRole, sentinel, 0, 0, s.trace->text("sentinel"));
        doubts(1, trace::Doubt::Alone);
        doubts(2, trace::Doubt::None);
        doubts(3, trace::Doubt::Alone);
        s.at(4, EventKind::FailoverStep, sentinel, s.nodes[1], std::int64_t(trace::FailoverPhase::Announced));
        doubts(4, trace::Doubt::None);
        s.trace->reach(5s);
        std::vector<trace::Event> ends;
        for (std::size_t row = 0; row < s.trace->size(); ++row)
            if (const trace::Event e = s.trace->at(row);
                e.kind == EventKind::NodeDoubted && trace::Doubt(e.value) == trace::Doubt::None)
                ends.push_back(e);
        QCOMPARE(ends.size(), std::size_t(2));
        QCOMPARE(eventDetail(ends[0], *s.trace), u"it answers again"_qs);
        QCOMPARE(eventDetail(ends[1], *s.trace), u"forgotten: it begins anew with the new master"_qs);
        const auto folded = s.data();
        const TimelineData& data = *folded;
        const Lane& watchers = laneOf(data, LaneKind::Watchers, trace::kNoEntity);
        const auto told = [&](std::int64_t ms) {
            const std::size_t i = watchers.ticks.lowerBound(Story::ms(ms));
            for (std::size_t k = i; k < watchers.ticks.size(); ++k)
                if (WatcherTick(watchers.ticks[k].kind) == WatcherTick::Trusts)
                    return watcherSentence(*s.trace, watchers.ticks[k]);
            return QString();
        };
        QVERIFY2(told(1500).endsWith(u"does not believe any more that redis-1 is down"_qs), qPrintable(told(1500)));
        QVERIFY2(told(3500).contains(u"begins anew with the new master"_qs), qPrintable(told(3500)));
    }

    /// Servers of another engine do not copy a hold of this one: nothing is missing on them.
    void serversOfAnotherEngineMissNothing() {
        const auto words = [](bool sameEngine) {
            Story s(3, 2);
            for (std::size_t i = sameEngine ? 0 : 1; i < 3; ++i)
                s.at(0, EventKind::NodeRole, s.nodes[i], 0, 0, s.trace->text(i == 0 ? "leader" : "follower"));
            s.held(1, s.a, s.copies[0]);
            s.held(1, s.a, s.lock);
            s.trace->reach(9s);
            TimelinePicture picture;
            picture.trace = s.trace;
            constexpr QSize kSize(1200, 700);
            QBuffer buffer;
            QSvgGenerator svg;
            svg.setOutputDevice(&buffer);
            svg.setSize(kSize);
            QPainter painter(&svg);
            renderTimeline(painter, kSize, picture);
            painter.end();
            return buffer.data();
        };
        QVERIFY(words(true).contains("empty: not replicated"));
        QVERIFY2(!words(false).contains("empty"), words(false).constData());
    }

    void manyFailoversAreOnlyAsManyPixels() {
        // The lanes of servers keep their pyramids: a year of elections costs what its picture costs.
        auto trace = std::make_shared<trace::Trace>();
        const EntityId one = trace->intern(EntityKind::Node, "redis-1"),
                       two = trace->intern(EntityKind::Node, "redis-2");
        const EntityId master = trace->text("master"), replica = trace->text("replica");
        for (std::int64_t i = 0; i < 20'000; ++i) {
            const EntityId lead = i % 2 ? one : two, follow = i % 2 ? two : one;
            trace->append({i * 1'000'000, 0, lead, 0, master, EventKind::NodeRole, trace::kCopiesNobody});
            trace->append({i * 1'000'000, 0, follow, lead, replica, EventKind::NodeRole, 0});
            trace->append({i * 1'000'000 + 1000, 500'000, follow, lead, 0, EventKind::ReplicationLag, 0});
        }
        TimelineData data(trace);
        data.consume();
        const auto found = std::ranges::find_if(
            data.lanes(), [one](const auto& each) { return each->kind == LaneKind::Node && each->entity == one; });
        QVERIFY(found != data.lanes().end());
        const Lane* const lane = found->get();
        QVERIFY(lane->roles.size() >= 19'000);
        std::size_t singly = 0;
        lane->roles.visit(
            0, 20'000'000'000, 20'000'000, data.now(), [&](std::size_t, const Span&) { ++singly; },
            [](const SpanSum&) {});
        QVERIFY(singly < 10);
    }
};

QTEST_MAIN(Deciders)
#include "tst_deciders.moc"
