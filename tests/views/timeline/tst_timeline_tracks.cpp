// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/activity.h"
#include "timeline/tracks.h"

#include <QTest>
#include <random>

using namespace lockscope::views;

namespace {

/// Spans of random lengths and gaps, with one of state 2 hidden at a random place.
SpanTrack randomSpans(std::size_t count, std::size_t rareAt) {
    std::mt19937_64 dice(count);
    SpanTrack track;
    std::int64_t t = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Span span;
        span.from = t += std::int64_t(dice() % 1000);
        span.to = t += 1 + std::int64_t(dice() % 2000);
        span.row = std::uint32_t(i);
        span.state = i == rareAt ? 2 : i % 2;
        track.push(span);
    }
    return track;
}

} // namespace

class TestTimelineTracks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aShortTrackIsSmall() {
        SpanTrack track;
        Span span;
        span.from = 0;
        span.to = 10;
        track.push(span);
        QVERIFY2(track.memoryBytes() < 512, qPrintable(QString::number(track.memoryBytes()))); // of 100 000 locks each
        for (int i = 1; i < 3000; ++i) {
            span.from = i * 10;
            span.to = span.from + 10;
            track.push(span);
        }
        for (int i = 0; i < 3000; ++i)
            QCOMPARE(track[std::size_t(i)].from, std::int64_t(i * 10));
        QVERIFY(track.memoryBytes() < 3000 * sizeof(Span) * 3 / 2);
    }

    void sumsAreExactAtEveryZoom_data() {
        QTest::addColumn<qint64>("pixel");
        for (const qint64 pixel : {1, 100, 5'000, 100'000, 3'000'000, 1'000'000'000})
            QTest::addRow("%lld", static_cast<long long>(pixel)) << pixel;
    }
    void sumsAreExactAtEveryZoom() {
        QFETCH(qint64, pixel);
        const std::size_t count = 10'000;
        const SpanTrack track = randomSpans(count, 7'777);
        double covered[3]{}, expected[3]{};
        for (std::size_t i = 0; i < count; ++i)
            expected[track[i].state] += double(track[i].to - track[i].from);
        std::size_t seen = 0;
        bool rareSeen = false;
        std::int64_t before = -1;
        track.visit(
            0, kOpenEnd, pixel, 0,
            [&](std::size_t, const Span& span) {
                QVERIFY(span.to - span.from >= pixel);
                QVERIFY(span.from >= before);
                before = span.to;
                covered[span.state] += double(span.to - span.from);
                rareSeen |= span.state == 2;
                ++seen;
            },
            [&](const SpanSum& sum) {
                QVERIFY(sum.to - sum.from < pixel);
                QVERIFY(sum.from >= before);
                before = sum.to;
                for (int s = 0; s < 3; ++s)
                    covered[s] += double(sum.covered[std::size_t(s)]);
                rareSeen |= (sum.states & 4u) != 0;
                seen += sum.count;
            });
        QCOMPARE(seen, count);
        QVERIFY2(rareSeen, "what is rare must never be merged away");
        for (int s = 0; s < 3; ++s)
            QVERIFY(std::abs(covered[s] - expected[s]) <= 1e-4 * expected[s]);
    }

    void aPictureCostsByItsWidth() {
        const SpanTrack track = randomSpans(1'000'000, 1);
        const std::int64_t end = track.back().to;
        constexpr std::int64_t width = 1000;
        std::int64_t visited = 0;
        track.visit(
            0, end, end / width, 0, [&](std::size_t, const Span&) { ++visited; }, [&](const SpanSum&) { ++visited; });
        QVERIFY2(visited < 10 * width, qPrintable(QString::number(visited)));
    }

    void onlyWhatIsVisibleIsVisited() {
        const SpanTrack track = randomSpans(10'000, 1);
        const std::int64_t from = track[5'000].from, to = track[5'010].from;
        std::size_t visited = 0;
        track.visit(
            from, to, 1, 0, [&](std::size_t i, const Span&) { visited += i >= 5'000 && i < 5'010; },
            [](const SpanSum&) { QFAIL("nothing is below a pixel here"); });
        QCOMPARE(visited, std::size_t(10));
    }

    void aSpanThatLastedNoTimeDisappears() {
        SpanTrack track;
        for (std::int64_t t = 0; t < 64; ++t) {
            Span span;
            span.from = 10 * t;
            track.push(span);
            track.close(10 * t + 5);
            span.from = 10 * t + 5;
            track.push(span);
            track.close(span.from);
            QCOMPARE(track.size(), std::size_t(t + 1));
        }
        std::size_t seen = 0;
        track.visit(
            0, 10'000, 1'000'000, 0, [&](std::size_t, const Span&) { ++seen; },
            [&](const SpanSum& sum) { seen += sum.count; });
        QCOMPARE(seen, std::size_t(64));
    }

    void ticksAreCountedAndTheirKindsKept() {
        std::mt19937_64 dice(3);
        TickTrack track;
        std::int64_t t = 0;
        constexpr std::size_t count = 100'000;
        for (std::size_t i = 0; i < count; ++i) {
            Tick tick;
            tick.at = t += std::int64_t(dice() % 50);
            tick.kind = i == 33'333 ? 5 : i % 3;
            track.push(tick);
        }
        for (const std::int64_t pixel : {1, 60, 10'000, 100'000'000}) {
            std::size_t seen = 0, steps = 0;
            std::uint32_t kinds = 0;
            track.visit(
                0, kOpenEnd, pixel,
                [&](std::size_t, const Tick& tick) {
                    ++seen;
                    ++steps;
                    kinds |= 1u << tick.kind;
                },
                [&](const TickSum& sum) {
                    seen += sum.count;
                    ++steps;
                    kinds |= sum.kinds;
                });
            QCOMPARE(seen, count);
            QCOMPARE(kinds, 0b100111u);
            if (pixel == 10'000) QVERIFY(steps < 10u * std::size_t(t / pixel));
        }
    }

    void activityKeepsItsSumWhileTimeGoesOn() {
        Activity activity;
        double held = 0;
        for (std::int64_t t = 0; t < 400'000'000'000; t += 700'000'000) {
            activity.add(Activity::Holding, t, t + 300'000'000);
            held += 0.3;
        }
        const double seen = activity.mean(Activity::Holding, 0, 400e9) * 400;
        QVERIFY2(std::abs(seen - held) < 0.01 * held, qPrintable(QString::number(seen)));
        QCOMPARE(activity.mean(Activity::Waiting, 0, 400e9), 0.0);
    }

    void activityReachesToTheEndOfAllTime() {
        constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max(), half = end / 2;
        Activity activity;
        activity.add(Activity::Holding, half, end);
        QVERIFY(std::abs(activity.mean(Activity::Holding, double(half), double(end)) - 1) < 0.01);
        QVERIFY(activity.mean(Activity::Holding, 0, double(half)) < 0.01);
    }
};

QTEST_APPLESS_MAIN(TestTimelineTracks)
#include "tst_timeline_tracks.moc"
