// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenes.h"
#include "session/alert_desk.h"
#include "theme/palette.h"
#include "timeline/alert_marks.h"
#include "timeline/timeline_view.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using inspect::Alert;

namespace {

class AlertingSession : public FixedSession, public session::AlertSource {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::AlertSource)
public:
    using FixedSession::FixedSession;
    std::vector<session::AlertDesk*> alertDesks() override { return {&desk}; }
    session::AlertDesk desk;
};

/// How much of this colour is in a part of a picture, in pixels.
int pixelsOf(const QImage& image, const QColor& wanted) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            count += image.pixelColor(x, y) == wanted;
    return count;
}

} // namespace

class AlertMarksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anAlertStandsOnItsLaneFromWhenItBegan() {
        Theme::instance().setChoice(ThemeChoice::Light);
        const Cast cast = gcPause();
        AlertingSession session(cast.trace, 60s, true);
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(6812ms);
        TimelineView view(&context);
        view.resize(1000, 700);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto laneAt = [&](Nanos from, Nanos to) {
            const QImage image = view.viewport()->grab().toImage();
            const TimelineScene scene = view.scene();
            const TimelineCoordinates c = scene.coordinates(view.viewport()->width());
            const QRect row = view.rowRect(view.layoutOfLanes().rowOf(cast.lock));
            const int left = int(scene.metrics.labelWidth() + c.x(from.count())),
                      right = int(scene.metrics.labelWidth() + c.x(to.count()));
            return image.copy(QRect(left, row.top(), right - left, 4)); // the line at the lane's top
        };
        QTRY_VERIFY(view.layoutOfLanes().rowOf(cast.lock) >= 0);
        const QColor amber = color(Role::WaitingText);
        QCOMPARE(pixelsOf(laneAt(1s, 6s), amber), 0);
        Alert alert{Alert::State::Raised,
                    *inspect::parseAlertRule(QStringLiteral("held>1s")),
                    "orders",
                    QStringLiteral("“orders” is held for long."),
                    QStringLiteral("Look."),
                    2s};
        session.desk.take({alert}, {{alert}, 0, 0}, 2s, 1);
        QTRY_VERIFY(pixelsOf(laneAt(3s, 5s), amber) > 0);
        QCOMPARE(pixelsOf(laneAt(100ms, 1500ms), amber), 0);
        alert.state = Alert::State::Over;
        session.desk.take({alert}, {}, 4s, 1);
        QTRY_COMPARE(pixelsOf(laneAt(4500ms, 6s), amber), 0);
        QVERIFY(pixelsOf(laneAt(3s, 3500ms), amber) > 0); // it stays where it was
        // The tool tip says what it was.
        const AlertMarks marks(&context, [] {});
        const TimelineScene scene = view.scene();
        const int row = view.layoutOfLanes().rowOf(cast.lock);
        QCOMPARE(marks.wordsAt(scene, row, Nanos(3s).count(), 0), QStringLiteral("“orders” is held for long."));
        QCOMPARE(marks.wordsAt(scene, row, Nanos(5s).count(), 0), QString());
        QCOMPARE(marks.wordsAt(scene, row + 1, Nanos(3s).count(), 0), QString());
        session.desk.setMutes({{std::nullopt, "orders", 0}});
        QTRY_COMPARE(pixelsOf(laneAt(3s, 3500ms), amber), 0);
    }
};

QTEST_MAIN(AlertMarksTest)
#include "tst_alert_marks.moc"
