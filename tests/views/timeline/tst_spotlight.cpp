// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson's spotlight on the picture.
#include "scenes.h"
#include "theme/palette.h"
#include "timeline/timeline_ruler.h"
#include "timeline/timeline_view.h"

#include <QScrollBar>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;

namespace {

struct Stage {
    Cast cast = gcPause();
    FixedSession session{cast.trace, 60s, true};
    ViewContext context;
    TimelineView view{&context};

    Stage() {
        Theme::instance().setChoice(ThemeChoice::Light);
        context.setSession(&session);
        context.setPlayhead(6812ms);
        view.resize(1000, 700);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        // The view gathers changes until the event loop's next turn: one turn brings all of them, here and below.
        QCoreApplication::processEvents();
    }
    double x(Nanos t) const {
        const TimelineScene scene = view.scene();
        return scene.metrics.labelWidth() + scene.coordinates(view.viewport()->width()).x(t.count());
    }
    QPoint onBar(trace::EntityId entity, Nanos t) const {
        const int row = view.layoutOfLanes().rowOf(entity);
        const LaneKind kind = view.layoutOfLanes().rows()[std::size_t(row)].lane->kind;
        return {int(x(t)), view.rowRect(row).top() + int(view.scene().metrics.bar(kind, 0, 0).bottom()) - 3};
    }
    QImage picture() { return view.viewport()->grab().toImage(); }
    void light(std::vector<trace::EntityId> lanes, Nanos from, Nanos to) {
        context.setSpotlight(Spotlight{std::move(lanes), from, to, std::nullopt});
        QCoreApplication::processEvents();
    }
};

} // namespace

class tst_spotlight : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void dimsTheOtherLanesAndTimes() {
        Stage s;
        const QImage before = s.picture();
        s.light({s.cast.a.thread}, 1s, 6s);
        const QImage lit = s.picture();
        const QPoint inside = s.onBar(s.cast.a.thread, 2s), outside = s.onBar(s.cast.lock, 2s);
        QCOMPARE(lit.pixelColor(inside), before.pixelColor(inside));
        QVERIFY(lit.pixelColor(outside) != before.pixelColor(outside));
        s.context.setSpotlight(std::nullopt);
        QCoreApplication::processEvents();
        QCOMPARE(s.picture().pixelColor(outside), before.pixelColor(outside));
    }

    void showsNothingRightOfThePlayhead() {
        Stage s;
        s.context.setPlayhead(3s);
        s.light({}, 0s, 0s);
        const QImage picture = s.picture();
        const QColor ground = color(Role::SurfaceSunken);
        for (int px = int(s.x(3s)) + 8; px < picture.width(); px += 3)
            for (int y = 0; y < picture.height(); y += 3)
                QCOMPARE(picture.pixelColor(px, y), ground);
        // It moves with the playhead.
        s.context.setPlayhead(5s);
        QCoreApplication::processEvents();
        const QPoint seen = s.onBar(s.cast.a.thread, 4s);
        QVERIFY(s.picture().pixelColor(seen) != ground);
    }

    /// Right of the playhead stands how the lit lanes are now, and the bet; a lane that is not lit says nothing.
    void notesAndBetStandWhereTheAnswerComes() {
        Stage s;
        s.context.setPlayhead(6812ms);
        s.light({s.cast.a.thread}, 1s, 6s);
        s.view.zoom()->setEnd(Nanos(20s).count());
        s.view.zoom()->setRange(0, Nanos(20s).count());
        QCoreApplication::processEvents();
        const auto inkIn = [&](trace::EntityId entity) {
            const QImage picture = s.picture();
            const QRect row = s.view.rowRect(s.view.layoutOfLanes().rowOf(entity));
            int ink = 0;
            for (int px = int(s.x(6812ms)) + 8; px < picture.width(); ++px)
                ink += picture.pixelColor(px, row.center().y()) != color(Role::SurfaceSunken);
            return ink;
        };
        QVERIFY(inkIn(s.cast.a.thread) > 0);
        QCOMPARE(inkIn(s.cast.b.thread), 0);
        const trace::EntityId resource = s.context.entities(trace::EntityKind::Resource).front();
        QCOMPARE(inkIn(resource), 0);
        s.view.setBet({QStringLiteral("bet: both"), {}});
        QCoreApplication::processEvents();
        QVERIFY(inkIn(resource) > 0);
    }

    /// Where the lanes do not all fit, the first one in sight is whole.
    void noLaneIsCutAtTheTop() {
        Stage s;
        const trace::EntityId resource = s.context.entities(trace::EntityKind::Resource).front();
        for (int height = 300; height < 460; height += 7) {
            s.view.resize(1000, height);
            s.view.verticalScrollBar()->setValue(0);
            QCoreApplication::processEvents();
            s.context.setSpotlight(std::nullopt);
            s.light({resource}, 1s, 6s);
            const QRect lit = s.view.rowRect(s.view.layoutOfLanes().rowOf(resource));
            QVERIFY(lit.top() >= 0 && lit.bottom() < s.view.viewport()->height());
            if (s.view.verticalScrollBar()->value() == s.view.verticalScrollBar()->maximum()) continue;
            for (std::size_t row = 0; row < s.view.layoutOfLanes().rows().size(); ++row) {
                const QRect lane = s.view.rowRect(int(row));
                QVERIFY2(lane.top() >= 0 || lane.bottom() < 0, qPrintable(QString::number(height)));
            }
        }
    }

    void bringsItsTimeIntoSight() {
        Stage s;
        s.context.setSpotlight(Spotlight{{}, 0s, 0s, std::pair{Nanos(2s), Nanos(5s)}});
        QCOMPARE(Nanos(s.view.zoom()->from()), Nanos(2s));
        QCOMPARE(Nanos(s.view.zoom()->to()), Nanos(5s));
    }
};

QTEST_MAIN(tst_spotlight)
#include "tst_spotlight.moc"
