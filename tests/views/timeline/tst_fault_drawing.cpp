// SPDX-License-Identifier: GPL-3.0-or-later
// Faults drawn, moved, stretched and taken back on the time axis, by mouse and by keyboard.
#include "models/change_words.h"
#include "models/engine_words.h"
#include "models/event_words.h"
#include "models/fault_words.h"
#include "pause_view.h"
#include "session/planning.h"
#include "timeline/timeline_ruler.h"

#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using scenario::Action;
using scenario::Fault;

namespace {

/// A simulation in which a person can plan faults: it keeps them in a list, as the real one does.
class HandsSession final : public FixedSession, public session::Planning {
public:
    using FixedSession::FixedSession;
    session::Abilities abilities() const override {
        session::Abilities abilities = FixedSession::abilities();
        abilities.rewind = abilities.faults = canRewind;
        return abilities;
    }
    std::vector<Fault> doneByHand() const override { return done; }
    void plan(Fault fault) override { done.push_back(std::move(fault)); }
    void replace(std::size_t index, Fault fault) override {
        done[index] = std::move(fault);
        std::ranges::stable_sort(done, {}, [](const Fault& f) { return *f.at; });
        Q_EMIT scenarioChanged();
    }
    void withdraw(std::size_t index) override {
        done.erase(done.begin() + std::ptrdiff_t(index));
        Q_EMIT scenarioChanged();
    }
    std::vector<Fault> done;
    bool canRewind = true;
};

Fault pauseOf(const char* client, Nanos at, std::optional<Nanos> lasts = {}) {
    Fault fault;
    fault.action = Action::PauseClient;
    fault.target = QString::fromLatin1(client);
    fault.at = at;
    fault.duration = lasts;
    fault.byHand = true;
    return fault;
}

struct Stage {
    Cast cast = gcPause();
    HandsSession session{cast.trace, 20s};
    ViewContext context;
    TimelineView view{&context};
    TimelineRuler* ruler = view.findChild<TimelineRuler*>();
    QSignalSpy drawn{&view, &TimelineView::spanDrawn};

    explicit Stage(std::vector<Fault> done = {}, bool canRewind = true) {
        Theme::instance().setChoice(ThemeChoice::Light);
        session.done = std::move(done);
        session.canRewind = canRewind;
        context.setSession(&session);
        context.setPlayhead(2s);
        view.resize(1000, 700);
        view.show();
        if (!QTest::qWaitForWindowExposed(&view)) qFatal("the timeline was not shown");
        view.zoom()->setRange(0, 20'000'000'000);
        settle();
    }
    double x(Nanos t) const {
        const TimelineScene scene = view.scene();
        return scene.metrics.labelWidth() + scene.coordinates(view.viewport()->width()).x(t.count());
    }
    /// On the strip of faults, beside its marks in height.
    QPoint onStrip(Nanos t, int y = 16) const {
        return {int(std::lround(x(t))), view.scene().metrics.rulerHeight() + y};
    }
    void drag(QWidget* widget, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::mousePress(widget, Qt::LeftButton, modifiers, from);
        for (int step = 1; step <= 4; ++step)
            moveTo(widget, from + (to - from) * step / 4, modifiers);
        QTest::mouseRelease(widget, Qt::LeftButton, modifiers, to);
    }
    static void moveTo(QWidget* widget, QPoint to, Qt::KeyboardModifiers modifiers) {
        QMouseEvent move(QEvent::MouseMove, QPointF(to), widget->mapToGlobal(QPointF(to)), Qt::NoButton, Qt::LeftButton,
                         modifiers);
        QCoreApplication::sendEvent(widget, &move);
    }
    QStringList chipWords() const {
        QStringList words;
        const TimelineScene scene = view.scene();
        for (const FaultChip& chip : faultChips(scene, scene.coordinates(view.viewport()->width())))
            if (chip.deed) words += QStringLiteral("%1 %2").arg(chip.at / 1'000'000).arg(chip.awaited ? u"…" : u"!");
        return words;
    }
};

} // namespace

class TestFaultDrawing final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aDragOverTheStripDrawsASpan() {
        Stage s;
        s.drag(s.ruler, s.onStrip(12s), s.onStrip(15s));
        QCOMPARE(s.drawn.count(), 1);
        QCOMPARE(s.drawn.at(0).at(0).value<trace::EntityId>(), trace::kNoEntity);
        QCOMPARE(s.drawn.at(0).at(1).value<Nanos>(), Nanos(12s));
        QCOMPARE(s.drawn.at(0).at(2).value<Nanos>(), Nanos(15s));
        QVERIFY(s.view.span()); // in sight while a menu asks what it is to be
        s.view.clearSpan();
        QVERIFY(!s.view.span());
        // Backwards it is the same span.
        s.drag(s.ruler, s.onStrip(15s), s.onStrip(12s));
        QCOMPARE(s.drawn.at(1).at(1).value<Nanos>(), Nanos(12s));
    }

    void aDragWithCtrlOverALaneDrawsForThatLane() {
        Stage s;
        const int row = s.view.layoutOfLanes().rowOf(s.cast.b.thread);
        const int y = s.view.rowRect(row).center().y();
        s.drag(s.view.viewport(), {int(s.x(12s)), y}, {int(s.x(14s)), y}, Qt::ControlModifier);
        QCOMPARE(s.drawn.count(), 1);
        QCOMPARE(s.drawn.at(0).at(0).value<trace::EntityId>(), s.cast.b.thread);
        QCOMPARE(s.drawn.at(0).at(2).value<Nanos>() - s.drawn.at(0).at(1).value<Nanos>(), Nanos(2s));
    }

    void aClickOnTheStripStillGoesThere() {
        Stage s;
        QTest::mouseClick(s.ruler, Qt::LeftButton, {}, s.onStrip(14s));
        QCOMPARE(s.drawn.count(), 0);
        QVERIFY(std::chrono::abs(s.context.playhead() - 14s) < 100ms);
    }

    /// The player's look-ahead gives nothing away: the next holder is seen when it gets the lock.
    void whatWasComputedAheadIsNotSeen() {
        Stage s; // the playhead is at 2 s, the trace ends at 10 s
        const QRect ahead(QPoint(int(s.x(2s)) + 4, 0), QPoint(int(s.x(10s)), s.view.viewport()->height()));
        const auto holds = [&] {
            QCoreApplication::processEvents(); // lanes that have just grown are laid out at the next turn
            const QImage picture = s.view.viewport()->grab().toImage();
            return countPixels(picture, color(Role::Holding), ahead) + countPixels(picture, color(Role::Record), ahead);
        };
        QVERIFY(!s.context.unseenFrom());
        QVERIFY(holds() > 0);
        s.context.setLookAhead(10s);
        QCOMPARE(s.context.unseenFrom(), std::optional<Nanos>(2s));
        s.view.viewport()->update();
        QCOMPARE(holds(), 0);
        s.context.setPlayhead(10s);
        s.context.setPlayhead(2s); // what has been seen once may be seen
        QVERIFY(!s.context.unseenFrom());
        QVERIFY(holds() > 0);
    }

    /// The world tells of an engine in two lines, the second why: both are words.
    void aChangeOfEnginesIsTold() {
        Cast cast;
        cast.at(1s, trace::EventKind::EngineChanged, cast.a.client, 0, 2,
                cast.trace->text("redis://redis-2:6379 redis-set\nhand"), std::uint8_t(trace::EngineNews::InUse));
        cast.at(2s, trace::EventKind::SettingChanged, 0, 0, 0, cast.trace->text("engine=redis-2"));
        const QString changed = engineWords(cast.trace->at(0), *cast.trace);
        QCOMPARE(changed, u"uses redis-2, epoch 2: switched by hand"_qs); // by its name
        QCOMPARE(eventDetail(cast.trace->at(0), *cast.trace),
                 u"uses redis-2, epoch 2: switched by hand, redis://redis-2:6379 redis-set"_qs);
        QCOMPARE(changeWords(cast.trace->at(1), *cast.trace), QStringLiteral("switch to redis-2"));
    }

    void aRecordingIsNotDrawnInto() {
        Stage s({}, false);
        s.drag(s.ruler, s.onStrip(12s), s.onStrip(15s));
        const int y = s.view.rowRect(0).center().y();
        s.drag(s.view.viewport(), {int(s.x(12s)), y}, {int(s.x(14s)), y}, Qt::ControlModifier);
        QCOMPARE(s.drawn.count(), 0);
        QCOMPARE(s.ruler->focusPolicy(), Qt::NoFocus);
    }

    void whatIsStillToComeHasAMark() {
        Fault byCondition = pauseOf("B", 9s);
        byCondition.when = scenario::Trigger{};
        Stage s({pauseOf("A", 3s, 2s), byCondition, pauseOf("C", 15s, 1s)});
        // The pause of A has struck in the trace; the others wait for their condition and their time.
        QCOMPARE(s.chipWords(), (QStringList{u"3000 !"_qs, u"9000 …"_qs, u"15000 …"_qs}));
    }

    void aMarkIsDraggedToAnotherTime() {
        Stage s({pauseOf("C", 13s, 2s)});
        s.drag(s.ruler, s.onStrip(13s) + QPoint(6, 0), s.onStrip(16s) + QPoint(6, 0));
        QCOMPARE(s.session.done.size(), 1u);
        QCOMPARE(s.session.done.front().at, std::optional<Nanos>(16s));
        QCOMPARE(s.session.done.front().duration, std::optional<Nanos>(2s));
        QCOMPARE(s.drawn.count(), 0);
    }

    void itsEndIsDraggedToLastLonger() {
        Stage s({pauseOf("C", 13s, 2s)});
        s.drag(s.ruler, s.onStrip(15s, 28), s.onStrip(18s, 28));
        QCOMPARE(s.session.done.front().at, std::optional<Nanos>(13s));
        QCOMPARE(s.session.done.front().duration, std::optional<Nanos>(5s));
        // It cannot end before it begins.
        s.drag(s.ruler, s.onStrip(18s, 28), s.onStrip(10s, 28));
        QVERIFY(*s.session.done.front().duration > Nanos(0));
        QVERIFY(*s.session.done.front().duration < Nanos(100ms));
    }

    void theKeyboardChoosesMovesStretchesAndTakesBack() {
        Stage s({pauseOf("B", 12s), pauseOf("C", 15s, 2s)});
        s.ruler->setFocus(Qt::TabFocusReason);
        QVERIFY(s.ruler->hasFocus());
        QCOMPARE(s.ruler->chosen(), std::optional<std::size_t>(0));
        QTest::keyClick(s.ruler, Qt::Key_Right);
        QCOMPARE(s.ruler->chosen(), std::optional<std::size_t>(1));
        QCOMPARE(s.ruler->accessibleDescription(), deedText(s.session.done[1]));
        QTest::keyClick(s.ruler, Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(s.session.done[1].at, std::optional<Nanos>(15100ms));
        QTest::keyClick(s.ruler, Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier);
        QCOMPARE(s.session.done[1].duration, std::optional<Nanos>(3s));
        // Moved before the other one it stays the chosen one.
        for (int i = 0; i < 4; ++i)
            QTest::keyClick(s.ruler, Qt::Key_Left, Qt::AltModifier | Qt::ShiftModifier);
        QCOMPARE(s.session.done[0].target, u"C"_qs);
        QCOMPARE(s.ruler->chosen(), std::optional<std::size_t>(0));
        QSignalSpy changes(&s.view, &TimelineView::deedChangeRequested), plans(&s.view, &TimelineView::planRequested);
        QTest::keyClick(s.ruler, Qt::Key_F2);
        QCOMPARE(changes.count(), 1);
        QTest::keyClick(s.ruler, Qt::Key_Insert);
        QCOMPARE(plans.count(), 1);
        QTest::keyClick(s.ruler, Qt::Key_Return);
        QCOMPARE(s.context.playhead(), *s.session.done[0].at);
        QTest::keyClick(s.ruler, Qt::Key_Delete);
        QCOMPARE(s.session.done.size(), 1u);
        QCOMPARE(s.session.done[0].target, u"B"_qs);
    }

    /// Record and effect stay in sight below a handful of clients.
    void severalClientsGetLowerLanesWhereThatHelps() {
        Stage s;
        trace::Trace& trace = *s.cast.trace;
        for (int i = 0; i < 4; ++i) {
            const auto client = trace.intern(trace::EntityKind::Client, "w" + QByteArray::number(i));
            const auto thread = trace.intern(trace::EntityKind::Thread, "1", client);
            s.cast.at(10s, trace::EventKind::ClientStarted, client);
            s.cast.at(10s, trace::EventKind::Requested, thread, s.cast.lock, -1);
        }
        s.session.grew();
        const auto effectEnds = [&] {
            const auto& rows = s.view.layoutOfLanes().rows();
            const auto effect =
                std::ranges::find(rows, LaneKind::Effect, [](const auto& row) { return row.lane->kind; });
            return effect == rows.end() ? -1 : effect->y + effect->height;
        };
        s.view.resize(1000, 600);
        QTRY_VERIFY(s.view.scene().metrics.belief < TimelineMetrics::kWhole);
        QVERIFY(s.view.scene().metrics.wordsOnBeliefs());
        QTRY_VERIFY(effectEnds() > 0 && effectEnds() <= s.view.viewport()->height());
        s.view.resize(1000, 1200);
        QTRY_COMPARE(s.view.scene().metrics.belief, TimelineMetrics::kWhole);
    }

    void manyClientsGetLowLanesBelowRecordAndEffect() {
        Stage s;
        auto& trace = *s.cast.trace;
        QCOMPARE(s.view.scene().metrics.belief, TimelineMetrics::kWhole);
        for (int i = 0; i < 150; ++i) {
            const auto client = trace.intern(trace::EntityKind::Client, "w" + QByteArray::number(i));
            const auto thread = trace.intern(trace::EntityKind::Thread, "1", client);
            trace.intern(trace::EntityKind::Link, "", client, s.cast.node);
            s.cast.at(10s, trace::EventKind::ClientStarted, client);
            s.cast.at(10s, trace::EventKind::Requested, thread, s.cast.lock, -1);
        }
        s.session.grew();
        QTRY_VERIFY(s.view.layoutOfLanes().rows().size() > 150);
        const auto& rows = s.view.layoutOfLanes().rows();
        QCOMPARE(rows.front().lane->kind, LaneKind::Record);
        const int belief = s.view.layoutOfLanes().rowOf(s.cast.a.thread);
        QVERIFY(rows[std::size_t(belief)].height < 8);
        // The links of all of them would be 150 more rows that say nothing.
        QVERIFY(std::ranges::none_of(rows, [](const TimelineLayout::Row& row) {
            return row.lane->kind == LaneKind::Link && row.lane->faults.empty();
        }));
        QAction* const actors = s.view.findChild<QAction*>(u"timeline.actors"_qs);
        QVERIFY(actors);
        actors->trigger();
        const auto beliefs = std::ranges::count_if(s.view.layoutOfLanes().rows(), [](const TimelineLayout::Row& row) {
            return row.lane->kind == LaneKind::Belief;
        });
        QCOMPARE(beliefs, 3); // A, B and C have held it
        QCOMPARE(s.view.scene().metrics.belief, TimelineMetrics::kWhole);
    }
};

QTEST_MAIN(TestFaultDrawing)
#include "tst_fault_drawing.moc"
