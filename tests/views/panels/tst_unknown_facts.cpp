// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "models/event_words.h"
#include "models/last_look.h"
#include "models/locks_model.h"
#include "models/queue_model.h"
#include "theme/format.h"
#include "trace/connection.h"
#include "trace/deadline.h"
#include "trace/server_told.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EventKind;
using views::testing::FakeSession;

namespace {

/// A lock of somebody else's, as a watcher saw it.
struct Watched {
    FakeSession session;
    ViewContext context;
    trace::EntityId lock = trace::kNoEntity;

    Watched(const char* format, std::int64_t deadline) {
        trace::Trace& trace = session.writable();
        const auto node = trace.intern(trace::EntityKind::Node, "127.0.0.1:6379");
        lock = trace.intern(trace::EntityKind::Lock, "orders", node, trace.text(format));
        const auto client = trace.intern(trace::EntityKind::Client, "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c");
        const auto thread = trace.intern(trace::EntityKind::Thread, "", client);
        trace.append({1'000'000'000, deadline, thread, lock, 1, EventKind::RecordHeld});
        trace.reach(3s);
        context.setSession(&session);
        context.setPlayhead(2s);
    }
    QString cell(int column) {
        const LocksModel model(&context);
        return model.index(0, column).data().toString();
    }
    QVariant tone(int column) {
        const LocksModel model(&context);
        return model.index(0, column).data(LocksModel::ToneRole);
    }
};

} // namespace

class TestUnknownFacts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anUnknownEndIsNoAlarm() {
        Watched lock("npm-semaphore", trace::kEndNotKnown);
        QCOMPARE(lock.cell(LocksModel::TtlColumn), unknown());
        QVERIFY(!lock.tone(LocksModel::TtlColumn).isValid());
        QCOMPARE(lock.cell(LocksModel::StateColumn), QStringLiteral("held"));
        const LockFacts facts = lockFacts(lock.lock, lock.context);
        QVERIFY(!facts.gauge().known);
        QVERIFY(ttlRole(facts.gauge()) != Role::Violation);
    }

    /// Two that share a lock since before the first look: both may have held it for longer.
    void severalHoldersOfTheFirstLookAreNoHandOver() {
        Watched lock("pg-advisory", trace::kEndNotKnown);
        trace::Trace& trace = lock.session.writable();
        const auto shared = std::uint8_t(trace::HoldMode::Shared);
        const auto first = trace.at(0).actor;
        const auto second = trace.intern(trace::EntityKind::Thread, "", trace.intern(trace::EntityKind::Client, "b"));
        for (const auto holder : {first, second})
            trace.append(
                {Nanos(3s).count(), trace::kEndNotKnown, holder, lock.lock, 1, EventKind::RecordHolder, shared});
        trace.reach(4s);
        lock.context.setPlayhead(4s);
        const LockFacts facts = lockFacts(lock.lock, lock.context);
        QVERIFY(!facts.sinceKnown);
        QVERIFY(lock.cell(LocksModel::HeldForColumn).startsWith(u"≥"));
    }

    void whatTheServerSaysOfTheBeginningNeedsNoGuess() {
        Watched lock("pg-row", trace::kEndNotKnown);
        QVERIFY(lock.cell(LocksModel::HeldForColumn).startsWith(u"≥"));
        trace::Trace& trace = lock.session.writable();
        const auto thread = trace.at(0).actor;
        const auto waiter = trace.intern(trace::EntityKind::Thread, "", trace.text("w"));
        trace.append({Nanos(3s).count(), Nanos(-57s).count(), thread, lock.lock, 0, EventKind::RecordSince});
        trace.append({Nanos(3s).count(), 0, waiter, lock.lock, 0, EventKind::RecordQueued});
        lock.context.setPlayhead(4s);
        QueueModel queue;
        const auto waited = [&] {
            const LockFacts facts = lockFacts(lock.lock, lock.context);
            queue.setWaiters(lock.session.trace(), facts.waiters, lock.context.playhead());
            return queue.index(0).data(party::DetailRole).toString();
        };
        QCOMPARE(waited(), u"waits ≥ 1.0 s"_qs);
        trace.append(
            {Nanos(4s).count(), Nanos(-8s).count(), waiter, lock.lock, 0, EventKind::RecordSince, trace::kSinceWaits});
        trace.reach(5s);
        lock.context.setPlayhead(5s);
        const LockFacts facts = lockFacts(lock.lock, lock.context);
        QVERIFY(facts.sinceKnown);
        QVERIFY(!facts.leaseKnown); // of that the server has said nothing
        QCOMPARE(facts.heldFor, Nanos(62s));
        QCOMPARE(waited(), u"waits 13.0 s"_qs);
    }

    /// Which of two looks a lock was taken between does not change from one look to the next.
    void aBeginningBetweenTwoLooksStaysUnknown() {
        FakeSession session;
        ViewContext context;
        trace::Trace& trace = session.writable();
        trace.setOriginWallMs(1'700'000'000'000);
        const auto shop = trace::internConnection(trace, "shop", "postgresql://shop:5432");
        const auto node = trace.intern(trace::EntityKind::Node, "shop", shop);
        const auto lock = trace.intern(trace::EntityKind::Lock, "31337", node, trace.text("pg-advisory"));
        const auto client = trace.intern(trace::EntityKind::Client, "svc-a");
        const auto thread = trace.intern(trace::EntityKind::Thread, "", client);
        trace.append({Nanos(1s).count(), 0, node, 0, trace.text(trace::serverTold(trace::kLooksApart, "4s")),
                      EventKind::ServerTold});
        trace.append({Nanos(2s).count(), trace::kEndNotKnown, thread, lock, 1, EventKind::RecordHeld,
                      std::uint8_t(trace::kSeenToBegin)});
        trace.append({Nanos(3s).count(), 0, thread, lock, 0, EventKind::RecordFreed});
        trace.append({Nanos(6s).count(), trace::kEndNotKnown, thread, lock, 1, EventKind::RecordHeld,
                      std::uint8_t(trace::kSeenToBegin)});
        trace.reach(20s);
        context.setSession(&session);
        for (const Nanos at : {Nanos(6200ms), Nanos(7s), Nanos(9s), Nanos(15s)}) {
            context.setPlayhead(at);
            LockFacts facts = lockFacts(lock, context);
            countToLastLook(facts, context);
            QVERIFY(facts.held());
            QVERIFY2(!facts.sinceKnown, qPrintable(duration(at)));
        }
    }

    /// Both were there before the first look: since when is not known, however many hold it.
    void severalHoldersOfBeforeAreNotSeenToBegin() {
        Watched lock("pg-advisory", trace::kEndNotKnown);
        trace::Trace& trace = lock.session.writable();
        const auto client = trace.intern(trace::EntityKind::Client, "other");
        const auto second = trace.intern(trace::EntityKind::Thread, "", client);
        const auto shared = std::uint8_t(trace::HoldMode::Shared);
        const auto first = trace.at(0).actor;
        for (const auto thread : {first, second})
            trace.append(
                {Nanos(4s).count(), trace::kEndNotKnown, thread, lock.lock, 1, EventKind::RecordHolder, shared});
        trace.append({Nanos(4s).count(), trace::kEndNotKnown, first, lock.lock, 1, EventKind::RecordHeld, shared});
        trace.reach(6s);
        lock.context.setPlayhead(6s);
        QVERIFY(lockFacts(lock.lock, lock.context).holderCount == 2);
        QVERIFY2(lock.cell(LocksModel::HeldForColumn).startsWith(u"≥"),
                 qPrintable(lock.cell(LocksModel::HeldForColumn)));
        trace.append({Nanos(7s).count(), trace::kEndNotKnown, second, lock.lock, 1, EventKind::RecordHeld,
                      std::uint8_t(shared | trace::kSeenToBegin)});
        trace.reach(8s);
        lock.context.setPlayhead(8s);
        QCOMPARE(lock.cell(LocksModel::HeldForColumn), u"1.0 s"_qs);
    }

    void aLockThatASessionKeepsIsNotUnknown() {
        Watched queue("curator-mutex", trace::kEndNotKnown), row("pg-row", trace::kEndNotKnown);
        QCOMPARE(queue.cell(LocksModel::TtlColumn), QStringLiteral("by session"));
        QVERIFY(!queue.tone(LocksModel::TtlColumn).isValid());
        QCOMPARE(row.cell(LocksModel::TtlColumn), QStringLiteral("by transaction"));
        // The node of one that lies there for good is no session's.
        Watched left("curator-mutex", trace::kNeverEnds);
        QCOMPARE(left.cell(LocksModel::TtlColumn), QStringLiteral("never expires"));
    }

    void noEndIsOne() {
        Watched lock("redis-py", trace::kNeverEnds);
        QCOMPARE(lock.cell(LocksModel::TtlColumn), QStringLiteral("never expires"));
        QCOMPARE(lock.tone(LocksModel::TtlColumn).toInt(), int(Pill::Tone::Violation));
        QCOMPARE(lock.cell(LocksModel::StateColumn), QStringLiteral("never expires"));
    }

    void onlyFormatsThatCountHoldsShowThem() {
        QCOMPARE(Watched("redis-py", 60'000'000'000).cell(LocksModel::HoldsColumn), none());
        QCOMPARE(Watched("node-redlock", 60'000'000'000).cell(LocksModel::HoldsColumn), none());
        QCOMPARE(Watched("redisson", 60'000'000'000).cell(LocksModel::HoldsColumn), QStringLiteral("1"));
    }

    void reasonsAreToldInWords() {
        trace::Trace trace;
        const auto client = trace.intern(trace::EntityKind::Client, "A");
        trace::Event failed{1, 0, client, 0, trace.text("foreign-format"), EventKind::AcquireFailed};
        QCOMPARE(eventDetail(failed, trace), QStringLiteral("another kind of lock has this key"));
        failed.aux = trace.text("The server is loading its data.");
        QCOMPARE(eventDetail(failed, trace), QStringLiteral("The server is loading its data."));
    }

    void whatIsNotKnownHasOneWordAndABlankBarItsReason() {
        Watched lock("redis-py", 60'000'000'000);
        QCOMPARE(lock.cell(LocksModel::WaitersColumn), unknown());
        const LocksModel model(&lock.context);
        const QString tip = model.index(0, LocksModel::TtlColumn).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QLatin1String("before Lockscope looked")), qPrintable(tip));
    }
};

QTEST_MAIN(TestUnknownFacts)
#include "tst_unknown_facts.moc"
