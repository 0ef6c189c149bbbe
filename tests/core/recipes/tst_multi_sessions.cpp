// SPDX-License-Identifier: Apache-2.0
// Several locks as one, some of which live by a session: beside leases, and alone.
#include "multi_bench.h"
#include "session_lock.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::tests;
using trace::EventKind;

namespace {

/// Over some sessions, behind a lease when `leased`, and taken.
std::unique_ptr<DistributedLock> locked(MultiBench& bench, LockWorld::Process& process, bool leased,
                                        const std::vector<SessionLock::Server*>& sessions, const LockOptions& options) {
    Parts parts;
    if (leased) parts.push_back(bench.single(process, "a"));
    for (SessionLock::Server* session : sessions)
        parts.push_back(std::make_unique<SessionLock>(process.runtime, *session));
    auto all = std::make_unique<MultiRecipe>(process.runtime, *findRecipe("redis-multi"), std::move(parts));
    LockClient client{process.runtime, process.uuid, &bench.recorder, process.entity};
    auto lock =
        std::make_unique<DistributedLock>(std::move(client), std::move(all), options, bench.record.lockEntity("a"));
    process.runtime.spawn([&taking = *lock]() -> QCoro::Task<> { co_await taking.lock(); });
    bench.run(100ms);
    return lock;
}

} // namespace

class TestMultiSessions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aSessionThatEndsBesideALeaseShowsAtTheNextRenewal() {
        MultiBench bench;
        SessionLock::Server server;
        LockWorld::Process a(bench, "A");
        Parts parts;
        parts.push_back(bench.single(a, "a", "redis-set"));
        parts.push_back(std::make_unique<SessionLock>(a.runtime, server));
        MultiRecipe multi(a.runtime, *findRecipe("redis-multi"), std::move(parts));
        QCOMPARE(multi.info().heldBy, HeldBy::Lease);
        QVERIFY(!multi.info().reentrant); // redis-set is not
        {
            Got got;
            start(a.runtime, multi, within(0s, 5s), got);
            bench.run(100ms);
            QVERIFY(got.taken());
            QVERIFY((*got.grant)->lease <= 5s && (*got.grant)->lease > 4900ms);
            QVERIFY(renew(bench, a.runtime, multi, **got.grant));
            QCOMPARE(server.listening, 1);
            server.end();
            bench.run(10ms);
            QVERIFY(!renew(bench, a.runtime, multi, **got.grant));
            QCOMPARE(bench.keys(), 0);
        }
        Got again;
        start(a.runtime, multi, within(0s, 5s), again);
        bench.run(100ms);
        QVERIFY(again.taken());
        QCOMPARE(release(bench, a.runtime, multi, **again.grant), 0);
        bench.run(10ms);
        QCOMPARE(server.listening, 0);
        QVERIFY(!server.taken);
        QCOMPARE(bench.keys(), 0);
    }

    void aSessionThatIsKeptOutlivesItsTimeout_data() {
        QTest::addColumn<bool>("leased");
        QTest::newRow("beside a lease") << true;
        QTest::newRow("alone") << false;
    }
    void aSessionThatIsKeptOutlivesItsTimeout() {
        QFETCH(bool, leased);
        MultiBench bench;
        SessionLock::Server server;
        LockWorld::Process a(bench, "A");
        server.timeout = 5s;
        // Without a lease, that of the options says nothing.
        const auto lock = locked(bench, a, leased, {&server}, leased ? leaseOf(30s, 10s) : leaseOf(1s));
        for (int beat = 0; beat < 30; ++beat) {
            QVERIFY(lock->stillMine());
            QVERIFY(lock->remaining() >= 3500ms && lock->remaining() <= 5s); // as long as the session is known to last
            server.say(HoldNews::Kind::Kept, a.runtime.monotonic() + 5s);
            bench.run(1500ms);
        }
        QCOMPARE(bench.count(EventKind::Lost), 0);
        QVERIFY(server.taken);
        QCOMPARE(bench.keys(), leased ? 1 : 0);
        bench.run(3600ms); // and not heard of any more
        QVERIFY(!lock->stillMine());
        QCOMPARE(bench.count(EventKind::Lost), 1);
    }

    void theEndOfASessionBesideALeaseIsToldAtOnce() {
        MultiBench bench;
        SessionLock::Server server;
        LockWorld::Process a(bench, "A");
        const auto lock = locked(bench, a, true, {&server}, leaseOf(30s, 10s));
        QVERIFY(lock->stillMine());
        QCOMPARE(server.listening, 1);
        server.end();
        bench.run(1us);
        QVERIFY(!lock->stillMine());
        QCOMPARE(bench.count(EventKind::Lost), 1);
        bench.run(10ms);
        QCOMPARE(bench.keys(), 0);
        QCOMPARE(server.listening, 0);
    }

    void aRenewalDoesNotOutliveASessionThatIsCutOff() {
        MultiBench bench;
        SessionLock::Server server;
        LockWorld::Process a(bench, "A");
        const auto lock = locked(bench, a, true, {&server}, leaseOf(30s, 1s));
        int suspended = 0, renewed = 0;
        lock->listen([&](DistributedLock::Event event, const QByteArray&, const QString&) {
            suspended += event == DistributedLock::Event::Suspended ? 1 : 0;
            renewed += event == DistributedLock::Event::Renewed ? 1 : 0;
        });
        server.say(HoldNews::Kind::Suspended, a.runtime.monotonic() + 8s, "cut off");
        bench.run(5s);
        QCOMPARE(suspended, 1);
        QCOMPARE(renewed, 0); // not as a whole
        QCOMPARE(lock->remaining(), Nanos(3s));
        server.say(HoldNews::Kind::Kept, kNever);
        bench.run(10ms);
        QCOMPARE(renewed, 1);
        QVERIFY(lock->remaining() > 28s);
        bench.run(30s);
        QVERIFY(lock->stillMine());
        server.say(HoldNews::Kind::Suspended, a.runtime.monotonic() + 4s, "cut off");
        bench.run(3999ms);
        QVERIFY(lock->stillMine());
        bench.run(2ms);
        QVERIFY(!lock->stillMine());
        QCOMPARE(bench.count(EventKind::Lost), 1);
    }

    void whatIsLeftIsGivenBackWhenALeaseEndsUnheard() {
        MultiBench bench;
        SessionLock::Server server;
        LockWorld::Process a(bench, "A");
        const auto lock = locked(bench, a, true, {&server}, leaseOf(5s, 1s));
        a.link.setCut(true);
        bench.run(5100ms);
        QVERIFY(!lock->stillMine());
        QCOMPARE(bench.count(EventKind::Lost), 1);
        bench.run(10s); // the server that is cut off is tried first
        QVERIFY(!server.taken);
        QCOMPARE(server.listening, 0);
        a.link.setCut(false);
        Got got;
        const auto again = bench.single(a, "a");
        start(a.runtime, *again, within(0s), got);
        bench.run(1s);
        QVERIFY(got.taken());
    }

    void oneSessionsBeatsDoNotSpeakForAnother() {
        MultiBench bench;
        SessionLock::Server one, two;
        LockWorld::Process a(bench, "A");
        one.timeout = two.timeout = 5s;
        const auto lock = locked(bench, a, false, {&one, &two}, leaseOf(30s));
        two.say(HoldNews::Kind::Suspended, a.runtime.monotonic() + 4s, "cut off");
        bench.run(1s);
        one.say(HoldNews::Kind::Kept, a.runtime.monotonic() + 5s);
        bench.run(1ms);
        QCOMPARE(lock->remaining(), Nanos(2999ms));
        QCOMPARE(bench.count(EventKind::Suspended), 1);
        QCOMPARE(bench.count(EventKind::Renewed), 0);
    }

    void aSessionThatIsWaitedWithIsNotTakenTwice() {
        MultiBench bench;
        SessionLock::Server server;
        LockWorld::Process a(bench, "A"), b(bench, "B");
        server.timeout = 1s;
        Parts parts;
        parts.push_back(std::make_unique<SessionLock>(a.runtime, server));
        parts.push_back(bench.single(a, "a"));
        MultiRecipe multi(a.runtime, *findRecipe("redis-multi"), std::move(parts));
        const auto other = bench.single(b, "a");
        Got theirs, got;
        start(b.runtime, *other, within(kNever), theirs);
        bench.run(100ms);
        start(a.runtime, multi, within(kNever), got);
        bench.run(2s);
        QCOMPARE(release(bench, b.runtime, *other, **theirs.grant), 0);
        QVERIFY(got.taken());
        QCOMPARE(server.grants, 1);
    }

    void sessionsAloneAreHeardOfByNews() {
        MultiBench bench;
        SessionLock::Server one, two;
        LockWorld::Process a(bench, "A");
        Parts parts;
        parts.push_back(std::make_unique<SessionLock>(a.runtime, one));
        parts.push_back(std::make_unique<SessionLock>(a.runtime, two));
        MultiRecipe multi(a.runtime, *findRecipe("redis-multi"), std::move(parts));
        QCOMPARE(multi.info().heldBy, HeldBy::Session);
        QVERIFY(multi.info().reentrant && !multi.info().watchdog);
        Got got;
        start(a.runtime, multi, within(0s), got);
        bench.run(100ms);
        QVERIFY(got.taken());
        std::optional<HoldNews> heard;
        const Grant grant = **got.grant;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            const auto news = co_await multi.news(grant, {});
            heard = news.value();
        });
        bench.run(10s);
        QVERIFY(!heard);
        two.end();
        bench.run(10ms);
        QVERIFY(heard && heard->kind == HoldNews::Kind::Lost);
        QVERIFY(!one.taken); // given back
    }

    void whoReentersHearsOfTheSameNews() {
        MultiBench bench;
        SessionLock::Server one, two;
        LockWorld::Process a(bench, "A");
        Parts parts;
        parts.push_back(std::make_unique<SessionLock>(a.runtime, one));
        parts.push_back(std::make_unique<SessionLock>(a.runtime, two));
        MultiRecipe multi(a.runtime, *findRecipe("redis-multi"), std::move(parts));
        Got outer, inner;
        start(a.runtime, multi, within(0s), outer);
        bench.run(100ms);
        std::optional<HoldNews> heard;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            const Grant grant = **outer.grant;
            const auto news = co_await multi.news(grant, {});
            heard = news.value();
        });
        bench.run(100ms);
        start(a.runtime, multi, within(0s, 30s, 1), inner);
        bench.run(100ms);
        QVERIFY(inner.taken());
        QCOMPARE((*inner.grant)->holds, 2);
        QCOMPARE(one.listening, 1);
        QCOMPARE(two.listening, 1);
        QCOMPARE(release(bench, a.runtime, multi, **inner.grant), 1);
        QCOMPARE(two.listening, 1); // it goes on for the outer hold
        two.end();
        bench.run(10ms);
        QVERIFY(heard && heard->kind == HoldNews::Kind::Lost);
        QVERIFY(!one.taken);
        // The thread's next hold is a new one, with news of its own.
        Got next;
        start(a.runtime, multi, within(0s), next);
        bench.run(100ms);
        QVERIFY(next.taken());
        QCOMPARE(one.listening + two.listening, 2);
        QCOMPARE(release(bench, a.runtime, multi, **next.grant), 0);
        bench.run(100ms);
        QCOMPARE(one.listening + two.listening, 0);
    }
};

QTEST_GUILESS_MAIN(TestMultiSessions)
#include "tst_multi_sessions.moc"
