// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenes.h"
#include "synthetic/synthetic.h"
#include "theme/palette.h"
#include "timeline/coordinates.h"
#include "timeline/layout.h"
#include "timeline/render_timeline.h"
#include "timeline/scene.h"
#include "timeline/timeline_data.h"
#include "timeline/words.h"
#include "trace/trace_time.h"

#include <QBuffer>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;

namespace {

constexpr QSize kSize(1000, 700);

/// A picture of the pause that outlives its lease, and where things are in it.
struct Picture {
    QImage image;
    TimelineMetrics metrics{QFontMetricsF(QApplication::font()).height()};
    double scale;
    Cast cast = gcPause();
    std::int64_t from, to;

    Picture(bool dark, double dpr, Nanos first = 0s, Nanos last = 10s)
        : scale(dpr), from(first.count()), to(last.count()) {
        Theme::instance().setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        metrics = TimelineMetrics(QFontMetricsF(QApplication::font()).height());
        FixedSession session(cast.trace);
        TimelinePicture picture;
        picture.trace = cast.trace;
        picture.verdict = session.verdict();
        picture.from = first;
        picture.to = last;
        image = renderTimelineImage(kSize, dpr, picture);
    }
    /// The device pixels of a lane's bar between two instants.
    QRect bar(LaneKind kind, trace::EntityId entity, Nanos a, Nanos b) const {
        TimelineData data(cast.trace);
        data.consume();
        TimelineLayout layout;
        layout.update(data, metrics);
        const int row = layout.rowOf(entity);
        const int top = metrics.rulerHeight() + metrics.stripHeight() + layout.rows()[std::size_t(row)].y;
        const TimelineCoordinates c(from, to, kSize.width() - metrics.labelWidth());
        const double x = metrics.labelWidth() + c.x(a.count());
        const QRectF r = metrics.bar(kind, x, c.x(b.count()) - c.x(a.count())).translated(0, top);
        return QRectF(r.x() * scale, r.y() * scale, r.width() * scale, r.height() * scale).toRect();
    }
};

/// How much of a record's bar is filled with what is left of its lease, between two instants of the first ten seconds.
std::function<double(Nanos, Nanos)> recordIn(const TimelinePicture& picture, trace::EntityId lock) {
    const TimelineMetrics metrics(QFontMetricsF(QApplication::font()).height());
    TimelineData data(picture.trace);
    data.consume();
    TimelineLayout layout;
    layout.update(data, metrics);
    const int top = layout.rows()[std::size_t(layout.rowOf(lock))].y;
    return [=, image = renderTimelineImage(kSize, 1, picture)](Nanos from, Nanos to) {
        const TimelineCoordinates c(0, Nanos(10s).count(), kSize.width() - metrics.labelWidth());
        const double x = metrics.labelWidth() + c.x(from.count());
        const QRect where = metrics.bar(LaneKind::Record, x, c.x(to.count()) - c.x(from.count()))
                                .translated(0, metrics.rulerHeight() + metrics.stripHeight() + top)
                                .toRect();
        return double(countPixels(image, color(Role::Record), where, 8)) / (where.width() * where.height());
    };
}

} // namespace

class TestTimelinePaint : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lowLanesOfOneClientSayTheirLocks() {
        auto trace = std::make_shared<trace::Trace>();
        const auto orders = trace->intern(trace::EntityKind::Lock, "orders");
        const auto client = trace->intern(trace::EntityKind::Client, "A");
        const auto thread = trace->intern(trace::EntityKind::Thread, "1", client);
        const auto ask = [&](Nanos at, trace::EntityId lock) {
            trace->append({.at = at.count(), .actor = thread, .subject = lock, .kind = trace::EventKind::Requested});
        };
        const auto titles = [](const TimelineData& data) {
            QStringList all;
            for (const auto& lane : data.lanes())
                if (lane->kind == LaneKind::Belief) all += laneShortTitle(data, *lane);
            return all;
        };
        ask(1s, orders);
        TimelineData one(trace);
        one.consume();
        QCOMPARE(titles(one), QStringList{u"client A"_qs});
        ask(2s, trace->intern(trace::EntityKind::Lock, "invoices"));
        TimelineData two(trace);
        two.consume();
        QStringList told = titles(two);
        told.sort();
        QCOMPARE(told, (QStringList{u"A · invoices"_qs, u"A · orders"_qs}));
    }

    void theStoryIsSeenInEveryThemeAndScale_data() {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<double>("dpr");
        for (const bool dark : {false, true})
            for (const double dpr : {1.0, 2.0})
                QTest::addRow("%s %g", dark ? "dark" : "light", dpr) << dark << dpr;
    }
    void theStoryIsSeenInEveryThemeAndScale() {
        QFETCH(bool, dark);
        QFETCH(double, dpr);
        const Picture p(dark, dpr);
        const auto share = [&p](const QRect& where, Role role, int tolerance = 24) {
            return double(countPixels(p.image, color(role), where, tolerance)) /
                   std::max(1, where.width() * where.height());
        };
        const QRect holds = p.bar(LaneKind::Belief, p.cast.a.thread, 1900ms, 2900ms);
        QVERIFY2(share(holds, Role::Holding) > 0.8, qPrintable(QString::number(share(holds, Role::Holding))));
        // Belief without record: striped, in the colour of violations, and no trace of the colour of holding.
        const QRect stale = p.bar(LaneKind::Belief, p.cast.a.thread, 5850ms, 6100ms);
        QVERIFY2(share(stale, Role::StaleBelief, 40) > 0.15,
                 qPrintable(QString::number(share(stale, Role::StaleBelief, 40))));
        QVERIFY2(share(stale, Role::StaleBeliefSoft, 40) > 0.15,
                 qPrintable(QString::number(share(stale, Role::StaleBeliefSoft, 40))));
        QCOMPARE(share(stale, Role::Holding), 0.0);
        // Waiting: an amber dotted line, mostly empty.
        const QRect waits = p.bar(LaneKind::Belief, p.cast.b.thread, 3s, 5s);
        QVERIFY(share(waits, Role::Waiting) > 0.02);
        QVERIFY(share(waits, Role::Waiting) < 0.2);
        // The wedge drains: more of it in the first half of the lease than in the second.
        const double early = share(p.bar(LaneKind::Record, p.cast.lock, 2500ms, 3s), Role::Record);
        const double late = share(p.bar(LaneKind::Record, p.cast.lock, 4500ms, 5s), Role::Record);
        QVERIFY(early > 0.55 && early < 0.75);
        QVERIFY(late > 0.1 && late < 0.3);
        // Effects: green, then the damage.
        QVERIFY(share(p.bar(LaneKind::Effect, p.cast.stock, 1500ms, 1700ms), Role::Accepted) > 0.2);
        QVERIFY(share(p.bar(LaneKind::Effect, p.cast.stock, 7000ms, 7200ms), Role::Violation) > 0.2);
    }

    void noLaneIsBlank() {
        const Picture p(false, 1);
        for (const auto& [kind, entity] : {std::pair(LaneKind::Belief, p.cast.a.thread),
                                           {LaneKind::Belief, p.cast.b.thread},
                                           {LaneKind::Belief, p.cast.c.thread},
                                           {LaneKind::Record, p.cast.lock},
                                           {LaneKind::Effect, p.cast.stock},
                                           {LaneKind::Node, p.cast.node}}) {
            const QRect lane = p.bar(kind, entity, 0s, 10s);
            const int ground = countPixels(p.image, color(Role::SurfaceSunken), lane, 4);
            QVERIFY2(ground < lane.width() * lane.height() * 0.99, qPrintable(QString::number(int(kind))));
        }
    }

    void aViolationIsSeenAtAnyZoom_data() {
        QTest::addColumn<qint64>("seconds");
        for (const qint64 seconds : {10, 600, 36'000, 3'600'000})
            QTest::addRow("%lld s", static_cast<long long>(seconds)) << seconds;
    }
    void aViolationIsSeenAtAnyZoom() {
        QFETCH(qint64, seconds);
        const Picture p(false, 1, 0s, std::chrono::seconds(seconds));
        const int labels = p.metrics.labelWidth(), top = p.metrics.rulerHeight();
        // In the strip of pills, and below it in an empty part of every lane's height.
        const QRect strip(labels, top, kSize.width() - labels, p.metrics.stripHeight());
        QVERIFY(countPixels(p.image, color(Role::Violation), strip) >= 20);
        // Between the lanes, where nothing else is drawn, the band tints the ground over their whole height.
        TimelineData data(p.cast.trace);
        data.consume();
        TimelineLayout layout;
        layout.update(data, p.metrics);
        const int first = strip.bottom() + 1,
                  end = std::min(first + layout.height(), kSize.height() - p.metrics.overviewHeight());
        int tinted = 0, rows = 0;
        for (int y = first; y < end; ++y, ++rows) {
            bool found = false;
            for (int x = labels; x < kSize.width() && !found; ++x) {
                const QColor c = p.image.pixelColor(x, y);
                found = c.red() > c.blue() + 12 && c.red() > 180;
            }
            tinted += found;
        }
        QVERIFY2(tinted > rows * 6 / 10, qPrintable(QString::number(tinted)));
    }

    void aLossIsSeenBesideTheRenewalsThatFailed() {
        Theme::instance().setChoice(ThemeChoice::Light);
        const TimelineMetrics metrics(QFontMetricsF(QApplication::font()).height());
        // Alone, closely behind one that failed, and at the end of so many that they are drawn as one.
        for (const int failed : {0, 1, 39}) {
            Cast s;
            s.ask(500ms, s.a);
            s.grant(1s, s.a, 5s);
            for (int i = 0; i < failed; ++i)
                s.at(4950ms + std::chrono::microseconds(i), trace::EventKind::RenewFailed, s.a.thread, s.lock);
            s.at(4950ms + 40us, trace::EventKind::Lost, s.a.thread, s.lock);
            s.trace->reach(10s);
            TimelinePicture picture;
            picture.trace = s.trace;
            const QImage image = renderTimelineImage(kSize, 1, picture);
            TimelineData data(s.trace);
            data.consume();
            TimelineLayout layout;
            layout.update(data, metrics);
            const TimelineLayout::Row& row = layout.rows()[std::size_t(layout.rowOf(s.a.thread))];
            const TimelineCoordinates c(0, Nanos(10s).count(), kSize.width() - metrics.labelWidth());
            const int x = metrics.labelWidth() + int(c.x(Nanos(4950ms).count()));
            const QRect where(x - 6, metrics.rulerHeight() + metrics.stripHeight() + row.y, 13, row.height);
            const int red = countPixels(image, color(Role::Violation), where, 60);
            QVERIFY2(red >= 8, qPrintable(QStringLiteral("%1 failed: %2").arg(failed).arg(red)));
        }
    }

    void aLeaseOfUnknownLengthIsHatched() {
        Theme::instance().setChoice(ThemeChoice::Light);
        // Somebody else's: held already when it was first seen, renewed in sight at 5 s.
        Cast s;
        s.trace->setOriginWallMs(1'700'000'000'000);
        s.at(1s, trace::EventKind::RecordHeld, s.a.thread, s.lock, Nanos(9s).count(), 1);
        s.at(5s, trace::EventKind::RecordRenewed, s.a.thread, s.lock, Nanos(25s).count(), 1);
        s.trace->reach(10s);
        TimelinePicture picture;
        picture.trace = s.trace;
        const auto filled = recordIn(picture, s.lock);
        // A fresh wedge is nearly full, hatching is lines: what was left of how much is not drawn.
        QVERIFY2(filled(5100ms, 6s) > 0.75, qPrintable(QString::number(filled(5100ms, 6s))));
        QVERIFY2(filled(1500ms, 2500ms) < 0.4, qPrintable(QString::number(filled(1500ms, 2500ms))));
        QVERIFY2(filled(1500ms, 2500ms) > 0.05, qPrintable(QString::number(filled(1500ms, 2500ms))));
        // Nor does it fall towards its end.
        QVERIFY(std::abs(filled(1500ms, 2500ms) - filled(3500ms, 4500ms)) < 0.03);
    }

    /// A server that stands still keeps what has expired: the bar goes on, and the wedge ends with the lease.
    void nothingIsLeftOfALeaseThatIsOver() {
        Theme::instance().setChoice(ThemeChoice::Light);
        Cast s;
        s.at(0s, trace::EventKind::ClientStarted, s.a.client);
        s.grant(500ms, s.a, 6s);
        s.trace->reach(10s); // nobody has freed it
        TimelinePicture picture;
        picture.trace = s.trace;
        picture.from = 0s;
        picture.to = 10s;
        const auto filled = recordIn(picture, s.lock);
        QVERIFY2(filled(3s, 4s) > 0.35 && filled(3s, 4s) < 0.6, qPrintable(QString::number(filled(3s, 4s))));
        QVERIFY2(filled(5s, 6s) > 0.1 && filled(5s, 6s) < 0.25, qPrintable(QString::number(filled(5s, 6s))));
        QCOMPARE(filled(6600ms, 8s), 0.0);
    }

    void theOverviewShowsAlsoWhatStillGoesOn() {
        Theme::instance().setChoice(ThemeChoice::Light);
        const auto held = [](bool released) {
            Cast s;
            s.ask(500ms, s.a);
            s.grant(1s, s.a, 60s);
            s.trace->reach(9s);
            if (released) s.release(9s, s.a);
            s.trace->reach(10s);
            TimelinePicture picture;
            picture.trace = s.trace;
            const QImage image = renderTimelineImage(kSize, 1, picture);
            const TimelineMetrics metrics(QFontMetricsF(QApplication::font()).height());
            // Between the waiting at the beginning and the second after the release.
            const int labels = metrics.labelWidth(), width = kSize.width() - labels;
            return image.copy(labels + width * 2 / 10, kSize.height() - metrics.overviewHeight() + 1, width * 6 / 10,
                              metrics.overviewHeight() - 1);
        };
        const QImage open = held(false), closed = held(true);
        QCOMPARE(open, closed);
        const QColor ground = open.pixelColor(0, open.height() - 1);
        QVERIFY(open.width() * open.height() - countPixels(open, ground, open.rect(), 8) > open.width());
    }

    void theWordsOfTheRulerDoNotTouch_data() {
        QTest::addColumn<qint64>("originWallMs");
        QTest::newRow("since the beginning") << qint64(0);
        QTest::newRow("by the time of day") << qint64(1'764'250'327'123);
    }
    void theWordsOfTheRulerDoNotTouch() {
        QFETCH(qint64, originWallMs);
        const TimelineMetrics metrics(QFontMetricsF(QApplication::font()).height());
        const auto trace = std::make_shared<trace::Trace>();
        trace->setOriginWallMs(originWallMs);
        TimelineData data(trace);
        QImage image(10, 10, QImage::Format_RGB32);
        QPainter painter(&image);
        for (const Nanos from : {Nanos(0s), Nanos(30s), Nanos(59s), Nanos(2h), Nanos(300h)}) {
            for (std::int64_t span = 2'000; span < 200'000'000'000; span *= 3) {
                const TimelineCoordinates c(from.count(), from.count() + span, 900);
                const PaintKit kit(painter, data, c, metrics, 1);
                const std::int64_t step = rulerStep(kit);
                double widest = 0;
                int marks = 0;
                visitMarks(c, step, timeOfDayAtOrigin(*trace).count(), [&](std::int64_t t) {
                    widest = std::max(widest, kit.fixedSmall.width(markText(*trace, t, step)));
                    ++marks;
                });
                QVERIFY2(4 + widest < c.x(from.count() + step), qPrintable(markText(*trace, from.count(), step)));
                QVERIFY(marks >= 2);
            }
        }
    }

    /// In a frame of an animated picture the words of a lease that has just begun end at the playhead, too.
    void noWordReachesIntoTheHiddenFuture() {
        const Cast s = gcPause();
        const TimelineMetrics metrics(QFontMetricsF(QApplication::font()).height());
        TimelinePicture picture;
        picture.trace = s.trace;
        picture.playhead = 6300ms; // B holds since 6 s
        picture.hidesFuture = true;
        const QImage image = renderTimelineImage(kSize, 1, picture);
        TimelineData data(s.trace);
        data.consume();
        TimelineLayout layout;
        layout.update(data, metrics);
        const TimelineLayout::Row& row = layout.rows()[std::size_t(layout.rowOf(s.lock))];
        const TimelineCoordinates c(0, Nanos(10s).count(), kSize.width() - metrics.labelWidth());
        const int now = metrics.labelWidth() + int(c.x(Nanos(6300ms).count()));
        const int top = metrics.rulerHeight() + metrics.stripHeight() + row.y;
        const QRect hidden(QPoint(now + 8, top + 1), QPoint(kSize.width() - 1, top + row.height - 3));
        QCOMPARE(countPixels(image, color(Role::SurfaceSunken), hidden, 0), hidden.width() * hidden.height());
        const QRect shown(QPoint(metrics.labelWidth(), top), QPoint(now - 8, top + row.height - 3));
        QVERIFY(countPixels(image, color(Role::Record), shown, 8) > 500);
    }

    /// The playhead's pill is as exact as a pixel where the ruler shows less than milliseconds.
    void thePillIsAsExactAsThePicture() {
        const trace::Trace trace;
        const std::int64_t t = 654'339'999;
        QCOMPARE(playheadText(trace, t, 5e6), QStringLiteral("0.654 s"));
        QCOMPARE(playheadText(trace, t, 1e5), QStringLiteral("0.654 s"));
        QCOMPARE(playheadText(trace, t, 1'200), QStringLiteral("654.339 ms"));
        QCOMPARE(playheadText(trace, t, 12'000), QStringLiteral("654.33 ms"));
        QCOMPARE(playheadText(trace, t, 600), QStringLiteral("654.339 ms"));
        QCOMPARE(playheadText(trace, t, 9.5), QStringLiteral("654339.999 µs"));
        QCOMPARE(playheadText(trace, 999'999'999, 12'000), QStringLiteral("999.99 ms"));
    }

    void faultsSurviveAnyZoom() {
        const auto trace = trace::syntheticTrace(60'000, 6, 3);
        Theme::instance().setChoice(ThemeChoice::Light);
        TimelinePicture picture;
        picture.trace = trace;
        const QImage image = renderTimelineImage({1000, 900}, 1, picture);
        QVERIFY(countPixels(image, color(Role::Fault), image.rect(), 40) > 100);
    }

    void aVectorPictureHasItsWordsAsText() {
        const Cast cast = gcPause();
        TimelinePicture picture;
        picture.trace = cast.trace;
        QBuffer buffer;
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setSize(kSize);
        svg.setViewBox(QRect(QPoint(), kSize));
        QPainter painter(&svg);
        renderTimeline(painter, kSize, picture);
        painter.end();
        const QByteArray text = buffer.data();
        QVERIFY(text.contains("believes it holds"));
        QVERIFY(text.contains("damage: no longer held"));
        QVERIFY(text.contains("client B"));
        // Below each write its writer, as there are no tokens: two of A, two of B.
        QVERIFY2(text.count(">A</text>") >= 2, qPrintable(QString::number(text.count(">A</text>"))));
        QVERIFY(text.count(">B</text>") >= 2);
    }

    void numbersSideBySideDoNotReadAsOne() {
        const Cast cast = gcPause(); // B writes at 6.5 s and 8.2 s, and A at 7.1 s what should not have been accepted
        const auto svgOf = [&](Nanos first, Nanos last) {
            TimelinePicture picture;
            picture.trace = cast.trace;
            picture.from = first;
            picture.to = last;
            QBuffer buffer;
            QSvgGenerator svg;
            svg.setOutputDevice(&buffer);
            svg.setSize(kSize);
            svg.setViewBox(QRect(QPoint(), kSize));
            QPainter painter(&svg);
            renderTimeline(painter, kSize, picture);
            painter.end();
            return buffer.data();
        };
        // The names on bars are bold.
        const auto below = [&](const QString& writer, Nanos last) {
            const QRegularExpression name(u"<text[^>]*font-weight=\"400\"[^>]*>%1</text>"_qs.arg(writer));
            return QString::fromUtf8(svgOf(0s, last)).count(name);
        };
        QCOMPARE(below(u"B"_qs, 10s), 2);
        QCOMPARE(below(u"A"_qs, 10s), 3);
        // 7 pixels apart: the name below the damage stays, that of the write before it goes.
        QCOMPARE(below(u"B"_qs, 70s), 1);
        QCOMPARE(below(u"A"_qs, 70s), 3);
    }

    void aNumberOfOneDigitIsShownOnScreen() {
        const Picture picture(false, 1);
        QRect below = picture.bar(LaneKind::Effect, picture.cast.stock, 1500ms, 1700ms);
        below.moveTop(below.bottom() + 2); // the write of 1.6 s
        below.setHeight(picture.metrics.px(13));
        const QRect nothing = below.translated(picture.bar(LaneKind::Effect, picture.cast.stock, 1600ms, 4s).width(),
                                               0); // nobody writes at 4 s
        QVERIFY(countPixels(picture.image, color(Role::TextDim), below, 70) > 3);
        QCOMPARE(countPixels(picture.image, color(Role::TextDim), nothing, 70), 0);
    }

    /// Words on a loss that have no room behind it stand where the frame of the pause before it is: on a ground of
    /// their own, which nothing strikes through.
    void theFrameOfAPauseStrikesNoWordsThrough() {
        Cast cast;
        cast.at(0s, trace::EventKind::ClientStarted, cast.a.client);
        cast.ask(900ms, cast.a);
        cast.grant(1s, cast.a, 5s);
        cast.at(2s, trace::EventKind::ClientPaused, cast.a.client, 0, 0, 0, trace::kFault);
        cast.at(8s, trace::EventKind::ClientResumed, cast.a.client, 0, 0, 0, trace::kFault);
        cast.at(8010ms, trace::EventKind::Lost, cast.a.thread, cast.lock);
        cast.trace->reach(10s);
        TimelineData data(cast.trace);
        data.consume();
        const auto lane = std::ranges::find_if(data.lanes(), [&](const auto& one) {
            return one->kind == LaneKind::Belief && one->entity == cast.a.thread;
        });
        QVERIFY(lane != data.lanes().end());
        const TimelineMetrics metrics(QFontMetricsF(QApplication::font()).height());
        const QRectF bar = metrics.bar(LaneKind::Belief, 0, 1000);
        QImage image(1000, metrics.laneHeight(**lane), QImage::Format_ARGB32_Premultiplied);
        const auto lossAt = [&](Nanos edge) {
            image.fill(Qt::white);
            QPainter painter(&image);
            PaintKit kit(painter, data, {0, Nanos(10s).count(), 1000}, metrics, 1);
            kit.edge = kit.c.x(edge.count());
            std::vector<WrittenWords> words;
            kit.written = &words;
            paintBelief(kit, **lane, image.height());
            const auto found =
                std::ranges::find(words, QStringLiteral("learns: lost"), [](const auto& one) { return one.words; });
            return found == words.end() ? QRectF() : found->place;
        };
        QVERIFY(lossAt(10s).left() > 801);
        const QRectF words = lossAt(8200ms);
        QVERIFY(words.isValid() && words.right() < 801);
        const QRect frame(int(words.left()), int(bar.top()) - 5, int(words.width()), 3); // what of it is there
        QCOMPARE(countPixels(image, color(Role::Paused), frame, 12), 0);
        QVERIFY(countPixels(image, color(Role::Paused), frame.translated(-frame.width() - 40, 0), 12) > 0);
    }

    /// The role of a server that is down at the left edge is not written under the word that says so.
    void aDeadServerHasOneWord() {
        Cast cast;
        cast.at(0s, trace::EventKind::NodeStarted, cast.node);
        cast.at(0s, trace::EventKind::NodeRole, cast.node, 0, 0, cast.trace->text("follower"));
        cast.at(2s, trace::EventKind::NodeKilled, cast.node, 0, 0, 0, trace::kFault);
        cast.at(6s, trace::EventKind::NodeStarted, cast.node);
        cast.trace->reach(10s);
        TimelineData data(cast.trace);
        data.consume();
        const auto node =
            std::ranges::find_if(data.lanes(), [](const auto& lane) { return lane->kind == LaneKind::Node; });
        QVERIFY(node != data.lanes().end());
        const TimelineMetrics metrics(QFontMetricsF(QApplication::font()).height());
        const auto written = [&](Nanos from) {
            QImage image(1000, 80, QImage::Format_ARGB32_Premultiplied);
            QPainter painter(&image);
            PaintKit kit(painter, data, {from.count(), Nanos(10s).count(), 1000}, metrics, 1);
            std::vector<WrittenWords> words;
            kit.written = &words;
            paintNode(kit, **node, 60);
            return words;
        };
        const auto placeOf = [](const std::vector<WrittenWords>& words, QStringView what) {
            const auto found = std::ranges::find_if(words, [&](const auto& one) { return one.words.contains(what); });
            return found == words.end() ? QRectF() : found->place;
        };
        const auto whole = written(0s), late = written(3s);
        QVERIFY(placeOf(whole, u"follower").isValid() && placeOf(whole, u"follower").left() < 100);
        QVERIFY(placeOf(late, u"dead").isValid() && placeOf(late, u"dead").left() < 100);
        QVERIFY(placeOf(late, u"follower").left() > 3.0 / 7 * 1000); // where it runs again
        // Nor does it reach below that word from before.
        const auto before = written(1800ms);
        QVERIFY(placeOf(before, u"dead").isValid());
        QVERIFY(placeOf(before, u"follower").left() > 4.0 / 8.2 * 1000);
    }
};

QTEST_MAIN(TestTimelinePaint)
#include "tst_timeline_paint.moc"
