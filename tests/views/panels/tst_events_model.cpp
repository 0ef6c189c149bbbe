// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "models/events_model.h"
#include "models/verdict_model.h"
#include "synthetic/synthetic.h"
#include "trace/death.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using views::testing::FakeSession;
using views::testing::PauseStory;
using Mode = QAbstractItemModelTester::FailureReportingMode;

class EventsModelTest : public QObject {
    Q_OBJECT

    static constexpr std::array<bool, kEventGroups> kAll{true, true, true, true, true, true};

private Q_SLOTS:
    void everyRowOfTheTraceIsALineInWords() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        EventsModel model(&context);
        const QAbstractItemModelTester tester(&model, Mode::QtTest);
        QCOMPARE(model.rowCount(), int(session.trace()->size()));
        const int row = model.rowAt(5800ms);
        QCOMPARE(model.index(row, EventsModel::TimeColumn).data().toString(), QStringLiteral("5.800 s"));
        QCOMPARE(model.index(row, EventsModel::WhatColumn).data().toString(), QStringLiteral("orders"));
        QVERIFY(model.index(row, EventsModel::DetailColumn).data().toString().contains(QStringLiteral("expired")));
        QCOMPARE(model.rowAt(Nanos(-1)), -1);
        for (int i = 0; i < model.rowCount(); ++i)
            QVERIFY(!model.index(i, EventsModel::KindColumn).data().toString().isEmpty());
    }

    void everyKindHasAWord() {
        for (int kind = 1; kind < 256; ++kind) {
            const auto known = trace::EventKind(kind);
            if (QByteArray(trace::kindName(known)) == trace::kindName(trace::EventKind(255))) continue;
            QVERIFY2(eventWord(known) != QString::fromLatin1(trace::kindName(known)) ||
                         !eventWord(known).contains(u'-'),
                     trace::kindName(known));
        }
    }

    /// A machine that crashed is not told as a process that was killed, nor found by that word's column alone.
    void aCrashIsToldAndFoundByItsOwnWord() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto node = t.intern(trace::EntityKind::Node, "redis-1");
        t.append({1, 0, node, 0, 0, trace::EventKind::NodeKilled, trace::kFault});
        t.append({2, trace::kPowerLost, node, 0, 0, trace::EventKind::NodeKilled, trace::kFault});
        t.reach(1s);
        ViewContext context;
        context.setSession(&session);
        EventsModel model(&context);
        const auto word = [&](int row) { return model.index(row, EventsModel::KindColumn).data().toString(); };
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(word(0), QStringLiteral("killed"));
        QCOMPARE(word(1), QStringLiteral("crashed"));
        QCOMPARE(model.index(1, EventsModel::DetailColumn).data().toString(),
                 QStringLiteral("its machine lost its power"));
        model.setFilter(QStringLiteral("crashed"), kAll);
        QTRY_VERIFY(!model.isIndexing());
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(word(0), QStringLiteral("crashed"));
    }

    void wordsAndGroupsFilter() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        EventsModel model(&context);
        const QAbstractItemModelTester tester(&model, Mode::QtTest);
        model.setFilter(QStringLiteral("refused"), kAll);
        QTRY_VERIFY(!model.isIndexing());
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, EventsModel::WhoColumn).data().toString(), QStringLiteral("A · 1"));
        model.setFilter(QStringLiteral("write -B"), kAll);
        QTRY_VERIFY(!model.isIndexing());
        QCOMPARE(model.rowCount(), 3);                // A's
        model.setFilter(QStringLiteral("SET"), kAll); // a command's text
        QTRY_VERIFY(!model.isIndexing());
        QCOMPARE(model.rowCount(), 4);
        auto onlyFaults = kAll;
        onlyFaults.fill(false);
        onlyFaults[std::size_t(EventGroup::Fault)] = true;
        model.setFilter({}, onlyFaults);
        QTRY_VERIFY(!model.isIndexing());
        QCOMPARE(model.rowCount(), 6); // four starts, a pause, a resumption
        QCOMPARE(model.rowAt(6812ms), 4);
        model.setFilter({}, kAll);
        QCOMPARE(model.rowCount(), int(session.trace()->size()));
    }

    void aWatchedLockIsToldInTheWordsOfLocks() {
        FakeSession session;
        trace::Trace& trace = session.writable();
        using K = trace::EventKind;
        const auto name = trace.intern(trace::EntityKind::Text, "shop", 0, trace.text("redis://h:6379"));
        const auto node = trace.intern(trace::EntityKind::Node, "h:6379", name);
        const auto lock = trace.intern(trace::EntityKind::Lock, "orders", node);
        const auto thread = [&](const char* client) {
            return trace.intern(trace::EntityKind::Thread, "1", trace.intern(trace::EntityKind::Client, client));
        };
        const auto a = thread("A"), b = thread("B");
        std::int64_t at = 0;
        const auto add = [&](Nanos later, K kind, trace::EntityId actor, std::uint32_t aux = 0,
                             std::uint8_t flags = 0) {
            trace.append(
                {at += later.count(), kind == K::RecordFreed ? 0 : at + 5'000'000'000, actor, lock, aux, kind, flags});
        };
        add(0s, K::RecordHeld, a, 1); // before anybody looked
        add(1s, K::RecordRenewed, a, 1);
        add(1s, K::RecordRenewed, a, 2);
        add(1s, K::RecordRenewed, a, 1);
        add(1s, K::RecordFailedOver, a);
        add(1s, K::RecordFreed, 0, a);
        add(0s, K::RecordHeld, b, 1);
        add(1s, K::RecordFreed, 0, b, std::uint8_t(trace::FreedBy::Expiry));
        add(1s, K::RecordHeld, a, 1);
        add(1s, K::RecordFreed, 0, a, std::uint8_t(trace::FreedBy::Force));
        add(1s, K::RecordHeld, a, 1);
        add(1s, K::RecordFreed, 0, a, std::uint8_t(trace::FreedBy::NodeLoss));
        trace.reach(20s);
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(20s);
        const auto column = [](const EventsModel& model, int which) {
            QStringList all;
            for (int row = 0; row < model.rowCount(); ++row)
                all += model.index(row, which).data().toString();
            return all;
        };
        // A world of our own speaks of its record: it has beliefs beside it.
        QCOMPARE(column(EventsModel(&context), EventsModel::KindColumn).front(), QStringLiteral("record: held"));
        trace.setOriginWallMs(1'700'000'000'000);
        EventsModel model(&context);
        QCOMPARE(column(model, EventsModel::KindColumn),
                 (QStringList{u"found held"_qs, u"renewed"_qs, u"re-entered"_qs, u"held once less"_qs,
                              u"failed over while held"_qs, u"released"_qs, u"handed over"_qs, u"expired"_qs,
                              u"taken"_qs, u"freed by force"_qs, u"taken"_qs, u"lost with its server"_qs}));
        const QStringList who = column(model, EventsModel::WhoColumn);
        QVERIFY(who[5].startsWith(u'A') && who[6].startsWith(u'B') && who[7].startsWith(u'B'));
        QVERIFY(model.index(6, EventsModel::DetailColumn).data().toString().startsWith(u"from A"));
        model.setFilter(QStringLiteral("handed"), kAll);
        QTRY_VERIFY(!model.isIndexing());
        QCOMPARE(model.rowCount(), 1);
        model.setFilter(QStringLiteral("re-entered"), kAll); // renewals of any kind: which, the row says
        QTRY_VERIFY(!model.isIndexing());
        QCOMPARE(model.rowCount(), 3);
        model.setFilter(QStringLiteral("expired"), kAll);
        QTRY_VERIFY(!model.isIndexing());
        QCOMPARE(column(model, EventsModel::KindColumn), QStringList{u"expired"_qs});
    }

    void newRowsComeInWhileFiltered() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        EventsModel model(&context);
        const QAbstractItemModelTester tester(&model, Mode::QtTest);
        model.setFilter(QStringLiteral("accepted"), kAll);
        QTRY_VERIFY(!model.isIndexing());
        const int before = model.rowCount();
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        for (int i = 0; i < 300; ++i) {
            session.writable().append({Nanos(11s).count() + i, i, story.cThread, story.resource, 0,
                                       i % 2 ? trace::EventKind::WriteAccepted : trace::EventKind::WriteRefused, 0});
            Q_EMIT session.advanced();
            if (i % 50 == 0) QCoreApplication::processEvents();
        }
        QTRY_COMPARE(model.rowCount(), before + 150);
        QCOMPARE(resets.count(), 0);
    }

    void rowsThatTheWorldComputedAheadAreNeitherShownNorCounted() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        const std::size_t all = session.trace()->size();
        QCOMPARE(context.seenRows(), all);
        context.setLookAhead(session.trace()->reached());
        const std::array<std::pair<QString, std::array<Nanos, 2>>, 2> cases{
            {{QString(), {1s, 3s}}, {QStringLiteral("orders"), {6s, 6600ms}}}};
        for (const auto& [filter, instants] : cases) {
            context.setPlayhead(0s);
            EventsModel model(&context);
            const QAbstractItemModelTester tester(&model, Mode::QtTest);
            model.setFilter(filter, kAll);
            QTRY_VERIFY(!model.isIndexing());
            QVERIFY(model.rowCount() < int(all));
            for (const Nanos at : instants) {
                const int before = model.rowCount();
                context.setPlayhead(at); // uncovers rows without any growth of the trace
                QTRY_VERIFY(model.rowCount() > before);
                for (int row = 0; row < model.rowCount(); ++row)
                    QVERIFY(model.index(row, 0).data(EventsModel::TimeRole).toLongLong() <= at.count());
                QVERIFY(context.seenRows() < all);
            }
        }
    }

    void millionsOfEventsAreFilteredInSlicesThatNeverStopTheWindow() {
        FakeSession session;
        trace::fillSynthetic(session.writable(), 4'000'000, 30, 3);
        ViewContext context;
        context.setSession(&session);
        EventsModel model(&context);
        QCOMPARE(model.rowCount(), 4'000'000);
        QElapsedTimer clock;
        clock.start();
        model.setFilter(QStringLiteral("A -step"), kAll);
        QVERIFY2(clock.elapsed() < 250, "starting a filter waits for it");
        QVERIFY(model.isIndexing());
        int turns = 0;
        while (model.isIndexing()) {
            QCoreApplication::processEvents(QEventLoop::AllEvents, 0);
            ++turns;
        }
        QVERIFY2(turns > 3, "done in one go");
        QVERIFY(model.rowCount() > 1000);
        QCOMPARE(model.progress(), 1.0);
        // The index is right: as many as a plain search finds at its beginning.
        int found = 0;
        const auto trace = session.trace();
        const int upTo = 20'000;
        for (int i = 0; i < upTo; ++i) {
            const trace::Event e = trace->at(std::size_t(i));
            const auto with = [&](const char* part) {
                const QString text = QLatin1String(part);
                const auto in = [&](trace::EntityId id) {
                    return id && trace->displayName(id).contains(text, Qt::CaseInsensitive);
                };
                return eventWord(e.kind).contains(text, Qt::CaseInsensitive) ||
                       QString::fromLatin1(trace::kindName(e.kind)).contains(text, Qt::CaseInsensitive) ||
                       in(e.actor) || in(e.subject) || (hasText(e.kind) && in(e.aux));
            };
            found += with("A") && !with("step");
        }
        const Nanos last(trace->timeAt(std::size_t(upTo) - 1));
        QVERIFY(model.rowAt(last) + 1 >= found);
        QVERIFY(model.index(found - 1, 0).data(EventsModel::TraceRowRole).toInt() < upTo);
        QVERIFY(model.index(found, 0).data(EventsModel::TraceRowRole).toInt() >= upTo);
    }

    void namesAreLookedAtInSlicesToo() {
        FakeSession session;
        trace::Trace& trace = session.writable();
        const trace::EntityId node = trace.intern(trace::EntityKind::Node, "redis-1");
        constexpr int names = 300'000; // each command has a value of its own
        for (int i = 0; i < names; ++i) {
            const trace::EntityId text = trace.text("SET orders " + QByteArray::number(i) + " NX PX 30000");
            trace.append({i, 1, node, node, text, trace::EventKind::Request, 0});
        }
        ViewContext context;
        context.setSession(&session);
        EventsModel model(&context);
        QElapsedTimer all, turn;
        all.start();
        model.setFilter(QStringLiteral("99999"), kAll);
        qint64 longest = 0;
        while (model.isIndexing()) {
            turn.start();
            QCoreApplication::processEvents(QEventLoop::AllEvents, 0);
            longest = std::max(longest, turn.nsecsElapsed());
        }
        QCOMPARE(model.rowCount(), 3); // 99999, 199999, 299999
        const qint64 whole = all.nsecsElapsed();
        QVERIFY2(longest < whole / 2, qPrintable(QStringLiteral("%1 of %2 ns").arg(longest).arg(whole)));
    }

    void theVerdictListsInvariantsAndViolations() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        InvariantsModel invariants(&context);
        const QAbstractItemModelTester tester(&invariants, Mode::QtTest);
        ViolationsModel violations(&context);
        const QAbstractItemModelTester violationsTester(&violations, Mode::QtTest);
        QCOMPARE(violations.rowCount(), 0);
        QCOMPARE(invariants.index(0, 1).data().toString(), QStringLiteral("—")); // nothing was judged
        session.setVerdict(views::testing::pauseVerdict(story, *session.trace()));
        QCOMPARE(invariants.rowCount(), int(verdict::kInvariants.size()));
        QCOMPARE(invariants.index(0, 0).data().toString(), QStringLiteral("mutual exclusion"));
        context.setPlayhead(8s);
        QCOMPARE(invariants.index(0, 1).data().toString(), QStringLiteral("6.0 – 7.2 s"));
        QCOMPARE(invariants.index(1, 1).data().toString(), QStringLiteral("7.100 s"));
        QCOMPARE(invariants.index(2, 1).data().toString(), QStringLiteral("held"));
        QCOMPARE(violations.rowCount(), 2);
        QCOMPARE(violations.index(0).data(ViolationsModel::FromRole).toLongLong(), Nanos(6001ms).count());
        QVERIFY(violations.index(0).data(ViolationsModel::ExplainRole).toString().contains(QStringLiteral("A")));
        QCOMPARE(violations.rowAt(6500ms), 0);
        QCOMPARE(violations.rowAt(8s), -1);
        violations.setOnly(verdict::Invariant::StaleWrite);
        QCOMPARE(violations.rowCount(), 1);
    }

    void whatComesAfterThePlayheadIsCountedApart() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        InvariantsModel invariants(&context);
        ViolationsModel violations(&context);
        session.setVerdict(views::testing::pauseVerdict(story, *session.trace()));
        const auto outcome = [&](int row) {
            return verdict::Outcome(invariants.index(row, 0).data(InvariantsModel::OutcomeRole).toInt());
        };
        context.setPlayhead(9s); // the whole has been seen
        context.setPlayhead(5s); // before both, as the toolbar says of that instant, too
        QCOMPARE(outcome(0), verdict::Outcome::Holds);
        QCOMPARE(invariants.index(0, 1).data().toString(), QStringLiteral("held, 1 later"));
        QCOMPARE(violations.begun(), 0);
        QVERIFY(violations.index(0).data(ViolationsModel::LaterRole).toBool());
        QSignalSpy changed(&violations, &QAbstractItemModel::dataChanged);
        context.setPlayhead(6500ms); // in the first, before the second
        QCOMPARE(changed.count(), 1);
        QCOMPARE(outcome(0), verdict::Outcome::Violated);
        QCOMPARE(outcome(1), verdict::Outcome::Holds);
        QCOMPARE(violations.begun(), 1);
        QVERIFY(!violations.index(0).data(ViolationsModel::LaterRole).toBool());
        QVERIFY(violations.index(1).data(ViolationsModel::LaterRole).toBool());
        // Card, sentence and toolbar tell one interval in one way.
        const QString words = violations.index(0).data(ViolationsModel::ExplainRole).toString();
        QCOMPARE(violations.index(0).data(ViolationsModel::WhenRole).toString(), QStringLiteral("6.0 – 7.2 s"));
        QVERIFY2(words.contains(QStringLiteral("from 6.0 s to 7.2 s")), qPrintable(words));
        QVERIFY(violations.index(0).data().toString().endsWith(QStringLiteral("from 6.0 s")));
    }

    void aViolationThatGoesOnKeepsItsRow() {
        FakeSession session;
        const PauseStory story(session.writable());
        ViewContext context;
        context.setSession(&session);
        ViolationsModel violations(&context);
        const QAbstractItemModelTester tester(&violations, Mode::QtTest);
        verdict::Verdict verdict = views::testing::pauseVerdict(story, *session.trace());
        verdict.violations.resize(1);
        verdict.violations[0].to = kNever;
        session.setVerdict(verdict);
        const QPersistentModelIndex row = violations.index(0);
        verdict = views::testing::pauseVerdict(story, *session.trace());
        session.setVerdict(verdict);
        QVERIFY(row.isValid());
        QCOMPARE(row.data(ViolationsModel::ToRole).toLongLong(), Nanos(7200ms).count());
        QCOMPARE(violations.rowCount(), 2);
        session.setVerdict({});
        QCOMPARE(violations.rowCount(), 0);
    }
};

QTEST_MAIN(EventsModelTest)
#include "tst_events_model.moc"
