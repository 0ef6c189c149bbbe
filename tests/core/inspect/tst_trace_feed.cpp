// SPDX-License-Identifier: Apache-2.0
#include "inspect/report_feed.h"
#include "inspect/trace_feed.h"
#include "trace/recorder.h"
#include "trace/state.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::trace;

namespace {

LockRow heldBy(const char* client, std::int64_t ttlMs, int holds = 1) {
    LockRow row;
    row.name = "orders";
    row.format = "redisson";
    row.state = LockRow::State::Held;
    row.ttlMs = ttlMs;
    row.holders = {{client, "1", holds, {}, "exclusive"}};
    row.waiterCount = 0;
    return row;
}

/// A trace, a clock that stands where it is put, and a feed into them.
struct World {
    std::shared_ptr<Trace> trace = std::make_shared<Trace>();
    Nanos now{};
    Recorder recorder{trace, [this] { return now; }};
    EntityId node = trace->intern(EntityKind::Node, "redis-1");
    TraceFeed feed{recorder, node, [this](const Party& party) { return thread(party.client); }};

    EntityId thread(const QByteArray& client) {
        return trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, client));
    }
    void update(const std::optional<LockRow>& row, const Sight& sight = {}) { feed.update("orders", row, sight); }
    /// Somebody's command changed it.
    void update(const std::optional<LockRow>& row, EntityId cause) { update(row, Sight{.cause = cause}); }
    std::vector<Event> events() const {
        std::vector<Event> all;
        for (std::size_t i = 0; i < trace->size(); ++i)
            all.push_back(trace->at(i));
        return all;
    }
    std::vector<EventKind> kinds() const {
        std::vector<EventKind> all;
        for (const Event& event : events())
            all.push_back(event.kind);
        return all;
    }
};

using Kinds = std::vector<EventKind>;

} // namespace

class TestTraceFeed : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Five thousand locks on which nothing happens, looked at for an hour: their contents are written one after the
    /// other, and then not one row, name or byte more.
    void aServerOnWhichNothingHappensAddsNothing() {
        World world;
        constexpr int kLocks = 5000, kLooks = 3600, kWarm = 10;
        std::vector<QByteArray> names;
        for (int i = 0; i < kLocks; ++i)
            names.push_back("svc:" + QByteArray::number(i));
        std::size_t rows = 0, entities = 0, bytes = 0, told = 0;
        for (int look = 0; look < kLooks; look += look < kWarm ? 1 : 60) {
            world.now = Nanos(1s) * look;
            LockRow row = heldBy("A", 7'200'000 - look * 1000);
            row.raw = {{{}, "hash", row.ttlMs, QJsonObject{{QStringLiteral("A:1"), QStringLiteral("1")}}, 0}};
            for (const QByteArray& name : names) {
                row.name = row.raw.front().key = name;
                world.feed.update(name, row);
            }
            if (look < kWarm) continue;
            if (rows == 0) {
                rows = world.trace->size();
                entities = world.trace->entityCount();
                bytes = world.trace->memoryBytes();
                for (const Event& event : world.events())
                    told += event.kind == EventKind::RecordContent;
            }
            QCOMPARE(world.trace->size(), rows);
            QCOMPARE(world.trace->entityCount(), entities);
            QCOMPARE(world.trace->memoryBytes(), bytes);
        }
        QCOMPARE(told, std::size_t(kLocks));
    }

    void grantIsHeldWithDeadlineAndHolds() {
        World world;
        world.now = 1s;
        world.update(heldBy("A", 30'000, 2), world.thread("A"));
        const Event event = world.events().at(0);
        QCOMPARE(event.kind, EventKind::RecordHeld);
        QCOMPARE(event.actor, world.thread("A"));
        QCOMPARE(event.value, Nanos(31s).count());
        QCOMPARE(event.aux, 2u);
        const Entity& lock = world.trace->entity(event.subject);
        QCOMPARE(lock.kind, EntityKind::Lock);
        QCOMPARE(lock.name, QByteArray("orders"));
        QCOMPARE(lock.parent, world.node);
    }
    void whatDidNotChangeIsNotWritten() {
        World world;
        world.update(heldBy("A", 30'000));
        world.now = 10s;
        world.update(heldBy("A", 20'000));
        world.now = 10s + 500us; // TTLs are whole milliseconds
        world.update(heldBy("A", 19'999));
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordHeld, EventKind::RecordWaiters}));
    }
    void aLateLookIsNoRenewal() {
        World world;
        LockRow row = heldBy("A", 30'000);
        row.ends = EndsWithin{100'000, 100'002};
        world.update(row);
        // The answer came 83 ms late: the end as it was measured is the same.
        world.now = 5s;
        row.ttlMs = 25'083;
        row.ends = EndsWithin{99'999, 100'085};
        world.update(row);
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordHeld, EventKind::RecordWaiters}));
        world.now = 10s;
        row.ttlMs = 30'000;
        row.ends = EndsWithin{110'000, 110'002};
        world.update(row);
        QCOMPARE(world.events().back().kind, EventKind::RecordRenewed);
        QCOMPARE(world.events().back().value, Nanos(40s).count());
    }
    void howSureItIsIsToldBeforeTheHoldAndWhenItChanges() {
        World world;
        LockRow row = heldBy("A", 30'000);
        row.waiterCount.reset();
        row.certainty = Certainty::Guess;
        world.update(row);
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordCertainty, EventKind::RecordHeld}));
        QCOMPARE(world.events().front().value, std::int64_t(Certainty::Guess));
        world.update(row);
        QCOMPARE(world.trace->size(), 2u);
        // An update of the owner alone says nothing about the format.
        LockRow owner = heldBy("B", 30'000);
        world.feed.updateOwner("orders", owner, world.thread("B"));
        QCOMPARE(world.kinds().back(), EventKind::RecordHeld);
        row = heldBy("B", 30'000);
        world.update(row);
        QCOMPARE(world.events()[world.trace->size() - 2].kind, EventKind::RecordCertainty);
        QCOMPARE(world.events()[world.trace->size() - 2].value, std::int64_t(Certainty::Certain));
        const State state = StateIndex(world.trace).at(world.now);
        QCOMPARE(state.records.at(world.feed.lockEntity("orders")).certainty, Certainty::Certain);
    }
    void anEndThatIsNotKnownIsNotNever() {
        World world;
        LockRow row = heldBy("A", 0);
        row.ttlMs.reset(); // its format does not say
        world.update(row);
        QCOMPARE(world.events().front().value, kEndNotKnown);
        row.neverExpires = true;
        world.update(row);
        QCOMPARE(world.events().back().value, kNeverEnds);
    }
    void aLockThatGoesWithItsServerIsNotReleased() {
        World world;
        world.update(heldBy("A", 30'000));
        world.feed.lost("orders");
        world.feed.lost("never seen");
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordHeld, EventKind::RecordWaiters, EventKind::RecordFreed}));
        QCOMPARE(world.events().back().flags, std::uint8_t(FreedBy::NodeLoss));
    }
    void renewalAndReentryAreRenewed() {
        World world;
        world.update(heldBy("A", 30'000));
        world.now = 10s;
        world.update(heldBy("A", 30'000));
        world.update(heldBy("A", 30'000, 2));
        const auto events = world.events();
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordHeld, EventKind::RecordWaiters, EventKind::RecordRenewed,
                                       EventKind::RecordRenewed}));
        QCOMPARE(events[2].value, Nanos(40s).count());
        QCOMPARE(events[3].aux, 2u);
        QCOMPARE(events[3].value, Nanos(40s).count());
    }
    void renewalByAnotherNamesIt() {
        World world;
        world.update(heldBy("A", 30'000), world.thread("A"));
        world.now = 10s;
        world.update(heldBy("A", 30'000), world.thread("B"));
        const Event event = world.events().back();
        QCOMPARE(event.kind, EventKind::RecordRenewed);
        QCOMPARE(event.actor, world.thread("B"));
        State state;
        for (const Event& each : world.events())
            state.apply(each, *world.trace);
        QCOMPARE(state.records.begin()->second.owner, world.thread("A"));
    }
    void uncertaintyOfOneLookOutweighsTheTolerance() {
        World world;
        world.update(heldBy("A", 30'000));
        world.now = 10s;
        world.update(heldBy("A", 20'040), Sight{.uncertainty = 50ms}); // the answer took its time
        QCOMPARE(world.events().size(), 2u);
        world.update(heldBy("A", 20'060), Sight{.uncertainty = 50ms});
        QCOMPARE(world.events().back().kind, EventKind::RecordRenewed);
    }
    void earlierDeadlineIsNoRenewal() {
        World world;
        world.update(heldBy("A", 30'000));
        world.now = 10s;
        world.update(heldBy("A", 15'000));
        const Event event = world.events().back();
        QCOMPARE(event.kind, EventKind::RecordDeadline);
        QCOMPARE(event.actor, world.thread("A"));
        QCOMPARE(event.value, Nanos(25s).count());
        QCOMPARE(event.aux, 10'000u);
    }
    void movedClockRenewsNothing() {
        World world;
        world.update(heldBy("A", 30'000), Sight{.cause = world.thread("A"), .exactDeadline = 30s});
        world.now = 10s;
        world.update(heldBy("A", 25'000), Sight{.exactDeadline = 35s, .clockMoved = true});
        QCOMPARE(world.events().back().kind, EventKind::RecordDeadline);
        QCOMPARE(world.events().back().value, Nanos(35s).count());
        State state;
        for (const Event& each : world.events())
            state.apply(each, *world.trace);
        const Record& record = state.records.begin()->second;
        QCOMPARE(record.leaseFrom, 0);
        QCOMPARE(record.deadline, Nanos(35s).count());
    }
    void exactDeadlineThatNobodyMovedIsTheSame() {
        World world;
        world.update(heldBy("A", 30'000), Sight{.cause = world.thread("A"), .exactDeadline = 30s});
        world.now = 10s + 999us;
        // Another's command touched the queue; by TTL alone the deadline would be 0.999 ms later.
        world.update(heldBy("A", 20'000), Sight{.cause = world.thread("B"), .exactDeadline = 30s});
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordHeld, EventKind::RecordWaiters}));
    }
    void loserThatWritesIntoANamelessEntryDoesNotOwnIt() {
        World world;
        LockRow row = heldBy("", 30'000);
        row.holders.clear();
        world.update(row, Sight{.cause = world.thread("A"), .exactDeadline = 30s});
        world.now = 1s;
        world.update(row, Sight{.cause = world.thread("B"), .exactDeadline = 31s, .ownerStays = true});
        const Event event = world.events().back();
        QCOMPARE(event.kind, EventKind::RecordRenewed);
        QCOMPARE(event.actor, world.thread("B"));
        world.update(std::nullopt, world.thread("A"));
        const auto events = world.events();
        const auto freed =
            std::ranges::find_if(events, [](const Event& each) { return each.kind == EventKind::RecordFreed; });
        QCOMPARE(freed->aux, world.thread("A"));
    }
    void lockThatLostItsTtlNeverEnds() {
        World world;
        world.update(heldBy("A", 30'000));
        LockRow row = heldBy("A", 0);
        row.ttlMs.reset();
        row.neverExpires = true;
        world.update(row);
        QCOMPARE(world.events().back().kind, EventKind::RecordRenewed);
        QCOMPARE(world.events().back().value, -1);
    }
    void freed_data() {
        QTest::addColumn<bool>("hasCause");
        QTest::addColumn<int>("seen");
        QTest::addColumn<int>("nowMs");
        QTest::addColumn<int>("why");
        QTest::newRow("released") << true << -1 << 1000 << int(FreedBy::Release);
        QTest::newRow("expired") << false << int(FreedBy::Expiry) << 30'000 << int(FreedBy::Expiry);
        QTest::newRow("forced") << true << int(FreedBy::Force) << 1000 << int(FreedBy::Force);
        QTest::newRow("lost with its server") << false << int(FreedBy::NodeLoss) << 1000 << int(FreedBy::NodeLoss);
        QTest::newRow("seen gone early") << false << -1 << 1000 << int(FreedBy::Release);
        QTest::newRow("seen gone late") << false << -1 << 30'050 << int(FreedBy::Expiry);
    }
    void freed() {
        QFETCH(bool, hasCause);
        QFETCH(int, seen);
        QFETCH(int, nowMs);
        QFETCH(int, why);
        World world;
        world.update(heldBy("A", 30'000));
        world.now = std::chrono::milliseconds(nowMs);
        const EntityId cause = hasCause ? world.thread("B") : kNoEntity;
        Sight sight{.cause = cause};
        if (seen >= 0) sight.freedBy = FreedBy(seen);
        world.update(std::nullopt, sight);
        const Event event = world.events().back();
        QCOMPARE(event.kind, EventKind::RecordFreed);
        QCOMPARE(event.actor, cause);
        QCOMPARE(event.aux, world.thread("A"));
        QCOMPARE(int(event.flags), why);
    }
    void changeOfOwnerInOneStepIsAnOverwrite() {
        World world;
        world.update(heldBy("A", 30'000));
        world.update(heldBy("B", 30'000), world.thread("B"));
        const auto events = world.events();
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordHeld, EventKind::RecordWaiters, EventKind::RecordFreed,
                                       EventKind::RecordHeld}));
        QCOMPARE(events[2].flags, std::uint8_t(FreedBy::Overwrite));
        QCOMPARE(events[3].actor, world.thread("B"));
    }
    void changeOfOwnerBetweenTwoLooksIsARelease() {
        World world;
        world.update(heldBy("A", 30'000));
        world.now = 1s;
        world.update(heldBy("B", 30'000));
        QCOMPARE(world.events()[2].flags, std::uint8_t(FreedBy::Release));
    }
    void firstHolderStaysTheShownOneWhileItHolds() {
        World world;
        LockRow row = heldBy("A", 30'000);
        row.holders.push_back({"B", "1", 1, {}, "shared"});
        world.update(row);
        std::swap(row.holders[0], row.holders[1]);
        world.update(row);
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordHeld, EventKind::RecordHolder, EventKind::RecordHolder,
                                       EventKind::RecordWaiters}));
        row.holders.pop_back();
        world.update(row);
        QCOMPARE(world.events().back().actor, world.thread("B"));
    }
    void howItIsHeldIsWrittenAndWhenThatChanges() {
        World world;
        LockRow row = heldBy("A", 30'000);
        row.waiterCount.reset();
        row.mode = "shared";
        world.update(row);
        row.mode = "exclusive"; // the reader is alone now, and writes
        world.update(row);
        world.update(row);
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordHeld, EventKind::RecordHolder, EventKind::RecordRenewed}));
        QCOMPARE(int(world.events()[0].flags), int(HoldMode::Shared));
        QCOMPARE(int(world.events()[2].flags), int(HoldMode::Exclusive));
        State state;
        state.apply(world.events()[0], *world.trace);
        QCOMPARE(state.records.begin()->second.mode, HoldMode::Shared);
        state.apply(world.events()[2], *world.trace);
        QCOMPARE(state.records.begin()->second.mode, HoldMode::Exclusive);
    }
    void queueAndTokenAreWrittenWhenTheyChange() {
        World world;
        LockRow row = heldBy("A", 30'000);
        row.waiterCount = 3;
        row.token = 34;
        world.update(row);
        world.update(row);
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordHeld, EventKind::RecordToken, EventKind::RecordWaiters}));
        QCOMPARE(world.events()[1].value, 34);
        QCOMPARE(world.events()[2].value, 3);
        world.update(std::nullopt);
        QCOMPARE(world.events().back().kind, EventKind::RecordWaiters);
        QCOMPARE(world.events().back().value, 0);
    }
    void queuedLockHasWaitersAndNoOwner() {
        World world;
        world.update(heldBy("A", 30'000), world.thread("A"));
        LockRow row;
        row.state = LockRow::State::Queued;
        row.waiterCount = 2;
        world.update(row, world.thread("A"));
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordHeld, EventKind::RecordWaiters, EventKind::RecordFreed,
                                       EventKind::RecordWaiters}));
    }
    void unknownLockThatIsNotThereLeavesNoTrace() {
        World world;
        const auto entities = world.trace->entityCount();
        world.update(std::nullopt);
        QCOMPARE(world.trace->size(), 0u);
        QCOMPARE(world.trace->entityCount(), entities);
    }
    void aHoldThatGoesOnOnAnotherServerIsTold() {
        World world;
        world.update(heldBy("A", 30'000));
        world.update(heldBy("A", 30'000), Sight{.failedOver = true});
        QCOMPARE(world.events().back().kind, EventKind::RecordFailedOver);
        QCOMPARE(world.events().back().actor, world.thread("A"));
        // Another holder got it from the new server: the hold before did not go on.
        world.update(heldBy("B", 30'000), Sight{.freedBy = FreedBy::NodeLoss, .failedOver = true});
        QCOMPARE(std::ranges::count(world.kinds(), EventKind::RecordFailedOver), 1);
    }
    void gapIsWrittenOncePerLock() {
        World world;
        world.update(heldBy("A", 30'000));
        world.feed.unobserved();
        world.feed.unobserved();
        world.feed.observed();
        world.feed.observed();
        QCOMPARE(world.kinds(), (Kinds{EventKind::RecordHeld, EventKind::RecordWaiters, EventKind::RecordUnobserved,
                                       EventKind::RecordObserved}));
    }
    /// Databases list a locked row only while somebody waits for it: then it may be held on, or not.
    void aLockThatIsNoLongerShownIsNotReleased() {
        World world;
        LockRow row = heldBy("A", 30'000);
        row.format = "pg-row";
        row.ttlMs.reset();
        row.waiters = {{"W", "1", {}, 0, "exclusive"}};
        row.waiterCount = 1;
        ReportFeed reports(world.feed);
        LockReport seen;
        seen.complete = true;
        seen.locks = {row};
        reports.write(seen);
        seen.locks.clear();
        world.now = 1s;
        reports.write(seen);
        QCOMPARE(std::ranges::count(world.kinds(), EventKind::RecordFreed), 0);
        const Event gone = world.events().back();
        QCOMPARE(gone.kind, EventKind::RecordUnobserved);
        QCOMPARE(gone.flags, kNoLongerShown);
        QCOMPARE(gone.actor, world.thread("A"));
        StateIndex index(world.trace);
        const Record record = index.at(1s).records.begin()->second;
        QVERIFY(record.noLongerShown && record.queue.empty() && record.waiters == 0);
        const auto rows = world.trace->size();
        reports.write(seen);
        QCOMPARE(world.trace->size(), rows); // said once
        // It shows again, with another owner: nobody saw how the hold before ended.
        row.holders.front().client = "B";
        seen.locks = {row};
        world.now = 2s;
        reports.write(seen);
        const std::vector<Event> events = world.events();
        const auto freed = std::ranges::find(events, EventKind::RecordFreed, &Event::kind);
        QVERIFY(freed != events.end());
        QCOMPARE(FreedBy(freed->flags & kFreedByMask), FreedBy::Unseen);
        QCOMPARE(EntityId(freed->aux), world.thread("A"));
        StateIndex again(world.trace);
        const Record now = again.at(2s).records.begin()->second;
        QVERIFY(now.observed && !now.noLongerShown && now.owner == world.thread("B"));
    }
    /// One that its server shows in any case was released.
    void aLockThatShowsWithoutAWaiterIsReleased() {
        World world;
        LockRow row = heldBy("A", 30'000);
        row.format = "pg-row";
        ReportFeed reports(world.feed);
        LockReport seen;
        seen.locks = {row};
        reports.write(seen);
        seen.locks.clear();
        reports.write(seen);
        QCOMPARE(FreedBy(world.events().back().flags & kFreedByMask), FreedBy::Release);
    }
    void nodeThatLostItsDataHoldsNothing() {
        World world;
        world.update(heldBy("A", 30'000));
        world.feed.nodeLost();
        world.feed.nodeLost();
        QCOMPARE(world.events().size(), 3u);
        QCOMPARE(world.events()[2].flags, std::uint8_t(FreedBy::NodeLoss));
    }
};

QTEST_GUILESS_MAIN(TestTraceFeed)
#include "tst_trace_feed.moc"
