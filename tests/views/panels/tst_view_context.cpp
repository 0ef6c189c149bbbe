// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "models/view_context.h"
#include "scenario/settings.h"
#include "synthetic/synthetic.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <random>

using namespace lockscope;
using namespace lockscope::views;
using views::testing::FakeSession;
using views::testing::PauseStory;

static scenario::Fault onA(scenario::Action action) {
    scenario::Fault fault;
    fault.action = action;
    fault.target = QStringLiteral("A");
    return fault;
}

class ViewContextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void withoutASessionThereIsAnEmptyTrace() {
        const ViewContext context;
        QVERIFY(context.trace());
        QCOMPARE(context.trace()->size(), std::size_t(0));
        QCOMPARE(context.focusedLock(), trace::kNoEntity);
        QVERIFY(context.state().records.empty());
        QVERIFY(context.verdict());
    }

    void theStateFollowsThePlayhead() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(2s);
        QCOMPARE(context.state().records.at(story.lock).owner, story.aThread);
        context.setPlayhead(6500ms);
        QCOMPARE(context.state().records.at(story.lock).owner, story.bThread);
        context.setPlayhead(2s);
        QCOMPARE(context.state().records.at(story.lock).owner, story.aThread);
        context.setPlayhead(-1s);
        QCOMPARE(context.playhead(), Nanos::zero());
    }

    void theEndOfALongTraceIsReadyBeforeSomebodyGoesThere() {
        FakeSession session;
        trace::fillSynthetic(session.writable(), 1'000'000, 20, 5);
        const Nanos end = session.trace()->reached();
        QElapsedTimer clock;
        clock.start();
        trace::StateIndex index(session.trace());
        const trace::State expected = index.at(end);
        const qint64 atOnce = clock.nsecsElapsed();
        ViewContext context;
        context.setSession(&session);
        for (int turn = 0; turn < 100; ++turn) // a slice each
            QCoreApplication::processEvents(QEventLoop::AllEvents, 0);
        clock.restart();
        context.setPlayhead(end);
        QCOMPARE(context.state(), expected);
        const qint64 prepared = clock.nsecsElapsed();
        QVERIFY2(prepared < atOnce / 4, qPrintable(QStringLiteral("%1 of %2 ns").arg(prepared).arg(atOnce)));
    }

    /// The computing thread may tell rows of before the playhead between two questions: the second answer must not take
    /// away what the first one refers to.
    void rowsThatComeLaterAtThePlayheadAreInTheStateWhenTheEventLoopHasRun() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(20s);
        const trace::State& state = context.state();
        const auto record = state.records.find(story.lock);
        QCOMPARE(record->second.owner, story.cThread);
        session.writable().append({Nanos(15s).count(), 0, 0, story.lock, story.cThread, trace::EventKind::RecordFreed,
                                   std::uint8_t(trace::FreedBy::Expiry)});
        QVERIFY(context.state().records.find(story.lock) == record);
        QCOMPARE(record->second.owner, story.cThread);
        QCoreApplication::processEvents();
        QCOMPARE(context.state().records.at(story.lock).owner, trace::kNoEntity);
    }

    void goingOnStepByStepIsAsGoodAsFoldingAnew() {
        FakeSession session;
        trace::fillSynthetic(session.writable(), 20'000, 30, 7);
        ViewContext context;
        context.setSession(&session);
        const Nanos end = session.trace()->reached();
        std::mt19937 random(3);
        Nanos at{};
        for (int i = 0; i < 600; ++i) {
            // Mostly on by a frame, sometimes back, sometimes far.
            const std::uint32_t way = random() % 20;
            at += way == 0 ? -end / 7 : way == 1 ? end / 5 : end / 900;
            at = at < Nanos(0) ? Nanos(0) : std::min(at, end + 1s);
            context.setPlayhead(at);
            trace::StateIndex anew(session.trace());
            QCOMPARE(context.state(), anew.at(context.playhead()));
        }
    }

    void aLateRowProlongsABeliefThatTimeAloneHadEnded() {
        FakeSession session;
        trace::Trace& trace = session.writable();
        const PauseStory story(trace);
        ViewContext context;
        context.setSession(&session);
        const Nanos from = trace.reached() + 1s;
        const auto believes = [&](Nanos at, Nanos until) {
            trace.append({at.count(), until.count(), story.cThread, story.lock, 0, trace::EventKind::BelievedUntil, 0});
        };
        trace.append({from.count(), 36, story.cThread, story.lock, 1, trace::EventKind::Granted, 0});
        believes(from, from + 5s);
        const auto holds = [&] {
            return context.state().beliefs.at({story.lock, story.cThread}).phase == trace::Belief::Phase::Holding;
        };
        context.setPlayhead(from + 4s);
        QVERIFY(holds());
        context.setPlayhead(from + 6s); // the playhead of a live session is ahead of the rows
        QVERIFY(!holds());
        believes(from + 3s, from + 9s);
        context.setPlayhead(from + 7s);
        trace::StateIndex anew(session.trace());
        QCOMPARE(context.state(), anew.at(from + 7s));
        QVERIFY(holds());
    }

    void growthIsToldAtMostThirtyTimesASecondAndNeverForgotten() {
        FakeSession session;
        ViewContext context;
        context.setSession(&session);
        QSignalSpy grew(&context, &ViewContext::traceGrew);
        for (int i = 0; i < 50; ++i)
            Q_EMIT session.advanced();
        QCOMPARE(grew.count(), 1);     // the first at once
        QTRY_COMPARE(grew.count(), 2); // all others together
    }

    void theFocusedLockFollowsTheSelection() {
        FakeSession session;
        trace::Trace& trace = session.writable();
        const PauseStory story(trace);
        const auto other = trace.intern(trace::EntityKind::Lock, "other", story.node);
        trace.append({Nanos(9500ms).count(), -1, story.aThread, other, 0, trace::EventKind::Requested, 0});
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(9600ms);
        QCOMPARE(context.focusedLock(), story.lock); // the first one
        context.select(story.a);
        QCOMPARE(context.focusedLock(), other); // which A waits for
        context.select(story.resource);
        QCOMPARE(context.focusedLock(), story.lock);
        context.select(other);
        QCOMPARE(context.focusedLock(), other);
    }

    void theSelectionSurvivesAReplacedTraceByName() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        context.select(story.b);
        QSignalSpy changed(&context, &ViewContext::sessionChanged);
        auto next = std::make_shared<trace::Trace>();
        session.replaceTrace(next);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(context.selection(), trace::kNoEntity);
        next->text("something that shifts all ids");
        const PauseStory again(*next);
        QVERIFY(again.b != story.b);
        Q_EMIT session.advanced();
        QTRY_COMPARE(context.selection(), again.b);
    }

    void faultsGoToTheSessionAtThePlayhead() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(2s);
        context.breakIt(onA(scenario::Action::PauseClient));
        QCOMPARE(session.applied.size(), std::size_t(1));
        QVERIFY(session.applied[0].byHand);
        QCOMPARE(session.appliedAt[0], Nanos(2s));
        session.can.rewind = false; // a live one: now, whatever one looks at
        context.breakIt(onA(scenario::Action::PauseClient));
        QCOMPARE(session.appliedAt[1], Nanos(10s));
        session.can.faults = false;
        QSignalSpy complained(&session, &session::Session::complained);
        context.breakIt(onA(scenario::Action::KillClient));
        QCOMPARE(session.applied.size(), std::size_t(2));
        QCOMPARE(complained.count(), 1);
    }

    void aDeletedSessionLeavesAnEmptyContext() {
        auto session = std::make_unique<FakeSession>();
        const PauseStory story(session->writable());
        ViewContext context;
        context.setSession(session.get());
        context.select(story.a);
        QSignalSpy changed(&context, &ViewContext::sessionChanged);
        session.reset();
        QCOMPARE(changed.count(), 1);
        QCOMPARE(context.session(), nullptr);
        QCOMPARE(context.trace()->size(), std::size_t(0));
        QCOMPARE(context.selection(), trace::kNoEntity);
    }

    void settingsAreThoseInForceAtThePlayhead() {
        FakeSession session;
        const PauseStory story(session.writable());
        session.plan.lock.lease = 5s;
        scenario::Fault change;
        change.action = scenario::Action::Set;
        change.at = 4s;
        change.setting = QStringLiteral("lease");
        change.text = QStringLiteral("12s");
        session.plan.faults = {change};
        ViewContext context;
        context.setSession(&session);
        QCOMPARE(context.settings().lock.lease, Nanos(5s));
        context.setPlayhead(4s);
        QCOMPARE(context.settings().lock.lease, Nanos(12s));
    }

    void aSeekIsForWhoeverDrivesThePlayhead() {
        ViewContext context;
        context.seek(3s);
        QCOMPARE(context.playhead(), Nanos(3s)); // nobody does
        QSignalSpy asked(&context, &ViewContext::seekRequested);
        context.reveal(5s);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.at(0).at(0).value<Nanos>(), Nanos(5s));
        QCOMPARE(context.playhead(), Nanos(3s));
    }

    void rangesAreReadAsPeopleWriteThem_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("valid");
        QTest::addColumn<qint64>("low");
        QTest::addColumn<qint64>("high");
        const auto s = [](double x) { return qint64(x * 1e9); };
        QTest::newRow("file") << u"2s,4s"_qs << true << s(2) << s(4);
        QTest::newRow("dash") << QStringLiteral("2s – 4s") << true << s(2) << s(4);
        QTest::newRow("one unit") << QStringLiteral("2 – 4 s") << true << s(2) << s(4);
        QTest::newRow("dots") << u"2s..4s"_qs << true << s(2) << s(4);
        QTest::newRow("ellipsis") << QStringLiteral("2 … 4 s") << true << s(2) << s(4);
        QTest::newRow("half") << u"2s-"_qs << false << qint64(0) << qint64(0);
        QTest::newRow("hyphen") << u"500ms-1.5s"_qs << true << s(0.5) << s(1.5);
        QTest::newRow("single") << u"3s"_qs << true << s(3) << s(3);
        QTest::newRow("upside down") << u"4s,2s"_qs << false << qint64(0) << qint64(0);
        QTest::newRow("no unit") << u"4"_qs << false << qint64(0) << qint64(0);
        QTest::newRow("three") << u"1s,2s,3s"_qs << false << qint64(0) << qint64(0);
    }
    void rangesAreReadAsPeopleWriteThem() {
        QFETCH(QString, text);
        QFETCH(bool, valid);
        QFETCH(qint64, low);
        QFETCH(qint64, high);
        const auto range = scenario::parseRange(text);
        QCOMPARE(range.has_value(), valid);
        if (!range) return;
        QCOMPARE(qint64(range->low.count()), low);
        QCOMPARE(qint64(range->high.count()), high);
        QCOMPARE(scenario::parseRange(scenario::formatRange(*range)), range);
        // The world reads this text, not only this reader.
        scenario::Scenario scenario;
        const auto done = scenario::applySetting(scenario, QStringLiteral("hold"), scenario::formatRange(*range));
        QVERIFY2(done, done ? "" : qPrintable(done.error()));
        QCOMPARE(scenario.workload.hold, *range);
    }
};

QTEST_GUILESS_MAIN(ViewContextTest)
#include "tst_view_context.moc"
