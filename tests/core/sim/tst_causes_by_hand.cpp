// SPDX-License-Identifier: Apache-2.0
// Runs that people broke by hand in odd ways: which cause is told, and that a verdict is no false one.
#include "scenario_runs.h"
#include "session/shared_run.h"
#include "verdict/why_safe.h"

#include <QRegularExpression>

using namespace lockscope;
using namespace lockscope::tests;

namespace {

experiment::RunReport runOf(const QString& text) {
    const auto shared = session::readSharedText(QStringLiteral("lockscope:") + text);
    if (!shared) qFatal("%s", qPrintable(shared.error()));
    return experiment::run(shared->whole(), shared->seed);
}

QString allTold(const experiment::RunReport& report) {
    QStringList all;
    for (const verdict::Violation& violation : report.verdict.violations)
        all += verdict::explain(violation, *report.trace);
    return all.join(u'\n');
}

} // namespace

class TestCausesByHand : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theCauseIsTold_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("told");    ///< a pattern that some violation's explanation matches
        QTest::addColumn<QString>("notTold"); ///< and one that none does
        QTest::newRow("work hung before it got the lock, without a watchdog")
            << u"replicas?recipe=redis-fair&seed=441&do=2.21s,hang-work,holder&do=5.59s,hang-work,C"_qs
            << u"The work of C had hung since 20\\.[0-9]+ s, and its lease lasted until"_qs << u"watchdog"_qs;
        QTest::newRow("a master died and came back empty")
            << u"replicas?recipe=redis-fair&seed=219&do=5.46s,restart-node-empty,redis-2&do=8.84s,evict-key,redis-2&"
               "do=9.93s,kill-node,redis-1,for=1.2s"_qs
            << u"redis-1 died at 9\\.93"_qs << u"too few servers"_qs;
    }
    void theCauseIsTold() {
        QFETCH(QString, text);
        QFETCH(QString, told);
        QFETCH(QString, notTold);
        const QString all = allTold(runOf(text));
        QVERIFY2(QRegularExpression(told).match(all).hasMatch(), qPrintable(all));
        QVERIFY2(!QRegularExpression(notTold).match(all).hasMatch(), qPrintable(all));
    }

    /// The script that takes a permit sweeps those that are over, by the server's clock, which may be a fast one.
    void aPermitThatIsOverByAFastClockIsNobodysRelease() {
        const auto report = runOf(
            QStringLiteral("contention-permits?recipe=redis-semaphore&seed=654&do=3.16s,drift-clock,redis-1,value=0.3s&"
                           "do=4.47s,reset-link,A%7Credis-1&do=6.53s,kill-node,redis-1,for=0.7s&do=7.13s,lose-reply,"
                           "waiter&do=7.84s,lose-reply,B&do=8.09s,kill-client,A,for=6.5s"));
        for (const trace::Event& e : rows(*report.trace, trace::EventKind::RecordHolderGone))
            if (trace::FreedBy(e.flags & trace::kFreedByMask) == trace::FreedBy::Release) QCOMPARE(e.actor, e.aux);
        QCOMPARE(report.verdict.outcomes[std::size_t(verdict::Invariant::Ownership)], verdict::Outcome::Holds);
    }
    /// One that was replaced while it stood still decides nothing any more, whatever it thinks.
    void aFormerMastersDeathIsNoStory() {
        const auto report = runOf(QStringLiteral(
            "replicas?recipe=redis-fair&seed=12&do=6s,kill-client,waiter&do=9s,pause-node,redis-1,for=4s&"
            "do=15s,kill-node,redis-1&do=17.5s,pause-node,redis-3,for=8s"));
        const QString safe = verdict::whySafe(*report.trace, 16500ms);
        QVERIFY2(!safe.contains(u"redis-1 died"), qPrintable(safe));
    }
    /// By a drifting clock each look would find another end, which is nobody's write.
    void anEntrysEndByADriftingClockIsOneInstant() {
        for (const char* drift : {"0.3s", "-0.3s"}) {
            const auto report =
                runOf(u"contention?recipe=redis-redlock&seed=15&do=5.77s,drift-clock,redis-1,value=%1"_qs.arg(
                    QLatin1String(drift)));
            QCOMPARE(report.verdict.overall(), verdict::Outcome::Holds);
        }
    }
};

QTEST_GUILESS_MAIN(TestCausesByHand)
#include "tst_causes_by_hand.moc"
