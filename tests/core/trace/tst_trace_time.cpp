// SPDX-License-Identifier: Apache-2.0
#include "trace/time_text.h"
#include "trace/trace_time.h"
#include "trace/zone_text.h"

#include <QDateTime>
#include <QTest>
#include <QTimeZone>

using namespace lockscope;

/// Instants of watched servers read as the clock on the wall does, those of simulations since the beginning.
class TestTraceTime : public QObject {
    Q_OBJECT

    /// A trace that began at this local time, an hour before UTC, on the 27th of November 2025 if no other day is said.
    static void begin(trace::Trace& trace, const QTime& time, const QDate& day = {2025, 11, 27}) {
        trace.setOriginWallMs(QDateTime(day, time).toMSecsSinceEpoch());
    }

private Q_SLOTS:
    void initTestCase() {
        qputenv("TZ", "CET-1"); // known without a list of time zones
        QCOMPARE(QDateTime(QDate(2025, 11, 27), QTime(12, 0)).offsetFromUtc(), 3600);
    }

    void aSimulationHappensOnNoDay() {
        const trace::Trace trace;
        QVERIFY(!tellsTimeOfDay(trace));
        QCOMPARE(instantText(trace, 6812ms), instantText(6812ms));
        QCOMPARE(intervalText(trace, 6s, 7200ms), intervalText(6s, 7200ms));
        QCOMPARE(clockText(trace, 6812ms), clockText(6812ms));
        QCOMPARE(dayText(trace, 1s), QString());
        QCOMPARE(timeOfDayAtOrigin(trace), Nanos(0));
        QVERIFY(!instantOfDay(trace, QStringLiteral("14:32")));
    }

    void anInstantReadsAsTheClockOnTheWall() {
        trace::Trace trace;
        begin(trace, {14, 31, 25, 123});
        QCOMPARE(instantText(trace, 0ns), QStringLiteral("14:31:25.123"));
        QCOMPARE(instantText(trace, 42'130ms + 999us), QStringLiteral("14:32:07.253")); // rounded down
        QCOMPARE(instantText(trace, 42'130ms + 45us, 5ms), QStringLiteral("14:32:07.253045"));
        QCOMPARE(instantText(trace, 42'130ms, 1s), QStringLiteral("14:32:07"));
        QCOMPARE(instantText(trace, -1ns), QStringLiteral("14:31:25.122"));
        QCOMPARE(instantText(trace, kNever), instantText(kNever));
        QCOMPARE(clockText(trace, 42'130ms), QStringLiteral("14:32:07.253"));
        QCOMPARE(intervalText(trace, 41s, 52s), QStringLiteral("14:32:06 – 14:32:17"));
        QCOMPARE(intervalText(trace, 41s, 41'020ms), QStringLiteral("14:32:06.123 – 14:32:06.143"));
        QCOMPARE(intervalText(trace, 41s, kNever), QStringLiteral("14:32:06 – now"));
        QCOMPARE(dayText(trace, 0ns), QStringLiteral("UTC+1 · 2025-11-27"));
        QCOMPARE(zoneText(trace.originWallMs()), QStringLiteral("UTC+1"));
    }

    void anotherDayHasItsDate() {
        trace::Trace trace;
        begin(trace, {23, 59, 58});
        QCOMPARE(instantText(trace, 1s, 1s), QStringLiteral("23:59:59"));
        QCOMPARE(instantText(trace, 4s, 1s), QStringLiteral("11-28 00:00:02"));
        QCOMPARE(dayText(trace, 4s), QStringLiteral("UTC+1 · 2025-11-28"));
    }

    void marksAreRoundByTheClock() {
        trace::Trace trace;
        begin(trace, {14, 31, 25, 123});
        QCOMPARE(timeOfDayAtOrigin(trace), Nanos(14h + 31min + 25'123ms));
        QCOMPARE(instantText(trace, 30s - timeOfDayAtOrigin(trace) % Nanos(30s)), QStringLiteral("14:31:30.000"));
    }

    void aTimeOfDayIsAnInstantOfTheTrace() {
        trace::Trace trace;
        begin(trace, {23, 50, 20});
        QCOMPARE(instantOfDay(trace, QStringLiteral("23:51:20")), Nanos(60s));
        QCOMPARE(instantOfDay(trace, QStringLiteral("23:51:20.5")), Nanos(60'500ms));
        QCOMPARE(instantOfDay(trace, QStringLiteral("23:50")), Nanos(0)); // the minute in which it began
        trace.reach(600s);
        QCOMPARE(instantOfDay(trace, QStringLiteral("00:00")), Nanos(580s)); // the next day's
        // Before the beginning, and not the next day's, which is far behind the end.
        QCOMPARE(instantOfDay(trace, QStringLiteral("23:40:20")), Nanos(-600s));
        QCOMPARE(instantOfDay(trace, QStringLiteral("00:01")), Nanos(640s)); // shortly after the end
        QVERIFY(!instantOfDay(trace, QStringLiteral("24:10")));
        QVERIFY(!instantOfDay(trace, QStringLiteral("6.8s")));
    }
};

QTEST_GUILESS_MAIN(TestTraceTime)
#include "tst_trace_time.moc"
