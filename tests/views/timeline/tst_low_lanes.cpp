// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes of many clients: names that stand apart, and room that is used.
#include "scenes.h"
#include "timeline/paint_kit.h"
#include "timeline/timeline_view.h"

#include <QPainter>
#include <QTest>
#include <set>

using namespace lockscope;
using namespace lockscope::views;

namespace {

/// Clients that all wait, in a window of some size.
struct Crowd {
    Cast cast;
    std::vector<Cast::Actor> actors;
    std::unique_ptr<FixedSession> session;
    ViewContext context;
    TimelineView view{&context};

    explicit Crowd(int clients, const QByteArray& name = "m") {
        for (int i = 0; i < clients; ++i) {
            Cast::Actor one;
            one.client = cast.trace->intern(trace::EntityKind::Client, name + QByteArray::number(i));
            one.thread = cast.trace->intern(trace::EntityKind::Thread, "1", one.client);
            one.link = cast.trace->intern(trace::EntityKind::Link, {}, one.client, cast.node);
            actors.push_back(one);
            cast.ask(1s, one);
        }
    }
    void show(QSize size, Nanos playhead) {
        cast.trace->reach(8s);
        session = std::make_unique<FixedSession>(cast.trace, 60s, true);
        context.setSession(session.get());
        view.resize(size);
        view.show();
        if (!QTest::qWaitForWindowExposed(&view)) qFatal("the timeline was not shown");
        context.setPlayhead(playhead);
        settle();
    }
    /// The words in the column of the names that tell of clients.
    std::vector<WrittenWords> names() {
        const TimelineScene scene = view.scene();
        std::vector<WrittenWords> written = words();
        const int below = view.rowRect(scene.layout.rowOf(actors.back().thread)).bottom();
        std::erase_if(written, [&](const WrittenWords& one) {
            return one.place.left() > scene.metrics.labelWidth() / 2 || one.place.top() > below;
        });
        return written;
    }
    std::vector<WrittenWords> words() {
        const QSize size = view.viewport()->size();
        QImage image(size, QImage::Format_RGB32);
        QPainter painter(&image);
        std::vector<WrittenWords> written;
        paintLanes(painter, size, view.scene(), &written);
        return written;
    }
};

} // namespace

class LowLanesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Words stay as large as they are in tight lanes: numbers below the marks were cut off at half their height.
    void theNumbersOfEffectsHaveTheirRoomInTightLanes() {
        const TimelineMetrics usual(16), tight(16, TimelineMetrics::kTightest);
        Lane lane;
        lane.kind = LaneKind::Effect;
        QCOMPARE(tight.laneHeight(lane), usual.laneHeight(lane));
        QCOMPARE(tight.bar(LaneKind::Effect, 0, 10), usual.bar(LaneKind::Effect, 0, 10));
        QVERIFY(tight.bar(LaneKind::Effect, 0, 10).bottom() + tight.wordsPx(15) <= tight.laneHeight(lane));
        TimelineMetrics low = tight;
        low.density = TimelineMetrics::Density::Low;
        QVERIFY(low.bar(LaneKind::Effect, 0, 10).bottom() + 1 + low.wordsPx(15) <= low.laneHeight(lane));
        lane.kind = LaneKind::Link;
        QVERIFY(tight.laneHeight(lane) < usual.laneHeight(lane));
    }

    /// Two holders one below the other, in lanes lower than a name: one label names both.
    void neighboursThatHoldShareALabel() {
        Crowd crowd(20);
        for (const std::size_t holder : {7, 8, 15})
            crowd.cast.grant(2s + Nanos(holder), crowd.actors[holder], 5s);
        crowd.show({1000, 330}, 4s);
        QVERIFY(crowd.view.rowRect(crowd.view.layoutOfLanes().rowOf(crowd.actors[7].thread)).height() < 14);
        const auto names = crowd.names();
        const auto named = [&](const QString& words) { return std::ranges::count(names, words, &WrittenWords::words); };
        QCOMPARE(named(u"m7, m8"_qs), 1);
        QCOMPARE(named(u"client m15"_qs), 1);
        QCOMPARE(named(u"client m7"_qs) + named(u"client m8"_qs), 0);
        for (std::size_t i = 0; i < names.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY2(!names[i].place.adjusted(0, 2, 0, -2).intersects(names[j].place.adjusted(0, 2, 0, -2)),
                         qPrintable(names[i].words + u" on "_qs + names[j].words));
    }

    /// A reader asks for the name of a bar that has ended, too: that of its neighbour would be a wrong answer.
    void aFormerHolderIsNamedBeforeItsNeighbours() {
        Crowd crowd(60);
        crowd.cast.grant(2s, crowd.actors[21], 5s);
        crowd.cast.release(3s, crowd.actors[21]);
        crowd.cast.grant(3100ms, crowd.actors[47], 5s);
        crowd.show({1000, 440}, 5s);
        const auto laneOf = [&](std::size_t i) {
            return crowd.view.rowRect(crowd.view.layoutOfLanes().rowOf(crowd.actors[i].thread));
        };
        QVERIFY(laneOf(21).height() > 1 && laneOf(21).height() < 7); // several lanes share a name
        const auto names = crowd.names();
        const auto named = [&](const QString& words) { return std::ranges::count(names, words, &WrittenWords::words); };
        QCOMPARE(named(u"client m21"_qs), 1);
        QCOMPARE(named(u"client m47"_qs), 1);
        const auto mine = std::ranges::find(names, u"client m21"_qs, &WrittenWords::words);
        QVERIFY(std::abs(mine->place.center().y() - laneOf(21).center().y()) <= 14);
        QVERIFY(named(u"client m20"_qs) + named(u"client m22"_qs) == 0);
    }

    /// One line is shared by both ends and a state; a name that is too long loses its middle there, too.
    void linksInOneLineKeepBothEnds() {
        Crowd crowd(2, "order-service-in-frankfurt-");
        Nanos cut = 2s;
        for (const Cast::Actor& one : crowd.actors)
            crowd.cast.at(cut += 200ms, trace::EventKind::LinkCut, one.client, one.link, 0, 0, trace::kFault);
        crowd.show({1000, 700}, 4s);
        int height = 700;
        const auto isLow = [&] {
            const int row = crowd.view.layoutOfLanes().rowOf(crowd.actors[0].link);
            return row >= 0 && crowd.view.rowRect(row).height() < 2 * crowd.view.scene().metrics.px(18);
        };
        while (!isLow() && height > 340) {
            crowd.view.resize(1000, height -= 20);
            settle();
        }
        QVERIFY(isLow());
        std::set<QString> names;
        for (const WrittenWords& one : crowd.words())
            if (one.words.contains(u'↔')) names.insert(one.words);
        QVERIFY(!names.empty());
        for (const QString& name : names)
            QVERIFY2(name.startsWith(u'o') && name.endsWith(u"-1"), qPrintable(name));
    }

    /// Cut behind, the links of clients with long names would all have one name.
    void linksOfLongNamesKeepTheirNumbers() {
        Crowd crowd(2, "order-service-in-frankfurt-");
        Nanos cut = 2s; // one after the other: links that are struck alike share a row
        for (const Cast::Actor& one : crowd.actors)
            crowd.cast.at(cut += 200ms, trace::EventKind::LinkCut, one.client, one.link, 0, 0, trace::kFault);
        crowd.show({1000, 700}, 4s);
        std::set<QString> names;
        for (const WrittenWords& one : crowd.words())
            if (one.words.contains(u'↔')) names.insert(one.words);
        QCOMPARE(names.size(), std::size_t(2));
        for (const QString& name : names) {
            QVERIFY2(name.contains(u'…') && name.startsWith(u'o'), qPrintable(name));
            QVERIFY2(name.endsWith(u"-1"), qPrintable(name)); // the server's
        }
    }

    /// Letters of another font, which are taller, stand on the line that the others stand on.
    void chineseLettersStandOnTheLine() {
        Crowd crowd(1);
        crowd.show({1000, 330}, 4s);
        const auto foot = [&](const QString& words) { // of its last letter
            QImage image(200, 60, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            const TimelineScene scene = crowd.view.scene();
            const PaintKit kit(painter, scene.data, scene.coordinates(200), scene.metrics, 1);
            const double right = kit.text({0, 0, 200, 60}, words, kit.bold, Role::Text);
            painter.end();
            for (int y = image.height() - 1; y >= 0; --y)
                for (int x = int(right) - 6; x < int(right); ++x)
                    if (qGray(image.pixel(x, y)) < 128) return y;
            return -1;
        };
        const int latin = foot(u"holds 2"_qs);
        QVERIFY(latin > 0);
        QCOMPARE(foot(u"持有 2"_qs), latin);
    }

    void theFirstOnesNameIsNotCutByItsHeading() {
        Crowd crowd(20);
        crowd.cast.grant(2s, crowd.actors[0], 5s);
        crowd.show({1000, 330}, 4s);
        const QRect row = crowd.view.rowRect(crowd.view.layoutOfLanes().rowOf(crowd.actors[0].thread));
        const auto names = crowd.names();
        const auto name = std::ranges::find(names, u"client m0"_qs, &WrittenWords::words);
        QVERIFY(name != names.end());
        QVERIFY2(name->place.top() >= row.top() - 1, QByteArray::number(name->place.top()).constData());
    }

    /// The lines of two hundred clients leave room, which the record and the effect get.
    void recordsHaveTheRoomThatLinesLeave() {
        Crowd crowd(200);
        crowd.cast.grant(2s, crowd.actors[20], 5s);
        crowd.show({1200, 700}, 4s);
        const TimelineScene scene = crowd.view.scene();
        QVERIFY(scene.layout.height() <= crowd.view.viewport()->height());
        const int free = crowd.view.viewport()->height() - scene.layout.height();
        // With one pixel more for each line, or the next looser way of the rest, it would not fit.
        QVERIFY2(free < 60, QByteArray::number(free).constData());
    }
};

QTEST_MAIN(LowLanesTest)
#include "tst_low_lanes.moc"
