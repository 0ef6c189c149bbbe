// SPDX-License-Identifier: Apache-2.0
// A violation as a picture of one instant tells it, which knows nothing of what came later.
#include "hand_written.h"
#include "verdict/why.h"
#include "verdict/words.h"

using namespace lockscope;
using namespace lockscope::verdict;
using Kind = trace::EventKind;
using FreedBy = trace::FreedBy;

class TestVerdictThen : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    /// A trace may have been computed further than a picture of it goes.
    void nothingIsToldOfWhatComesAfterAPicture() {
        HandWritten w;
        w.started();
        w.take(1000, w.a, 5800);
        w.add(3000, Kind::ClientPaused, w.clientA);
        w.freed(5800, FreedBy::Expiry, 0, w.a);
        w.held(6000, w.b, 9000);
        w.granted(6000, w.b);
        w.add(7000, Kind::ClientResumed, w.clientA);
        w.trace->reach(ms(8000));
        const Violation open = w.violations(Invariant::MutualExclusion).at(0);
        QCOMPARE(open.to, kNever);
        QCOMPARE(headline(open, *w.trace, ms(6500)),
                 QStringLiteral("mutual exclusion violated for 500 ms so far, since 6.000 s"));
        QCOMPARE(shortHeadline(open, *w.trace, ms(6500)),
                 QStringLiteral("mutual exclusion violated for 500 ms so far"));
        QCOMPARE(headline(open, *w.trace, ms(6000)),
                 QStringLiteral("mutual exclusion violated for 0 s so far, since 6.000 s"));
        QVERIFY(whatHappened(open, *w.trace, ms(6500)).endsWith(QStringLiteral("for 500 ms so far.")));
        const QString now = explain(open, *w.trace, ms(6500)), later = explain(open, *w.trace);
        QVERIFY2(now.contains(QStringLiteral("A has been paused since 3.000 s.")), qPrintable(now));
        QVERIFY2(later.contains(QStringLiteral("A was paused from 3.0 s to 7.0 s.")), qPrintable(later));
        QCOMPARE(why(open, *w.trace, ms(6500)), now.section(QStringLiteral(". "), 1));
    }

    void aBelieverThatComesLaterIsNotNamedBefore() {
        HandWritten w;
        w.started();
        w.granted(1000, w.a);
        w.granted(2000, w.b);
        w.granted(3000, w.c);
        w.trace->reach(ms(4000));
        const Violation open = w.violations(Invariant::MutualExclusion).at(0);
        QVERIFY(whatHappened(open, *w.trace, ms(2500)).startsWith(QStringLiteral("A and B have believed")));
        QVERIFY(whatHappened(open, *w.trace, ms(3000)).startsWith(QStringLiteral("A, B and C have believed")));
    }

    void theGrantToTheOtherBelieverIsNamed() {
        HandWritten w;
        w.started();
        w.take(1000, w.a, 5800);
        w.add(3000, Kind::ClientPaused, w.clientA);
        w.freed(5800, FreedBy::Expiry, 0, w.a);
        w.held(6000, w.b, 9000); // whose client never heard of it
        w.freed(9000, FreedBy::Expiry, 0, w.b);
        w.held(9500, w.c, 20'000);
        w.granted(9500, w.c);
        w.trace->reach(ms(12'000));
        const QString text = first(w, Invariant::MutualExclusion);
        QVERIFY2(text.startsWith(QStringLiteral("A and C have believed")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("The lease of A ended at 5.8 s, so the server counts the lock as free. "
                                              "After others, C got it at 9.5 s.")),
                 qPrintable(text));
    }

    void aCauseAndItsEffectAreToldApart() {
        HandWritten w;
        w.started();
        w.take(1000, w.a, 5810);
        w.add(3000, Kind::ClientPaused, w.clientA);
        w.freed(5810, FreedBy::Expiry, 0, w.a);
        w.held(5844, w.b, 9000);
        w.granted(5844, w.b);
        w.trace->reach(ms(9000));
        const QString text = first(w, Invariant::MutualExclusion);
        QVERIFY2(text.contains(QStringLiteral("ended at 5.810 s, so the server gave the lock to B at 5.844 s.")),
                 qPrintable(text));
    }

private:
    static QString first(const HandWritten& w, Invariant invariant) {
        const auto found = w.violations(invariant);
        return found.empty() ? QStringLiteral("no violation") : explain(found[0], *w.trace);
    }
};

QTEST_GUILESS_MAIN(TestVerdictThen)
#include "tst_verdict_then.moc"
