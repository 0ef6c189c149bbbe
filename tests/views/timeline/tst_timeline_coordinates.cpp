// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/coordinates.h"
#include "timeline/zoom.h"

#include <QSignalSpy>
#include <QTest>
#include <cmath>

using namespace lockscope::views;

namespace {
constexpr std::int64_t kSecond = 1'000'000'000;
}

class TestTimelineCoordinates : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void timeAndPixelAreEachOthersInverse() {
        const TimelineCoordinates c(3 * kSecond, 13 * kSecond, 1000);
        QCOMPARE(c.x(3 * kSecond), 0.0);
        QCOMPARE(c.x(13 * kSecond), 1000.0);
        for (const double x : {0.0, 1.0, 499.5, 1000.0, -20.0}) {
            // Half a nanosecond of rounding is the whole loss.
            QVERIFY(std::abs(c.x(c.time(x)) - x) <= 0.5 / c.nanosPerPixel() + 1e-9);
        }
    }
    void emptyRangesAndWidthsDoNotDivideByZero() {
        const TimelineCoordinates c(5, 5, 0);
        QVERIFY(std::isfinite(c.x(5)));
        QVERIFY(c.nanosPerPixel() > 0);
        QVERIFY(c.pixel() >= 1);
    }
    void whatIsForEverStaysWithinAPaintersNumbers() {
        const TimelineCoordinates c(0, 2000, 1000);
        QVERIFY(c.x(INT64_MAX) < 1'000'000);
        QVERIFY(c.x(INT64_MAX) > 1000);
        QVERIFY(c.x(INT64_MIN) > -1'000'000);
    }
    void rulerStepsAreRoundAndFarEnoughApart() {
        for (std::int64_t span = 10; span < 40LL * 86400 * kSecond; span *= 3) {
            const TimelineCoordinates c(0, span, 1000);
            const std::int64_t step = rulerStep(c, 64);
            QVERIFY(step >= 1);
            QVERIFY(double(step) / c.nanosPerPixel() >= 64 || step == 1);
            QVERIFY2(double(step) / c.nanosPerPixel() < 64 * 3.1, qPrintable(QString::number(span)));
        }
        QCOMPARE(rulerStep({0, 10 * kSecond, 1000}, 64), kSecond);
    }

    void marksEndWithTime() {
        constexpr std::int64_t end = INT64_MAX;
        const TimelineCoordinates c(0, end, 1000);
        const std::int64_t step = rulerStep(c, 64);
        int marks = 0;
        std::int64_t last = -1;
        visitMarks(c, step, 0, [&](std::int64_t t) {
            QVERIFY(t > last);
            last = t;
            ++marks;
        });
        QVERIFY(marks >= 3 && marks <= 16);
        QVERIFY(end - last < step);
        QVERIFY(c.time(1001) > last); // and does not come around
    }

    void zoomingKeepsTheInstantUnderTheCursor() {
        TimelineZoom zoom;
        zoom.setEnd(60 * kSecond);
        zoom.setRange(10 * kSecond, 20 * kSecond);
        const std::int64_t t = 12 * kSecond;
        const double before = TimelineCoordinates(zoom.from(), zoom.to(), 1000).x(t);
        QSignalSpy changed(&zoom, &TimelineZoom::changed);
        zoom.zoomAbout(t, 0.5);
        QCOMPARE(zoom.span(), 5 * kSecond);
        QVERIFY(std::abs(TimelineCoordinates(zoom.from(), zoom.to(), 1000).x(t) - before) < 0.01);
        QCOMPARE(changed.size(), 1);
    }
    void theRangeStaysOnTheTimeAxis() {
        TimelineZoom zoom;
        zoom.setEnd(60 * kSecond);
        zoom.setRange(0, 10 * kSecond);
        zoom.panBy(-5 * kSecond);
        QCOMPARE(zoom.from(), 0);
        zoom.panBy(1000 * kSecond);
        QCOMPARE(zoom.to(), 60 * kSecond);
        QCOMPARE(zoom.span(), 10 * kSecond);
        zoom.zoomAbout(30 * kSecond, 100);
        QCOMPARE(zoom.from(), 0);
        QCOMPARE(zoom.to(), 60 * kSecond);
        for (int i = 0; i < 200; ++i)
            zoom.zoomAbout(30 * kSecond, 0.5);
        QCOMPARE(zoom.span(), TimelineZoom::kLeastSpan);
    }
    void whoShowsEverythingGoesOnDoingSo() {
        TimelineZoom zoom;
        zoom.setEnd(60 * kSecond);
        zoom.fit();
        zoom.setEnd(90 * kSecond);
        QCOMPARE(zoom.to(), 90 * kSecond);
        zoom.setRange(0, kSecond);
        zoom.setEnd(120 * kSecond);
        QCOMPARE(zoom.to(), kSecond);
    }
    void followingKeepsThePlayheadInSight() {
        TimelineZoom zoom;
        zoom.setEnd(60 * kSecond);
        zoom.setRange(0, 10 * kSecond);
        for (std::int64_t t = 0; t <= 60 * kSecond; t += kSecond / 30) {
            zoom.follow(t);
            QVERIFY(t >= zoom.from() && t <= zoom.to());
        }
        QCOMPARE(zoom.span(), 10 * kSecond);
        zoom.setFollowing(false);
        zoom.follow(0);
        QVERIFY(zoom.from() > 0);
    }
    void revealingMovesOnlyWhenNeeded() {
        TimelineZoom zoom;
        zoom.setEnd(60 * kSecond);
        zoom.setRange(0, 10 * kSecond);
        zoom.reveal(5 * kSecond);
        QCOMPARE(zoom.from(), 0);
        zoom.reveal(30 * kSecond);
        QCOMPARE(zoom.from(), 25 * kSecond);
    }
};

QTEST_APPLESS_MAIN(TestTimelineCoordinates)
#include "tst_timeline_coordinates.moc"
