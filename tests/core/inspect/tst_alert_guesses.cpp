// SPDX-License-Identifier: Apache-2.0
// Keys that may be no locks raise no alert. If one turns out to be a lock, it has been one before.
#include "alert_reports.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::test;

class TestAlertGuesses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Between two looks at a server that tells nothing, a hold may have ended: it is not counted on.
    void aHoldIsCountedToTheLastLook() {
        const auto polled = [](Nanos at, std::vector<LockRow> rows) {
            LockReport all = report(at, std::move(rows));
            all.hearsOfChanges = false;
            return all;
        };
        AlertWatch watch = watching("held>5s");
        watch.observe(polled(0s, {}));
        watch.observe(polled(1s, {held("orders", "A")}));
        QCOMPARE(told(watch.check(30s)), QString());
        watch.observe(polled(31s, {held("orders", "A")}));
        const auto raised = watch.check(31s);
        QCOMPARE(told(raised), u"held>5s orders"_qs);
        QVERIFY2(raised.front().sentence.contains(u"held by A for 30.0 s"), qPrintable(raised.front().sentence));
    }

    void aGuessThatBecomesCertainWasThereBefore() {
        for (const bool whole : {true, false}) {
            AlertWatch watch = watching("held>5s");
            watch.observe(report(0s, {}));
            LockRow row = held("orders", "A");
            row.certainty = Certainty::Guess;
            watch.observe(report(1s, {row}));
            row.certainty = Certainty::Certain;
            LockReport sure = report(3s, {row});
            if (!whole) sure.lookedAgain.emplace({QByteArray("orders")});
            watch.observe(sure);
            const auto raised = watch.check(9s);
            QVERIFY2(raised.front().sentence.contains(u"at least 6.0 s"), qPrintable(raised.front().sentence));
            // The next holder is seen to come.
            watch.observe(report(10s, {held("orders", "B")}));
            watch.check(10s);
            const auto again = watch.check(16s);
            QVERIFY2(again.front().sentence.contains(u"held by B for 6.0 s"), qPrintable(again.front().sentence));
        }
    }
};

QTEST_GUILESS_MAIN(TestAlertGuesses)
#include "tst_alert_guesses.moc"
