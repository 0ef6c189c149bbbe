// SPDX-License-Identifier: Apache-2.0
#include "pretend_recipe.h"

#include <QTest>

using namespace lockscope;
using recipes::HeldBy;
using recipes::Mode;
using tests::PretendWorld;
using trace::EventKind;
using Event = DistributedLock::Event;
using News = recipes::HoldNews::Kind;

/// Holds that a session or a connection keeps.
class TestHoldNews : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void heartbeatsMoveTheDeadlineQuietly() {
        PretendWorld world(HeldBy::Session);
        world.server.lease = 4s;
        QVERIFY(world.take(Mode::Exclusive));
        for (int beat = 0; beat < 100; ++beat) {
            world.run(1s);
            QVERIFY(world.lock->stillMine());
            world.server.say(News::Kept, world.runtime.monotonic() + 4s);
            world.run(Nanos(0));
            QCOMPARE(world.lock->remaining(), Nanos(4s));
        }
        QCOMPARE(world.told(Event::Renewed), 0);
        QVERIFY(world.events(EventKind::Renewed).empty());
        const std::size_t told = world.events(EventKind::BelievedUntil).size();
        QVERIFY2(told > 25 && told < 60, qPrintable(QString::number(told)));
        // The deadline in the trace never ran out.
        Nanos until = kNever;
        for (const trace::Event& event : world.events(EventKind::BelievedUntil)) {
            QVERIFY(event.time() < until);
            until = fromValue(event.value);
        }
    }

    void silenceEndsItByTheOwnClock() {
        PretendWorld world(HeldBy::Session);
        world.server.lease = 4s;
        QVERIFY(world.take(Mode::Exclusive));
        world.run(3999ms);
        QVERIFY(world.lock->stillMine());
        world.run(2ms);
        QVERIFY(!world.lock->stillMine());
        QCOMPARE(world.told(Event::Lost), 1);
        QCOMPARE(world.lock->holdCount(), 0);
    }

    void aSuspendedHoldIsKeptWhenItsSessionComesBack() {
        PretendWorld world(HeldBy::Session);
        world.server.lease = 4s;
        QVERIFY(world.take(Mode::Exclusive));
        world.run(1s);
        world.server.say(News::Suspended, world.runtime.monotonic() + 3s, "the connection is lost");
        world.run(2s);
        QCOMPARE(world.told(Event::Suspended), 1);
        QVERIFY(world.lock->stillMine());
        world.server.say(News::Suspended, world.runtime.monotonic() + 1s, "the connection is lost");
        world.server.say(News::Kept, world.runtime.monotonic() + 4s);
        world.run(1ms);
        QCOMPARE(world.told(Event::Suspended), 1); // it was that already
        QCOMPARE(world.told(Event::Renewed), 1);
        QCOMPARE(world.events(EventKind::Suspended).size(), std::size_t(1));
        QCOMPARE(world.events(EventKind::Renewed).size(), std::size_t(1));
        QCOMPARE(world.told(Event::Lost), 0);
        world.run(3s);
        QVERIFY(world.lock->stillMine());
    }

    void aDeadlineThatComesNearerIsHonoured() {
        PretendWorld world(HeldBy::Connection);
        world.server.lease = kNever;
        QVERIFY(world.take(Mode::Exclusive));
        QCOMPARE(world.lock->remaining(), kNever);
        QCOMPARE(world.events(EventKind::BelievedUntil).at(0).value, std::int64_t(-1));
        world.run(1000s);
        QVERIFY(world.lock->stillMine());
        world.server.say(News::Suspended, world.runtime.monotonic() + 2s, "the connection is lost");
        world.run(1999ms);
        QVERIFY(world.lock->stillMine());
        world.run(2ms);
        QVERIFY(!world.lock->stillMine());
        QCOMPARE(world.told(Event::Lost), 1);
    }

    void anEndIsALossWithItsReason() {
        PretendWorld world(HeldBy::Connection);
        world.server.lease = kNever;
        QVERIFY(world.take(Mode::Exclusive));
        world.server.say(News::Lost, kNever, "the server has closed the connection");
        world.run(1ms);
        QCOMPARE(world.told(Event::Lost), 1);
        QCOMPARE(world.heard.back().second, QStringLiteral("the server has closed the connection"));
        const LockError lost = world.unlock(Mode::Exclusive).error();
        QCOMPARE(lost.kind, LockError::Kind::NotOwner);
        QCOMPARE(lost.message, QStringLiteral("The lock was lost: the server has closed the connection."));
        QVERIFY(world.server.released.empty());
        // The next hold is another one.
        QVERIFY(world.take(Mode::Exclusive));
        QVERIFY(world.unlock(Mode::Exclusive));
        QCOMPARE(world.unlock(Mode::Exclusive).error().message, QStringLiteral("This thread does not hold the lock."));
    }

    void whatNobodyEndsHasNoDeadline() {
        PretendWorld world(HeldBy::Nothing);
        world.server.lease = 1s; // says nothing of such a hold
        QVERIFY(world.take(Mode::Exclusive));
        world.run(100'000s);
        QVERIFY(world.lock->stillMine());
        QCOMPARE(world.lock->remaining(), kNever);
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 0);
    }

    void reenteringASessionsHoldIsNoSignOfLife() {
        PretendWorld world(HeldBy::Session);
        world.server.lease = 4s;
        QVERIFY(world.take(Mode::Exclusive));
        world.run(3s);
        QVERIFY(world.take(Mode::Exclusive));
        QCOMPARE(world.lock->holdCount(), 2);
        QCOMPARE(world.lock->remaining(), Nanos(1s));
    }

    void aReleasedHoldHearsNoMoreNews() {
        PretendWorld world(HeldBy::Session);
        world.server.lease = 4s;
        QVERIFY(world.take(Mode::Exclusive));
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 0);
        world.server.say(News::Lost, kNever, "too late");
        world.run(60s);
        QCOMPARE(world.told(Event::Lost), 0);
        QCOMPARE(world.server.newsCame.waiting(), 0);
    }

    void aHoldIsListenedForAfterItsRest() {
        PretendWorld world(HeldBy::Connection);
        world.server.lease = kNever;
        world.server.newsRest = 20ms;
        for (int i = 0; i < 3; ++i) {
            QVERIFY(world.take(Mode::Exclusive));
            world.run(19ms);
            QCOMPARE(world.unlock(Mode::Exclusive).value(), 0);
            world.run(1s);
        }
        QCOMPARE(world.server.newsAsked, 0); // over before anybody would have asked
        QVERIFY(world.take(Mode::Exclusive));
        world.run(5ms);
        world.server.say(News::Lost, kNever, "the server has closed the connection");
        world.run(14ms);
        QCOMPARE(world.told(Event::Lost), 0);
        world.run(2ms);
        QCOMPARE(world.server.newsAsked, 1);
        QCOMPARE(world.told(Event::Lost), 1); // what came in the rest is heard after it
    }

    void whoHearsOfALossMayDropTheLock() {
        PretendWorld world(HeldBy::Session);
        world.server.lease = 4s;
        auto captured = std::make_shared<int>(7);
        const std::weak_ptr<int> kept = captured;
        bool dropped = false, outlived = false;
        world.lock->listen([&, held = std::move(captured)](Event event, const QByteArray&, const QString&) {
            if (event != Event::Lost) return;
            const auto& [lock, mine, is, still] = std::tie(world.lock, kept, dropped, outlived); // not by the captures
            lock.reset();
            is = true;
            still = !mine.expired(); // what is running must not be destroyed
        });
        QVERIFY(world.take(Mode::Exclusive));
        world.run(10s);
        QVERIFY(dropped);
        QVERIFY(outlived);
        QVERIFY(kept.expired());
    }

    void whoHearsOfAGrantMayDropTheLock() {
        PretendWorld world(HeldBy::Lease);
        world.lock->listen([&world](Event event, const QByteArray&, const QString&) {
            PretendWorld& all = world;
            if (event == Event::Acquired) all.lock.reset();
        });
        LockGuard guard;
        world.runtime.spawn([&]() -> QCoro::Task<> { guard = (co_await world.lock->acquire(LockRequest())).value(); });
        world.run(60s);
        QVERIFY(!world.lock);
        QVERIFY(!guard.stillMine());
        QCOMPARE(world.server.renewals, 0);
    }
};

QTEST_GUILESS_MAIN(TestHoldNews)
#include "tst_hold_news.moc"
