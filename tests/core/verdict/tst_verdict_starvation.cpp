// SPDX-License-Identifier: Apache-2.0
// A waiter that readers pass again and again is told of; no invariant is broken.
#include "hand_written.h"

using namespace lockscope;
using namespace lockscope::verdict;
using trace::HoldMode;

namespace {

/// Readers A and B share the lock in turns, so that one of them holds it all the time: A from 1 s, B from 1.5 s, each
/// for a second.
struct Turns : HandWritten {
    Bounds bounds{.progress = 5s};

    Turns() { started(); }
    void gets(int ms, EntityId reader) {
        add(ms, Kind::GrantedAs, reader, lock, std::int64_t(HoldMode::Shared), 1);
        granted(ms, reader);
        last = reader;
    }
    void comes(int ms, EntityId reader) {
        request(ms - 10, reader);
        gets(ms, reader);
    }
    EntityId other() const { return last == a ? b : a; }
    /// The reader that has it, or A, then the other one, and so on: each comes before the one before it goes.
    void turns(int from, int to) {
        if (last == trace::kNoEntity) comes(from, a);
        for (int at = from + 500; at < to; at += 500) {
            const EntityId before = last;
            comes(at, other());
            released(at + 100, before);
        }
    }
    std::vector<Starved> starved(bool finished = false) const { return judge(bounds, finished).starved; }
    EntityId last = trace::kNoEntity;
};

} // namespace

class TestVerdictStarvation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aWriterThatNeverFindsTheLockFreeStarves() {
        Turns w;
        w.request(900, w.c); // before all of them
        w.turns(1000, 20'000);
        w.trace->reach(20s);
        const auto found = w.starved(true);
        QCOMPARE(found.size(), 1u);
        QCOMPARE(found.front().thread, w.c);
        QCOMPARE(found.front().lock, w.lock);
        QCOMPARE(found.front().asked, ms(900));
        QCOMPARE(found.front().from, ms(6500)); // the first grant more than the bound after the first reader came
        QCOMPARE(found.front().to, Nanos(20s));
        QVERIFY(found.front().overtaken > 30);
        // Nothing is violated by it.
        const Verdict verdict = w.judge(w.bounds, true);
        QVERIFY(verdict.violations.empty());
        QCOMPARE(verdict.outcomes[std::size_t(Invariant::Progress)], Outcome::Holds);
        QVERIFY(!verdict.starvesAt(6s) && verdict.starvesAt(7s) && verdict.starvesAt(20s));
        QVERIFY(verdict.asOf(6s).starved.empty());
        QCOMPARE(verdict.asOf(10s).starved.front().to, Nanos(10s));
        QCOMPARE(headline(found.front(), *w.trace, 10s),
                 u"C starves: it has waited 9.1 s for orders, while others got it"_qs);
        const QString told = explain(found.front(), *w.trace);
        QVERIFY2(told.startsWith(u"C asked for orders at 0.900 s and waited for 19.1 s: it never found it free."_qs),
                 qPrintable(told));
    }

    void whileItGoesOnItHasNoEnd() {
        Turns w;
        w.request(900, w.c);
        w.turns(1000, 9000);
        QCOMPARE(w.starved().size(), 1u);
        QCOMPARE(w.starved().front().to, kNever);
        w.released(9200, w.last);
        w.granted(9300, w.c);
        QCOMPARE(w.starved().size(), 1u);
        QCOMPARE(w.starved().front().to, ms(9300));
    }

    void aLockThatWasFreeMeanwhileStarvesNobody() {
        Turns w;
        w.request(900, w.c);
        w.turns(1000, 5000);
        w.released(5200, w.last); // and is free for a while: C may have it
        w.comes(5800, w.a);
        w.turns(5800, 9000);
        QVERIFY(w.starved().empty());
    }

    /// From the last reader to the next one, whose grant is still on its way to it.
    void aHandOverIsNoGap() {
        Turns w;
        w.bounds.roundTrip = 1ms;
        w.request(900, w.c);
        w.turns(1000, 5000);
        const trace::EntityId before = w.last, next = w.other();
        w.request(5190, next);
        w.released(5200, before);
        w.gets(5201, next);
        w.turns(5201, 9000);
        QCOMPARE(w.starved().size(), 1u);
    }

    void readersThatAskedBeforeItTakeNothingFromIt() {
        Turns w;
        w.comes(1000, w.a);
        w.request(1500, w.b);
        w.request(1600, w.c);
        w.add(1700, HandWritten::Kind::GrantedAs, w.b, w.lock, std::int64_t(HoldMode::Shared), 1);
        w.granted(1700, w.b);
        w.trace->reach(20s);
        QVERIFY(w.starved().empty()); // two hold it for long, and nobody has come in since
    }

    void holdersThatAreAloneTakeTurnsAsTheyMay() {
        Turns w;
        w.request(900, w.c);
        for (int at = 1000; at < 20'000; at += 1000) {
            w.take(at, at % 2000 ? w.a : w.b, at + 5000);
            w.give(at + 950, at % 2000 ? w.a : w.b);
        }
        QVERIFY(w.starved().empty());
    }

    void aWaiterThatWasAwaySaysNothing() {
        Turns w;
        w.request(900, w.c);
        w.add(950, HandWritten::Kind::ClientPaused, w.clientC);
        w.turns(1000, 20'000);
        QVERIFY(w.starved().empty());
    }

    void aWaiterThatGivesUpBeginsAnew() {
        Turns w;
        w.request(900, w.c);
        w.turns(1000, 2000);
        w.add(2300, HandWritten::Kind::TimedOut, w.c, w.lock); // it gives up, and asks anew
        w.request(2400, w.c);
        w.turns(2000, 6000);
        QVERIFY(w.starved().empty()); // since then it has not waited for so long
    }
};

QTEST_APPLESS_MAIN(TestVerdictStarvation)
#include "tst_verdict_starvation.moc"
