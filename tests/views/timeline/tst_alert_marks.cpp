// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/alert_words.h"
#include "scenes.h"
#include "session/alert_desk.h"
#include "theme/palette.h"
#include "timeline/alert_marks.h"
#include "timeline/render_timeline.h"
#include "timeline/timeline_view.h"

#include <QPainter>
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

    /// An alert begins soon after another server took over: its sign hides nothing of that server's name.
    void aSignLeavesTheNameOfTheServerThatTookOver() {
        Theme::instance().setChoice(ThemeChoice::Light);
        using trace::EntityKind;
        using trace::EventKind;
        const auto trace = std::make_shared<trace::Trace>();
        trace->setOriginWallMs(1'790'000'000'000);
        const auto group = trace->intern(EntityKind::Node, "m");
        const auto first = trace->intern(EntityKind::Node, "redis-1", group);
        const auto second = trace->intern(EntityKind::Node, "redis-2", group);
        const auto lock = trace->intern(EntityKind::Lock, "orders", group);
        const auto owner = trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, "A"));
        constexpr Nanos kTakesOver = 3s;
        trace->append({0, 1, first, lock, 0, EventKind::RecordDecider, 0});
        trace->append({Nanos(1s).count(), Nanos(60s).count(), owner, lock, 1, EventKind::RecordHeld, 0});
        trace->append({kTakesOver.count(), 1, second, lock, 0, EventKind::RecordDecider, 0});
        trace->append({kTakesOver.count(), 0, owner, lock, 0, EventKind::RecordFailedOver, 0});
        trace->reach(8s);
        AlertingSession session(trace, 60s, true);
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(8s);
        TimelineView view(&context);
        view.resize(1000, 700);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QString name = QStringLiteral("redis-2 decides");
        const auto writtenNow = [&] {
            const QSize size = view.viewport()->size();
            QImage image(size, QImage::Format_RGB32);
            QPainter painter(&image);
            std::vector<WrittenWords> written;
            paintLanes(painter, size, view.scene(), &written);
            std::erase_if(written, [&](const WrittenWords& one) { return one.words != name; });
            return written;
        };
        QTRY_COMPARE(writtenNow().size(), 1u);
        Alert alert{Alert::State::Raised,
                    *inspect::parseAlertRule(QStringLiteral("failed-over")),
                    "orders",
                    QStringLiteral("“orders” may exist twice."),
                    QStringLiteral("Look."),
                    kTakesOver + 150ms};
        session.desk.take({alert}, {{alert}, 0, 0}, kTakesOver + 150ms, 1);
        const QColor red = color(alertRole(inspect::severityOf(alert.rule.kind)));
        const QRect words = writtenNow().front().place.toAlignedRect();
        const QRect below = words.adjusted(0, words.height() / 2 - 2, 0, -2); // the line stands at the lane's top
        const auto redIn = [&](const QRect& part) {
            return pixelsOf(view.viewport()->grab().toImage().copy(part), red);
        };
        QTRY_VERIFY(redIn(below.translated(words.width() + 2, 0)) > 0); // the sign
        QCOMPARE(redIn(below), 0);
    }
};

QTEST_MAIN(AlertMarksTest)
#include "tst_alert_marks.moc"
