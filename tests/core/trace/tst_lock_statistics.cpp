// SPDX-License-Identifier: Apache-2.0
// The figures of each lock.
#include "trace/connection.h"
#include "trace/event.h"
#include "trace/lock_statistics.h"
#include "trace/server_told.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::trace;

namespace {

struct Story {
    Trace trace;
    EntityId a, b, stranger, lock;

    EntityId thread(const char* client) {
        return trace.intern(EntityKind::Thread, "1", trace.intern(EntityKind::Client, client));
    }
    Story() : a(thread("A")), b(thread("B")), stranger(thread("X")), lock(trace.intern(EntityKind::Lock, "orders")) {
        for (const EntityId own : {a, b})
            add(0s, EventKind::ClientStarted, trace.entity(own).parent);
    }
    void add(Nanos at, EventKind kind, EntityId actor = kNoEntity, EntityId subject = kNoEntity, std::uint8_t flags = 0,
             std::int64_t value = 0, std::uint32_t aux = 0) {
        trace.append({at.count(), value, actor, subject, aux, kind, flags});
    }
    void held(Nanos at, EntityId by) { add(at, EventKind::RecordHeld, by, lock, 0, (at + 30s).count(), 1); }
    void freed(Nanos at, EntityId owner, FreedBy why) {
        add(at, EventKind::RecordFreed, why == FreedBy::Release ? owner : kNoEntity, lock, std::uint8_t(why), 0, owner);
    }
    LockStatisticsFold counted() const {
        LockStatisticsFold fold;
        for (std::size_t i = 0; i < trace.size(); ++i)
            fold.apply(trace.at(i), trace);
        return fold;
    }
    LockStatistics statistics() const { return counted().locks().at(lock); }
};

} // namespace

class tst_lock_statistics : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void waitsAreWhatClientsTell() {
        Story story;
        story.add(1s, EventKind::Requested, story.a, story.lock);
        story.add(2s, EventKind::Requested, story.b, story.lock);
        story.add(3s, EventKind::Granted, story.a, story.lock, 0, 0, 1);
        story.add(4s, EventKind::Requested, story.a, story.lock);
        story.add(4s, EventKind::Reentered, story.a, story.lock, 0, 0, 2); // no wait
        story.add(9s, EventKind::TimedOut, story.b, story.lock);
        story.add(9s, EventKind::Requested, story.b, story.lock);
        const LockStatisticsFold counted = story.counted();
        const LockStatistics& all = counted.locks().at(story.lock);
        QCOMPARE(all.asked, 2u);
        QCOMPARE(all.granted, 1u);
        QCOMPARE(all.gaveUp, (std::vector<Nanos>{7s}));
        QCOMPARE(all.waits, (std::vector<Nanos>{2s}));
        QCOMPARE(all.longestWait(), 7s);
        QCOMPARE(all.toldWaits, (std::vector<Nanos>{2s, 7s}));
        QCOMPARE(all.longestToldWait(), 7s);
        QCOMPARE(all.waited(), 9s);
        QCOMPARE(counted.longestOpenWait(12s), 3s);
        story.add(13s, EventKind::ClientKilled, story.trace.entity(story.b).parent);
        QCOMPARE(story.counted().longestOpenWait(20s), 0s);                     // the dead do not wait
        QCOMPARE(story.counted().waited(story.lock, 20s), Nanos(2s + 7s + 4s)); // as long as it lived
    }

    /// Another server has the hold, too, or the same one from its disk.
    void aHoldThatOutlivesItsServerIsCountedOnce() {
        Story story;
        story.add(1s, EventKind::Requested, story.a, story.lock);
        story.add(2s, EventKind::RecordToken, kNoEntity, story.lock, 0, 7);
        story.held(2s, story.a);
        story.add(2s, EventKind::Granted, story.a, story.lock, 0, 7, 1);
        story.add(3s, EventKind::Requested, story.b, story.lock);
        story.freed(4s, story.a, FreedBy::NodeLoss);
        story.add(4s, EventKind::RecordUnobserved, kNoEntity, story.lock);
        QCOMPARE(story.statistics().holds, std::vector<Nanos>()); // not known yet
        story.add(6s, EventKind::RecordObserved, kNoEntity, story.lock);
        story.held(6s, story.a);
        story.freed(9s, story.a, FreedBy::Release);
        story.held(10s, story.b);
        story.add(10s, EventKind::Granted, story.b, story.lock, 0, 0, 1);
        QCOMPARE(story.statistics().taken, 2u);
        QCOMPARE(story.statistics().holds, (std::vector<Nanos>{7s}));
        QCOMPARE(story.statistics().handOvers, (std::vector<Nanos>{1s}));
        story.freed(12s, story.b, FreedBy::NodeLoss); // a server that loads it again at its start
        story.held(13s, story.b);
        story.freed(15s, story.b, FreedBy::Release);
        QCOMPARE(story.statistics().taken, 2u);
        QCOMPARE(story.statistics().holds, (std::vector<Nanos>{7s, 5s}));
        QCOMPARE(story.statistics().handOvers, (std::vector<Nanos>{1s}));
    }

    void aHoldThatWentWithItsServerEndedThere() {
        const auto after = [](auto more) {
            Story story;
            story.held(2s, story.a);
            story.freed(4s, story.a, FreedBy::NodeLoss);
            more(story);
            return story.statistics();
        };
        const LockStatistics other = after([](Story& s) { s.held(6s, s.b); }); // somebody else has it
        const LockStatistics again = after([](Story& s) {
            s.add(5s, EventKind::Requested, s.a, s.lock); // its client asks anew
            s.held(6s, s.a);
        });
        const LockStatistics newer = after([](Story& s) {
            s.add(6s, EventKind::RecordToken, kNoEntity, s.lock, 0, 8); // a new grant has a new token
            s.held(6s, s.a);
        });
        const LockStatistics later = after([](Story& s) { // … which a look may tell after the hold
            s.held(6s, s.a);
            s.add(6s, EventKind::RecordToken, kNoEntity, s.lock, 0, 8);
        });
        for (const LockStatistics* one : {&other, &again, &newer, &later}) {
            QCOMPARE(one->taken, 2u);
            QCOMPARE(one->holds, (std::vector<Nanos>{2s}));
        }
        const LockStatistics told = after([](Story& s) { s.add(5s, EventKind::Lost, s.a, s.lock); });
        QCOMPARE(told.holds, (std::vector<Nanos>{2s}));
    }

    void requestsCountForTheLocksThatTheirClientDealsWith() {
        Story story;
        const EntityId client = story.trace.entity(story.a).parent, other = story.trace.entity(story.b).parent;
        const EntityId stock = story.trace.intern(EntityKind::Lock, "stock");
        const EntityId second = story.trace.intern(EntityKind::Thread, "2", client);
        const EntityId node = story.trace.intern(EntityKind::Node, "redis");
        const auto asks = [&](Nanos at, EntityId from) { story.add(at, EventKind::Request, from, node); };
        asks(1s, client); // before it wanted anything
        story.add(2s, EventKind::Requested, story.a, story.lock);
        story.add(2s, EventKind::Requested, second, story.lock); // one client all the same
        asks(2s, client);
        asks(3s, other); // deals with no lock
        story.add(4s, EventKind::TimedOut, second, story.lock);
        story.add(4s, EventKind::Granted, story.a, story.lock, 0, 0, 1);
        asks(5s, client); // a renewal
        story.add(6s, EventKind::Requested, second, stock);
        asks(6s, client); // of which of the two, nobody knows
        story.add(7s, EventKind::AcquireFailed, second, stock);
        story.add(8s, EventKind::ReleaseSent, story.a, story.lock, 0, 0, 1);
        asks(8s, client); // the release itself
        story.add(9s, EventKind::Released, story.a, story.lock);
        asks(9s, client);
        const LockStatisticsFold counted = story.counted();
        QCOMPARE(counted.requests(story.lock), 4u);
        QCOMPARE(counted.requests(stock), 1u);
        QCOMPARE(counted.requests(), 7u);
        story.add(10s, EventKind::Requested, story.a, stock);
        story.add(11s, EventKind::ClientKilled, client);
        asks(12s, client); // of the process after it
        QCOMPARE(story.counted().requests(stock), 1u);
    }

    void aPaceIsKeptInEqualStretchesOfAnyTime() {
        GrantPace pace;
        QCOMPARE(pace.perMinute(0s, 10s), 0.0);
        for (int second = 0; second < 120; ++second)
            if (second >= 60 || second % 2 == 0) pace.add(Nanos(second * 1s));
        QCOMPARE(pace.perMinute(0s, 60s), 30.0);
        QCOMPARE(pace.perMinute(60s, 120s), 60.0);
        QCOMPARE(pace.perMinute(5s, 5s), 0.0);
        QCOMPARE(pace.curve(0s, 120s, 4), (std::vector<double>{30, 30, 60, 60}));
        pace.add(10h); // stretches grow, and what was counted stays where it was
        QVERIFY(pace.stretch() > Nanos(1s));
        QVERIFY(std::abs(pace.perMinute(0s, 256s) * 256 / 60 - 90) < 1e-6);
        QVERIFY(std::abs(pace.perMinute(0s, 11h) * 11 * 60 - 91) < 1e-6);
    }

    void aPaceIsOfTheTimeThatWasWatched() {
        GrantPace pace;
        pace.restore(0s); // nothing was lost
        for (int second = 0; second < 60; second += 2)
            pace.add(Nanos(second * 1s));
        pace.lose(60s);
        pace.lose(70s);                              // that is known
        QCOMPARE(pace.watched(0s, 90s), Nanos(60s)); // it goes on
        pace.restore(180s);
        pace.lose(200s);
        pace.restore(200s); // a server that was started again between two looks
        QCOMPARE(pace.watched(0s, 240s), Nanos(120s));
        QCOMPARE(pace.watched(90s, 150s), Nanos(0));
        QCOMPARE(pace.watched(150s, 190s), Nanos(10s));
        QCOMPARE(pace.perMinute(0s, 180s), 30.0);
        QCOMPARE(pace.perMinute(0s, 240s), 15.0);
        QCOMPARE(pace.perMinute(90s, 150s), 0.0);
        QCOMPARE(pace.curve(0s, 240s, 4), (std::vector<double>{30, GrantPace::kNotWatched, GrantPace::kNotWatched, 0}));
        pace.add(10h); // stretches grow over the gap, and what was counted is of the time around it
        QVERIFY(std::abs(pace.perMinute(0s, 256s) * 136 / 60 - 30) < 1e-6);
    }

    void holdsAndHandOversAreTheRecords() {
        Story story;
        story.held(1s, story.a);
        story.add(2s, EventKind::RecordWaiters, kNoEntity, story.lock, 0, 1);
        story.freed(4s, story.a, FreedBy::Release);
        story.held(4500ms, story.b);
        story.add(5s, EventKind::RecordWaiters, kNoEntity, story.lock, 0, 0);
        story.freed(9s, story.b, FreedBy::Expiry); // nobody waits
        story.held(20s, story.a);
        const LockStatistics all = story.statistics();
        QCOMPARE(all.taken, 3u);
        QCOMPARE(all.holds, (std::vector<Nanos>{3s, 4500ms}));
        QCOMPARE(all.handOvers, (std::vector<Nanos>{500ms}));
        QCOMPARE(all.expired, 1u);
    }

    void nothingIsCountedThatWasNotSeen() {
        Story story;
        story.held(1s, story.stranger); // since when, nobody knows
        story.freed(3s, story.stranger, FreedBy::Release);
        story.held(4s, story.stranger);
        story.add(5s, EventKind::RecordUnobserved, kNoEntity, story.lock);
        story.add(8s, EventKind::RecordObserved, kNoEntity, story.lock);
        story.freed(9s, story.stranger, FreedBy::Release);
        const LockStatistics all = story.statistics();
        QCOMPARE(all.taken, 1u);
        QVERIFY(all.holds.empty());
        QCOMPARE(story.counted().unobserved(story.lock, 9s), Nanos(3s));
        story.add(12s, EventKind::RecordUnobserved, kNoEntity, story.lock);
        story.add(13s, EventKind::RecordUnobserved, kNoEntity, story.lock); // said again: it is one stretch
        QCOMPARE(story.counted().unobserved(story.lock, 14s), Nanos(3s + 2s));
        const LockStatisticsFold before = story.counted();
        const EntityId other = story.trace.intern(EntityKind::Lock, "other");
        story.add(20s, EventKind::RecordUnobserved, kNoEntity, other); // locks are not summed up
        QCOMPARE(story.counted().longestUnobserved(22s, {}, 0s), Nanos(3s + 10s));
        QCOMPARE(story.counted().longestUnobserved(22s, before, 14s), Nanos(8s)); // since then
        QCOMPARE(Story().counted().longestUnobserved(5s, {}, 0s), Nanos(0));
    }

    void aLocksFirstHoldCountsIfItWasSeenToBegin() {
        Story story;
        // No key was there at the look before: it began since then.
        story.add(1s, EventKind::RecordHeld, story.stranger, story.lock, trace::kSeenToBegin, Nanos(31s).count(), 1);
        story.freed(3s, story.stranger, FreedBy::Release);
        const LockStatistics first = story.statistics();
        QCOMPARE(first.taken, 1u);
        QCOMPARE(first.holds, (std::vector<Nanos>{2s}));

        Story found; // at the first look: since when, nobody knows; that it ends was seen
        found.held(1s, found.stranger);
        found.add(2s, EventKind::RecordWaiters, kNoEntity, found.lock, 0, 1);
        found.freed(3s, found.stranger, FreedBy::Expiry);
        found.held(3500ms, found.a);
        const LockStatistics all = found.statistics();
        QCOMPARE(all.taken, 1u);
        QVERIFY(all.holds.empty());
        QCOMPARE(all.expired, 1u);
        QCOMPARE(all.handOvers, (std::vector<Nanos>{500ms}));
    }

    void theLastWhileIsWhatCameSince() {
        Story story;
        story.add(1s, EventKind::Requested, story.a, story.lock);
        story.add(2s, EventKind::Granted, story.a, story.lock, 0, 0, 1);
        story.held(2s, story.a);
        story.freed(4s, story.a, FreedBy::Release);
        const LockStatistics before = story.statistics();
        story.add(5s, EventKind::Requested, story.b, story.lock);
        story.add(8s, EventKind::TimedOut, story.b, story.lock);
        story.held(9s, story.a);
        story.freed(10s, story.a, FreedBy::Expiry);
        const LockStatistics rest = story.statistics().since(before);
        QCOMPARE(rest.asked, 1u);
        QCOMPARE(rest.granted, 0u);
        QVERIFY(rest.waits.empty());
        QCOMPARE(rest.gaveUp, (std::vector<Nanos>{3s}));
        QCOMPARE(rest.taken, 1u);
        QCOMPARE(rest.expired, 1u);
        QCOMPARE(rest.holds, (std::vector<Nanos>{1s}));
        QCOMPARE(before.since(before), LockStatistics());
    }

    void whoQueuesAtAServerIsCountedByItsWord() {
        Story story;
        story.trace.setOriginWallMs(1'700'000'000'000);
        story.held(1s, story.stranger);
        story.add(2s, EventKind::RecordWaiters, kNoEntity, story.lock, 0, 2);
        story.add(5s, EventKind::RecordWaiters, kNoEntity, story.lock, 0, 1);
        story.add(6s, EventKind::RecordUnobserved, kNoEntity, story.lock);
        QCOMPARE(story.counted().queued(story.lock, 60s), Nanos(2 * 3s + 1s)); // nobody looks
        story.add(8s, EventKind::RecordObserved, kNoEntity, story.lock);
        QCOMPARE(story.counted().queued(story.lock, 10s), Nanos(7s + 2s));
        QCOMPARE(story.counted().queued(story.a, 10s), Nanos(0));
        // One look has seen the end of one hold and the beginning of the next: how long it took nobody knows.
        story.freed(11s, story.stranger, FreedBy::Release);
        story.held(11s + 5us, story.a);
        story.freed(12s, story.a, FreedBy::Release);
        story.held(12s + 30ms, story.b);
        QCOMPARE(story.statistics().handOvers, (std::vector<Nanos>{30ms}));
    }

    void holdersBesideEachOtherAreCountedEach() {
        Story story;
        const auto shared = std::uint8_t(HoldMode::Shared);
        story.add(1s, EventKind::RecordHeld, story.a, story.lock, shared, Nanos(31s).count(), 1);
        story.add(1s, EventKind::RecordHolder, story.a, story.lock, shared, Nanos(31s).count(), 1);
        story.add(2s, EventKind::RecordHolder, story.b, story.lock, shared, Nanos(32s).count(), 1);
        story.add(5s, EventKind::RecordHolderGone, story.a, story.lock, goneFlags(FreedBy::Release, HoldMode::Shared),
                  0, story.a);
        story.add(9s, EventKind::RecordFreed, story.b, story.lock, std::uint8_t(FreedBy::Release), 0, story.b);
        const LockStatistics all = story.statistics();
        QCOMPARE(all.taken, 2u);
        QCOMPARE(all.holds, (std::vector<Nanos>{4s, 7s}));
    }

    /// Where a server is only looked at now and then, times between two looks are no finer than these.
    void howFarLooksAreApartIsKnown() {
        Story story;
        const EntityId shop = internConnection(story.trace, "shop", "mysql://shop");
        const EntityId node = story.trace.intern(EntityKind::Node, "shop", shop);
        const EntityId watched = story.trace.intern(EntityKind::Lock, "orders", node);
        const auto apart = [&](Nanos at, const char* length) {
            story.add(at, EventKind::ServerTold, node, kNoEntity, 0, 0,
                      story.trace.text(serverTold(kLooksApart, length)));
        };
        const auto use = [&](Nanos at) {
            story.add(at, EventKind::RecordHeld, story.stranger, watched, 0, kEndNotKnown, 1);
            story.add(at + 1s, EventKind::RecordFreed, kNoEntity, watched, std::uint8_t(FreedBy::Release), 0,
                      story.stranger);
        };
        use(1s);
        const auto known = [&] { return story.counted().locks().at(watched).looksApart; };
        QCOMPARE(known(), Nanos(0));
        apart(3s, "250ms");
        use(4s);
        apart(6s, "2s");
        use(7s);
        QCOMPARE(known(), Nanos(2s));
        apart(9s, "0s"); // it tells of each change from now on
        use(10s);
        QCOMPARE(known(), Nanos(2s)); // which makes the times before no finer
        QVERIFY(!looksApartIn("may-evict=allkeys-lru"));
    }

    void percentilesAreValuesThatWereMeasured() {
        std::vector<Nanos> values;
        QCOMPARE(percentile(values, 50), Nanos(0));
        for (int i = 100; i >= 1; --i)
            values.push_back(Nanos(i));
        QCOMPARE(percentile(values, 50), Nanos(50));
        QCOMPARE(percentile(values, 99), Nanos(99));
        QCOMPARE(percentile(values, 100), Nanos(100));
        values = {7ns};
        QCOMPARE(percentile(values, 1), 7ns);
        values = {7ns, 9ns};
        QCOMPARE(percentile(values, 50), 7ns);
        QCOMPARE(percentile(values, 51), 9ns);
    }
};

QTEST_GUILESS_MAIN(tst_lock_statistics)
#include "tst_lock_statistics.moc"
