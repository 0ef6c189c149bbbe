// SPDX-License-Identifier: Apache-2.0
// The trace's rows of a failover: roles, lag, who thinks whom down, votes, promotion, demotion, and who decides.
#include "ports/redis/cluster_keys.h"
#include "simulated_group.h"
#include "trace/state.h"

#include <algorithm>

using namespace lockscope;
using tests::SimulatedGroup;
using trace::Doubt;
using trace::EventKind;
using trace::FailoverPhase;

namespace {

/// A master, two replicas and three Sentinels, and one lock.
struct Watched : SimulatedGroup {
    static sim::RedisService::Settings usual(Nanos lag = {}) {
        auto all = settings(2, 3);
        all.sentinel.downAfter = 1s;
        all.sentinel.failoverTimeout = 3s;
        all.replication.lag = lag;
        return all;
    }
    explicit Watched(std::uint64_t seed = 1, Nanos lag = {}) : SimulatedGroup(usual(lag), seed) {
        service->watch("orders", "redis-set");
        run(15s);
    }
};

std::vector<trace::Event> rowsOf(const SimulatedGroup& group, EventKind kind, Nanos from = {}) {
    std::vector<trace::Event> rows;
    for (std::size_t i = 0; i < group.trace->size(); ++i)
        if (group.trace->kindAt(i) == kind && group.trace->at(i).time() >= from) rows.push_back(group.trace->at(i));
    return rows;
}

std::vector<trace::Event> steps(const SimulatedGroup& group, FailoverPhase phase, Nanos from = {}) {
    auto rows = rowsOf(group, EventKind::FailoverStep, from);
    std::erase_if(rows, [phase](const trace::Event& row) { return row.value != std::int64_t(phase); });
    return rows;
}

trace::State stateOf(const SimulatedGroup& group) {
    trace::State state;
    for (std::size_t i = 0; i < group.trace->size(); ++i)
        state.apply(group.trace->at(i), *group.trace);
    return state;
}

} // namespace

class TestFailoverRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aHealthyGroupTellsItsRolesOnceAndNobodyDoubts() {
        Watched w;
        w.run(60s);
        QVERIFY(rowsOf(w, EventKind::NodeDoubted).empty());
        QVERIFY(rowsOf(w, EventKind::VoteCast).empty());
        QVERIFY(rowsOf(w, EventKind::FailoverStep).empty());
        const auto roles = rowsOf(w, EventKind::NodeRole);
        QCOMPARE(roles.size(), std::size_t(6));
        const trace::State state = stateOf(w);
        QCOMPARE(state.nodes.at(w.at(1).entity()).follows, w.at(0).entity());
        QVERIFY(!state.nodes.at(w.at(1).entity()).copiesNobody);
        QCOMPARE(state.nodes.at(w.at(0).entity()).follows, trace::kNoEntity);
    }

    void aKilledMasterIsDoubtedReplacedAndDemoted() {
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            Watched w(seed);
            const Nanos killed = w.scheduler.now();
            const trace::EntityId old = w.at(0).entity();
            w.recorder.emit(EventKind::NodeKilled, old);
            w.at(0).kill();
            w.run(5ms); // its replicas see at once that they get nothing more
            const trace::State orphaned = stateOf(w);
            for (std::size_t i : {1, 2}) {
                QVERIFY(orphaned.nodes.at(w.at(i).entity()).copiesNobody);
                QCOMPARE(orphaned.nodes.at(w.at(i).entity()).follows, trace::kNoEntity);
            }
            w.run(8s);
            // In this order: it is doubted, enough agree, somebody wants to replace it, votes, a leader, a choice.
            std::vector<trace::Event> alone, agreed;
            for (const trace::Event& row : rowsOf(w, EventKind::NodeDoubted, killed)) {
                if (row.subject != old) continue;
                if (row.value == std::int64_t(Doubt::Alone)) alone.push_back(row);
                if (row.value == std::int64_t(Doubt::Agreed)) agreed.push_back(row);
            }
            QVERIFY(alone.size() >= 2);
            QVERIFY(!agreed.empty());
            QVERIFY(agreed.front().aux >= 2 && agreed.front().aux <= 3);
            const auto begun = steps(w, FailoverPhase::Begun, killed), led = steps(w, FailoverPhase::Led, killed),
                       chosen = steps(w, FailoverPhase::Chosen, killed),
                       promoted = steps(w, FailoverPhase::Promoted, killed),
                       ended = steps(w, FailoverPhase::Ended, killed);
            QCOMPARE(led.size(), std::size_t(1));
            QCOMPARE(chosen.size(), std::size_t(1));
            QCOMPARE(promoted.size(), std::size_t(1));
            QCOMPARE(ended.size(), std::size_t(1));
            QVERIFY(!begun.empty() && begun.front().subject == old);
            QVERIFY(alone.front().at <= agreed.front().at && agreed.front().at <= begun.front().at);
            QVERIFY(begun.front().at < led.front().at && led.front().at < chosen.front().at);
            QVERIFY(chosen.front().at < promoted.front().at && promoted.front().at < ended.front().at);
            QCOMPARE(chosen.front().subject, promoted.front().subject);
            QCOMPARE(ended.front().subject, promoted.front().subject);
            // Every Sentinel tells clients of it, the leader last.
            const auto announced = steps(w, FailoverPhase::Announced, killed);
            QCOMPARE(announced.size(), std::size_t(3));
            QCOMPARE(announced.back().actor, led.front().actor);
            // The leader has at least two of the three votes, in one epoch.
            const auto votes = rowsOf(w, EventKind::VoteCast, killed);
            const auto forLeader = std::ranges::count_if(votes, [&](const trace::Event& vote) {
                return vote.subject == led.front().actor && vote.at <= led.front().at;
            });
            QVERIFY(forLeader >= 2);
            // Roles as they are now; the third server copies the new master.
            const trace::EntityId now = promoted.front().subject;
            const trace::EntityId third = now == w.at(1).entity() ? w.at(2).entity() : w.at(1).entity();
            trace::State state = stateOf(w);
            QCOMPARE(w.trace->entity(state.nodes.at(now).role).name, QByteArray("master"));
            QVERIFY(!state.nodes.at(now).candidate);
            QCOMPARE(state.nodes.at(third).follows, now);
            QCOMPARE(state.records.begin()->second.decider, now);
            // The old one comes back, believes itself the master, and is demoted ten seconds later.
            const Nanos back = w.scheduler.now();
            w.recorder.emit(EventKind::NodeStarted, old);
            w.at(0).start();
            w.run(15s);
            const auto demoted = steps(w, FailoverPhase::Demoted, back);
            QVERIFY(!demoted.empty());
            QCOMPARE(demoted.front().subject, old);
            QVERIFY(demoted.front().time() - back > 8s);
            state = stateOf(w);
            QCOMPARE(w.trace->entity(state.nodes.at(old).role).name, QByteArray("replica"));
            QCOMPARE(state.nodes.at(old).follows, now);
            QVERIFY(state.doubts.empty());
        }
    }

    void nobodyDecidesBetweenTwoMasters() {
        Watched w;
        const Nanos killed = w.scheduler.now();
        w.at(0).kill();
        w.run(8s);
        const auto deciders = rowsOf(w, EventKind::RecordDecider);
        QCOMPARE(deciders.size(), std::size_t(3));
        QCOMPARE(deciders[0].actor, w.at(0).entity());
        QCOMPARE(deciders[0].value, 1);
        QCOMPARE(deciders[1].time(), killed);
        QCOMPARE(deciders[1].actor, trace::kNoEntity);
        QCOMPARE(deciders[1].value, 0);
        QVERIFY(deciders[2].actor == w.at(1).entity() || deciders[2].actor == w.at(2).entity());
        QVERIFY(deciders[2].time() > killed + 1s);
    }

    /// A master that was replaced, and not told so yet, is named to no client: it does not decide when its successor
    /// dies.
    void aReplacedMasterDoesNotDecideAgain() {
        Watched w;
        QVERIFY(w.service->failOver(w.at(0)).has_value());
        const trace::EntityId old = w.at(0).entity();
        const auto decider = [&w] { return stateOf(w).records.at(w.service->lockEntity("orders")).decider; };
        while (decider() == old)
            w.run(10ms);
        QVERIFY(!w.at(0).isReplica()); // it still believes itself the master
        sim::RedisServer& next = decider() == w.at(1).entity() ? w.at(1) : w.at(2);
        QCOMPARE(decider(), next.entity());
        next.kill();
        w.run(1500ms);
        const auto told = rowsOf(w, EventKind::RecordDecider);
        QCOMPARE(told.back().value, 0);
        QCOMPARE(told.back().actor, trace::kNoEntity);
        next.start();
        w.run(100ms);
        QCOMPARE(decider(), next.entity());
    }

    void aSteadyLagIsToldOnceAndOneThatGrowsWhileItGrows() {
        Watched w(1, 200ms);
        auto& session = w.connect(w.at(0));
        for (int i = 0; i < 100; ++i) {
            w.ask(session, {"SET", "key" + QByteArray::number(i), "v"});
            w.run(50ms);
        }
        w.run(1s);
        const auto lags = rowsOf(w, EventKind::ReplicationLag);
        for (const std::size_t i : {1, 2}) {
            const auto ofThis = std::ranges::count(lags, w.at(i).entity(), &trace::Event::actor);
            QVERIFY2(ofThis >= 1 && ofThis <= 3, qPrintable(QString::number(ofThis)));
        }
        for (const trace::Event& row : lags) {
            QCOMPARE(row.subject, w.at(0).entity());
            QVERIFY(Nanos(row.value) >= 200ms && Nanos(row.value) < 260ms);
        }
        // Slower and slower: told at most four times a second.
        w.at(0).replication().setLag(3s);
        const Nanos slowed = w.scheduler.now();
        w.ask(session, {"SET", "slow", "v"});
        w.run(2900ms);
        auto grows = rowsOf(w, EventKind::ReplicationLag, slowed);
        std::erase_if(grows, [&w](const trace::Event& row) { return row.actor != w.at(1).entity(); });
        QVERIFY(grows.size() >= 5 && grows.size() <= 12);
        for (std::size_t i = 1; i < grows.size(); ++i) {
            QVERIFY(grows[i].value > grows[i - 1].value);
            QVERIFY(grows[i].time() - grows[i - 1].time() >= 250ms);
        }
        QVERIFY(Nanos(grows.back().value) > 2s);
    }

    void whatNeverArrivedIsToldAtTheMastersDeath() {
        Watched w(1, 200ms);
        auto& session = w.connect(w.at(0));
        w.ask(session, {"SET", "orders", "A", "PX", "20000"});
        w.run(50ms);
        const Nanos dies = w.scheduler.now();
        w.at(0).crash();
        const auto lags = rowsOf(w, EventKind::ReplicationLag, dies);
        QCOMPARE(lags.size(), std::size_t(2));
        for (const trace::Event& row : lags)
            QCOMPARE(Nanos(row.value), Nanos(50ms));
    }

    void aClustersRecordFollowsTheOwnerOfItsSlot() {
        auto settings = SimulatedGroup::settings(5);
        settings.shape = sim::RedisShape::Cluster;
        settings.cluster.nodeTimeout = 2s;
        SimulatedGroup c(settings);
        c.run(2s);
        QByteArray lock = "lock0";
        for (int i = 1; redis::keySlot(lock) * 3 / redis::kClusterSlots != 1; ++i)
            lock = "lock" + QByteArray::number(i);
        c.service->watch(lock, "redis-set");
        auto& session = c.connect(c.at(1));
        QCOMPARE(c.ask(session, {"SET", lock, "me", "PX", "30000"}).text, QByteArray("OK"));
        c.run(10ms);
        const trace::EntityId entity = c.service->lockEntity(lock);
        trace::Record record = stateOf(c).records.at(entity);
        QCOMPARE(record.decider, c.at(1).entity());
        QVERIFY(record.owner != trace::kNoEntity);
        const Nanos killed = c.scheduler.now();
        c.at(1).kill();
        QCOMPARE(stateOf(c).records.at(entity).deciders, 0);
        c.run(8s);
        record = stateOf(c).records.at(entity);
        QCOMPARE(record.decider, c.at(4).entity()); // its replica
        QVERIFY(record.observed && record.owner != trace::kNoEntity);
        QVERIFY(!rowsOf(c, EventKind::VoteCast, killed).empty());
        QCOMPARE(steps(c, FailoverPhase::Promoted, killed).size(), std::size_t(1));
        const trace::State state = stateOf(c);
        QCOMPARE(c.trace->entity(state.nodes.at(c.at(4).entity()).role).name, QByteArray("master"));
        // A slot that is handed over by hand takes the record along.
        const QByteArray slot = QByteArray::number(redis::keySlot(lock));
        const auto id = [&c](std::size_t i) { return c.ask(c.at(i), {"CLUSTER", "MYID"}).text; };
        const QByteArray from = id(4), to = id(0);
        c.ask(c.at(0), {"CLUSTER", "SETSLOT", slot, "IMPORTING", from});
        c.ask(c.at(4), {"CLUSTER", "SETSLOT", slot, "MIGRATING", to});
        for (const std::size_t i : {0, 4})
            c.ask(c.at(i), {"CLUSTER", "SETSLOT", slot, "NODE", to});
        QCOMPARE(stateOf(c).records.at(entity).decider, c.at(0).entity());
    }

    void anOperatorAsksTheSentinels() {
        Watched w;
        QVERIFY(!w.service->failOver(w.at(1))); // a replica
        const auto asked = w.service->failOver(w.at(0));
        QVERIFY(asked);
        w.run(4s);
        QVERIFY(w.at(0).entity() != stateOf(w).records.begin()->second.decider);
        QCOMPARE(steps(w, FailoverPhase::Ended).size(), std::size_t(1));
        for (std::size_t i = 0; i < 3; ++i)
            w.service->sentinel(i).kill();
        QVERIFY(!w.service->failOver(w.at(1)) && !w.service->failOver(w.at(2)));
    }

    void equalSeedsGiveEqualRows() {
        const auto rows = [](std::uint64_t seed) {
            Watched w(seed, 120ms);
            auto& session = w.connect(w.at(0));
            for (int i = 0; i < 20; ++i) {
                w.ask(session, {"SET", "k", QByteArray::number(i)});
                w.run(70ms);
            }
            w.at(0).kill();
            w.run(10s);
            std::vector<trace::Event> all;
            for (std::size_t i = 0; i < w.trace->size(); ++i)
                all.push_back(w.trace->at(i));
            return all;
        };
        QVERIFY(rows(3) == rows(3));
        QVERIFY(rows(3) != rows(4));
    }
};

QTEST_GUILESS_MAIN(TestFailoverRows)
#include "tst_failover_rows.moc"
