// SPDX-License-Identifier: Apache-2.0
#include "report.h"
#include "server_stories.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::torture;

namespace {

const Case::Who kA{kOne}, kB{kOther}, kB2{kOther, 2}, kB3{kOther, 3};

/// A hold of one client from one instant to another.
void holds(Case& story, const Case::Who& who, int from, int to) {
    story.believes(who, from, EventKind::Granted).believes(who, to, EventKind::ReleaseSent);
}
/// A lease until 1210 ms, of one that stands still until 1800 ms and finds out then.
Case& sleeps(Case& story, trace::EntityId lock = 0) {
    const Case::Who who{kOne, 1, lock};
    story.believes(who, 10, EventKind::Granted).believes(who, 10, EventKind::BelievedUntil, ns(1210));
    return story.stopped(100, 1800).believes(who, 1801, EventKind::Lost);
}
Ruling ruled(const Case& story) {
    return story.ruled(Testimony::Kind::RedisKeys, {});
}
bool blamed(const Ruling& ruling, const char* what = "mutual-exclusion:") {
    return !ruling.complaints.filter(QLatin1String(what)).isEmpty();
}
bool excused(const Ruling& ruling, std::size_t lock = 0) {
    return !blamed(ruling) && ruling.pausedBeliefs[lock] > 0;
}

} // namespace

/// A stopped client may believe in a lost hold for a while; no other violation may hide behind that.
class TestRulings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whoWasStoppedBelievesOn() {
        Case story;
        sleeps(story);
        holds(story, kB, 1300, 1700);
        const Ruling ruling = ruled(story);
        QVERIFY2(excused(ruling), qPrintable(ruling.complaints.join(u'\n')));
        QCOMPARE(ruling.allPausedBeliefs(), 1);
    }
    void aGrantAfterTheStopIsNoOldBelief() {
        Case story;
        story.stopped(0, 1300);
        holds(story, kB, 1400, 1600);
        holds(story, kA, 1500, 1600);
        const Ruling ruling = ruled(story);
        QVERIFY(blamed(ruling));
        QCOMPARE(ruling.allPausedBeliefs(), 0);
    }
    void aLeaseLastsWhileItsHolderIsStopped() {
        Case story;
        sleeps(story);
        holds(story, kB, 1000, 1700);
        QVERIFY(blamed(ruled(story)));
    }
    void soDoesASession() {
        for (const int other : {1000, 1300}) {
            Case story;
            story.subject.recipe.heldBy = recipes::HeldBy::Session;
            sleeps(story);
            holds(story, kB, other, 1700);
            QCOMPARE(blamed(ruled(story)), other < 1210);
        }
    }
    void whoGoesOnLearnsOfItSoon() {
        Case story;
        story.believes(10, EventKind::Granted).stopped(100, 1800).believes(2900, EventKind::Lost);
        holds(story, kB, 1300, 1700);
        QVERIFY(blamed(ruled(story)));
    }
    void aShortStopIsNoExcuse() {
        Case story;
        story.believes(10, EventKind::Granted).stopped(100, 400).believes(401, EventKind::Lost);
        holds(story, kB, 200, 300);
        QVERIFY(blamed(ruled(story)));
    }
    void whatConnectionsHoldEndsWithTheServer() {
        const auto judged = [](int death, int granted) {
            Case story;
            story.subject.recipe.heldBy = recipes::HeldBy::Connection;
            if (death > 0) story.chronicle.server.push_back({Nanos(ns(death)), EventKind::NodeKilled});
            story.believes(10, EventKind::Requested).believes(granted, EventKind::Granted);
            story.stopped(100, 700).believes(750, EventKind::Lost);
            holds(story, kB, 500, 740);
            return ruled(story);
        };
        QVERIFY(excused(judged(300, 20)));
        QVERIFY(blamed(judged(0, 20)));
        QVERIFY(blamed(judged(600, 20)));   // both of one server
        QVERIFY(excused(judged(300, 705))); // it was told of it late
    }
    void twoWritersBesideAStoppedReader() {
        const auto judged = [](bool another) {
            Case story;
            story.subject.recipe.shared = true;
            story.believes(kA, 10, EventKind::GrantedAs, 1);
            sleeps(story);
            holds(story, kB, 1300, 1700);
            if (another) holds(story, kB2, 1400, 1600);
            return ruled(story);
        };
        QVERIFY(excused(judged(false)));
        QVERIFY(blamed(judged(true)));
    }
    void morePermitsThanThereAreBesideAStoppedOne() {
        const auto judged = [](bool another) {
            Case story;
            story.subject.recipe.permits = true;
            story.believes({kOne, 0}, 0, EventKind::LockCapacity, 2).believes(kA, 10, EventKind::GrantedAs, 2);
            sleeps(story);
            for (const Case::Who& who : {kB, kB2, kB3}) {
                if (who.thread == 3 && !another) continue;
                story.believes(who, 1300, EventKind::GrantedAs, 2);
                holds(story, who, 1300, 1700);
            }
            return ruled(story);
        };
        QVERIFY(excused(judged(false)));
        QVERIFY(blamed(judged(true)));
    }

    void aBeliefExcusesItsOwnLockOnly() {
        for (const std::size_t lock : {0u, 1u}) {
            Case story;
            sleeps(story, 1);
            holds(story, {kOther, 1, 1}, 1300, 1700);
            Entry entry;
            entry.what = Entry::What::Increment;
            entry.event.subject = trace::EntityId(lock);
            story.writes(kOther, entry).writes(kOther, entry);
            entry.what = Entry::What::Defect;
            entry.text = "a writer wrote while a reader held the lock";
            story.writes(kOther, entry);
            story.chronicle.counters.resize(kLocks);
            story.chronicle.counters[lock] = 1;
            const Ruling ruling = ruled(story);
            QVERIFY(excused(ruling, 1));
            QCOMPARE(blamed(ruling, "the counter of lock"), lock == 0);
            QCOMPARE(blamed(ruling, "while a reader held"), lock == 0);
        }
    }

    void aPlaceCountsFromWhenTheServerMadeIt_data() {
        QTest::addColumn<int>("queued");  ///< the one who asked first
        QTest::addColumn<int>("endedAt"); ///< and whose session ended then; 0: it did not
        QTest::addColumn<int>("queuedAnew");
        QTest::addColumn<bool>("wrong");
        QTest::newRow("at once") << 20 << 0 << 0 << true;
        QTest::newRow("late") << 2500 << 0 << 0 << false;
        QTest::newRow("lost and made anew") << 20 << 2000 << 2500 << false;
        QTest::newRow("lost and made anew before the other came") << 20 << 100 << 150 << true;
    }
    /// A client that asked first but got its place later waits for the other: no order is broken by that.
    void aPlaceCountsFromWhenTheServerMadeIt() {
        QFETCH(int, queued);
        QFETCH(int, endedAt);
        QFETCH(int, queuedAnew);
        QFETCH(bool, wrong);
        const QByteArray queue = "/torture-0/_c_", ours = "lockscope:" + kOne + ":1",
                         theirs = "lockscope:" + kOther + ":1";
        Case story;
        story.subject.recipe = *recipes::findRecipe("zk-mutex");
        story.believes(10, EventKind::Requested, -1).believes(kB, 1010, EventKind::Requested, -1);
        story.believes(kB, 4000, EventKind::Granted).believes(kB, 4100, EventKind::ReleaseSent);
        story.believes(4200, EventKind::Granted).believes(4300, EventKind::ReleaseSent);
        ZooKeeperLog log;
        if (queued < 1020) log.at(queued).create(1, queue + "a-lock-0000000001", ours);
        if (endedAt > 0 && endedAt < 1020) log.at(endedAt).close(1);
        if (queuedAnew > 0 && queuedAnew < 1020) log.at(queuedAnew).create(3, queue + "c-lock-0000000003", ours);
        log.at(1020).create(2, queue + "b-lock-0000000002", theirs);
        if (queued > 1020) log.at(queued).create(1, queue + "a-lock-0000000003", ours);
        if (endedAt > 1020) log.at(endedAt).close(1);
        if (queuedAnew > 1020) log.at(queuedAnew).create(3, queue + "c-lock-0000000003", ours);
        QCOMPARE(blamed(story.ruled(Testimony::Kind::ZooKeeper, {log.file}), "fifo:"), wrong);
    }
    void aJournalThatCannotBeReadIsSaidToBe() {
        QVERIFY(blamed(ruled(Case().appends("x\n")), "not a line of a journal: x"));
        QVERIFY(!blamed(ruled(Case().appends("E 1")), "journal")); // killed while it wrote
        Case absent;
        absent.chronicle.lives[0].journal += QStringLiteral("-never-begun");
        QVERIFY(!blamed(ruled(absent), "never-begun"));
    }

    void whoWasNeverPutToTheTestHasNotStoodIt() {
        const auto well = [](const char* recipe, int grants, bool tokens, Nanos length, bool bothKinds = true) {
            Case story;
            story.subject.recipe = *recipes::findRecipe(recipe);
            story.subject.id = QString::fromLatin1(recipe);
            story.plan.gentle = length;
            for (int i = 1; i <= grants; ++i) {
                const Case::Who who{bothKinds && i % 2 ? kOther : kOne};
                story.believes(who, i * 10, EventKind::Granted, tokens ? i : 0);
                story.believes(who, i * 10 + 5, EventKind::ReleaseSent);
            }
            Said said = taken(kOne, 0);
            said.script(kOne, 5, "hincrby torture-0 " + kOne + ":1 -1").inScript(5, "del torture-0");
            const Ruling ruling = story.ruled(Testimony::Kind::RedisKeys, {said.text});
            return ruling.complaints.isEmpty() && Report().add(story.subject, story.plan, ruling);
        };
        QVERIFY(well("redis-fenced", 12, true, 3s));
        QVERIFY(!well("redis-fenced", 12, true, 3s, false)); // none by threads that block
        QVERIFY(!well("redis-fenced", 12, false, 3s));
        QVERIFY(!well("redis-fenced", 60, true, 3s)); // so many, and nobody took it again
        QVERIFY(well("redis-fair", 12, true, 3s));
        QVERIFY(!well("redis-fair", 12, true, 30s));
    }
};

QTEST_GUILESS_MAIN(TestRulings)
#include "tst_rulings.moc"
