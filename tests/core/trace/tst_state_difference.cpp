// SPDX-License-Identifier: Apache-2.0
// The differences at a later instant: by kind, with its words.
#include "trace/connection.h"
#include "trace/excerpt.h"
#include "trace/recorder.h"
#include "trace/seen_restart.h"
#include "trace/server_told.h"
#include "trace/state_difference.h"

#include <QTest>

using namespace lockscope;
using trace::Change;
using trace::EntityKind;
using trace::EventKind;

namespace {

struct World {
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    Nanos now{};
    trace::Recorder recorder{trace, [this] { return now; }};
    trace::EntityId node = trace->intern(EntityKind::Node, "redis-1");
    trace::EntityId orders = trace->intern(EntityKind::Lock, "orders", node);
    trace::EntityId a = thread("A"), b = thread("B");

    trace::EntityId thread(const char* client) {
        return trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, client));
    }
    void row(Nanos at, EventKind kind, trace::EntityId actor, trace::EntityId subject, std::int64_t value = 0,
             std::uint32_t aux = 0, std::uint8_t flags = 0) {
        now = at;
        recorder.emit(kind, actor, subject, value, aux, flags);
        trace->reach(at);
    }
    void held(Nanos at, trace::EntityId by, Nanos lease = 30s) {
        row(at, EventKind::RecordHeld, by, orders, (at + lease).count(), 1);
    }
    void freed(Nanos at, trace::EntityId owner) { row(at, EventKind::RecordFreed, trace::kNoEntity, orders, 0, owner); }
    std::vector<Change> between(Nanos from, Nanos to) {
        trace->reach(to);
        trace::StateIndex index(trace);
        const trace::State earlier = index.at(from), later = index.at(to);
        return trace::differences(*trace, earlier, from, later, to);
    }
};

/// A lock on a server that somebody else runs, watched from 1 s on.
struct Watched : World {
    trace::EntityId shop = trace::internConnection(*trace, "shop", "redis://shop:6379");
    trace::EntityId observer = trace->intern(EntityKind::Client, "lockscope");
    Watched() {
        node = trace->intern(EntityKind::Node, "shop", shop);
        orders = trace->intern(EntityKind::Lock, "orders", node);
        row(1s, EventKind::NodeStarted, node, trace::kNoEntity);
        held(1s, a);
    }
    /// The server is out of sight from 4 s to 8 s, and B has the lock afterwards.
    void loseSight() {
        row(4s, EventKind::ConnectionLost, observer, node, 0, trace->text("Connection refused."));
        row(4s, EventKind::RecordUnobserved, trace::kNoEntity, orders);
        row(8s, EventKind::ConnectionRestored, observer, node);
        row(8s, EventKind::RecordObserved, trace::kNoEntity, orders);
        freed(8s, a);
        held(8s, b);
    }
    QStringList sentences(Nanos from, Nanos to) {
        QStringList all;
        for (const Change& change : between(from, to))
            all << trace::sentenceOf(change, *trace);
        return all;
    }
};

} // namespace

class TestStateDifference : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingIsOtherwise() {
        World world;
        world.held(1s, world.a);
        QVERIFY(world.between(2s, 9s).empty());
    }

    void holdersComeAndGo() {
        World world;
        world.held(1s, world.a);
        const auto found = world.between(Nanos(0), 2s);
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].kind, Change::Kind::Taken);
        QCOMPARE(trace::sentenceOf(found[0], *world.trace),
                 QStringLiteral("“orders” is held by A · 1; nothing was known of it before."));
        world.freed(1500ms, world.a);
        world.held(1800ms, world.a);
        const auto taken = world.between(1600ms, 2s);
        QCOMPARE(taken.size(), std::size_t(1));
        QCOMPARE(trace::sentenceOf(taken[0], *world.trace), QStringLiteral("“orders” was free, and A · 1 holds it."));

        world.freed(3s, world.a);
        world.held(4s, world.b);
        world.freed(5s, world.b);
        world.held(6s, world.a);
        world.freed(7s, world.a);
        world.held(8s, world.b);
        const auto handed = world.between(2s, 9s);
        QCOMPARE(handed.size(), std::size_t(1));
        QCOMPARE(handed[0].kind, Change::Kind::HandedOver);
        QCOMPARE(handed[0].first, world.a);
        QCOMPARE(handed[0].second, world.b);
        QCOMPARE(handed[0].count, 3u);

        const auto retaken = world.between(4500ms, 9s);
        QCOMPARE(retaken.size(), std::size_t(1));
        QCOMPARE(retaken[0].kind, Change::Kind::Retaken);

        const auto freed = world.between(2s, 5500ms);
        QCOMPARE(freed.size(), std::size_t(1));
        QCOMPARE(freed[0].kind, Change::Kind::Freed);
        QCOMPARE(freed[0].first, world.a);
    }

    /// A reader that stays is no new holder, whichever of them the record names as the owner.
    void oneOfSeveralHoldersComesOrGoes() {
        World world;
        const auto reads = [&](Nanos at, EventKind kind, trace::EntityId thread) {
            world.row(at, kind, thread, world.orders, (at + 30s).count(), 1);
        };
        reads(1s, EventKind::RecordHeld, world.a);
        reads(3s, EventKind::RecordHolder, world.a);
        reads(3s, EventKind::RecordHolder, world.b);
        const auto joined = world.between(2s, 4s);
        QCOMPARE(joined.size(), std::size_t(1));
        QCOMPARE(joined[0].kind, Change::Kind::Holders);
        QCOMPARE(trace::sentenceOf(joined[0], *world.trace), QStringLiteral("Holders of “orders”: 1, then 2."));
        reads(5s, EventKind::RecordHeld, world.b); // the owner's lane shows the other one from now on
        world.row(5s, EventKind::RecordHolderGone, trace::kNoEntity, world.orders, 0, world.a);
        const auto left = world.between(4s, 6s);
        QCOMPARE(left.size(), std::size_t(1));
        QCOMPARE(left[0].kind, Change::Kind::Holders);
        QCOMPARE(left[0].before, 2);
        QCOMPARE(left[0].after, 1);
        QCOMPARE(world.between(2s, 6s)[0].kind, Change::Kind::HandedOver);
        QCOMPARE(QByteArray(trace::changeName(Change::Kind::Holders)), QByteArray("holders"));
        QCOMPARE(QByteArray(trace::changeName(Change::Kind::ClientLife)), QByteArray("client"));
    }

    /// Where several hold, nobody is told to be the only one.
    void holdersBesideTheNamedOneAreCounted() {
        World world;
        const auto permit = [&](Nanos at, EventKind kind, trace::EntityId thread) {
            world.row(at, kind, thread, world.orders, (at + 30s).count(), 1, std::uint8_t(trace::HoldMode::Permit));
        };
        permit(1s, EventKind::RecordHeld, world.a);
        permit(1s, EventKind::RecordHolder, world.a);
        permit(1s, EventKind::RecordHolder, world.b);
        world.freed(3s, world.a);
        permit(4s, EventKind::RecordHeld, world.thread("C"));
        const auto handed = world.between(2s, 5s);
        QCOMPARE(handed.size(), std::size_t(1));
        QCOMPARE(trace::sentenceOf(handed[0], *world.trace),
                 QStringLiteral("“orders” went from A · 1 and 1 other(s) to C · 1."));
        QCOMPARE(trace::sentenceOf(world.between(2s, 3500ms)[0], *world.trace),
                 QStringLiteral("“orders” was held by A · 1 and 1 other(s), and is free."));
    }

    /// At 4 s it had not answered since 2 s: what is seen of it at 3 s is as old as that.
    void aSilenceCountsFromItsBeginning() {
        Watched world;
        world.row(4s, EventKind::ConnectionLost, world.observer, world.node, Nanos(2s).count(),
                  world.trace->text("no answer"));
        world.row(6s, EventKind::ConnectionRestored, world.observer, world.node);
        const auto within = world.between(2500ms, 3s);
        QCOMPARE(within.size(), std::size_t(1));
        QCOMPARE(within[0].kind, Change::Kind::NotSeen);
        QCOMPARE(within[0].after, Nanos(3s).count());
        const auto before = world.between(1s, 3s);
        QCOMPARE(before.size(), std::size_t(1));
        QCOMPARE(before[0].before, Nanos(2s).count());
        QVERIFY(trace::endsUnseen(before));
        QVERIFY(world.between(1500ms, 1900ms).empty());
    }

    /// Another server answered between two looks: nobody missed anything, and what happened is told in words.
    void aGapWithoutLengthIsNone() {
        Watched world;
        world.row(4s, EventKind::ConnectionLost, world.observer, world.node, 0,
                  world.trace->text("server-failed-over"));
        world.row(4s + 300us, EventKind::ConnectionRestored, world.observer, world.node);
        const auto event = world.between(2s, 5s);
        QCOMPARE(event.size(), std::size_t(1));
        QCOMPARE(event[0].kind, Change::Kind::ServerEvent);
        QCOMPARE(trace::changesSeen(event), std::size_t(1));
        QCOMPARE(
            trace::sentenceOf(event[0], *world.trace),
            QStringLiteral("At 4.000 s, shop: failed over: another server answers, or this one has another role."));
        world.row(6s, EventKind::ConnectionLost, world.observer, world.node, 0, world.trace->text("server-emptied"));
        world.row(7s, EventKind::ConnectionRestored, world.observer, world.node);
        const auto changes = world.between(5s, 8s);
        QCOMPARE(changes.size(), std::size_t(1));
        QVERIFY(trace::sentenceOf(changes[0], *world.trace).endsWith(QLatin1String("Why: all keys were deleted")));
    }

    /// The question that is not answered is a time-out older than the row that tells of it.
    void aGapBeginsWithTheSilence() {
        Watched world;
        world.row(6s, EventKind::ConnectionLost, world.observer, world.node, Nanos(2s).count(),
                  world.trace->text("unreachable"));
        world.row(8s, EventKind::ConnectionRestored, world.observer, world.node);
        const auto changes = world.between(2s, 9s);
        QCOMPARE(changes.size(), std::size_t(1));
        QCOMPARE(changes[0].before, Nanos(4s).count());
        QCOMPARE(changes[0].count, 0u);
        const auto late = world.between(5s, 9s); // it was silent already
        QCOMPARE(late[0].before, Nanos(5s).count());
        QCOMPARE(late[0].count, Change::kAtTheBeginning);
    }

    void aHoldThatGoesOnElsewhereMayExistTwice() {
        Watched world;
        world.row(4s, EventKind::ConnectionLost, world.observer, world.node, 0,
                  world.trace->text("server-failed-over"));
        world.row(4s, EventKind::ConnectionRestored, world.observer, world.node);
        world.row(4s, EventKind::RecordFailedOver, world.a, world.orders);
        const auto changes = world.between(2s, 5s);
        QCOMPARE(changes.size(), std::size_t(2));
        QCOMPARE(changes[1].kind, Change::Kind::FailedOver);
        QCOMPARE(
            trace::sentenceOf(changes[1], *world.trace),
            QStringLiteral("“orders”, held by A · 1, went on to another server at 4.000 s: the hold may exist twice."));
        world.freed(6s, world.a); // and once it is over there is nothing to fear any more
        world.held(7s, world.a);
        for (const Change& change : world.between(2s, 8s))
            QVERIFY(change.kind != Change::Kind::FailedOver);
    }

    void aRestartBetweenTwoLooksIsTold() {
        Watched world;
        world.row(3s, EventKind::NodeKilled, world.node, trace::kNoEntity, 0, 0, trace::kSeenRestart);
        world.row(3s, EventKind::NodeStarted, world.node, trace::kNoEntity);
        QCOMPARE(world.sentences(2s, 5s), QStringList(QStringLiteral("At 3.000 s, shop: restarted.")));
    }

    /// A lease that only drained is no change, a renewed one is: both times left are told.
    void aRenewalIsAnotherLease() {
        World world;
        world.held(1s, world.a);
        world.row(11s, EventKind::RecordRenewed, world.a, world.orders, Nanos(41s).count(), 1);
        QVERIFY(world.between(2s, 10s).empty());
        const auto changes = world.between(2s, 12s);
        QCOMPARE(changes.size(), std::size_t(1));
        QCOMPARE(changes[0].kind, Change::Kind::Lease);
        QCOMPARE(changes[0].before, Nanos(29s).count());
        QCOMPARE(changes[0].after, Nanos(29s).count());
    }

    void queuesServersAndSight() {
        World world;
        world.row(Nanos(0), EventKind::NodeStarted, world.node, trace::kNoEntity);
        world.held(1s, world.a);
        world.row(2s, EventKind::RecordWaiters, trace::kNoEntity, world.orders, 4);
        world.row(3s, EventKind::RecordToken, trace::kNoEntity, world.orders, 33);
        world.row(4s, EventKind::NodeKilled, world.node, trace::kNoEntity);
        world.row(5s, EventKind::RecordUnobserved, trace::kNoEntity, world.orders);
        const auto changes = world.between(1500ms, 6s);
        std::vector<Change::Kind> kinds;
        for (const Change& change : changes)
            kinds.push_back(change.kind);
        const std::vector<Change::Kind> expected{Change::Kind::Unseen, Change::Kind::Waiters, Change::Kind::Token,
                                                 Change::Kind::ServerLife};
        QVERIFY(std::ranges::includes(kinds, expected));
        QCOMPARE(QByteArray(trace::changeName(Change::Kind::ServerLife)), QByteArray("server"));
        for (const Change& change : changes)
            QVERIFY(trace::sentenceOf(change, *world.trace).endsWith(u'.'));
    }

    /// None is no number that a token could have gone from.
    void aFirstTokenIsNoChangeFromZero() {
        World world;
        world.held(1s, world.a);
        world.row(3s, EventKind::RecordToken, trace::kNoEntity, world.orders, 33);
        world.row(5s, EventKind::RecordToken, trace::kNoEntity, world.orders, 35);
        const auto first = world.between(2s, 4s);
        QCOMPARE(first.size(), std::size_t(1));
        QCOMPARE(trace::sentenceOf(first[0], *world.trace),
                 QStringLiteral("The fencing token of “orders” is 33; none was known before."));
        QCOMPARE(first[0].before, -1);
        const auto next = world.between(4s, 6s);
        QCOMPARE(trace::sentenceOf(next.at(0), *world.trace),
                 QStringLiteral("The fencing token of “orders” went from 33 to 35."));
    }

    /// Nothing that was seen is otherwise, and that is not "nothing changed".
    void whatWasOutOfSightAllTheTimeIsNoPeace() {
        Watched world;
        world.loseSight();
        const auto changes = world.between(5s, 7s);
        QCOMPARE(changes.size(), std::size_t(1));
        QCOMPARE(changes[0].kind, Change::Kind::NotSeen);
        QCOMPARE(QByteArray(trace::changeName(changes[0].kind)), QByteArray("not-seen"));
        QCOMPARE(changes[0].subject, world.node);
        QCOMPARE(changes[0].before, Nanos(5s).count());
        QCOMPARE(changes[0].after, Nanos(7s).count());
        QCOMPARE(trace::changesSeen(changes), std::size_t(0));
        QVERIFY(trace::endsUnseen(changes));
        QCOMPARE(world.sentences(5s, 7s),
                 QStringList(QStringLiteral("shop was not seen from 5.000 s to 7.000 s: what changed there is not "
                                            "known. Why: Connection refused.")));
        QVERIFY(world.between(2s, 3s).empty());
        QVERIFY(world.between(9s, 12s).empty());
    }

    void aGapInBetweenIsTold() {
        Watched world;
        world.loseSight();
        const auto changes = world.between(2s, 9s);
        QCOMPARE(changes.size(), std::size_t(2));
        QCOMPARE(changes[0].kind, Change::Kind::NotSeen);
        QCOMPARE(changes[0].before, Nanos(4s).count());
        QCOMPARE(changes[0].after, Nanos(8s).count());
        QCOMPARE(changes[1].kind, Change::Kind::HandedOver);
        QVERIFY(!trace::endsUnseen(changes)); // both instants were seen
        QCOMPARE(trace::changesSeen(changes), std::size_t(1));
        // Begins in it: the holder was only the last one that was seen.
        const auto later = world.between(5s, 9s);
        QVERIFY(trace::endsUnseen(later));
        QCOMPARE(
            trace::sentenceOf(later.at(1), *world.trace),
            QStringLiteral("“orders” can be seen again: when it was last seen A · 1 held it; now B · 1 holds it."));
    }

    /// An instant at which the server is out of sight has no holders: what was seen last is told as that.
    void anInstantOutOfSightIsNotThePresent() {
        Watched world;
        world.row(2s, EventKind::RecordRenewed, world.a, world.orders, Nanos(40s).count(), 1);
        const auto jobs = world.trace->intern(EntityKind::Lock, "jobs", world.node);
        world.row(3s, EventKind::RecordHeld, world.b, jobs, -1, 1, trace::kSeenToBegin);
        world.row(4s, EventKind::ConnectionLost, world.observer, world.node, 0, world.trace->text("gone"));
        for (const trace::EntityId lock : {world.orders, jobs})
            world.row(4s, EventKind::RecordUnobserved, trace::kNoEntity, lock);
        QStringList told = world.sentences(1500ms, 6s);
        QVERIFY(told.takeFirst().contains(QStringLiteral("what it holds at last is not known")));
        QCOMPARE(told,
                 QStringList({QStringLiteral("“orders” cannot be seen any more: when it was last seen A · 1 held it."),
                              QStringLiteral("“jobs” cannot be seen any more: when it was last seen B · 1 held it.")}));
    }

    /// A search through the whole server had not found it.
    void aLockThatWasSeenToBeginWasFreeBefore() {
        Watched world;
        const auto jobs = world.trace->intern(EntityKind::Lock, "jobs", world.node);
        world.row(3s, EventKind::RecordHeld, world.b, jobs, -1, 1, trace::kSeenToBegin);
        QCOMPARE(world.sentences(2s, 4s), QStringList(QStringLiteral("“jobs” was free, and B · 1 holds it.")));
        // The server was out of sight at the first instant.
        world.loseSight();
        const auto late = world.trace->intern(EntityKind::Lock, "late", world.node);
        world.row(9s, EventKind::RecordHeld, world.b, late, -1, 1, trace::kSeenToBegin);
        QVERIFY(world.sentences(5s, 10s).contains(
            QStringLiteral("“late” is held by B · 1; nothing was known of it before.")));
    }

    void beforeTheFirstLookNothingIsKnown() {
        Watched world;
        const auto changes = world.between(Nanos(0), 2s);
        QCOMPARE(changes.at(0).kind, Change::Kind::NotSeen);
        QCOMPARE(changes.at(0).after, Nanos(1s).count());
        QVERIFY(trace::endsUnseen(changes));
    }

    /// A recording that begins in a gap knows of it.
    void anExcerptBeginsWithTheGap() {
        Watched world;
        world.loseSight();
        world.trace->reach(20s);
        const trace::Excerpt excerpt(world.trace, 5s);
        trace::StateIndex index(excerpt.trace());
        const trace::State earlier = index.at(Nanos(0)), later = index.at(1s);
        const auto changes = trace::differences(*excerpt.trace(), earlier, Nanos(0), later, 1s);
        QCOMPARE(changes.size(), std::size_t(1));
        QCOMPARE(changes[0].kind, Change::Kind::NotSeen);
        QCOMPARE(world.trace->entity(changes[0].first).name, QByteArray("Connection refused."));
    }

    /// Its server shows it only while somebody waits for it.
    void aLockThatShowsNoLongerIsNotFree() {
        Watched world;
        world.now = 3s;
        world.recorder.emit(EventKind::RecordUnobserved, world.a, world.orders, 0, 0, trace::kNoLongerShown);
        QCOMPARE(
            world.sentences(2s, 5s),
            QStringList(QStringLiteral("“orders” shows no longer, as nobody waits for it: it may be held still.")));
        QVERIFY(world.between(4s, 5s).empty());
    }

    /// An ensemble's members that went and came back are as they were; the others, and who leads, are told.
    void newsOfMembersAreTold() {
        Watched world;
        const auto told = [&](Nanos at, QByteArrayView what, const char* member) {
            world.row(at, EventKind::ServerTold, world.node, trace::kNoEntity, 0,
                      world.trace->text(trace::serverTold(what, member)));
        };
        told(2s, trace::kMemberAway, "zk-1:2181");
        told(3s, trace::kMemberLeads, "zk-2:2181");
        told(4s, trace::kMemberLeads, "zk-3:2181");
        told(5s, trace::kMemberAway, "zk-4:2181");
        told(6s, trace::kMemberBack, "zk-4:2181");
        QCOMPARE(world.sentences(1500ms, 7s),
                 (QStringList{QStringLiteral("At 2.000 s, shop: zk-1:2181 does not answer any more."),
                              QStringLiteral("At 4.000 s, shop: zk-3:2181 leads now.")}));
        QVERIFY(world.between(6500ms, 7s).empty());
    }

    /// Several servers are watched as one: the one that failed over, or restarted, is told by its own address.
    void eventsOfSeveralServersNameTheServer() {
        Watched world;
        const auto told = [&](Nanos at, QByteArrayView what, const char* text) {
            world.row(at, EventKind::ServerTold, world.node, trace::kNoEntity, 0,
                      world.trace->text(trace::serverTold(what, text)));
        };
        const auto observer = world.observer;
        told(2s, trace::kTookOver, "redis-5:1 redis-3:1");
        world.row(2s, EventKind::ConnectionLost, observer, world.node, 0, world.trace->text("server-failed-over"));
        world.row(2s, EventKind::ConnectionRestored, observer, world.node);
        told(4s, trace::kMemberRestarted, "redis-1:1");
        world.row(4s, EventKind::NodeKilled, world.node, trace::kNoEntity, 0, 0, trace::kSeenRestart);
        world.row(4s, EventKind::NodeStarted, world.node, trace::kNoEntity);
        told(5s, trace::kSlotsMoved, "redis-5:1 redis-1:1 448");
        world.row(7s, EventKind::ConnectionLost, observer, world.node, 0, world.trace->text("server-emptied"));
        world.row(7s, EventKind::ConnectionRestored, observer, world.node);
        QStringList all = world.sentences(1500ms, 8s);
        all.sort();
        QCOMPARE(all, (QStringList{QStringLiteral("At 2.000 s, shop: redis-5:1 took the place of redis-3:1."),
                                   QStringLiteral("At 4.000 s, shop: redis-1:1 was started again."),
                                   QStringLiteral("At 5.000 s, shop: slots 448 went from redis-1:1 to redis-5:1."),
                                   QStringLiteral("At 7.000 s, shop: all keys were deleted.")}));
    }

    void copiesOfALogicalLockAreLeftOut() {
        World world;
        const auto copy = world.trace->intern(EntityKind::Lock, "orders", world.node, world.orders);
        world.row(1s, EventKind::RecordHeld, world.a, copy, -1, 1);
        QVERIFY(world.between(Nanos(0), 2s).empty());
    }
};

QTEST_GUILESS_MAIN(TestStateDifference)
#include "tst_state_difference.moc"
