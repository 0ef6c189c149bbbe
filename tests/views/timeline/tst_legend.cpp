// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenes.h"
#include "theme/palette.h"
#include "timeline/legend.h"
#include "timeline/legend_bar.h"
#include "timeline/render_timeline.h"
#include "trace/deadline.h"
#include "trace/recorder.h"

#include <QPainter>
#include <QTest>
#include <set>

using namespace lockscope;
using namespace lockscope::views;

namespace {

/// The sign alone.
QImage pictureOf(LegendSign sign) {
    QImage image(40, 24, QImage::Format_RGB32);
    image.fill(color(Role::Surface));
    QPainter painter(&image);
    paintLegendItem(painter, image.rect(), sign, {});
    return image;
}

} // namespace

class TestLegend : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void eachSignHasItsPictureAndItsWords() {
        std::vector<QImage> pictures;
        std::set<QString> words;
        for (const LegendItem& item : legendItems()) {
            const QImage picture = pictureOf(item.sign);
            QVERIFY2(std::ranges::find(pictures, picture) == pictures.end(), qPrintable(item.words));
            pictures.push_back(picture);
            QVERIFY(words.insert(item.words).second && !item.words.isEmpty());
            QVERIFY(qstrlen(item.term) > 0);
        }
    }

    /// A sign that cannot be there only makes a reader look for it.
    void aPicturesLegendHasNoSignThatThePictureHasNot() {
        const auto painted = [](const std::set<LegendSign>& signs) {
            QImage image(1600, legendHeight(), QImage::Format_RGB32);
            QPainter painter(&image);
            paintLegend(painter, image.rect(), signs);
            return image;
        };
        const auto trace = std::make_shared<trace::Trace>();
        trace::Recorder recorder(trace, [] { return Nanos(0); });
        const auto node = trace->intern(trace::EntityKind::Node, "shop");
        const auto lock = trace->intern(trace::EntityKind::Lock, "orders", node);
        const auto holder =
            trace->intern(trace::EntityKind::Thread, "1", trace->intern(trace::EntityKind::Client, "A"));
        recorder.emit(trace::EventKind::RecordHeld, holder, lock, (10s).count());
        trace->reach(5s);
        TimelinePicture picture{trace, nullptr, {}, {}, {}, {}};
        const std::set<LegendSign> seen = TimelineRenderer(picture).signs(picture);
        QVERIFY(seen.contains(LegendSign::Lease));
        for (const LegendSign never : {LegendSign::Planned, LegendSign::Fault, LegendSign::Damage, LegendSign::Accepted,
                                       LegendSign::Margin, LegendSign::Broken})
            QVERIFY(!seen.contains(never));
        QVERIFY(painted(seen) != painted({LegendSign::Lease, LegendSign::Planned}));
        picture.hidesFuture = true; // nor does the legend tell what is to come
        QCOMPARE(TimelineRenderer(picture).signs(picture).size(), legendItems().size());
    }

    /// The wedge of a lease has no meaning where a session or a connection keeps the lock.
    void aHoldWithoutALeaseHasNoWedgeInTheLegend_data() {
        QTest::addColumn<std::int64_t>("deadline");
        QTest::addColumn<int>("holds");
        QTest::newRow("a lease") << Nanos(5s).count() << 1;
        QTest::newRow("a session") << trace::kEndNotKnown << 1;
        QTest::newRow("leases, drawn as columns") << Nanos(5s).count() << 4000;
        QTest::newRow("sessions, drawn as columns") << trace::kEndNotKnown << 4000;
    }
    void aHoldWithoutALeaseHasNoWedgeInTheLegend() {
        QFETCH(const std::int64_t, deadline);
        QFETCH(const int, holds);
        const auto trace = std::make_shared<trace::Trace>();
        Nanos now = 0s;
        trace::Recorder recorder(trace, [&now] { return now; });
        const auto lock =
            trace->intern(trace::EntityKind::Lock, "orders", trace->intern(trace::EntityKind::Node, "zk"));
        const auto holder =
            trace->intern(trace::EntityKind::Thread, "1", trace->intern(trace::EntityKind::Client, "A"));
        for (int i = 0; i < holds; ++i) {
            recorder.emit(trace::EventKind::RecordHeld, holder, lock, deadline);
            now += 400us;
            recorder.emit(trace::EventKind::RecordFreed, trace::kNoEntity, lock, 0, holder);
            now += 600us;
        }
        trace->reach(5s);
        TimelinePicture picture{trace, nullptr, {}, {}, {}, {}};
        std::set<LegendSign> seen = TimelineRenderer(picture).signs(picture);
        const bool lease = deadline != trace::kEndNotKnown;
        QCOMPARE(seen.contains(LegendSign::Lease), lease);
        LegendBar bar;
        bar.resize(4000, 40);
        seen.insert(LegendSign::Waits);
        bar.setInSight(seen);
        const std::vector<LegendSign> shown = bar.shown();
        QCOMPARE(std::ranges::find(shown, LegendSign::Lease) != shown.end(), lease);
        QVERIFY(std::ranges::find(shown, LegendSign::Refused) != shown.end()); // others may be out of sight
    }

    /// In the colours of the lanes.
    void theMarginIsGreenAndThenAmber() {
        const QImage picture = pictureOf(LegendSign::Margin);
        const QRect left = picture.rect().adjusted(0, 0, -picture.width() / 2, 0),
                    right = picture.rect().adjusted(picture.width() / 2, 0, 0, 0);
        QVERIFY(countPixels(picture, color(Role::Accepted), left, 8) > 10);
        QCOMPARE(countPixels(picture, color(Role::Waiting), left, 8), 0);
        QVERIFY(countPixels(picture, color(Role::Waiting), right, 8) > 10);
        QVERIFY(countPixels(pictureOf(LegendSign::RenewFailed), color(Role::Waiting), picture.rect(), 8) > 8);
    }
};

QTEST_MAIN(TestLegend)
#include "tst_legend.moc"
