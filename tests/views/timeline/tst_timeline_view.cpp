// SPDX-License-Identifier: GPL-3.0-or-later
#include "pause_view.h"
#include "synthetic/synthetic.h"
#include "timeline/timeline_panel.h"
#include "timeline/timeline_ruler.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>

using namespace lockscope;
using namespace lockscope::views;

namespace {

/// With gestures as verbs.
struct Stage : PauseView {
    TimelineHit hit(const QPoint& at) const { return hitTest(view.scene(), view.viewport()->size(), at); }
    QString words(const QPoint& at) const { return hitWords(view.scene(), hit(at)); }
    void wheel(const QPoint& at, int notches, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QWheelEvent event(at, view.viewport()->mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.viewport(), &event);
    }
    void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::mousePress(view.viewport(), Qt::LeftButton, modifiers, from);
        for (int i = 1; i <= 4; ++i)
            move(from + (to - from) * i / 4, modifiers);
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, modifiers, to);
    }
    /// With the button down.
    void move(const QPoint& at, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QMouseEvent event(QEvent::MouseMove, at, view.viewport()->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                          modifiers);
        QApplication::sendEvent(view.viewport(), &event);
    }
};

} // namespace

class TestTimelineView : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theWheelZoomsAboutTheCursorAndScrollsLanes() {
        Stage s;
        const QPoint at(int(s.x(4s)), 60);
        const std::int64_t span = s.view.zoom()->span();
        s.wheel(at, 2, Qt::ControlModifier);
        QVERIFY(s.view.zoom()->span() < span);
        QVERIFY(std::abs(s.x(4s) - at.x()) < 2);
        s.wheel(at, -2, Qt::ControlModifier);
        QVERIFY(std::abs(s.view.zoom()->span() - span) < span / 100);
        const std::int64_t from = s.view.zoom()->from();
        s.wheel(at, -3, Qt::ShiftModifier);
        QVERIFY(s.view.zoom()->from() > from);
        s.view.resize(1000, 220); // too low for all lanes, however low they are
        QCoreApplication::processEvents();
        s.wheel(at, -1);
        QVERIFY(s.view.verticalScrollBar()->value() > 0);
    }

    void draggingPansAndShiftDraggingMeasures() {
        Stage s;
        s.view.zoom()->setRange(5'000'000'000, 9'000'000'000);
        const std::int64_t from = s.view.zoom()->from();
        s.drag({800, 100}, {600, 100});
        QVERIFY(s.view.zoom()->from() > from);
        QSignalSpy measured(&s.view, &TimelineView::measureChanged);
        s.view.zoom()->setRange(0, 10'000'000'000);
        s.drag({int(s.x(2s)), 100}, {int(s.x(4s)), 100}, Qt::ShiftModifier);
        QVERIFY(s.view.measured());
        const Nanos length = s.view.measured()->second - s.view.measured()->first;
        QVERIFY2(std::abs((length - 2s).count()) < 50'000'000, qPrintable(QString::number(length.count())));
        QVERIFY(!measured.isEmpty());
        QTest::keyClick(&s.view, Qt::Key_Escape);
        QVERIFY(!s.view.measured());
    }

    void theLengthOfAMeasureHidesNoCaption() {
        Stage s;
        s.view.zoom()->setRange(0, 10'000'000'000);
        s.drag({int(s.x(2s)), 100}, {int(s.x(6s)), 100}, Qt::ShiftModifier);
        QVERIFY(s.view.measured());
        const int caption = s.view.scene().metrics.captionHeight(), apart = 3; // from the edges of the range
        const QRect strip(int(s.x(2s)) + apart, 0, int(s.x(6s) - s.x(2s)) - 2 * apart, caption);
        const QImage picture = s.picture();
        QCOMPARE(countPixels(picture, color(Role::Accent), strip, 8), 0); // nothing of the pill's frame
        QVERIFY(countPixels(picture, color(Role::Accent), strip.translated(0, caption), 8) > 20);
    }

    void whatEndsAMeasureEndsItsDrag() {
        Stage s;
        s.view.zoom()->setRange(0, 10'000'000'000);
        QSignalSpy measured(&s.view, &TimelineView::measureChanged);
        const auto measureHalf = [&] {
            QTest::mousePress(s.view.viewport(), Qt::LeftButton, Qt::ShiftModifier, {int(s.x(2s)), 100});
            s.move({int(s.x(4s)), 100}, Qt::ShiftModifier);
            QVERIFY(measured.last()[0].value<Nanos>() > 1s);
        };
        const auto moveOn = [&] {
            QCOMPARE(measured.last()[0].value<Nanos>(), Nanos(0));
            const auto told = measured.size();
            s.move({int(s.x(6s)), 100}, Qt::ShiftModifier);
            QVERIFY(!s.view.measured());
            QCOMPARE(measured.size(), told);
            QTest::mouseRelease(s.view.viewport(), Qt::LeftButton, Qt::ShiftModifier, {int(s.x(6s)), 100});
            QVERIFY(!s.view.measured());
            QCOMPARE(measured.size(), told);
        };
        measureHalf();
        QTest::keyClick(&s.view, Qt::Key_Escape);
        moveOn();
        measureHalf();
        s.session.replace(gcPause().trace);
        moveOn();
    }

    void theKeyboardMeasuresFromThePlayhead() {
        Stage s;
        QVERIFY(QTest::qWaitForWindowActive(&s.view));
        QSignalSpy measured(&s.view, &TimelineView::measureChanged);
        s.context.setPlayhead(2s);
        QTest::keyClick(&s.view, Qt::Key_M);
        s.context.setPlayhead(4500ms);
        QCOMPARE(measured.last()[0].value<Nanos>(), Nanos(2500ms));
        QTest::keyClick(&s.view, Qt::Key_M);
        s.context.setPlayhead(7s);
        QVERIFY(s.view.measured());
        QCOMPARE(s.view.measured()->second, Nanos(4500ms));
        QTest::keyClick(&s.view, Qt::Key_Escape);
        QVERIFY(!s.view.measured());
        QTest::keyClick(&s.view, Qt::Key_M); // twice in one place: nothing was meant
        QTest::keyClick(&s.view, Qt::Key_M);
        QVERIFY(!s.view.measured());
    }

    void aNewPastIsLookedAtWhereTheOldOneWas() {
        Cast old = gcPause();
        old.trace->reach(100s); // further than was planned
        FixedSession session(old.trace, 60s);
        ViewContext context;
        context.setSession(&session);
        TimelineView view(&context);
        context.setPlayhead(85s);
        view.zoom()->setRange(80'000'000'000, 90'000'000'000);
        const auto next = std::make_shared<trace::Trace>();
        session.replace(next);
        QCOMPARE(view.zoom()->from(), 80'000'000'000);
        for (const Nanos reached : {Nanos(3s), Nanos(70s), Nanos(85s)}) {
            QSignalSpy drawn(view.loader(), &TimelineLoader::changed);
            next->reach(reached);
            session.grew();
            QTRY_VERIFY(!drawn.isEmpty());
            QCOMPARE(view.zoom()->from(), 80'000'000'000);
        }
        // When the user looks elsewhere, the axis keeps no length that no event has come to.
        view.zoom()->setRange(0, 10'000'000'000);
        session.replace(std::make_shared<trace::Trace>());
        context.setPlayhead(0s);
        session.grew();
        QTRY_COMPARE(view.zoom()->end(), 60'000'000'000);
    }

    void whatWasNotDrawnIsSaid() {
        FixedSession session(trace::syntheticTrace(600'000, 10, 2));
        ViewContext context;
        TimelinePanel panel(&context);
        context.setSession(&session);
        panel.view()->loader()->cancel();
        QVERIFY(panel.view()->loader()->isCancelled());
        auto* button = panel.findChild<QPushButton*>();
        QVERIFY(!button->parentWidget()->isHidden());
        QCOMPARE(button->text(), QStringLiteral("Go on"));
        const QString words = button->parentWidget()->findChild<QLabel*>()->text();
        QVERIFY2(words.startsWith(QStringLiteral("Drawn up to ")), qPrintable(words));
        button->click();
        QVERIFY(!panel.view()->loader()->isCancelled());
        QTRY_COMPARE_WITH_TIMEOUT(panel.view()->loader()->rows(), context.trace()->size(), 60'000);
        QTRY_VERIFY(button->parentWidget()->isHidden());
    }

    void aClickSelectsAndTellsOfTheViolation() {
        Stage s;
        QSignalSpy violation(&s.view, &TimelineView::violationActivated);
        QTest::mouseClick(s.view.viewport(), Qt::LeftButton, {}, s.onBar(s.cast.b.thread, 8s));
        QCOMPARE(s.context.selection(), s.cast.b.thread);
        QCOMPARE(violation.size(), 0);
        // C only waits at 6.5 s: beside its dotted line there is the band of the violation.
        const QPoint beside = s.onBar(s.cast.stock, 6200ms);
        QTest::mouseClick(s.view.viewport(), Qt::LeftButton, {}, beside);
        QCOMPARE(violation.size(), 1);
        auto* ruler = s.view.findChild<TimelineRuler*>();
        QTest::mouseClick(ruler, Qt::LeftButton, {}, {int(s.x(6600ms)), ruler->height() - 12});
        QCOMPARE(violation.size(), 2);
        QCOMPARE(s.context.selection(), s.cast.lock);
    }

    void draggingTheRulerMovesThePlayhead() {
        Stage s;
        auto* ruler = s.view.findChild<TimelineRuler*>();
        QTest::mousePress(ruler, Qt::LeftButton, {}, {int(s.x(2s)), 10});
        QVERIFY(std::abs((s.context.playhead() - 2s).count()) < 20'000'000);
        const QPoint to(int(s.x(5s)), 10);
        QMouseEvent move(QEvent::MouseMove, to, ruler->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(ruler, &move);
        QTest::mouseRelease(ruler, Qt::LeftButton, {}, to);
        QVERIFY(std::abs((s.context.playhead() - 5s).count()) < 20'000'000);
    }

    void theKeyboardWalksLanesAndTime() {
        Stage s;
        QVERIFY(QTest::qWaitForWindowActive(&s.view));
        QTest::keyClick(&s.view, Qt::Key_Down);
        QCOMPARE(s.context.selection(), s.cast.a.thread);
        QTest::keyClick(&s.view, Qt::Key_Down);
        QCOMPARE(s.context.selection(), s.cast.b.thread);
        QTest::keyClick(&s.view, Qt::Key_Up);
        QCOMPARE(s.context.selection(), s.cast.a.thread);
        QSignalSpy detail(&s.view, &TimelineView::detailRequested);
        QTest::keyClick(&s.view, Qt::Key_Return);
        QCOMPARE(detail.size(), 1);
        const std::int64_t span = s.view.zoom()->span();
        QTest::keyClick(&s.view, Qt::Key_Plus);
        QVERIFY(s.view.zoom()->span() < span);
        QTest::keyClick(&s.view, Qt::Key_0);
        QCOMPARE(s.view.zoom()->span(), s.view.zoom()->end());
        s.view.zoom()->setRange(2'000'000'000, 4'000'000'000);
        QTest::keyClick(&s.view, Qt::Key_Right, Qt::ShiftModifier);
        QVERIFY(s.view.zoom()->from() > 2'000'000'000);
        const bool following = s.view.zoom()->isFollowing();
        QTest::keyClick(&s.view, Qt::Key_T);
        QCOMPARE(s.view.zoom()->isFollowing(), !following);
        QTest::keyClick(&s.view, Qt::Key_T);
        QCOMPARE(s.view.zoom()->isFollowing(), following);
    }

    void whatIsSelectedElsewhereComesIntoSight() {
        Stage s;
        s.view.resize(1000, 300);
        std::vector<trace::EntityId> locks;
        for (int i = 0; i < 30; ++i) {
            locks.push_back(
                s.cast.trace->intern(trace::EntityKind::Lock, "lock-" + QByteArray::number(i), s.cast.node));
            s.cast.at(10s, trace::EventKind::RecordHeld, s.cast.a.thread, locks.back(), Nanos(60s).count(), 1);
        }
        s.session.grew();
        QTRY_VERIFY(s.view.layoutOfLanes().rowOf(locks.back()) >= 0);
        const auto inSight = [&](trace::EntityId lock) {
            const QRect row = s.view.rowRect(s.view.layoutOfLanes().rowOf(lock));
            return s.view.viewport()->rect().contains(row);
        };
        QTRY_VERIFY(s.view.verticalScrollBar()->maximum() > 0);
        for (const trace::EntityId lock : {locks.back(), locks.front(), locks[20]}) {
            s.view.verticalScrollBar()->setValue(lock == locks.back() ? 0 : s.view.verticalScrollBar()->maximum());
            s.context.select(lock); // as a row of the table does
            const QRect row = s.view.rowRect(s.view.layoutOfLanes().rowOf(lock));
            QVERIFY2(inSight(lock), qPrintable(QStringLiteral("%1 to %2 of %3")
                                                   .arg(row.top())
                                                   .arg(row.bottom())
                                                   .arg(s.view.viewport()->height())));
        }
    }

    void keysThatMoveThePlayheadAreLeftToThePlayer() {
        Stage s;
        const Nanos before = s.context.playhead();
        for (const Qt::Key key : {Qt::Key_Left, Qt::Key_Right, Qt::Key_Home, Qt::Key_End, Qt::Key_F}) {
            QKeyEvent override(QEvent::ShortcutOverride, key, Qt::NoModifier);
            override.ignore();
            QApplication::sendEvent(&s.view, &override);
            QVERIFY2(!override.isAccepted(), qPrintable(QKeySequence(key).toString()));
        }
        QCOMPARE(s.context.playhead(), before);
    }

    void aLockWithARecipeOfItsOwnIsCaptionedByIt() {
        Cast cast = gcPause();
        FixedSession session{cast.trace, 60s};
        session.ownClients = true;
        session.plan.recipe = QStringLiteral("redis-set");
        scenario::NamedLock own;
        own.settings.name = QString::fromUtf8(cast.trace->entity(cast.lock).name);
        own.recipe = QStringLiteral("zk-mutex");
        session.plan.moreLocks = {own};
        ViewContext context;
        context.setSession(&session);
        TimelineView view(&context);
        view.resize(1000, 700);
        QTRY_VERIFY(view.layoutOfLanes().rowOf(cast.lock) >= 0);
        const QString words = view.rowWords(view.layoutOfLanes().rowOf(cast.lock));
        QVERIFY2(words.contains(QLatin1String("zk-mutex")), qPrintable(words));
    }

    void captionsTellTheSettingsAtThePlayhead() {
        Cast cast = gcPause();
        FixedSession session{cast.trace, 60s};
        session.ownClients = true;
        session.plan.recipe = QStringLiteral("redis-set");
        scenario::Fault check;
        check.action = scenario::Action::Set;
        check.at = 4s;
        check.setting = QStringLiteral("token_check");
        check.text = QStringLiteral("on");
        scenario::Fault recipe = check;
        recipe.setting = QStringLiteral("recipe");
        recipe.text = QStringLiteral("redis-reentrant");
        session.plan.faults = {check, recipe};
        ViewContext context;
        context.setSession(&session);
        TimelineView view(&context);
        view.resize(1000, 700);
        QTRY_VERIFY(view.layoutOfLanes().rowOf(cast.stock) >= 0);
        const auto words = [&](trace::EntityId entity) { return view.rowWords(view.layoutOfLanes().rowOf(entity)); };
        QVERIFY2(words(cast.stock).contains(QLatin1String("no token check")), qPrintable(words(cast.stock)));
        QVERIFY2(words(cast.lock).contains(QLatin1String("redis-set")), qPrintable(words(cast.lock)));
        const QImage before = view.grab().toImage();
        context.setPlayhead(4s);
        QVERIFY2(words(cast.stock).contains(QLatin1String("checks tokens")), qPrintable(words(cast.stock)));
        QVERIFY2(words(cast.lock).contains(QLatin1String("redis-reentrant")), qPrintable(words(cast.lock)));
        // The labels are painted anew, too; nothing else of them depends on the playhead.
        const QRect labels(0, 0, view.scene().metrics.labelWidth() - 1, view.height());
        QVERIFY(view.grab().toImage().copy(labels) != before.copy(labels));
        context.setPlayhead(3s);
        QVERIFY(words(cast.stock).contains(QLatin1String("no token check")));
    }

    void aRightClickAsksForAMenuOfTheLane() {
        Stage s;
        QSignalSpy menu(&s.view, &TimelineView::contextMenuRequested);
        const QPoint at = s.onBar(s.cast.a.thread, 2s);
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, s.view.viewport()->mapToGlobal(at));
        QApplication::sendEvent(s.view.viewport(), &event);
        QCOMPARE(menu.size(), 1);
        QCOMPARE(menu[0][0].value<trace::EntityId>(), s.cast.a.thread);
    }

    /// Where the run is ahead of what anybody has seen, an end that is known already is not told.
    void noEndIsToldThatNobodyHasSeen() {
        Stage s;
        TimelineScene scene = s.view.scene();
        const auto words = [&](trace::EntityId entity, Nanos at) {
            return hitWords(scene, hitTest(scene, s.view.viewport()->size(), s.onBar(entity, at)));
        };
        QVERIFY(!words(s.cast.a.thread, 2s).contains(QStringLiteral("now")));
        QVERIFY(!words(s.cast.lock, 2s).contains(QStringLiteral("unless renewed")));
        scene.seen = Nanos(3s).count();
        const QString belief = words(s.cast.a.thread, 2s), record = words(s.cast.lock, 2s);
        QVERIFY2(belief.contains(QStringLiteral("– now")), qPrintable(belief));
        QVERIFY2(record.contains(QStringLiteral("– now")), qPrintable(record));
        QVERIFY2(record.contains(QStringLiteral("(unless renewed)")), qPrintable(record));
        const QString later = words(s.cast.a.thread, 5s);
        QVERIFY2(later.contains(QStringLiteral("not known yet")), qPrintable(later));
    }

    void hoveringSaysWhatIsThere() {
        Stage s;
        QVERIFY(s.words(s.onBar(s.cast.a.thread, 2s)).contains(QStringLiteral("holds orders: ")));
        const QString stale = s.words(s.onBar(s.cast.a.thread, 6500ms));
        QVERIFY(stale.contains(QStringLiteral("believes it holds")));
        QVERIFY(stale.contains(QStringLiteral("paused")));
        QVERIFY(
            stale.contains(verdict::explain(s.session.verdict()->violations.front(), *s.cast.trace).toHtmlEscaped()));
        QVERIFY(s.words(s.onBar(s.cast.lock, 2s)).contains(QStringLiteral("held by A")));
        QVERIFY(s.words(s.onBar(s.cast.stock, 7100ms)).contains(QStringLiteral("damage: no longer held")));
    }

    void whatHasNotHappenedIsNotTold() {
        Stage s; // ends at 10 s: A waits, C holds, and the axis goes on to 60 s
        s.cast.at(10s, trace::EventKind::ClientPaused, s.cast.c.client);
        s.session.grew();
        s.view.zoom()->setRange(0, Nanos(60s).count());
        QTRY_VERIFY(s.words(s.onBar(s.cast.c.thread, 9900ms)).contains(QStringLiteral("holds")));
        for (const trace::EntityId entity :
             {s.cast.a.thread, s.cast.b.thread, s.cast.c.thread, s.cast.lock, s.cast.stock, s.cast.node}) {
            const QString words = s.words(s.onBar(entity, 46s));
            QVERIFY2(words.contains(QStringLiteral("not known yet")), qPrintable(words));
            for (const char* claim : {"wait", "hold", "held", "left", "idle", "paused", "free", "up"})
                QVERIFY2(!words.contains(QLatin1String(claim)), qPrintable(words));
        }
        // A screen reader's text is about known facts only, too.
        s.context.setPlayhead(46s);
        const int row = s.view.layoutOfLanes().rowOf(s.cast.a.thread);
        QVERIFY2(s.view.rowWords(row).contains(QStringLiteral("waiting for 1.7 s")), qPrintable(s.view.rowWords(row)));
    }

    void whatIsHitIsWhatIsPainted() {
        Stage s;
        const QImage image = s.view.viewport()->grab().toImage();
        const int row = s.view.layoutOfLanes().rowOf(s.cast.b.thread);
        const QRect lane = s.view.rowRect(row);
        int painted = 0;
        for (int x = int(s.x(0s)) + 2; x < lane.right() - 2; ++x) {
            const QPoint at(x, s.onBar(s.cast.b.thread, 0s).y());
            const bool blue =
                countPixels(image, color(Role::Holding), QRect(x, lane.top() + lane.height() / 3, 1, 4)) >= 3;
            const TimelineHit hit = s.hit(at);
            const bool holding = hit.what == TimelineHit::What::Span &&
                                 hit.lane->spans[hit.index].state == unsigned(BeliefState::Holding);
            if (blue) QVERIFY2(holding, qPrintable(QString::number(x)));
            painted += blue;
        }
        QVERIFY(painted > 200);
    }

    void aGrowingTraceGrowsThePicture() {
        Stage s;
        const auto& rows = s.view.layoutOfLanes().rows();
        const std::size_t lanes = rows.size();
        const trace::EntityId client = s.cast.trace->intern(trace::EntityKind::Client, "D");
        const trace::EntityId thread = s.cast.trace->intern(trace::EntityKind::Thread, "1", client);
        s.cast.at(11s, trace::EventKind::Requested, thread, s.cast.lock, -1);
        s.session.grew();
        QTRY_COMPARE(s.view.layoutOfLanes().rows().size(), lanes + 1);
        QVERIFY(s.view.layoutOfLanes().rowOf(thread) >= 0);
    }

    void followingKeepsThePlayheadInSight() {
        Stage s;
        for (int i = 0; i <= 40; ++i) {
            s.context.setPlayhead(std::chrono::milliseconds(1000 * i));
            QVERIFY(s.context.playhead().count() <= s.view.zoom()->to());
            QVERIFY(s.context.playhead().count() >= s.view.zoom()->from());
        }
    }

    void movingThePlayheadDoesNotPaintLanesAnew() {
        Stage s;
        s.context.setPlayhead(2s);
        (void)s.view.grab();
        const double before = s.view.lastFrameMs();
        for (int i = 0; i < 20; ++i) {
            s.context.setPlayhead(2s + std::chrono::milliseconds(20 * i));
            (void)s.view.grab();
        }
        QCOMPARE(s.view.lastFrameMs(), before); // would differ in its many digits had they been painted again
    }

    void anEmptyTimelineSaysWhatToDo() {
        ViewContext context;
        TimelineView view(&context);
        Theme::instance().setChoice(ThemeChoice::Light);
        view.resize(800, 500);
        const QImage image = view.grab().toImage();
        QVERIFY(countPixels(image, color(Role::Text), image.rect().adjusted(0, 100, 0, -100), 60) > 100);
    }

    void aScreenReaderHearsTheLanes() {
        Stage s;
        QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(&s.view);
        QVERIFY(interface);
        QCOMPARE(interface->role(), QAccessible::List);
        QVERIFY(!interface->text(QAccessible::Name).isEmpty());
        QCOMPARE(interface->childCount(), int(s.view.layoutOfLanes().rows().size()));
        QAccessibleInterface* a = interface->child(0);
        QVERIFY(a);
        const QString name = a->text(QAccessible::Name);
        QVERIFY2(name.contains(QStringLiteral("client A")), qPrintable(name));
        QVERIFY2(name.contains(QStringLiteral("paused")), qPrintable(name));
        QVERIFY2(name.contains(QStringLiteral("believes it holds")), qPrintable(name));
        QCOMPARE(interface->indexOfChild(a), 0);
        QCOMPARE(a->parent(), interface);
        QVERIFY(a->rect().isValid());
        s.view.setFocusRow(1);
        QCOMPARE(interface->focusChild(), interface->child(1));
    }
};

QTEST_MAIN(TestTimelineView)
#include "tst_timeline_view.moc"
