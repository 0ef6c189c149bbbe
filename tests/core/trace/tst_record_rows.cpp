// SPDX-License-Identifier: Apache-2.0
// The rows that tell a record whole: kept by recordings, and absent from those that are older than they are.
#include "trace/recording.h"
#include "trace/state.h"

#include <QTemporaryDir>
#include <QTest>
#include <set>

using namespace lockscope;
using namespace lockscope::trace;

namespace {

State stateOf(const Trace& trace) {
    State state;
    for (std::size_t i = 0; i < trace.size(); ++i)
        state.apply(trace.at(i), trace);
    return state;
}

/// A trace with a row of every kind that a record, a node and a session have.
std::shared_ptr<Trace> everything() {
    auto trace = std::make_shared<Trace>();
    const EntityId one = trace->intern(EntityKind::Node, "redis-1"), two = trace->intern(EntityKind::Node, "redis-2");
    const EntityId a = trace->intern(EntityKind::Client, "A"), a1 = trace->intern(EntityKind::Thread, "1", a);
    const EntityId b = trace->intern(EntityKind::Client, "B"), b1 = trace->intern(EntityKind::Thread, "1", b);
    const EntityId lock = trace->intern(EntityKind::Lock, "orders");
    const EntityId copy = trace->intern(EntityKind::Lock, "orders", two, lock);
    std::int64_t at = 0;
    const auto add = [&](EventKind kind, EntityId actor, EntityId subject, std::int64_t value = 0,
                         std::uint32_t aux = 0, std::uint8_t flags = 0) {
        trace->append({at += 1'000'000, value, actor, subject, aux, kind, flags});
    };
    const auto shared = std::uint8_t(HoldMode::Shared);
    add(EventKind::NodeRole, one, 0, 0, trace->text("master"));
    add(EventKind::NodeRole, two, 0, 0, trace->text("replica"));
    add(EventKind::ReplicationLag, two, one, 120'000'000, 0, std::uint8_t(LagUnit::Time));
    add(EventKind::ReplicationLag, two, one, 4096, 0, std::uint8_t(LagUnit::Bytes));
    add(EventKind::SessionChanged, a, one, std::int64_t(SessionPhase::Suspended));
    add(EventKind::AsksBy, a1, lock, 0, trace->text("redis-rw"));
    add(EventKind::Requested, a1, lock, -1);
    add(EventKind::RecordHeld, a1, lock, 1'000'000'000, 1, shared);
    add(EventKind::RecordHolder, a1, lock, 1'000'000'000, 1, shared);
    add(EventKind::RecordHolder, b1, lock, kNeverEnds, 2, shared);
    add(EventKind::RecordHolders, 0, lock, 9);
    add(EventKind::RecordQueued, b1, lock, 0, 0, kQueuedDead);
    add(EventKind::RecordQueued, a1, lock, 0);
    add(EventKind::RecordSince, b1, lock, -5'000'000'000);
    add(EventKind::RecordSince, b1, lock, 3'000'000, 0, kSinceWaits);
    add(EventKind::RecordContent, 0, lock, 0, trace->text("[]"));
    add(EventKind::RecordFormat, 0, lock, 0, trace->text("redisson-rw"));
    add(EventKind::RecordPermits, 0, lock, 3, 5);
    add(EventKind::RecordHeld, b1, copy, 2'000'000'000, 1);
    return trace;
}

} // namespace

class TestRecordRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aStateTellsAllOfIt() {
        const auto trace = everything();
        const State state = stateOf(*trace);
        const EntityId one = trace->intern(EntityKind::Node, "redis-1"),
                       two = trace->intern(EntityKind::Node, "redis-2");
        const EntityId lock = trace->intern(EntityKind::Lock, "orders");
        const EntityId copy = trace->intern(EntityKind::Lock, "orders", two, lock);
        QCOMPARE(trace->entity(state.nodes.at(one).role).name, QByteArray("master"));
        const NodeState& replica = state.nodes.at(two);
        QCOMPARE(replica.follows, one);
        QCOMPARE(replica.lag, 4096);
        QCOMPARE(replica.lagUnit, LagUnit::Bytes);
        QCOMPARE(state.sessions.begin()->second.phase, SessionPhase::Suspended);
        const Record& record = state.records.at(lock);
        QCOMPARE(record.holders.size(), std::size_t(2));
        QCOMPARE(record.holders[1].holds, 2u);
        QCOMPARE(record.holders[1].deadline, kNeverEnds);
        QCOMPARE(record.holderCount(), 9);
        QCOMPARE(record.grants, 2u);
        QCOMPARE(record.queue.size(), std::size_t(2));
        QCOMPARE(record.queue[0].dead, false);
        QCOMPARE(record.queue[1].dead, true);
        QCOMPARE(record.holders[0].toldSince, kSinceNotTold);
        QCOMPARE(record.holders[1].toldSince, -5'000'000'000);
        QCOMPARE(record.toldSince, kSinceNotTold); // of the owner, which is the other one
        QCOMPARE(record.queue[1].toldSince, 3'000'000);
        QCOMPARE(record.permitsFree, 3);
        QCOMPARE(record.permitsInAll, 5u);
        QCOMPARE(record.copyOf, kNoEntity);
        QCOMPARE(state.records.at(copy).copyOf, lock);
        QCOMPARE(trace->entity(state.beliefs.begin()->second.recipe).name, QByteArray("redis-rw"));
        // A reader that the record does not name believes in vain, one that it names does not.
        Belief belief;
        belief.phase = Belief::Phase::Holding;
        belief.mode = HoldMode::Shared;
        Record named = record;
        QVERIFY(!contradicts(named, belief, kNoEntity)); // nine hold it, and not all are named
        named.holdersInAll = -1;
        QVERIFY(contradicts(named, belief, kNoEntity));
        QVERIFY(!contradicts(named, belief, record.holders[1].thread));
    }

    void aRecordingKeepsIt() {
        const auto trace = everything();
        QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("x.lockscope"));
        QVERIFY(saveRecording(path, trace, {}).has_value());
        const auto loaded = loadRecording(path);
        QVERIFY(loaded.has_value());
        QVERIFY(!loaded->damage);
        QCOMPARE(loaded->trace->digest(), trace->digest());
        QCOMPARE(stateOf(*loaded->trace), stateOf(*trace));
    }

    // Written before records told more than their owner: the numbers of kinds are for ever.
    void anOldRecordingOpensAsItDid() {
        const auto old =
            loadRecording(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/core/trace/data/one-owner.lockscope"));
        QVERIFY(old.has_value());
        QVERIFY(!old->damage);
        QCOMPARE(old->trace->size(), std::size_t(577));
        QCOMPARE(old->trace->digest(), QByteArray("65e2943d185909eeeb06e927b199d234"));
        QCOMPARE(old->meta.recipe, QStringLiteral("redis-fair"));
        const State state = stateOf(*old->trace);
        std::set<QByteArray> kinds;
        for (std::size_t i = 0; i < old->trace->size(); ++i)
            kinds.insert(kindName(old->trace->kindAt(i)));
        QVERIFY(kinds.contains("record-held") && kinds.contains("record-waiters") && !kinds.contains("unknown"));
        QVERIFY(!kinds.contains("record-queued"));
        const Record& record = state.records.begin()->second;
        QVERIFY(record.grants >= 15);
        QVERIFY(record.holders.empty() && record.queue.empty() && record.content == kNoEntity);
    }

    void everyKindHasANameOfItsOwn() {
        std::set<QByteArray> names;
        int kinds = 0;
        for (int k = 1; k < 256; ++k) {
            const QByteArray name = kindName(EventKind(k));
            if (name == "unknown") continue;
            ++kinds;
            names.insert(name);
        }
        QCOMPARE(int(names.size()), kinds);
        for (const EventKind kind : {EventKind::NodeRole, EventKind::SessionChanged, EventKind::ReplicationLag})
            QVERIFY(isLife(kind));
        QVERIFY(isBelief(EventKind::AsksBy));
        for (int k = int(EventKind::RecordHolder); k <= int(EventKind::RecordFailedOver); ++k)
            QVERIFY(isRecord(EventKind(k)));
    }
};

QTEST_GUILESS_MAIN(TestRecordRows)
#include "tst_record_rows.moc"
