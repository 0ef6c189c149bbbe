// SPDX-License-Identifier: GPL-3.0-or-later
// A failover on the timeline: roles as bands, lag, the lane of the Sentinels, who decides, and copies of the record.
#include "models/event_words.h"
#include "scenes.h"
#include "theme/palette.h"
#include "timeline/layout.h"
#include "timeline/render_timeline.h"
#include "timeline/scene.h"
#include "timeline/words.h"

#include <QTest>
#include <cmath>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityId;
using trace::EntityKind;
using trace::EventKind;
using trace::FailoverPhase;

namespace {

constexpr QSize kSize(1300, 1000);

Decider deciderAt(const Lane& lane, std::int64_t t) {
    return Decider(lane.deciders[lane.deciders.firstEndingAfter(t)].state);
}

/// redis-1 dies at 3 s with the only copy of A's lock; three Sentinels replace it by redis-2 at 4.3 s, which gives B
/// the lock at 4.6 s. A believes on until 5.9 s. Replication is 1.3 s behind when redis-1 dies.
struct Story {
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    std::array<EntityId, 3> redis{}, sentinels{}, copies{};
    EntityId lock, a, b;

    void at(double seconds, EventKind kind, EntityId actor, EntityId subject = 0, std::int64_t value = 0,
            std::uint32_t aux = 0, std::uint8_t flags = 0) {
        trace->append({std::llround(seconds * 1000) * 1'000'000, value, actor, subject, aux, kind, flags});
    }
    static std::int64_t ms(std::int64_t n) { return n * 1'000'000; }
    Story() {
        for (std::size_t i = 0; i < 3; ++i) {
            redis[i] = trace->intern(EntityKind::Node, "redis-" + QByteArray::number(i + 1));
            sentinels[i] = trace->intern(EntityKind::Node, "sentinel-" + QByteArray::number(i + 1));
        }
        lock = trace->intern(EntityKind::Lock, "orders");
        for (std::size_t i = 0; i < 3; ++i)
            copies[i] = trace->intern(EntityKind::Lock, "orders", redis[i], lock);
        const auto client = [this](const char* name) {
            const EntityId id = trace->intern(EntityKind::Client, name);
            return trace->intern(EntityKind::Thread, "1", id);
        };
        a = client("A");
        b = client("B");
        const EntityId master = trace->text("master"), replica = trace->text("replica");
        for (std::size_t i = 0; i < 3; ++i) {
            at(0, EventKind::NodeStarted, redis[i]);
            at(0, EventKind::NodeStarted, sentinels[i]);
            at(0, EventKind::NodeRole, sentinels[i], 0, 0, trace->text("sentinel"));
        }
        at(0, EventKind::NodeRole, redis[0], 0, 0, master, trace::kCopiesNobody);
        at(0, EventKind::NodeRole, redis[1], redis[0], 0, replica);
        at(0, EventKind::NodeRole, redis[2], redis[0], 0, replica);
        at(0, EventKind::RecordDecider, redis[0], lock, 1);
        at(0, EventKind::ClientStarted, trace->clientOf(a));
        at(0, EventKind::ClientStarted, trace->clientOf(b));
        at(1, EventKind::ReplicationLag, redis[1], redis[0], ms(120));
        at(1, EventKind::ReplicationLag, redis[2], redis[0], ms(120));
        at(2, EventKind::Requested, a, lock, -1);
        at(2, EventKind::RecordHeld, a, copies[0], ms(8000), 1);
        at(2, EventKind::RecordHeld, a, lock, ms(8000), 1);
        at(2.1, EventKind::Granted, a, lock, 4, 1);
        at(2.2, EventKind::Requested, b, lock, -1);
        at(2.5, EventKind::ReplicationLag, redis[1], redis[0], ms(700));
        at(3, EventKind::ReplicationLag, redis[1], redis[0], ms(1300));
        at(3, EventKind::NodeKilled, redis[0], 0, 0, 0, trace::kFault | trace::kByHand);
        const auto lost = std::uint8_t(trace::FreedBy::NodeLoss);
        at(3, EventKind::RecordFreed, 0, copies[0], 0, a, lost);
        at(3, EventKind::RecordFreed, 0, lock, 0, a, lost);
        at(3, EventKind::RecordDecider, 0, lock, 0);
        at(3, EventKind::RecordUnobserved, 0, lock);
        at(3, EventKind::NodeRole, redis[1], 0, 0, replica, trace::kCopiesNobody);
        at(3, EventKind::NodeRole, redis[2], 0, 0, replica, trace::kCopiesNobody);
        for (std::size_t i = 0; i < 3; ++i)
            at(4, EventKind::NodeDoubted, sentinels[i], redis[0], std::int64_t(trace::Doubt::Alone));
        at(4.1, EventKind::NodeDoubted, sentinels[1], redis[0], std::int64_t(trace::Doubt::Agreed), 2);
        at(4.1, EventKind::FailoverStep, sentinels[1], redis[0], std::int64_t(FailoverPhase::Begun));
        for (std::size_t i = 0; i < 3; ++i)
            at(4.11, EventKind::VoteCast, sentinels[i], sentinels[1], 1);
        at(4.15, EventKind::FailoverStep, sentinels[1], redis[0], std::int64_t(FailoverPhase::Led));
        at(4.2, EventKind::FailoverStep, sentinels[1], redis[1], std::int64_t(FailoverPhase::Chosen));
        at(4.3, EventKind::NodeRole, redis[1], 0, 0, master, trace::kCopiesNobody);
        at(4.3, EventKind::RecordDecider, redis[1], lock, 1);
        at(4.3, EventKind::RecordObserved, 0, lock);
        at(4.5, EventKind::NodeRole, redis[2], redis[1], 0, replica);
        at(4.6, EventKind::RecordHeld, b, copies[1], ms(10600), 1);
        at(4.6, EventKind::RecordHeld, b, lock, ms(10600), 1);
        at(4.6, EventKind::Granted, b, lock, 4, 1);
        at(4.8, EventKind::RecordHeld, b, copies[2], ms(10600), 1);
        at(5.9, EventKind::Lost, a, lock);
        trace->reach(8s);
    }
};

const Lane* laneOf(const TimelineData& data, LaneKind kind, EntityId entity) {
    for (const auto& lane : data.lanes())
        if (lane->kind == kind && lane->entity == entity) return lane.get();
    return nullptr;
}

QStringList bands(const trace::Trace& trace, const SpanTrack& track) {
    QStringList texts;
    for (std::size_t i = 0; i < track.size(); ++i)
        texts << QStringLiteral("%1 %2").arg(track[i].from / 1'000'000).arg(roleBandWords(trace, track[i]).front());
    return texts;
}

} // namespace

class TestTimelineFailover : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rolesAreBandsInWords() {
        const Story s;
        TimelineData data(s.trace);
        data.consume();
        QCOMPARE(bands(*s.trace, laneOf(data, LaneKind::Node, s.redis[0])->roles), QStringList{u"0 master"_qs});
        QCOMPARE(bands(*s.trace, laneOf(data, LaneKind::Node, s.redis[1])->roles),
                 (QStringList{u"0 replica of redis-1"_qs, u"3000 replica of nobody"_qs, u"4200 candidate"_qs,
                              u"4300 master"_qs}));
        QCOMPARE(
            bands(*s.trace, laneOf(data, LaneKind::Node, s.redis[2])->roles),
            (QStringList{u"0 replica of redis-1"_qs, u"3000 replica of nobody"_qs, u"4500 replica of redis-2"_qs}));
        const Lane& second = *laneOf(data, LaneKind::Node, s.redis[1]);
        QCOMPARE(laneState(data, second, Story::ms(2600)), u"up, replica of redis-1, lag 700 ms"_qs);
        QCOMPARE(laneState(data, second, Story::ms(4400)), u"up, master"_qs);
        QCOMPARE(laneState(data, *laneOf(data, LaneKind::Node, s.redis[0]), Story::ms(4400)), u"down"_qs);
    }

    void aServerThatLooksForALeaderIsNoFollower() {
        const auto trace = std::make_shared<trace::Trace>();
        const EntityId node = trace->intern(EntityKind::Node, "zk-1");
        const auto tell = [&](std::int64_t seconds, const char* role) {
            trace->append({seconds * 1'000'000'000, 0, node, 0, trace->text(role), EventKind::NodeRole, 0});
        };
        tell(0, "looking");
        tell(1, "follower");
        tell(10, "looking");
        tell(18, "leader");
        TimelineData data(trace);
        data.consume();
        QCOMPARE(bands(*trace, laneOf(data, LaneKind::Node, node)->roles),
                 (QStringList{u"0 elects a leader"_qs, u"1000 follower"_qs, u"10000 elects a leader"_qs,
                              u"18000 leader"_qs}));
    }

    /// The server before it runs on, and has the lock still.
    void aNewDeciderThatDoesNotKnowTheLockHasNotLostIt() {
        Story s;
        auto trace = std::make_shared<trace::Trace>();
        const EntityId client = trace->intern(EntityKind::Client, "A"),
                       a = trace->intern(EntityKind::Thread, "1", client),
                       lock = trace->intern(EntityKind::Lock, "orders"),
                       three = trace->intern(EntityKind::Node, "redis-3"),
                       own = trace->intern(EntityKind::Lock, "invoices", three);
        trace->append({1'000'000'000, -1, a, lock, 1, EventKind::RecordHeld, 0});
        trace->append({2'000'000'000, 1, three, lock, 0, EventKind::RecordDecider, 0});
        trace->append({2'000'000'000, 0, 0, lock, a, EventKind::RecordFreed, std::uint8_t(trace::FreedBy::NodeLoss)});
        trace->append({3'000'000'000, -1, a, own, 1, EventKind::RecordHeld, 0});
        trace->append({4'000'000'000, 0, 0, own, a, EventKind::RecordFreed, std::uint8_t(trace::FreedBy::Evicted)});
        TimelineData data(trace);
        data.consume();
        const TickTrack& ticks = laneOf(data, LaneKind::Record, lock)->ticks;
        QCOMPARE(ticks.size(), std::size_t(1));
        QCOMPARE(recordTickWords(*trace, ticks[0]), u"redis-3 does not know it"_qs);
        QCOMPARE(eventDetail(trace->at(2), *trace), u"redis-3 decides now, and does not know that A · 1 has it"_qs);
        const TickTrack& evicted = laneOf(data, LaneKind::Record, own)->ticks;
        QCOMPARE(evicted.size(), std::size_t(1));
        QCOMPARE(recordTickWords(*trace, evicted[0]), u"redis-3 evicted it"_qs);
    }

    /// Another leader counts a lease anew: the hold is as old as it was, and was renewed when it was.
    void aDeadlineOfAnotherLeaderTellsTheRenewal() {
        Cast s;
        s.at(0s, EventKind::ClientStarted, s.a.client);
        s.at(807905us, EventKind::RecordHeld, s.a.thread, s.lock, Nanos(20807ms).count(), 1);
        s.at(1308751us, EventKind::RecordRenewed, s.a.thread, s.lock, Nanos(21308ms).count(), 1);
        // 4463.249 ms after the renewal, told in whole ones
        s.at(5772ms, EventKind::RecordDeadline, s.a.thread, s.lock, Nanos(26773ms).count(), 4463);
        s.trace->reach(7s);
        TimelineData data(s.trace);
        data.consume();
        const Lane* lock = laneOf(data, LaneKind::Record, s.lock);
        QCOMPARE(lock->spans.size(), std::size_t(3));
        const QString left = spanSentence(data, *lock, lock->spans[1]),
                      right = spanSentence(data, *lock, lock->spans[2]);
        QVERIFY2(left.contains(u"renewed at 1.308 s, expires at 21.308 s"), qPrintable(left));
        QVERIFY2(right.contains(u"renewed at 1.308 s, expires at 26.773 s"), qPrintable(right));
    }

    void aReplicaOfADeadServerIsNobodys() {
        // A machine that lost its power tells nobody: the replica's own link looks whole.
        Story s;
        auto trace = std::make_shared<trace::Trace>();
        const EntityId one = trace->intern(EntityKind::Node, "redis-1"),
                       two = trace->intern(EntityKind::Node, "redis-2");
        trace->append({0, 0, two, one, trace->text("replica"), EventKind::NodeRole, 0});
        trace->append({1'000'000'000, 0, one, 0, 0, EventKind::NodeKilled, trace::kFault});
        trace->append({2'000'000'000, 0, one, 0, 0, EventKind::NodeStarted, trace::kFault});
        TimelineData data(trace);
        data.consume();
        QCOMPARE(
            bands(*trace, laneOf(data, LaneKind::Node, two)->roles),
            (QStringList{u"0 replica of redis-1"_qs, u"1000 replica of nobody"_qs, u"2000 replica of redis-1"_qs}));
    }

    void linksBetweenServersLeaveTheirLanesAlone() {
        auto trace = std::make_shared<trace::Trace>();
        const EntityId one = trace->intern(EntityKind::Node, "redis-1"),
                       two = trace->intern(EntityKind::Node, "redis-2");
        const EntityId between = trace->intern(EntityKind::Link, "", two, one);
        const EntityId other = trace->intern(EntityKind::Link, "", one, trace->intern(EntityKind::Node, "redis-3"));
        trace->append({0, 0, two, one, trace->text("replica"), EventKind::NodeRole, 0});
        trace->append({1'000'000'000, 0, two, between, 0, EventKind::LinkCut, trace::kFault});
        TimelineData data(trace);
        data.consume();
        QVERIFY(laneOf(data, LaneKind::Node, one)->roles.empty());
        QCOMPARE(bands(*trace, laneOf(data, LaneKind::Node, two)->roles), QStringList{u"0 replica of redis-1"_qs});
        QCOMPARE(laneOf(data, LaneKind::Link, between)->spans.size(), std::size_t(1));
        QVERIFY(!laneOf(data, LaneKind::Link, between)->folded); // it has a row since somebody cut it
        QVERIFY(laneOf(data, LaneKind::Link, other)->folded);
    }

    void sentinelsShareALane() {
        const Story s;
        TimelineData data(s.trace);
        data.consume();
        const Lane* watchers = laneOf(data, LaneKind::Watchers, trace::kNoEntity);
        QVERIFY(watchers);
        QCOMPARE(watchers->members.size(), std::size_t(3));
        TimelineLayout layout;
        layout.update(data, TimelineMetrics());
        QCOMPARE(layout.rowOf(s.sentinels[0]), layout.rowOf(s.sentinels[2]));
        QCOMPARE(layout.rows()[std::size_t(layout.rowOf(s.sentinels[0]))].lane, watchers);
        QStringList said;
        for (std::size_t i = 0; i < watchers->ticks.size(); ++i)
            if (const QString words = watcherWords(*watchers, *s.trace, watchers->ticks[i]); !words.isEmpty())
                said += words;
        QCOMPARE(said, (QStringList{u"2 of 3 agree at 4.1 s: down"_qs, u"3 vote(s) for sentinel-2"_qs}));
        QCOMPARE(watcherSentence(*s.trace, watchers->ticks[0]).section(u": "_qs, 1),
                 u"sentinel-1 believes that redis-1 is down"_qs);
        QCOMPARE(laneState(data, *watchers, Story::ms(5000)), u"3 of 3 run"_qs);
    }

    void theRecordTellsWhoDecides() {
        const Story s;
        TimelineData data(s.trace);
        data.consume();
        const Lane* record = laneOf(data, LaneKind::Record, s.lock);
        QStringList deciders;
        for (std::size_t i = 0; i < record->deciders.size(); ++i)
            deciders += deciderWords(*s.trace, record->deciders[i]).front();
        QCOMPARE(deciders, (QStringList{u"redis-1 decides"_qs, u"nobody decides"_qs, u"redis-2 decides"_qs}));
        QCOMPARE(laneState(data, *record, Story::ms(3500)), u"no master: nobody decides"_qs);
        QCOMPARE(noMasterWords(*s.trace, 3s, 4300ms, 8s).front(), u"no master, 3.0 – 4.3 s"_qs);
        // A believes without record only from when somebody decides again.
        const Lane* belief = laneOf(data, LaneKind::Belief, s.a);
        QCOMPARE(belief->spans.size(), std::size_t(3)); // nobody can tell of the death that it ended the hold
        QCOMPARE(belief->spans[2].state, std::uint32_t(BeliefState::Stale));
        QCOMPARE(belief->spans[2].from, Story::ms(4300));
    }

    void copiesFollowTheirLockAndSayWhatTheyAre() {
        const Story s;
        TimelineData data(s.trace);
        data.consume();
        TimelineLayout layout;
        layout.update(data, TimelineMetrics());
        const int row = layout.rowOf(s.lock);
        for (int i = 0; i < 3; ++i)
            QCOMPARE(layout.rowOf(s.copies[std::size_t(i)]), row + 1 + i);
        const auto state = [&](std::size_t i, std::int64_t at) {
            return copyState(data, *laneOf(data, LaneKind::Copy, s.copies[i]), Story::ms(at));
        };
        QCOMPARE(state(0, 2000), u"decides"_qs);
        QCOMPARE(state(1, 2000), u"a copy"_qs);
        QCOMPARE(state(0, 3500), u"dead"_qs);
        QCOMPARE(state(1, 3500), u"a copy"_qs);
        QCOMPARE(state(1, 5000), u"decides"_qs);
        const Lane* first = laneOf(data, LaneKind::Copy, s.copies[0]);
        QCOMPARE(lostCopyWords(data, *first, first->ticks[0]), u"died with the only copy of A's lock"_qs);
        QCOMPARE(laneTitle(data, *first), u"redis-1"_qs);
    }

    /// A write may be on its way when the only server that has it dies: as long as it can still come, nothing is lost.
    void aCopyOnItsWayIsNoLoss_data() {
        QTest::addColumn<QString>("then");
        QTest::addColumn<QString>("words");
        QTest::newRow("not known yet") << QString() << u"died; no other server has a copy yet"_qs;
        QTest::newRow("comes") << u"comes"_qs << u"died; a copy was on its way"_qs;
        QTest::newRow("of the next hold") << u"asks"_qs << u"died with the only copy of A's lock"_qs;
        QTest::newRow("another one decides") << u"decides"_qs << u"died with the only copy of A's lock"_qs;
    }
    void aCopyOnItsWayIsNoLoss() {
        QFETCH(QString, then);
        QFETCH(QString, words);
        const auto trace = std::make_shared<trace::Trace>();
        const EntityId one = trace->intern(EntityKind::Node, "redis-1"),
                       two = trace->intern(EntityKind::Node, "redis-2"),
                       lock = trace->intern(EntityKind::Lock, "orders"),
                       first = trace->intern(EntityKind::Lock, "orders", one, lock),
                       second = trace->intern(EntityKind::Lock, "orders", two, lock),
                       a = trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, "A"));
        const auto at = [&](std::int64_t ms, EventKind kind, EntityId actor, EntityId subject, std::int64_t value = 0,
                            std::uint32_t aux = 0, std::uint8_t flags = 0) {
            trace->append({Story::ms(ms), value, actor, subject, aux, kind, flags});
        };
        at(0, EventKind::NodeStarted, one, 0);
        at(0, EventKind::NodeStarted, two, 0);
        at(0, EventKind::RecordDecider, one, lock, 1);
        at(100, EventKind::RecordHeld, a, first, Story::ms(9000), 1);
        at(100, EventKind::RecordHeld, a, lock, Story::ms(9000), 1);
        at(200, EventKind::NodeKilled, one, 0, 0, 0, trace::kFault);
        at(200, EventKind::RecordFreed, 0, first, 0, a, std::uint8_t(trace::FreedBy::NodeLoss));
        at(200, EventKind::RecordDecider, 0, lock, 0);
        if (then == u"asks") at(300, EventKind::Requested, a, lock, -1);
        if (then == u"decides") at(300, EventKind::RecordDecider, two, lock, 1);
        if (!then.isEmpty()) at(400, EventKind::RecordHeld, a, second, Story::ms(9000), 1);
        trace->reach(1s);
        TimelineData data(trace);
        data.consume();
        const Lane* lane = laneOf(data, LaneKind::Copy, first);
        QVERIFY(lane && lane->ticks.size() == 1);
        QCOMPARE(lostCopyWords(data, *lane, lane->ticks[0]), words);
        QCOMPARE(laneState(data, *lane, Story::ms(300)), u"dead"_qs);
    }

    /// A copy is lost by a death, by a start without it, or by a newer history that its server takes over.
    void onlyADeadServersCopyHasDied() {
        Story s;
        s.at(6, EventKind::NodeStarted, s.redis[0], 0, 0, 0, trace::kFault);
        s.at(6.5, EventKind::RecordHeld, s.b, s.copies[0], Story::ms(9000), 1);
        s.at(7, EventKind::RecordFreed, 0, s.copies[0], 0, s.b, std::uint8_t(trace::FreedBy::NodeLoss));
        s.at(7.2, EventKind::RecordHeld, s.b, s.copies[0], Story::ms(9000), 1);
        s.at(7.4, EventKind::NodeKilled, s.redis[0], 0, 0, 0, trace::kFault);
        s.at(7.4, EventKind::RecordUnobserved, 0, s.copies[0]);
        s.at(7.8, EventKind::NodeStarted, s.redis[0], 0, 0, 0, trace::kFault);
        s.at(7.8, EventKind::RecordObserved, 0, s.copies[0]);
        s.at(7.8, EventKind::RecordFreed, 0, s.copies[0], 0, s.b, std::uint8_t(trace::FreedBy::NodeLoss));
        s.trace->reach(9s);
        TimelineData data(s.trace);
        data.consume();
        const Lane* const lane = laneOf(data, LaneKind::Copy, s.copies[0]);
        QCOMPARE(lane->ticks.size(), std::size_t(3));
        QCOMPARE(copyTickWords(data, *lane, lane->ticks[0]), u"died with the only copy of A's lock"_qs);
        QCOMPARE(copyTickWords(data, *lane, lane->ticks[1]), u"gone as it caught up"_qs);
        QCOMPARE(copyTickWords(data, *lane, lane->ticks[2]), u"came back without it"_qs);
        QCOMPARE(laneState(data, *lane, Story::ms(7600)), u"dead"_qs);
        const Span& gap = lane->spans[lane->spans.firstEndingAfter(Story::ms(7600))];
        QVERIFY(spanSentence(data, *lane, gap).contains(u"its server was dead"_qs));
    }

    /// Two of three independent servers that decide together are dead: nobody can get the lock.
    void withoutAMajorityNobodyDecides() {
        Story s;
        const EntityId lock = s.trace->intern(EntityKind::Lock, "stock");
        s.at(6, EventKind::NodeStarted, s.redis[0]);
        s.at(6, EventKind::RecordDecider, 0, lock, 2);
        for (std::size_t i = 0; i < 3; ++i) {
            const EntityId copy = s.trace->intern(EntityKind::Lock, "stock", s.redis[i], lock);
            s.at(6, EventKind::RecordHeld, s.a, copy, Story::ms(6500), 1);
            s.at(6.2, EventKind::RecordFreed, s.a, copy, 0, s.a);
        }
        s.at(7, EventKind::NodeKilled, s.redis[0]);
        s.at(7.5, EventKind::NodeKilled, s.redis[1]);
        s.at(8, EventKind::NodeStarted, s.redis[0]);
        s.trace->reach(9s);
        TimelineData data(s.trace);
        data.consume();
        const Lane* const lane = laneOf(data, LaneKind::Record, lock);
        const auto decides = [&](std::int64_t ms) { return deciderAt(*lane, Story::ms(ms)); };
        QCOMPARE(decides(7700), Decider::Nobody);
        QCOMPARE(decides(8500), Decider::Several);
        QCOMPARE(laneState(data, *lane, Story::ms(7700)), u"nobody decides"_qs);
    }

    /// Between an engine that is left and the next one nobody gets in, and it is said on each lane.
    void aChangeOfEnginesIsToldWhileItLasts() {
        Story s;
        const EntityId client = s.trace->clientOf(s.b), engine = s.trace->text("redis://redis-2:6379 redis-set");
        s.at(6.1, EventKind::Requested, s.a, s.lock, -1);
        s.at(6.6, EventKind::EngineChanged, client, 0, 1, engine, std::uint8_t(trace::EngineNews::Leaving));
        s.at(6.6, EventKind::Interrupted, s.a, s.lock);
        s.at(6.7, EventKind::RecordFreed, s.b, s.copies[1], 0, s.b);
        s.at(6.7, EventKind::RecordFreed, s.b, s.lock, 0, s.b);
        s.at(6.7, EventKind::Released, s.b, s.lock);
        s.at(8, EventKind::EngineChanged, client, 0, 2, engine, std::uint8_t(trace::EngineNews::InUse));
        s.at(8, EventKind::RecordDecider, s.redis[2], s.lock, 1);
        s.at(8.1, EventKind::EngineChanged, s.trace->clientOf(s.a), 0, 1, engine,
             std::uint8_t(trace::EngineNews::Leaving)); // late: it is in use already
        s.trace->reach(9s);
        TimelineData data(s.trace);
        data.consume();
        const Lane* const record = laneOf(data, LaneKind::Record, s.lock);
        QCOMPARE(deciderAt(*record, Story::ms(7500)), Decider::Switching);
        QCOMPARE(laneState(data, *record, Story::ms(7500)), u"free, but engines change: nobody gets in"_qs);
        QCOMPARE(deciderAt(*record, Story::ms(8500)), Decider::One);
        const Lane &waiter = *laneOf(data, LaneKind::Belief, s.a), &released = *laneOf(data, LaneKind::Belief, s.b);
        QCOMPARE(laneState(data, waiter, Story::ms(7500)), u"waits for the change of engines"_qs);
        QCOMPARE(laneState(data, released, Story::ms(7500)), u"idle"_qs); // no row tells that it wants the lock again
    }

    /// The one server of a lock is dead, and no row of the lock says so: nobody can have it then.
    void aDeadServersRecordIsNoEmptyLane() {
        const TimelineMetrics metrics(QFontMetricsF(QApplication::font()).height());
        const auto plain = [&](bool dies) {
            auto trace = std::make_shared<trace::Trace>();
            const EntityId server = trace->intern(trace::EntityKind::Node, "sql-1");
            const EntityId lock = trace->intern(trace::EntityKind::Lock, "orders", server);
            trace->append({0, 0, server, 0, 0, EventKind::NodeStarted});
            trace->append({Story::ms(100), 0, 0, lock, 0, EventKind::RecordWaiters});
            if (dies) trace->append({Story::ms(2000), 0, server, 0, 0, EventKind::NodeKilled});
            trace->reach(8s);
            TimelinePicture picture;
            picture.trace = trace;
            picture.to = 8s;
            TimelineData data(trace);
            data.consume();
            TimelineLayout layout;
            layout.update(data, metrics);
            const TimelineLayout::Row& row = layout.rows()[std::size_t(layout.rowOf(lock))];
            const QImage image = renderTimelineImage(kSize, 1, picture);
            const QRectF bar = metrics.bar(*row.lane, 0, 1);
            const QRect where(image.width() / 2,
                              metrics.rulerHeight() + metrics.stripHeight() + row.y + int(bar.y()) + 2,
                              image.width() / 4, int(bar.height()) - 4);
            return double(countPixels(image, color(Role::SurfaceRaised), where)) / (where.width() * where.height());
        };
        QVERIFY(plain(false) > 0.9);
        QVERIFY2(plain(true) > 0.2 && plain(true) < 0.8, qPrintable(QString::number(plain(true)))); // hatched
    }

    void itIsSeenInBothThemes_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void itIsSeenInBothThemes() {
        QFETCH(bool, dark);
        Theme::instance().setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        const TimelineMetrics metrics(QFontMetricsF(QApplication::font()).height());
        const Story s;
        FixedSession session(s.trace);
        TimelinePicture picture;
        picture.trace = s.trace;
        picture.verdict = session.verdict();
        picture.to = 8s;
        const QImage image = renderTimelineImage(kSize, 1, picture);
        TimelineData data(s.trace);
        data.consume();
        TimelineLayout layout;
        layout.update(data, metrics);
        const TimelineCoordinates c(0, Story::ms(8000), kSize.width() - metrics.labelWidth());
        const auto place = [&](EntityId entity, const QRectF& part, std::int64_t from, std::int64_t to) {
            const TimelineLayout::Row& row = layout.rows()[std::size_t(layout.rowOf(entity))];
            const double top = metrics.rulerHeight() + metrics.stripHeight() + row.y;
            return QRectF(metrics.labelWidth() + c.x(Story::ms(from)), top + part.y(),
                          c.x(Story::ms(to)) - c.x(Story::ms(from)), part.height())
                .adjusted(2, 2, -2, -2)
                .toRect();
        };
        const auto share = [&image](const QRect& where, const QColor& ink) {
            return double(countPixels(image, ink, where)) / std::max(1, where.width() * where.height());
        };
        const auto bar = [&](EntityId entity) {
            return metrics.bar(*layout.rows()[std::size_t(layout.rowOf(entity))].lane, 0, 1);
        };
        const QColor master = onGround(color(Role::Accepted, 0.6)), replica = onGround(color(Role::Node, 0.6));
        QVERIFY(share(place(s.redis[0], bar(s.redis[0]), 1000, 2900), master) > 0.6);
        QVERIFY(share(place(s.redis[1], bar(s.redis[1]), 1500, 2900), replica) > 0.6);
        QVERIFY(share(place(s.redis[1], bar(s.redis[1]), 4400, 7000), master) > 0.6);
        QVERIFY(share(place(s.redis[1], bar(s.redis[1]), 3400, 4100), master) < 0.1); // replica of nobody
        QVERIFY(share(place(s.lock, metrics.deciderStrip(1), 5200, 7000), replica) > 0.6);
        QVERIFY(countPixels(image, color(Role::Waiting), place(s.sentinels[0], bar(s.sentinels[0]), 3950, 4150)) > 4);
        QVERIFY(share(place(s.copies[1], bar(s.copies[1]), 4700, 5500), color(Role::Record)) > 0.5);
        QCOMPARE(share(place(s.copies[1], bar(s.copies[1]), 3200, 4200), color(Role::Record)), 0.0);
    }
};

QTEST_MAIN(TestTimelineFailover)
#include "tst_timeline_failover.moc"
