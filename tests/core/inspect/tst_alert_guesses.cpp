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
