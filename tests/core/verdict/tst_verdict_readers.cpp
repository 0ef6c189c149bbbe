// SPDX-License-Identifier: Apache-2.0
// Verdicts on readers when the record names each of them, and on a lock that several servers keep.
#include "hand_written.h"
#include "verdict/chronicle.h"

using namespace lockscope;
using namespace lockscope::verdict;
using trace::HoldMode;

namespace {

struct Readers : HandWritten {
    static constexpr auto kShared = std::uint8_t(HoldMode::Shared);

    /// The record first, then the reader's own belief.
    void reads(int ms, EntityId thread, int deadline) {
        request(ms, thread);
        add(ms, Kind::GrantedAs, thread, lock, std::int64_t(HoldMode::Shared), 1);
        if (!m_owned) add(ms, Kind::RecordHeld, thread, lock, ns(deadline), 1, kShared);
        m_owned = true;
        if (named) add(ms, Kind::RecordHolder, thread, lock, ns(deadline), 1, kShared);
        granted(ms, thread);
    }
    void goes(int ms, EntityId thread, FreedBy why) {
        add(ms, Kind::RecordHolderGone, 0, lock, 0, thread, trace::goneFlags(why, HoldMode::Shared));
    }
    bool named = true;

private:
    bool m_owned = false;
};

Outcome staleWrite(const Readers& w) {
    return w.judge().outcomes[std::size_t(Invariant::StaleWrite)];
}

} // namespace

class TestVerdictReaders : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aReaderThatTheRecordNamesMayWrite() {
        Readers w;
        w.started();
        w.reads(1000, w.a, 9000);
        w.reads(1100, w.b, 9000);
        w.write(2000, w.b);
        QCOMPARE(staleWrite(w), Outcome::Holds);
    }

    /// A request that was done twice is told where the reader learns of it, and not when it becomes the named owner.
    void aReaderThatBecomesTheOwnerKeepsItsCount() {
        Readers w;
        w.started();
        w.reads(1000, w.a, 9000);
        w.reads(1100, w.b, 9000);
        w.add(1101, HandWritten::Kind::RecordHolder, w.b, w.lock, w.ns(9000), 2, Readers::kShared);
        w.goes(2000, w.a, HandWritten::FreedBy::Release);
        w.add(2000, HandWritten::Kind::RecordHeld, w.b, w.lock, w.ns(9000), 2, Readers::kShared);
        QCOMPARE(w.violations(Invariant::Reentrancy).size(), 0u);
        w.released(3000, w.b, 1);
        QCOMPARE(w.violations(Invariant::Reentrancy).size(), 1u);
        w.add(3500, HandWritten::Kind::RecordHeld, w.c, w.lock, w.ns(9000), 3, Readers::kShared);
        QCOMPARE(w.violations(Invariant::Reentrancy).size(), 1u); // of a client that never asked
    }

    /// Holders of a lock that is shared are told one by one, and any of them may go first.
    void holdersAreNamedByTheRecord() {
        Readers w;
        w.started();
        w.reads(1000, w.a, 9000);
        w.reads(1100, w.b, 9000);
        const auto holders = [&] { return holdersAfter(w.trace->size(), w.lock, *w.trace); };
        QCOMPARE(holders(), (std::set{w.a, w.b}));
        w.goes(2000, w.a, HandWritten::FreedBy::Release);
        QCOMPARE(holders(), std::set{w.b});
        w.add(2000, HandWritten::Kind::RecordHeld, w.b, w.lock, w.ns(9000), 1, Readers::kShared);
        QCOMPARE(holders(), std::set{w.b});
        w.goes(2500, w.b, HandWritten::FreedBy::Release);
        w.add(2500, HandWritten::Kind::RecordFreed, w.b, w.lock, 0, w.b, std::uint8_t(HandWritten::FreedBy::Release));
        QCOMPARE(holders(), std::set<trace::EntityId>());
        w.take(3000, w.c, 9000);
        QCOMPARE(holders(), std::set{w.c});
    }

    /// A waiter's place is later by its slow links, whichever of the lock's servers they lead to.
    void aSlowLinkToOneOfSeveralServersDelaysAPlace() {
        for (const bool slow : {false, true}) {
            HandWritten w;
            w.started();
            w.lock = w.trace->intern(trace::EntityKind::Lock, "jobs"); // kept by several servers
            if (slow) w.add(500, HandWritten::Kind::LinkDelayed, 0, w.linkB, HandWritten::ns(400));
            w.take(600, w.a, 9000);
            w.request(1000, w.b);
            w.request(2500, w.c);
            w.give(3000, w.a);
            w.granted(3100, w.c);
            w.give(4000, w.c);
            w.granted(4100, w.b);
            QCOMPARE(w.violations(Invariant::Fifo, {.fair = true}).size(), slow ? 0u : 1u);
        }
    }

    void withoutNamesNobodyKnows() {
        Readers w;
        w.named = false;
        w.started();
        w.reads(1000, w.a, 9000);
        w.reads(1100, w.b, 9000);
        w.write(2000, w.b);
        QCOMPARE(staleWrite(w), Outcome::Unknown);
    }

    void aReaderWhoseHoldIsGoneWritesWithoutIt() {
        Readers w;
        w.started();
        w.reads(1000, w.a, 9000);
        w.reads(1100, w.b, 1900);
        w.goes(1900, w.b, HandWritten::FreedBy::Expiry);
        w.write(2000, w.b);
        const auto found = w.violations(Invariant::StaleWrite);
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found.front().actors.front(), w.b);
        const Chronicle story = chronicleOf(w.b, w.lock, found.front().row, kNever, *w.trace);
        QCOMPARE(story.recordEnded, std::optional<Nanos>(ms(1900)));
        QCOMPARE(story.freedBy, trace::FreedBy::Expiry);
    }

    void moreReadersThanAreNamedLeaveItOpen() {
        Readers w;
        w.started();
        w.reads(1000, w.a, 9000);
        w.reads(1100, w.b, 1900);
        w.add(1100, HandWritten::Kind::RecordHolders, 0, w.lock, 200);
        w.goes(1900, w.b, HandWritten::FreedBy::Expiry);
        w.write(2000, w.b);
        QCOMPARE(staleWrite(w), Outcome::Unknown);
    }

    void aHandOverAmongReadersIsNobodysOffence() {
        Readers w;
        w.started();
        w.reads(1000, w.a, 9000);
        w.reads(1100, w.b, 9000);
        w.add(2000, HandWritten::Kind::ReleaseSent, w.a, w.lock);
        w.add(2000, HandWritten::Kind::RecordHolderGone, w.a, w.lock, 0, w.a,
              trace::goneFlags(trace::FreedBy::Release, HoldMode::Shared));
        w.add(2000, HandWritten::Kind::RecordHeld, w.b, w.lock, HandWritten::ns(9000), 1, Readers::kShared);
        w.released(2000, w.a);
        w.write(2500, w.b);
        const Verdict verdict = w.judge();
        for (const Violation& v : verdict.violations)
            QFAIL(qPrintable(explain(v, *w.trace)));
        QCOMPARE(ownerAfter(w.trace->size() - 1, w.lock, *w.trace), w.b);
    }

    void aBeliefLastsUntilTheLastOfItsHoldsIsReleased() {
        HandWritten w;
        w.started();
        w.take(1000, w.a, 9000);
        w.granted(1100, w.a, 0, 2);
        w.add(1200, HandWritten::Kind::ReleaseSent, w.a, w.lock);
        w.released(1210, w.a, 1);
        w.freed(1300, HandWritten::FreedBy::Force, 0, w.a);
        const Chronicle between = chronicleOf(w.a, w.lock, w.trace->size(), kNever, *w.trace);
        QVERIFY(!between.beliefEnded);
        w.add(1400, HandWritten::Kind::ReleaseSent, w.a, w.lock);
        const Chronicle after = chronicleOf(w.a, w.lock, w.trace->size(), kNever, *w.trace);
        QCOMPARE(after.beliefEnded, std::optional<Nanos>(ms(1400)));
        QCOMPARE(after.beliefEndedBy, trace::EventKind::ReleaseSent);
    }

    // Its own deadline passes while it sleeps, after the pause that explains the end of its record.
    void aSleeperDoesNotEndByItsDeadline() {
        HandWritten w;
        w.started();
        w.take(1000, w.a, 3000);
        w.add(1000, HandWritten::Kind::BelievedUntil, w.a, w.lock, HandWritten::ns(5000));
        w.add(1500, HandWritten::Kind::ClientPaused, w.clientA);
        w.freed(3000, HandWritten::FreedBy::Expiry, 0, w.a);
        w.add(4000, HandWritten::Kind::ClientResumed, w.clientA);
        w.add(4500, HandWritten::Kind::ClientPaused, w.clientA);
        w.add(8000, HandWritten::Kind::ClientResumed, w.clientA);
        w.add(8100, HandWritten::Kind::Lost, w.a, w.lock);
        const Chronicle story = chronicleOf(w.a, w.lock, w.trace->size() - 1, kNever, *w.trace);
        QCOMPARE(story.beliefEnded, std::optional<Nanos>(ms(8100)));
        QCOMPARE(story.beliefEndedBy, trace::EventKind::Lost);
    }

    // A copy that is freed by somebody else, while the lock as a whole is held, is no violation of the lock.
    void aCopyOnOneServerIsNoLockOfItsOwn() {
        HandWritten w;
        w.started();
        const auto two = w.trace->intern(trace::EntityKind::Node, "redis-2");
        const auto copy = w.trace->intern(trace::EntityKind::Lock, "orders", two, w.lock);
        w.take(1000, w.a, 9000);
        w.add(1000, HandWritten::Kind::RecordHeld, w.a, copy, HandWritten::ns(9000), 1);
        w.add(1500, HandWritten::Kind::RecordFreed, w.b, copy, 0, w.a, std::uint8_t(trace::FreedBy::Release));
        w.add(1500, HandWritten::Kind::RecordHeld, w.b, copy, HandWritten::ns(9000), 3);
        w.write(2000, w.a);
        const Verdict verdict = w.judge();
        QVERIFY(verdict.violations.empty());
        QCOMPARE(verdict.outcomes[std::size_t(Invariant::Ownership)], Outcome::Holds);
        QCOMPARE(verdict.outcomes[std::size_t(Invariant::StaleWrite)], Outcome::Holds);
    }
};

QTEST_APPLESS_MAIN(TestVerdictReaders)
#include "tst_verdict_readers.moc"
