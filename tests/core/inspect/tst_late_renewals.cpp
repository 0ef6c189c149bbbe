// SPDX-License-Identifier: Apache-2.0
#include "alert_reports.h"
#include "inspect/trace_feed.h"
#include "trace/recorder.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::test;
using What = LateRenewal::What;

namespace {

/// "missed orders", "stopped orders".
QString told(const std::vector<LateRenewal>& all) {
    QStringList words;
    for (const LateRenewal& late : all)
        words << (late.what == What::Missed ? QStringLiteral("missed ") : QStringLiteral("stopped ")) +
                     QString::fromUtf8(late.lock);
    return words.join(QStringLiteral("; "));
}

/// A lock with a lease of 30 s that A renews, as looks see it that take no time.
struct Renewed {
    AlertWatch watch{{}};
    LockRow row = held("orders", "A");
    Nanos ends{};
    void renewAt(Nanos at) { ends = at + 30s; }
    QString look(Nanos at) {
        row.ends = EndsWithin{ends / 1ms, ends / 1ms + 2};
        row.ttlMs = std::max<std::int64_t>((ends - at) / 1ms, 0);
        return told(watch.observe(report(at, {row})));
    }
    /// Renewed at 0, 10, 20 and 30 s, and seen at once.
    void learn() {
        for (Nanos at = 0s; at <= 30s; at += 10s) {
            renewAt(at);
            QCOMPARE(look(at + 1ms), QString());
        }
    }
};

} // namespace

/// Renewals that do not come, told as events.
class TestLateRenewals : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aHolderBehindItsOwnPaceIsLate() {
        AlertWatch watch = watching("renewal-late>2s");
        LockRow row = held("orders", "A");
        const auto endsAt = [&row](std::int64_t ms) { row.ends = EndsWithin{ms, ms + 2}; };
        // A lease of 30 s, renewed every 10 s: at 0, 10 and 20 s; seen by looks that come late by different times.
        endsAt(30'000);
        watch.observe(report(1s, {row}));
        endsAt(40'000);
        watch.observe(report(11s, {row}));
        watch.observe(report(29s, {row}));
        QCOMPARE(told(watch.check(29s)), QString()); // one renewal is no pace
        endsAt(50'000);
        watch.observe(report(30s, {row}));
        watch.observe(report(42s, {row}));
        QCOMPARE(told(watch.check(42s)), QString()); // 12.002 s may pass
        QCOMPARE(told(watch.check(60s)), QString()); // a renewal after the last look would not be known
        row.ttlMs = 7'000;
        watch.observe(report(43s, {row}));
        const auto raised = watch.check(43s);
        QCOMPARE(told(raised), u"renewal-late>2s orders"_qs);
        QVERIFY2(raised.front().sentence.contains(u"every 10.0 s") &&
                     raised.front().sentence.contains(u"late by 2.9 s") &&
                     raised.front().sentence.contains(u"7.0 s of its lease"),
                 qPrintable(raised.front().sentence));
        endsAt(60'000);
        watch.observe(report(44s, {row}));
        QCOMPARE(told(watch.check(44s)), u"over renewal-late>2s orders"_qs);
        // The next holder has a pace of its own.
        row.holders.front().client = "B";
        watch.observe(report(45s, {row}));
        watch.observe(report(80s, {row}));
        QCOMPARE(told(watch.check(80s)), QString());
    }

    void oneThatIsMissingIsToldOnceAndTheNextOneEndsThat() {
        Renewed lock;
        lock.learn();
        QCOMPARE(lock.look(40s), QString());
        QCOMPARE(lock.look(40'900ms), QString()); // a timer may be late
        QCOMPARE(lock.look(41'100ms), u"missed orders"_qs);
        QCOMPARE(lock.look(45s), QString());
        lock.renewAt(46s);
        QCOMPARE(lock.look(46'001ms), QString());
        QCOMPARE(lock.look(57s), QString()); // 16 s is its longest time by now, and 6 s is how much they differ
        QCOMPARE(lock.look(69s), u"missed orders"_qs);
    }

    /// Another server took over: its clock is another one, so its first answers measure no end that can be compared.
    void oneThatAnotherServerTellsOfIsNotMissing() {
        Renewed lock;
        lock.learn();
        const auto lookWithoutEnds = [&lock](Nanos at) {
            lock.row.ends.reset();
            lock.row.ttlMs = (lock.ends - at) / 1ms;
            return told(lock.watch.observe(report(at, {lock.row})));
        };
        QCOMPARE(lookWithoutEnds(38s), QString());
        lock.renewAt(39s);
        QCOMPARE(lock.look(39'001ms), QString());
        QCOMPARE(lock.look(45s), QString()); // 41 s were due by the renewal at 30 s
        QCOMPARE(lock.look(50'200ms), u"missed orders"_qs);
        // Unlike a renewal, a clock that differs a little moves the end a little.
        lock.renewAt(51s);
        QCOMPARE(lock.look(51'001ms), QString());
        lock.ends += 300ms;
        QCOMPARE(lookWithoutEnds(60s), QString());
        QCOMPARE(lookWithoutEnds(75s), u"missed orders"_qs);
    }

    void twoThatAreMissingAreTheEnd() {
        Renewed lock;
        lock.learn();
        QCOMPARE(lock.look(42s), u"missed orders"_qs);
        lock.row.holders.front().connected = true;
        lock.row.ends = EndsWithin{60'000, 60'002};
        lock.row.ttlMs = 9'000;
        const auto late = lock.watch.observe(report(51'100ms, {lock.row}));
        QCOMPARE(told(late), u"stopped orders"_qs);
        QCOMPARE(late.front().why, trace::RenewalsEnd::ClientConnected);
        QCOMPARE(late.front().last, Nanos(30'001ms));
        QVERIFY(late.front().pace >= 10s && late.front().pace < 10'010ms);
        QCOMPARE(lock.look(55s), QString());
        QCOMPARE(told(lock.watch.observe(report(61s, {}))), QString()); // that was told
    }

    void aLeaseThatEndsBeforeTheSecondOneIsDueIsTheEnd() {
        Renewed lock;
        for (Nanos at = 0s; at <= 60s; at += 20s) {
            lock.renewAt(at);
            QCOMPARE(lock.look(at + 1ms), QString());
        }
        QCOMPARE(lock.look(82s), u"missed orders"_qs);
        QCOMPARE(told(lock.watch.observe(report(91s, {}))), u"stopped orders"_qs);
    }

    void aReleaseIsNone() {
        Renewed lock;
        lock.learn();
        QCOMPARE(lock.look(42s), u"missed orders"_qs);
        QCOMPARE(told(lock.watch.observe(report(45s, {}))), QString());
        QCOMPARE(told(lock.watch.observe(report(90s, {}))), QString());
    }

    void theNextHolderHasAPaceOfItsOwn() {
        Renewed lock;
        lock.learn();
        lock.row.holders.front().client = "B";
        lock.renewAt(35s);
        QCOMPARE(lock.look(35'001ms), QString());
        QCOMPARE(lock.look(64s), QString());
    }

    void whatWasNotSeenIsNotMissing() {
        Renewed lock;
        lock.learn();
        LockReport away = report(31s, {});
        away.trouble.emplace();
        QCOMPARE(told(lock.watch.observe(away)), QString());
        lock.renewAt(70s); // three renewals, and nobody saw the first two
        QCOMPARE(lock.look(75s), QString());
        QCOMPARE(lock.look(80s), QString());
        QCOMPARE(lock.look(87s), u"missed orders"_qs); // by the pace of before, since the look that saw the last one
    }

    /// A client that could not reach the server either is not late: it renews at its next turn.
    void theServersOwnGapIsTakenOff() {
        Renewed lock;
        lock.watch.setRules({*parseAlertRule(u"renewal-late>1s"_qs)});
        lock.learn();
        LockReport away = report(38s, {});
        away.trouble.emplace();
        QCOMPARE(told(lock.watch.observe(away)), QString());
        QCOMPARE(lock.look(45s), QString()); // one was due at 40 s
        QCOMPARE(told(lock.watch.check(45s)), QString());
        QCOMPARE(lock.look(55s), QString());
        QCOMPARE(told(lock.watch.check(55s)), QString());
        QCOMPARE(lock.look(57s), u"missed orders"_qs); // the client had its turn since
        QCOMPARE(told(lock.watch.check(57s)), u"renewal-late>1s orders"_qs);
    }

    void oneThatWasLateBeforeTheGapIsLate() {
        Renewed lock;
        lock.learn();
        QCOMPARE(lock.look(42s), u"missed orders"_qs);
        LockReport away = report(43s, {});
        away.trouble.emplace();
        QCOMPARE(told(lock.watch.observe(away)), QString());
        QCOMPARE(lock.look(52s), u"stopped orders"_qs);
    }

    void aLongLookKnowsWhatWasBeforeIt() {
        Renewed lock;
        lock.learn();
        lock.row.ends = EndsWithin{60'000, 60'002};
        LockReport slow = report(55s, {lock.row});
        slow.began = 35s; // the lock may have been read first
        QCOMPARE(told(lock.watch.observe(slow)), QString());
        slow.at = 70s;
        slow.began = 50s;
        QCOMPARE(told(lock.watch.observe(slow)), u"missed orders"_qs);
    }

    void anotherServersOldLookSaysNothing() {
        Renewed lock;
        lock.row.server = "b:6379";
        lock.learn();
        LockReport merged = report(55s, {lock.row});
        merged.servers = {{"a:6379", {}}, {"b:6379", {}}};
        merged.servers[0].lookedAt = 55s;
        merged.servers[1].lookedAt = 36s;
        QCOMPARE(merged.knownUntil(), Nanos(36s));
        QCOMPARE(merged.knownUntil(lock.row), Nanos(36s));
        lock.row.server = "a:6379";
        QCOMPARE(merged.knownUntil(lock.row), Nanos(55s));
        QCOMPARE(told(lock.watch.observe(merged)), QString());
    }

    void theyAreRowsOfTheTrace() {
        auto trace = std::make_shared<trace::Trace>();
        Nanos now = 0s;
        trace::Recorder recorder(trace, [&now] { return now; });
        const auto thread =
            trace->intern(trace::EntityKind::Thread, "1", trace->intern(trace::EntityKind::Client, "A"));
        TraceFeed feed(recorder, trace::kNoEntity, [&](const Party&) { return thread; });
        LockRow row = held("orders", "A");
        row.ttlMs = 30'000;
        now = 30s;
        feed.update("orders", row);
        now = 42s;
        LateRenewal late{What::Missed, "orders", row.holders.front(), 1030s, 1041s, 10s};
        feed.renewalLate(late, 1042s); // the watch's clock is another one
        late.what = What::Stopped;
        late.why = trace::RenewalsEnd::ClientGone;
        feed.renewalLate(late, 1042s);
        late.lock = "another";
        feed.renewalLate(late, 1042s);
        const std::size_t rows = trace->size();
        const trace::Event missed = trace->at(rows - 2), stopped = trace->at(rows - 1);
        QCOMPARE(missed.kind, trace::EventKind::RecordRenewalMissed);
        QCOMPARE(missed.actor, thread);
        QCOMPARE(missed.value, Nanos(41s).count());
        QCOMPARE(missed.aux, 10'000u);
        QCOMPARE(stopped.kind, trace::EventKind::RecordRenewalsStopped);
        QCOMPARE(stopped.value, Nanos(30s).count());
        QCOMPARE(trace::renewalsEnd(stopped.flags), trace::RenewalsEnd::ClientGone);
    }
};

QTEST_GUILESS_MAIN(TestLateRenewals)
#include "tst_late_renewals.moc"
