// SPDX-License-Identifier: GPL-3.0-or-later
// The whole trace in small: what is visible moves, and so does the playhead.
#include "pause_view.h"
#include "timeline/timeline_overview.h"

#include <QMouseEvent>

using namespace lockscope;
using namespace lockscope::views;

namespace {

/// Drags the overview's frame to x.
void dragTo(TimelineOverview* overview, int x) {
    const auto moveTo = [&](int to) {
        const QPoint at(to, 20);
        QMouseEvent move(QEvent::MouseMove, at, overview->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                         Qt::NoModifier);
        QApplication::sendEvent(overview, &move);
    };
    const int from = x - 2 * QApplication::startDragDistance();
    QTest::mousePress(overview, Qt::LeftButton, {}, {from, 20});
    moveTo(x);
    QTest::mouseRelease(overview, Qt::LeftButton, {}, {x, 20});
}

} // namespace

class TimelineOverviewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theOverviewMovesTheRange() {
        PauseView s;
        auto* overview = s.view.findChild<TimelineOverview*>();
        dragTo(overview, overview->width() - 5);
        QVERIFY(s.view.zoom()->from() > 40'000'000'000);
        QVERIFY(!s.view.zoom()->isFollowing());
        // Back where the playhead is, it is followed again; unless somebody has said that it is not to be.
        const int labels = s.view.scene().metrics.labelWidth();
        const double share = double(s.context.playhead().count()) / double(s.view.zoom()->end());
        const int here = labels + int((overview->width() - labels) * share);
        dragTo(overview, here);
        QVERIFY(s.view.zoom()->isFollowing());
        s.view.setFollowing(false);
        dragTo(overview, overview->width() - 5);
        dragTo(overview, here);
        QVERIFY(!s.view.zoom()->isFollowing());
    }

    /// One who clicks there goes there: Play goes on from what is in sight.
    void aClickInTheOverviewSetsThePlayhead() {
        PauseView s;
        auto* overview = s.view.findChild<TimelineOverview*>();
        const Nanos before = s.context.playhead();
        dragTo(overview, overview->width() - 5);
        QCOMPARE(s.context.playhead(), before);
        const int labels = s.view.scene().metrics.labelWidth(), middle = labels + (overview->width() - labels) / 2;
        QTest::mouseClick(overview, Qt::LeftButton, {}, {middle, 20});
        const double share = double(s.context.playhead().count()) / double(s.view.zoom()->end());
        QVERIFY2(std::abs(share - 0.5) < 0.01, QByteArray::number(share).constData());
        QVERIFY(s.view.zoom()->from() < s.context.playhead().count());
        QVERIFY(s.view.zoom()->to() > s.context.playhead().count());
        QVERIFY(s.view.zoom()->isFollowing());
    }

    /// One who has looked elsewhere is taken along again when the playhead is set in sight, or when it comes there.
    void aPlayheadSetInSightIsFollowedAgain() {
        PauseView s;
        auto* overview = s.view.findChild<TimelineOverview*>();
        const auto lookElsewhere = [&] {
            dragTo(overview, overview->width() - 5);
            QVERIFY(!s.view.zoom()->isFollowing());
        };
        lookElsewhere();
        s.context.setPlayhead(Nanos((s.view.zoom()->from() + s.view.zoom()->to()) / 2));
        QVERIFY(s.view.zoom()->isFollowing());
        s.view.setFollowing(false); // as somebody has said
        s.context.setPlayhead(Nanos((s.view.zoom()->from() + s.view.zoom()->to()) / 2 + 1));
        QVERIFY(!s.view.zoom()->isFollowing());
    }
};

QTEST_MAIN(TimelineOverviewTest)
#include "tst_timeline_overview.moc"
