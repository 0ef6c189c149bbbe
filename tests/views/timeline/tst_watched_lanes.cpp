// SPDX-License-Identifier: GPL-3.0-or-later
// The lanes of a server with many locks: pinned ones, the curve of waiters, and the overview by the clock.
#include "pause_view.h"
#include "timeline/fault_labels.h"
#include "timeline/paint_kit.h"
#include "timeline/timeline_overview.h"
#include "trace/connection.h"

#include <QAction>
#include <QLineEdit>
#include <QScrollBar>
#include <QWheelEvent>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityKind;
using trace::EventKind;

namespace {

constexpr std::int64_t kWall = 1'764'424'800'000; ///< a full minute

/// Thirty locks that one server holds for a minute; the first one's queue grows by one every ten seconds.
struct Watched {
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    std::vector<trace::EntityId> locks;
    std::unique_ptr<FixedSession> session;
    ViewContext context;
    TimelineView view{&context};

    explicit Watched(std::int64_t wallMs = kWall) {
        Theme::instance().setChoice(ThemeChoice::Light);
        trace->setOriginWallMs(wallMs);
        const trace::EntityId shop = trace::internConnection(*trace, "shop", "redis://shop");
        const trace::EntityId node = trace->intern(EntityKind::Node, "shop", shop);
        const trace::EntityId holder = trace->intern(EntityKind::Client, "worker-7");
        for (int i = 0; i < 30; ++i)
            locks.push_back(trace->intern(EntityKind::Lock, "lock-" + QByteArray::number(i), node));
        const auto row = [&](Nanos at, EventKind kind, trace::EntityId actor, trace::EntityId lock,
                             std::int64_t value) {
            trace->append({.at = at.count(), .value = value, .actor = actor, .subject = lock, .kind = kind});
        };
        for (const trace::EntityId lock : locks)
            row(0s, EventKind::RecordHeld, holder, lock, -1);
        for (int i = 1; i <= 5; ++i)
            row(i * 10s, EventKind::RecordWaiters, trace::kNoEntity, locks.front(), i);
        trace->reach(60s);
        session = std::make_unique<FixedSession>(trace, 0s, true);
        context.setSession(session.get());
        context.setPlayhead(60s);
        view.resize(1000, 520);
        view.show();
        if (!QTest::qWaitForWindowExposed(&view)) qFatal("the window did not come");
        view.setFocus();
    }
    QScrollBar* bar() const { return view.verticalScrollBar(); }
    QRect place(trace::EntityId lock) const { return view.rowRect(view.layoutOfLanes().rowOf(lock)); }
    bool isWhole(trace::EntityId lock) const {
        const int row = view.layoutOfLanes().rowOf(lock);
        return row >= 0 && view.isInSight(row) && view.viewport()->rect().contains(place(lock));
    }
    double x(Nanos t) const {
        const TimelineScene scene = view.scene();
        return scene.metrics.labelWidth() + scene.coordinates(view.viewport()->width()).x(t.count());
    }
};

/// How many pixels of a column have that colour.
int inColumn(const QImage& picture, double x, const QRect& lane, const QColor& wanted) {
    const double dpr = picture.devicePixelRatio();
    int count = 0;
    for (int y = int(lane.top() * dpr); y < int((lane.bottom() + 1) * dpr) && y < picture.height(); ++y)
        count += picture.pixelColor(int(x * dpr), y) == wanted;
    return count;
}

} // namespace

class TestWatchedLanes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// More locks without waiters are in sight: nobody stands below their bars.
    void locksOfAServerHaveLowLanes() {
        Watched s;
        QTRY_VERIFY(s.bar()->maximum() > 100);
        QVERIFY(s.isWhole(s.locks[0]) && s.isWhole(s.locks[7]));
        QVERIFY(s.place(s.locks[0]).height() > s.place(s.locks[1]).height()); // it has a queue
    }

    /// A fact that a look has found is nothing that anybody has done.
    void whatAServerTellsIsNoFault() {
        Watched s;
        s.trace->append({.at = Nanos(60s).count(),
                         .actor = s.trace->entity(s.locks[0]).parent,
                         .aux = s.trace->text("may-evict\nallkeys-lru"),
                         .kind = EventKind::ServerTold});
        TimelineData data(s.trace);
        data.consume();
        QCOMPARE(data.faults().size(), std::size_t(0));
        QCOMPARE(data.generalFaults().size(), std::size_t(0));
    }

    void aPinnedLaneStaysInSight() {
        Watched s;
        QTRY_VERIFY(s.bar()->maximum() > 100);
        const trace::EntityId far = s.locks[27], other = s.locks[12];
        QVERIFY(!s.isWhole(far));
        s.context.select(far);
        QAction* const pin = s.view.findChild<QAction*>(QStringLiteral("timeline.pin"));
        QVERIFY(pin && !pin->shortcut().isEmpty());
        pin->trigger();
        QVERIFY(s.view.isPinned(far));
        s.view.setPinned(other, true);
        QTRY_VERIFY(s.isWhole(far) && s.isWhole(other)); // lanes are laid out at the next turn
        const int last = s.bar()->maximum();
        for (int at = 0; at <= last; at += std::max(1, last / 7)) {
            s.bar()->setValue(at);
            QVERIFY2(s.isWhole(far) && s.isWhole(other), qPrintable(QString::number(at)));
        }
        QVERIFY(s.place(other).top() < s.place(far).top()); // in the order of all lanes
        s.bar()->setValue(0);
        QVERIFY(s.place(far).bottom() < s.place(s.locks[0]).top());
        s.bar()->setValue(last);
        QVERIFY(s.isWhole(s.locks[29])); // the others can still be reached
        // A click on what is seen is on what is meant.
        QTest::mouseClick(s.view.viewport(), Qt::LeftButton, {}, QPoint(20, s.place(other).center().y()));
        QCOMPARE(s.context.selection(), other);
        pin->trigger();
        QVERIFY(!s.view.isPinned(other) && s.view.isPinned(far));
        s.view.setPinned(far, false);
        QTRY_COMPARE(s.view.scene().pinned.height(), 0);
    }

    /// The lock with the worst alert is shown without being selected, until a person looks elsewhere.
    void theWorstLocksLaneComesIntoSight() {
        Watched s;
        QTRY_VERIFY(s.bar()->maximum() > 100);
        QVERIFY(!s.isWhole(s.locks[25]));
        s.context.setWorstLock(s.locks[25]);
        QTRY_VERIFY(s.isWhole(s.locks[25]));
        s.view.resize(1000, 420); // a strip of alerts takes its room
        QTRY_VERIFY(s.isWhole(s.locks[25]));
        s.bar()->triggerAction(QAbstractSlider::SliderToMinimum);
        QVERIFY(!s.isWhole(s.locks[25]));
        s.view.resize(1000, 520);
        QTRY_VERIFY(s.isWhole(s.locks[0]));
        QCOMPARE(s.bar()->value(), s.bar()->minimum());
        s.context.setWorstLock(s.locks[20]); // another one
        QTRY_VERIFY(s.isWhole(s.locks[20]));
    }

    /// Half a lane at the top says nothing, and hides whose it is.
    void aScrollLeavesNoLaneCutAtTheTop() {
        Watched s;
        QTRY_VERIFY(s.bar()->maximum() > 100);
        const auto isCut = [&] {
            const int top = s.bar()->value();
            return std::ranges::any_of(s.view.layoutOfLanes().rows(),
                                       [top](const auto& row) { return row.y < top && row.y + row.height > top; });
        };
        const auto turn = [&](int notches) {
            QWheelEvent event({500, 200}, s.view.viewport()->mapToGlobal(QPointF(500, 200)), {}, {0, 120 * notches},
                              Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
            QApplication::sendEvent(s.view.viewport(), &event);
        };
        for (const int notches : {-1, -1, -2, 1, -1, 2}) {
            const int before = s.bar()->value();
            turn(notches);
            QVERIFY(notches < 0 ? s.bar()->value() > before : s.bar()->value() < before);
            QVERIFY2(!isCut(), qPrintable(QString::number(s.bar()->value())));
        }
        s.bar()->triggerAction(QAbstractSlider::SliderPageStepAdd);
        QVERIFY2(!isCut(), qPrintable(QString::number(s.bar()->value())));
        s.bar()->setValue(0);
        s.context.setWorstLock(s.locks[15]);
        QTRY_VERIFY(s.isWhole(s.locks[15]));
        QVERIFY2(s.bar()->value() > 0 && !isCut(), qPrintable(QString::number(s.bar()->value())));
    }

    void aFilterLeavesPinnedLanes() {
        Watched s;
        QTRY_VERIFY(s.bar()->maximum() > 100);
        s.view.setPinned(s.locks[27], true);
        s.view.findChild<QLineEdit*>()->setText(QStringLiteral("lock-3"));
        QTRY_VERIFY(s.view.layoutOfLanes().rowOf(s.locks[4]) < 0);
        QVERIFY(s.view.layoutOfLanes().rowOf(s.locks[27]) >= 0);
        QVERIFY(s.view.layoutOfLanes().rowOf(s.locks[3]) >= 0);
    }

    void pinsAreOfOneSession() {
        Watched s;
        s.view.setPinned(s.locks[27], true);
        s.session->replace(s.trace); // a recording whose names have come
        QVERIFY(s.view.isPinned(s.locks[27]));
        const Cast cast = gcPause();
        FixedSession another(cast.trace);
        s.context.setSession(&another);
        QTRY_VERIFY(!s.view.isPinned(s.locks[27]));
        s.context.setSession(nullptr);
    }

    void allPinsNeverTakeTheWholeRoom() {
        Watched s;
        QTRY_VERIFY(s.bar()->maximum() > 100);
        for (const trace::EntityId lock : s.locks)
            s.view.setPinned(lock, true);
        QTRY_VERIFY(s.view.scene().pinned.height() > 0);
        QVERIFY(s.view.scene().pinned.height() <= s.view.viewport()->height() * 6 / 10);
        s.bar()->setValue(s.bar()->maximum());
        QVERIFY(s.isWhole(s.locks[29]));
    }

    void theQueueIsACurveOfSteps() {
        Watched s;
        QTRY_VERIFY(s.isWhole(s.locks.front()));
        const QImage picture = s.view.viewport()->grab().toImage();
        const QRect lane = s.place(s.locks.front());
        const auto tall = [&](Nanos t) { return inColumn(picture, s.x(t), lane, onGround(color(Role::WaitingSoft))); };
        QCOMPARE(tall(8s), 0); // nobody waits
        int before = 0;
        for (int i = 1; i <= 5; ++i) {
            const int now = tall(i * 10s + 9s); // right of the words
            QVERIFY2(now > before, qPrintable(QStringLiteral("%1: %2 after %3").arg(i).arg(now).arg(before)));
            before = now;
        }
        const QRect quiet = s.place(s.locks[1]);
        QCOMPARE(inColumn(picture, s.x(59s), quiet, onGround(color(Role::WaitingSoft))), 0);
    }

    /// The failover is what matters, also where a renewal was missed a moment before: the lock may exist twice.
    void aFailoverIsMarkedOnEveryLockThatOutlivedIt() {
        Watched s;
        const auto row = [&](Nanos at, EventKind kind, trace::EntityId actor, trace::EntityId subject,
                             std::uint32_t aux = 0) {
            s.trace->append({.at = at.count(), .actor = actor, .subject = subject, .aux = aux, .kind = kind});
        };
        const trace::EntityId holder = s.trace->at(0).actor, node = s.trace->entity(s.locks[0]).parent;
        const trace::EntityId observer = s.trace->intern(EntityKind::Client, "lockscope");
        row(61s, EventKind::NodeStarted, node, trace::kNoEntity);
        row(70s, EventKind::RecordRenewalMissed, holder, s.locks[1]);
        row(70s, EventKind::ConnectionLost, observer, node, s.trace->text("server-failed-over"));
        row(70s, EventKind::ConnectionRestored, observer, node);
        for (const int i : {1, 2})
            row(70s + 30us, EventKind::RecordFailedOver, holder, s.locks[std::size_t(i)]);
        s.trace->reach(90s);
        Q_EMIT s.session->advanced();
        s.context.setPlayhead(90s);
        QTRY_VERIFY(!s.view.scene().data.faults().empty());
        QCOMPARE(faultLabel(*s.trace, s.view.scene().data.faults()[s.view.scene().data.faults().size() - 1]),
                 QStringLiteral("failed over: shop"));
        const QImage picture = s.view.viewport()->grab().toImage();
        for (const int i : {1, 2}) {
            const QRect lane = s.place(s.locks[std::size_t(i)]);
            QVERIFY2(inColumn(picture, s.x(70s), lane, color(Role::Violation)) > lane.height() / 3,
                     qPrintable(QString::number(i)));
        }
        QCOMPARE(inColumn(picture, s.x(70s), s.place(s.locks[3]), color(Role::Violation)), 0);
    }

    void theOverviewTellsTheTimeOfDay() {
        const auto inkAbove = [](std::int64_t wallMs) {
            Watched s(wallMs);
            auto* const overview = s.view.findChild<TimelineOverview*>();
            const QImage picture = overview->grab().toImage();
            const int labels = s.view.scene().metrics.labelWidth();
            return countPixels(picture, color(Role::TextFaint), QRect(labels, 4, picture.width() - labels, 12), 60);
        };
        QVERIFY(inkAbove(kWall) > inkAbove(0) + 40); // a simulation happens on no day
    }
};

QTEST_MAIN(TestWatchedLanes)
#include "tst_watched_lanes.moc"
