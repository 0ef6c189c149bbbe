// SPDX-License-Identifier: Apache-2.0
#include "fake_node.h"

#include <QTest>
#include <set>

using namespace lockscope;
using namespace lockscope::tests;
using recipes::Grant;
using recipes::Redlock;
using Kind = LockError::Kind;
using Wire = FakeNode::Wire;
using Taken = std::expected<std::optional<Grant>, LockError>;

namespace {
const QByteArray kName = "orders";

/// Five masters, one client, one lock.
struct Bench {
    explicit Bench(recipes::RedlockOptions options = {}) {
        std::vector<redis::Port*> ports;
        for (int i = 0; i < 5; ++i) {
            nodes.push_back(std::make_unique<FakeNode>(scheduler, runtime));
            ports.push_back(nodes.back().get());
        }
        masters = std::make_shared<recipes::RedlockNodes>(ports);
        lock = std::make_unique<Redlock>(masters, kName, options);
    }
    ~Bench() {
        masters->close();
        runtime.kill();
    }
    void pass(Nanos time) { scheduler.runUntil(scheduler.now() + time); }
    int keys() {
        int count = 0;
        for (const auto& node : nodes)
            count += node->valueOf(kName).isEmpty() ? 0 : 1;
        return count;
    }
    QCoro::Task<> acquire(Ended<Taken>& ended, Nanos wait = Nanos(0), std::stop_token stop = {}, Nanos lease = 10s) {
        recipes::Request request;
        request.wait = wait;
        request.lease = lease;
        return watch(lock->acquire(request, stop), scheduler, ended);
    }
    Grant granted(Nanos lease = 10s) {
        Ended<Taken> ended;
        const QCoro::Task<> taking = acquire(ended, Nanos(0), {}, lease);
        pass(1s);
        return **ended.value.value();
    }
    template <typename T>
    Ended<T> finish(QCoro::Task<T> task, Nanos time = 5s) {
        Ended<T> ended;
        const QCoro::Task<> watching = watch(std::move(task), scheduler, ended);
        pass(time);
        return ended;
    }

    VirtualScheduler scheduler;
    VirtualRuntime runtime{scheduler, 1};
    std::vector<std::unique_ptr<FakeNode>> nodes;
    std::shared_ptr<recipes::RedlockNodes> masters;
    std::unique_ptr<Redlock> lock;
};
} // namespace

class TestRedlockRounds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbers() {
        QCOMPARE(Redlock::drift(10s), Nanos(102ms));
        QCOMPARE(Redlock::drift(100ms), Nanos(3ms));
        QCOMPARE(Redlock::nodeTimeout(10s), Nanos(500ms));
        QCOMPARE(Redlock::nodeTimeout(1s), Nanos(50ms));
        QCOMPARE(Redlock::nodeTimeout(100ms), Nanos(10ms));
        QCOMPARE(Redlock::nodeTimeout(1h), Nanos(500ms));
    }
    void aMajorityIsEnoughAndTheSlowAreNotWaitedFor() {
        Bench bench;
        bench.nodes[3]->there = bench.nodes[4]->there = 5s;
        bench.pass(7s); // not at the beginning of time
        Ended<Taken> ended;
        const QCoro::Task<> taking = bench.acquire(ended);
        bench.pass(2ms);
        QVERIFY(ended.done());
        const Grant grant = **ended.value.value();
        QCOMPARE(grant.askedAt, Nanos(7s));
        QCOMPARE(ended.at, Nanos(7s + 1ms)); // one round trip: all were asked at once
        QCOMPARE(grant.lease, 10s - Redlock::drift(10s));
        QCOMPARE(grant.value.size(), 32);
        QCOMPARE(bench.keys(), 3);
    }
    void whatIsGrantedTooLateIsTakenBack() {
        Bench bench;
        for (const int i : {2, 3, 4})
            bench.nodes[std::size_t(i)]->there = 700ms; // the node time-out is 500 ms
        Ended<Taken> ended;
        const QCoro::Task<> taking = bench.acquire(ended);
        bench.pass(650ms);
        QCOMPARE(bench.keys(), 0); // the two that granted in time were told at 500 ms
        bench.pass(60ms);
        QCOMPARE(bench.keys(), 3); // now the late ones
        bench.pass(2s);
        QCOMPARE(bench.keys(), 0); // and what was sent behind them
        QVERIFY(ended.value.value().error().kind == Kind::Unreachable);
        QVERIFY(ended.at <= 1s); // it did not wait for that
    }
    void whatRanWithoutAnAnswerIsTakenBack() {
        Bench bench;
        for (const int i : {1, 2, 3})
            bench.nodes[std::size_t(i)]->wire = Wire::LosesAnswer;
        Ended<Taken> ended;
        const QCoro::Task<> taking = bench.acquire(ended);
        bench.pass(100ms);
        QCOMPARE(bench.keys(), 5);
        bench.pass(1s);
        QVERIFY(ended.value.value().error().kind == Kind::Unreachable);
        QCOMPARE(bench.keys(), 0);
    }
    void nobodyIsAskedToUndoWhatWasNeverSent() {
        Bench bench;
        for (const int i : {0, 1, 2})
            bench.nodes[std::size_t(i)]->wire = Wire::Down;
        Ended<Taken> ended;
        const QCoro::Task<> taking = bench.acquire(ended);
        bench.pass(3s);
        QVERIFY(ended.value.value().error().kind == Kind::Unreachable);
        QVERIFY2(ended.value.value().error().message.contains(QLatin1String("2 of 5")),
                 qPrintable(ended.value.value().error().message));
        QVERIFY(ended.at < 10ms); // refused is refused: no time-out to wait for
        QVERIFY(bench.nodes[0]->arrived.empty());
        QCOMPARE(bench.nodes[3]->arrived.size(), std::size_t(2)); // SET and its undoing
        QCOMPARE(bench.keys(), 0);
    }
    void stoppedAtEveryMomentNothingIsLeft() {
        int stoppedOnes = 0, grantedOnes = 0;
        for (Nanos at = Nanos(0); at <= 8ms; at += 250us) {
            Bench bench;
            for (std::size_t i = 0; i < 5; ++i) { // answers come one after the other
                bench.nodes[i]->there = 500us * std::int64_t(i + 1);
                bench.nodes[i]->back = 700us * std::int64_t(i + 1);
            }
            std::stop_source stop;
            Ended<Taken> ended;
            const QCoro::Task<> taking = bench.acquire(ended, kNever, stop.get_token());
            bench.pass(at);
            const bool wasDone = ended.done();
            stop.request_stop();
            bench.pass(2s);
            QVERIFY(ended.done());
            if (wasDone) {
                ++grantedOnes;
                QCOMPARE(bench.keys(), 5);
            } else {
                ++stoppedOnes;
                QVERIFY(ended.cancelled == Cancelled::Why::Stopped);
                QCOMPARE(bench.keys(), 0);
            }
        }
        QVERIFY(stoppedOnes > 10 && grantedOnes > 10);
    }
    void stoppedBetweenTriesNothingIsLeft() {
        for (Nanos at = 5ms; at <= 400ms; at += 17ms) {
            Bench bench;
            for (const int i : {0, 1, 2})
                bench.nodes[std::size_t(i)]->put(kName, "somebody");
            std::stop_source stop;
            Ended<Taken> ended;
            const QCoro::Task<> taking = bench.acquire(ended, kNever, stop.get_token());
            bench.pass(at);
            stop.request_stop();
            bench.pass(2s);
            QVERIFY(ended.cancelled == Cancelled::Why::Stopped);
            QCOMPARE(bench.keys(), 3);
            QCOMPARE(bench.nodes[0]->valueOf(kName), "somebody");
        }
    }
    void aKilledClientLeavesItsKeysToTheirLease() {
        Bench bench;
        Ended<Taken> ended;
        const QCoro::Task<> taking = bench.acquire(ended);
        bench.pass(700us); // asked, not answered
        bench.runtime.kill();
        bench.pass(5s);
        QVERIFY(ended.cancelled == Cancelled::Why::Killed);
        QCOMPARE(bench.keys(), 5);
        bench.pass(6s);
        QCOMPARE(bench.keys(), 0);
    }
    void pausesBetweenTriesAreRandomWithinTheirBounds() {
        Bench bench;
        for (const int i : {0, 1, 2})
            bench.nodes[std::size_t(i)]->put(kName, "somebody");
        Ended<Taken> ended;
        const QCoro::Task<> taking = bench.acquire(ended, 3s);
        bench.pass(5s);
        QVERIFY(ended.value.value().has_value() && !ended.value.value()->has_value()); // in time: nobody's error
        QVERIFY(ended.at >= 3s && ended.at < 3s + 200ms);
        std::set<Nanos> gaps;
        Nanos longest = 5ms;                           // short at first, then longer for the servers' sake
        const auto& arrived = bench.nodes[0]->arrived; // it never granted: SETs alone
        QVERIFY(arrived.size() > 15);
        for (std::size_t i = 1; i + 1 < arrived.size(); ++i) {
            QCOMPARE(arrived[i].second, "SET");
            const Nanos gap = arrived[i].first - arrived[i - 1].first;
            QVERIFY(gap >= longest / 2 && gap <= longest + 5ms); // and the round trips
            longest = std::min<Nanos>(longest * 2, 100ms);
            gaps.insert(gap);
        }
        QVERIFY(gaps.size() > 10);
    }
    void tooFewServersAreWaitedForAsLongAsThereIsTime() {
        Bench bench;
        for (const int i : {0, 1, 2})
            bench.nodes[std::size_t(i)]->wire = Wire::LosesQuestion;
        Ended<Taken> bounded, unbounded;
        std::stop_source stop;
        const QCoro::Task<> one = bench.acquire(bounded, 10s);
        const QCoro::Task<> other = bench.acquire(unbounded, kNever, stop.get_token());
        bench.pass(9s);
        QVERIFY(!bounded.done());
        bench.pass(3s);
        QVERIFY(bounded.value.value().error().kind == Kind::Unreachable); // and not: somebody else has it
        QVERIFY(bounded.at >= 10s && bounded.at < 12s);
        QVERIFY(!unbounded.done());
        stop.request_stop();
        bench.pass(2s);
        QVERIFY(unbounded.cancelled == Cancelled::Why::Stopped);
        QCOMPARE(bench.keys(), 0);
    }
    void aMajorityThatComesBackLateIsThereInTime() {
        Bench bench;
        for (const int i : {0, 1, 2})
            bench.nodes[std::size_t(i)]->wire = i == 2 ? Wire::LosesAnswer : Wire::Down;
        Ended<Taken> ended;
        const QCoro::Task<> taking = bench.acquire(ended, 30s);
        bench.pass(8s);
        QVERIFY(!ended.done());
        for (const auto& node : bench.nodes)
            node->wire = Wire::Fine;
        bench.pass(2s);
        QVERIFY(ended.value.value().value().has_value());
        bench.pass(5s);
        QCOMPARE(bench.keys(), 5); // what undoes the rounds before leaves this one alone
    }
    void serversThatRefuseForGoodAreNotWaitedFor() {
        Bench bench;
        for (const int i : {0, 1, 2})
            bench.nodes[std::size_t(i)]->wire = Wire::Refuses;
        Ended<Taken> ended;
        const QCoro::Task<> taking = bench.acquire(ended, kNever);
        bench.pass(2s);
        QVERIFY(ended.value.value().error().kind == Kind::Unreachable);
        QCOMPARE(bench.keys(), 0);
    }
    void serversThatReturnInTimeAreWaitedFor() {
        Bench bench;
        for (const int i : {0, 1, 2})
            bench.nodes[std::size_t(i)]->wire = Wire::Down;
        Ended<Taken> ended;
        const QCoro::Task<> taking = bench.acquire(ended, kNever);
        bench.pass(20ms); // one round
        for (const auto& node : bench.nodes)
            node->wire = Wire::Fine;
        bench.pass(1s);
        QVERIFY(ended.value.value().value().has_value());
        QCOMPARE(bench.keys(), 5);
    }
    void aGrantWithTooLittleLeftIsGivenBack() {
        recipes::RedlockOptions patient;
        patient.perNode = 10s;
        Bench bench(patient);
        for (const auto& node : bench.nodes)
            node->there = node->back = 230ms; // 460 of 500 ms, and 7 ms of drift
        Ended<Taken> ended;
        const QCoro::Task<> taking = bench.acquire(ended, Nanos(0), {}, 500ms);
        bench.pass(3s);
        QVERIFY(ended.value.value().error().kind == Kind::Unreachable);
        QVERIFY(ended.value.value().error().message.contains(QLatin1String("late")));
        QCOMPARE(bench.keys(), 0);
        int undone = 0;
        for (const auto& node : bench.nodes)
            undone +=
                int(std::ranges::count(node->arrived, QByteArray("EVAL"), [](const auto& c) { return c.second; }));
        QCOMPARE(undone, 5); // released, not left to expire
    }
    void renewalNeedsAMajority() {
        Bench bench;
        const Grant grant = bench.granted();
        bench.pass(5s);
        for (const int i : {0, 1})
            bench.nodes[std::size_t(i)]->wire = Wire::Down;
        QVERIFY(bench.finish(bench.lock->renew(grant, {})).value.value().value());
        bench.pass(3s); // past the first lease
        QCOMPARE(bench.keys(), 3);
        bench.nodes[2]->wire = Wire::LosesQuestion;
        QVERIFY(bench.finish(bench.lock->renew(grant, {})).value.value().error().kind == Kind::OutcomeUnknown);
    }
    void aRenewalRefusedByAMajorityIsALossAndFreesTheRest() {
        Bench bench;
        const Grant grant = bench.granted();
        for (const int i : {0, 1, 2})
            bench.nodes[std::size_t(i)]->put(kName, "somebody");
        const auto renewed = bench.finish(bench.lock->renew(grant, {}));
        QVERIFY(renewed.value.value().has_value() && !renewed.value.value().value());
        QCOMPARE(bench.keys(), 3);
    }
    void releaseAsksEverybody() {
        Bench bench;
        bench.nodes[4]->wire = Wire::LosesQuestion; // did not grant
        const Grant grant = bench.granted();
        bench.nodes[4]->wire = Wire::Fine;
        QCOMPARE(bench.finish(bench.lock->release(grant, {})).value.value().value(), 0);
        for (const auto& node : bench.nodes)
            QCOMPARE(node->arrived.back().second, "EVAL");
        QCOMPARE(bench.keys(), 0);
        QVERIFY(bench.finish(bench.lock->release(grant, {})).value.value().error().kind == Kind::NotOwner);
    }
    void releaseIsTriedAgainAtThoseThatAreAway() {
        Bench bench;
        const Grant grant = bench.granted();
        for (const int i : {0, 1, 2})
            bench.nodes[std::size_t(i)]->wire = Wire::Down;
        QVERIFY(bench.finish(bench.lock->release(grant, {}), 2s).value.value().error().kind == Kind::OutcomeUnknown);
        QCOMPARE(bench.keys(), 3);
        for (const auto& node : bench.nodes)
            node->wire = Wire::Fine;
        bench.pass(2s); // long before the lease ends
        QCOMPARE(bench.keys(), 0);
    }
    void nothingIsAskedOnceTheNodesAreClosed() {
        Bench bench;
        const Grant grant = bench.granted();
        for (const auto& node : bench.nodes)
            node->wire = Wire::Down;
        QVERIFY(!bench.finish(bench.lock->release(grant, {}), 2s).value.value().has_value());
        bench.masters->close();
        bench.pass(10ms);
        for (const auto& node : bench.nodes) {
            node->wire = Wire::Fine;
            node->arrived.clear();
        }
        bench.pass(20s);
        for (const auto& node : bench.nodes)
            QVERIFY(node->arrived.empty());
    }
};

QTEST_GUILESS_MAIN(TestRedlockRounds)
#include "tst_redlock_rounds.moc"
