// SPDX-License-Identifier: Apache-2.0
// How long an alert has been so.
#include "alert_reports.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::test;

class TestAlertAges : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// "Open for" has one meaning: how long it has been so. Where nobody looked before, it is a lower bound.
    void anAlertThatWasSoAtTheFirstLookMayBeOlder() {
        AlertWatch watch({*parseAlertRule(u"no-expiry"_qs), *parseAlertRule(u"held>5s"_qs)});
        LockRow early = held("early", "A"), late = held("late", "B");
        early.neverExpires = true;
        watch.observe(report(10s, {early, late}));
        const auto first = watch.check(10s);
        QCOMPARE(told(first), u"no-expiry early"_qs);
        QVERIFY(first.front().atLeast);
        late.neverExpires = true;
        watch.observe(report(12s, {early, late}));
        const auto second = watch.check(12s);
        QCOMPARE(told(second), u"no-expiry late"_qs);
        QVERIFY(!second.front().atLeast); // it had an end at the look before
        for (const Alert& alert : watch.check(16s)) {
            QCOMPARE(alert.rule.text, u"held>5s"_qs);
            QVERIFY(alert.atLeast); // nobody saw these holds begin
        }
        watch.observe(report(18s, {early, late, held("new", "C")}));
        const auto third = watch.check(24s);
        QCOMPARE(told(third), u"held>5s new"_qs);
        QVERIFY(!third.front().atLeast);
        for (const Alert& alert : watch.board(24s, kWall, {}, 9).alerts)
            QCOMPARE(alert.atLeast, alert.lock != "new" && !(alert.lock == "late" && alert.since == 12s));
    }

    void whatIsSoAfterAnOutageMayBeSoForLonger() {
        AlertWatch watch = watching("no-expiry");
        LockRow lock = held("orders", "A");
        watch.observe(report(1s, {lock}));
        QCOMPARE(told(watch.check(1s)), QString());
        LockReport away = report(2s, {lock});
        away.trouble = WatchTrouble{WatchTrouble::Kind::Unreachable, {}, u"away"_qs};
        watch.observe(away);
        lock.neverExpires = true;
        watch.observe(report(60s, {lock}));
        const auto raised = watch.check(60s);
        QCOMPARE(told(raised), u"no-expiry orders"_qs);
        QVERIFY(raised.front().atLeast);
    }
};

QTEST_GUILESS_MAIN(TestAlertAges)
#include "tst_alert_ages.moc"
