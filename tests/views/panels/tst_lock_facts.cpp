// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "locks/protocol_model.h"
#include "locks/ttl_history.h"
#include "models/lock_filter.h"
#include "models/locks_model.h"
#include "models/story.h"
#include "theme/format.h"
#include "trace/connection.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using views::testing::FakeSession;
using views::testing::PauseScene;
using Mode = QAbstractItemModelTester::FailureReportingMode;

class LockFactsTest : public QObject {
    Q_OBJECT

    using Scene = PauseScene;

    static QString cell(const QAbstractItemModel& model, int column, int row = 0) {
        return model.index(row, column).data().toString();
    }

private Q_SLOTS:
    void factsTellWhoHoldsByRecordAndByBelief() {
        Scene scene;
        LockFacts facts = scene.at(2s);
        QCOMPARE(facts.owner, scene.story.aThread);
        QCOMPARE(facts.condition, LockCondition::Held);
        QCOMPARE(facts.ttl, Nanos(3800ms));
        QCOMPARE(facts.lease, Nanos(5s));
        QCOMPARE(facts.fraction(), 0.76);
        QCOMPARE(facts.waiters.size(), std::size_t(1));
        QCOMPARE(facts.renewal.kind, Renewal::Kind::NoWatchdog);

        facts = scene.at(5900ms); // the lease is over, nobody told A
        QVERIFY(!facts.held());
        QCOMPARE(facts.condition, LockCondition::StaleBelief);
        QCOMPARE(facts.believers, std::vector{scene.story.aThread});

        facts = scene.at(6812ms);
        QCOMPARE(facts.owner, scene.story.bThread);
        QCOMPARE(facts.condition, LockCondition::DoubleBelief);
        QCOMPARE(facts.believers, (std::vector{scene.story.aThread, scene.story.bThread}));
        QCOMPARE(facts.token, std::int64_t(34));
        QCOMPARE(facts.heldFor, Nanos(812ms));
        QCOMPARE(facts.waiters.front().thread, scene.story.cThread);

        facts = scene.at(9020ms); // B let go, C has not got it yet
        QCOMPARE(facts.condition, LockCondition::Queued);
        QCOMPARE(scene.at(100ms).condition, LockCondition::Free);
    }

    void aWatchdogThatIsLateShowsAsMissed() {
        Scene scene;
        scene.session.plan.lock.watchdog = 1500ms;
        Q_EMIT scene.session.scenarioChanged();
        LockFacts facts = scene.at(1800ms);
        QCOMPARE(facts.renewal.kind, Renewal::Kind::In);
        QCOMPARE(facts.renewal.by, Nanos(500ms));
        facts = scene.at(3300ms);
        QCOMPARE(facts.renewal.kind, Renewal::Kind::Late);
        QCOMPARE(facts.renewal.by, Nanos(1s));
        QCOMPARE(facts.condition, LockCondition::RenewalMissed);
        scene.session.writable().append(
            {Nanos(12s).count(), 0, scene.story.c, 0, 0, trace::EventKind::WatchdogStopped, trace::kFault});
        QCOMPARE(scene.at(12s).renewal.kind, Renewal::Kind::Stopped);
        scene.session.writable().append(
            {Nanos(13s).count(), 0, scene.story.c, 0, 0, trace::EventKind::ClientKilled, trace::kFault});
        QCOMPARE(scene.at(13s).condition, LockCondition::Orphan);
    }

    /// Its release is on its way: there is nothing to renew any more.
    void aHoldThatItsClientEndedMissesNoRenewal() {
        FakeSession session;
        session.plan.lock.watchdog = 300ms;
        trace::Trace& t = session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "orders");
        const auto client = t.intern(trace::EntityKind::Client, "A");
        const auto thread = t.intern(trace::EntityKind::Thread, "1", client);
        t.append({0, 0, client, 0, 0, trace::EventKind::ClientStarted});
        t.append({Nanos(1s).count(), Nanos(20s).count(), thread, lock, 1, trace::EventKind::RecordHeld});
        t.append({Nanos(1s).count(), 0, thread, lock, 1, trace::EventKind::Granted});
        t.append({Nanos(2500ms).count(), 0, thread, lock, 0, trace::EventKind::ReleaseSent});
        t.append({Nanos(3300ms).count(), -1, thread, lock, 0, trace::EventKind::Requested});
        t.reach(5s);
        ViewContext context;
        context.setSession(&session);
        const auto at = [&](Nanos instant) {
            context.setPlayhead(instant);
            return lockFacts(lock, context);
        };
        QCOMPARE(at(2s).renewal.kind, Renewal::Kind::Late); // as long as it believes, it should have renewed
        QCOMPARE(at(2s).condition, LockCondition::RenewalMissed);
        for (const Nanos released : {3000ms, 3400ms}) { // also when it asks anew
            QCOMPARE(at(released).renewal.kind, Renewal::Kind::NotHeld);
            QCOMPARE(at(released).condition, LockCondition::Held);
        }
    }

    void aRecipeWithoutAWatchdogIsNeverLate() {
        Scene scene;
        scene.session.plan.lock.watchdog = 1500ms;
        scene.session.plan.recipe = QStringLiteral("redis-setnx-expire");
        Q_EMIT scene.session.scenarioChanged();
        LockFacts facts = scene.at(3300ms);
        QCOMPARE(facts.renewal.kind, Renewal::Kind::NoWatchdog);
        QCOMPARE(facts.condition, LockCondition::Held);
        // One that renews, but holds without a deadline: what is wrong with it is that.
        scene.session.plan.recipe = QStringLiteral("redis-set");
        Q_EMIT scene.session.scenarioChanged();
        scene.session.writable().append(
            {Nanos(12s).count(), -1, scene.story.cThread, scene.story.lock, 1, trace::EventKind::RecordRenewed});
        facts = scene.at(15s);
        QCOMPARE(facts.renewal.kind, Renewal::Kind::Late);
        QCOMPARE(facts.condition, LockCondition::NeverExpires);
    }

    // A record has one owner, and readers may be many: what is lawful is no alarm.
    void whoHoldsTogetherIsNotAccused() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "catalogue", scene.story.node);
        const auto row = [&](Nanos at, trace::EventKind kind, trace::EntityId who, std::int64_t value = 0) {
            t.append({at.count(), value, who, lock, 1, kind, 0});
        };
        const auto granted = [&](Nanos at, trace::EntityId who, trace::HoldMode mode) {
            if (mode != trace::HoldMode::Exclusive) row(at, trace::EventKind::GrantedAs, who, std::int64_t(mode));
            row(at, trace::EventKind::Granted, who);
        };
        const auto facts = [&](Nanos at) {
            scene.context.setPlayhead(at);
            return lockFacts(lock, scene.context);
        };
        row(11s, trace::EventKind::RecordHeld, scene.story.aThread, Nanos(60s).count());
        granted(12s, scene.story.aThread, trace::HoldMode::Shared);
        granted(12s, scene.story.bThread, trace::HoldMode::Shared);
        QCOMPARE(facts(13s).condition, LockCondition::Held);
        QVERIFY(conditionText(facts(13s)).startsWith(QStringLiteral("held by 2")));
        t.append({Nanos(14s).count(), 0, scene.story.bThread, lock, 3, trace::EventKind::Step});
        ProtocolModel protocol(&scene.context);
        scene.context.select(lock);
        scene.context.setPlayhead(15s);
        QTRY_VERIFY(!protocol.badges(2).empty());
        QCOMPARE(protocol.badges(2).front().tone, Pill::Tone::Holding);
        granted(16s, scene.story.cThread, trace::HoldMode::Exclusive);
        QCOMPARE(facts(17s).condition, LockCondition::DoubleBelief);
    }

    void aReaderOfAFreeLockIsStale() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "catalogue", scene.story.node);
        const auto reader = scene.story.bThread;
        const auto row = [&](Nanos at, trace::EventKind kind, std::int64_t value, std::uint8_t flags = 0) {
            t.append({at.count(), value, reader, lock, 1, kind, flags});
        };
        row(11s, trace::EventKind::RecordHeld, Nanos(14s).count(), std::uint8_t(trace::HoldMode::Shared));
        row(12s, trace::EventKind::GrantedAs, std::int64_t(trace::HoldMode::Shared));
        row(12s, trace::EventKind::Granted, 0);
        row(14s, trace::EventKind::RecordFreed, 0, std::uint8_t(trace::FreedBy::Expiry));
        scene.context.setPlayhead(13s);
        const LocksModel model(&scene.context);
        QCOMPARE(cell(model, LocksModel::StateColumn, 1), QStringLiteral("held"));
        QCOMPARE(cell(model, LocksModel::ModeColumn, 1), QStringLiteral("shared"));
        scene.context.setPlayhead(15s);
        QTRY_COMPARE(cell(model, LocksModel::StateColumn, 1), QStringLiteral("stale belief"));
    }

    void theTableSaysHowALockIsHeld() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto thread = t.intern(trace::EntityKind::Thread, "7", t.intern(trace::EntityKind::Client, "8743c9c0"));
        for (const auto mode : {trace::HoldMode::Exclusive, trace::HoldMode::Shared, trace::HoldMode::Permit}) {
            const auto lock = t.intern(trace::EntityKind::Lock, QByteArray::number(int(mode)));
            t.append({1, -1, thread, lock, 1, trace::EventKind::RecordHeld, std::uint8_t(mode)});
        }
        const auto free = t.intern(trace::EntityKind::Lock, "free");
        t.append({1, 0, thread, free, thread, trace::EventKind::RecordFreed, 0});
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(1s);
        const LocksModel model(&context);
        QStringList modes;
        for (int r = 0; r < 4; ++r)
            modes += cell(model, LocksModel::ModeColumn, r);
        QCOMPARE(modes, (QStringList{u"exclusive"_qs, u"shared"_qs, u"permits"_qs, u"—"_qs}));
        const auto filter = LockFilter::parse(u"mode:sha"_qs);
        QVERIFY(filter.has_value());
        QVERIFY(filter->matches(model, model.index(1, 0)) && !filter->matches(model, model.index(0, 0)));
    }

    void permitsAreCounted() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "gates", scene.story.node);
        t.append({Nanos(11s).count(), 2, 0, lock, 0, trace::EventKind::LockCapacity});
        const auto granted = [&](Nanos at, trace::EntityId who) {
            t.append({at.count(), 2, who, lock, 1, trace::EventKind::GrantedAs});
            t.append({at.count(), 0, who, lock, 1, trace::EventKind::Granted});
            scene.context.setPlayhead(at);
            return lockFacts(lock, scene.context).condition;
        };
        QCOMPARE(granted(12s, scene.story.aThread), LockCondition::Held);
        QCOMPARE(granted(13s, scene.story.bThread), LockCondition::Held);
        QCOMPARE(granted(14s, scene.story.cThread), LockCondition::DoubleBelief);
    }

    // Several locks taken as one have no record under that name; nor has a recording of a library's clients any.
    void aRecordThatNobodySawContradictsNobody() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "a,b,c", scene.story.node);
        t.append({Nanos(11s).count(), 0, scene.story.aThread, lock, 1, trace::EventKind::Granted});
        t.append({Nanos(11s).count(), 0, scene.story.aThread, lock, 3, trace::EventKind::Step});
        scene.context.setPlayhead(12s);
        const LocksModel model(&scene.context);
        QCOMPARE(cell(model, LocksModel::StateColumn, 1), QStringLiteral("held"));
        QCOMPARE(cell(model, LocksModel::HolderColumn, 1), QStringLiteral("unknown"));
        QCOMPARE(cell(model, LocksModel::TtlColumn, 1), QStringLiteral("unknown"));
        scene.context.select(lock);
        const ProtocolModel protocol(&scene.context);
        QCOMPARE(protocol.badges(2).front().tone, Pill::Tone::Holding);
    }

    void whatIsNotKnownIsNotMadeUp() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "cart:7");
        const auto client = t.intern(trace::EntityKind::Client, "8743c9c0");
        const auto thread = t.intern(trace::EntityKind::Thread, "57", client);
        t.append({1, -1, thread, lock, 3, trace::EventKind::RecordHeld, 0});
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(1s);
        LocksModel model(&context);
        const QAbstractItemModelTester tester(&model, Mode::QtTest);
        QCOMPARE(cell(model, LocksModel::WaitersColumn), QStringLiteral("unknown"));
        QCOMPARE(cell(model, LocksModel::FormatColumn), QStringLiteral("unknown"));
        QCOMPARE(cell(model, LocksModel::RenewalColumn), QStringLiteral("none seen"));
        QCOMPARE(cell(model, LocksModel::TtlColumn), QStringLiteral("never expires"));
        QCOMPARE(cell(model, LocksModel::HoldsColumn), QStringLiteral("3"));
        QCOMPARE(cell(model, LocksModel::TokenColumn), QStringLiteral("—"));
        t.append({Nanos(2s).count(), 0, 0, lock, 0, trace::EventKind::RecordUnobserved, 0});
        context.setPlayhead(3s);
        QTRY_COMPARE(cell(model, LocksModel::HolderColumn), QStringLiteral("unknown"));
        QCOMPARE(cell(model, LocksModel::StateColumn), QStringLiteral("not observed"));
    }

    // Held already when we came: what is left of the lease is known, not how long it was, nor since when it is held.
    void whatBeganBeforeTheFirstLookIsNotMadeUp() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "cart:7");
        const auto thread = t.intern(trace::EntityKind::Thread, "57", t.intern(trace::EntityKind::Client, "8743c9c0"));
        const auto row = [&](Nanos at, trace::EventKind kind, Nanos deadline) {
            t.append({at.count(), deadline.count(), thread, lock, 1, kind, 0});
        };
        row(0s, trace::EventKind::RecordHeld, 4200ms);
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(1s);
        LocksModel model(&context);
        QCOMPARE(cell(model, LocksModel::HeldForColumn), QStringLiteral("≥ 1.0 s"));
        QCOMPARE(cell(model, LocksModel::TtlColumn), QStringLiteral("3.2 s"));
        LockFacts facts = lockFacts(lock, context);
        QVERIFY(!facts.gauge().known);
        row(2s, trace::EventKind::RecordRenewed, 32s); // the whole lease
        context.setPlayhead(17s);
        facts = lockFacts(lock, context);
        QVERIFY(facts.gauge().known);
        QCOMPARE(facts.fraction(), 0.5);
        QVERIFY(!facts.sinceKnown);
        row(20s, trace::EventKind::RecordFreed, 0s);
        row(21s, trace::EventKind::RecordHeld, 51s); // seen to change hands
        context.setPlayhead(22s);
        facts = lockFacts(lock, context);
        QVERIFY(facts.sinceKnown && facts.gauge().known);
    }

    void aDeadlineThatNobodyMovedIsNoRenewal() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "orders");
        const auto thread = t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, "4e36"));
        t.append({Nanos(1s).count(), Nanos(6s).count(), thread, lock, 1, trace::EventKind::RecordHeld});
        t.append({Nanos(3500ms).count(), Nanos(7s).count(), thread, lock, 2500, trace::EventKind::RecordDeadline});
        t.reach(8s);
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(4s);
        const LockFacts facts = lockFacts(lock, context);
        QCOMPARE(facts.renewal.kind, Renewal::Kind::Unknown); // none was seen
        QCOMPARE(facts.ttl, Nanos(3s));
        QCOMPARE(facts.lease, Nanos(6s)); // not full: it began at 1 s
        const auto stretches = leaseHistory(t, lock, 0s, 5s, 1000);
        QCOMPARE(stretches.size(), std::size_t(2));
        QVERIFY(!stretches[1].renewed);
        QCOMPARE(stretches[1].lease, Nanos(6s));
    }

    void anEndToldInSecondsIsShownInSeconds() {
        FakeSession session;
        trace::Trace& t = session.writable();
        t.setOriginWallMs(1'700'000'000'000); // somebody's servers
        const auto lockOn = [&t](const QByteArray& url) {
            const auto connection = trace::internConnection(t, url.left(3), url);
            const auto node = t.intern(trace::EntityKind::Node, "127.0.0.1", connection);
            const auto thread = t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, "4e36"));
            const auto lock = t.intern(trace::EntityKind::Lock, "orders", node);
            t.append({0, Nanos(20s).count(), thread, lock, 1, trace::EventKind::RecordHeld});
            return lock;
        };
        const auto cached = lockOn("memcached://127.0.0.1"), leased = lockOn("etcd://127.0.0.1"),
                   exact = lockOn("redis://127.0.0.1");
        t.reach(21s);
        ViewContext context;
        context.setSession(&session);
        const auto at = [&context](Nanos instant, trace::EntityId lock) {
            context.setPlayhead(instant);
            return ttlText(lockFacts(lock, context));
        };
        QCOMPARE(at(13400ms, cached), QStringLiteral("≤ 7 s"));
        QCOMPARE(at(13s, cached), QStringLiteral("≤ 7 s"));
        QCOMPARE(at(13400ms, leased), QStringLiteral("≥ 6 s"));
        QCOMPARE(at(13400ms, exact), QStringLiteral("6.6 s"));
        QCOMPARE(at(20500ms, cached), QStringLiteral("≤ 0 s"));
    }

    void beforeTheFirstLookALockIsNotSaidToBeFree() {
        FakeSession session;
        trace::Trace& t = session.writable();
        t.setOriginWallMs(1'700'000'000'000); // somebody's server
        const auto lock = t.intern(trace::EntityKind::Lock, "orders");
        const auto queued = t.intern(trace::EntityKind::Lock, "fair");
        const auto thread = t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, "4e36"));
        t.append({Nanos(4s).count(), 2, 0, queued, 0, trace::EventKind::RecordWaiters});
        t.append({Nanos(5s).count(), Nanos(20s).count(), thread, lock, 1, trace::EventKind::RecordHeld});
        t.reach(8s);
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(2s);
        QCOMPARE(lockFacts(lock, context).condition, LockCondition::Unobserved);
        QCOMPARE(ttlText(lockFacts(lock, context)), unknown());
        context.setPlayhead(6s);
        QCOMPARE(lockFacts(lock, context).condition, LockCondition::Held);
        QCOMPARE(lockFacts(queued, context).condition, LockCondition::Queued);
    }

    /// A lock that nobody can get is not free: two of the three servers that decide together are dead.
    void withoutAMajorityALockIsUndecided() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "orders");
        const auto thread = t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, "A"));
        std::vector<trace::EntityId> nodes;
        t.append({0, 2, 0, lock, 0, trace::EventKind::RecordDecider});
        for (const char* const name : {"redis-1", "redis-2", "redis-3"}) {
            nodes.push_back(t.intern(trace::EntityKind::Node, name));
            const auto copy = t.intern(trace::EntityKind::Lock, "orders", nodes.back(), lock);
            t.append({0, 0, nodes.back(), 0, 0, trace::EventKind::NodeStarted});
            t.append({0, Nanos(1s).count(), thread, copy, 1, trace::EventKind::RecordHeld});
            t.append({Nanos(0s).count(), 0, thread, copy, thread, trace::EventKind::RecordFreed});
        }
        t.append({Nanos(3s).count(), 0, nodes[0], 0, 0, trace::EventKind::NodeKilled});
        t.append({Nanos(4s).count(), 0, nodes[1], 0, 0, trace::EventKind::NodeKilled});
        t.append({Nanos(6s).count(), 0, nodes[0], 0, 0, trace::EventKind::NodeStarted});
        t.reach(8s);
        ViewContext context;
        context.setSession(&session);
        const auto at = [&](Nanos instant) {
            context.setPlayhead(instant);
            return lockFacts(lock, context);
        };
        QCOMPARE(at(3500ms).condition, LockCondition::Free);
        QCOMPARE(at(5s).condition, LockCondition::Undecided);
        QCOMPARE(conditionText(at(5s)), QStringLiteral("undecided"));
        QCOMPARE(serverText(at(5s), t), QStringLiteral("nobody decides"));
        QVERIFY(storyAtPlayhead(context).contains(QStringLiteral("no majority of its servers runs")));
        QCOMPARE(at(7s).condition, LockCondition::Free);
    }

    void aServerOutOfSightIsNotGuessedAt() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto client = t.intern(trace::EntityKind::Client, "A");
        const auto thread = t.intern(trace::EntityKind::Thread, "1", client);
        const auto lock = t.intern(trace::EntityKind::Lock, "orders");
        const auto free = t.intern(trace::EntityKind::Lock, "stock");
        const auto row = [&t](Nanos at, trace::EventKind kind, trace::EntityId who, trace::EntityId what,
                              std::int64_t value = 0) {
            t.append({at.count(), value, who, what, 1, kind, 0});
        };
        row(0s, trace::EventKind::ClientStarted, client, 0);
        row(0s, trace::EventKind::RecordHeld, thread, lock, Nanos(10s).count());
        row(0s, trace::EventKind::RecordWaiters, 0, lock, 3);
        for (const auto gone : {lock, free})
            row(2s, trace::EventKind::RecordUnobserved, 0, gone);
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(4s);
        const LocksModel model(&context);
        for (const int column : {LocksModel::HolderColumn, LocksModel::HoldsColumn, LocksModel::TtlColumn,
                                 LocksModel::RenewalColumn, LocksModel::HeldForColumn})
            for (const int r : {0, 1})
                QCOMPARE(cell(model, column, r), QStringLiteral("unknown"));
        QCOMPARE(cell(model, LocksModel::WaitersColumn), QStringLiteral("unknown"));
        for (const int column : {LocksModel::HoldsColumn, LocksModel::TtlColumn, LocksModel::HeldForColumn})
            QCOMPARE(model.index(0, column).data(LocksModel::SortRole).toLongLong(), -1);
        row(5s, trace::EventKind::RecordObserved, 0, lock);
        context.setPlayhead(6s);
        QCOMPARE(lockFacts(lock, context).waiterCount(), std::optional<std::int64_t>(3));
    }

    void theLeasesPictureBeginsWithTheRun() {
        Scene scene;
        TtlHistory history(&scene.context);
        history.setLock(scene.story.lock);
        scene.context.setPlayhead(6s);
        history.refresh();
        QCOMPARE(history.span(), Nanos(6s)); // nothing was before
        QVERIFY(!history.stretches().empty());
        scene.context.setPlayhead(30s);
        history.refresh();
        QCOMPARE(history.span(), 4 * scene.session.plan.lock.lease);
    }

    /// Until the server ends its hold, nobody gets in: that is worth a word.
    void aDeadHolderIsToldSo() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "orders");
        const auto client = t.intern(trace::EntityKind::Client, "C");
        const auto thread = t.intern(trace::EntityKind::Thread, "1", client);
        t.append({Nanos(1s).count(), Nanos(6s).count(), thread, lock, 1, trace::EventKind::RecordHeld});
        t.append({Nanos(1s).count(), 0, thread, lock, 1, trace::EventKind::Granted});
        t.append({Nanos(2s).count(), 0, client, 0, 0, trace::EventKind::ClientKilled});
        t.append({Nanos(6s).count(), 0, 0, lock, thread, trace::EventKind::RecordFreed});
        t.reach(8s);
        ViewContext context;
        context.setSession(&session);
        const auto told = [&](Nanos at) {
            context.setPlayhead(at);
            return locksAtPlayhead(context);
        };
        QVERIFY2(!told(1500ms).contains(u"dead"), qPrintable(told(1500ms)));
        QVERIFY2(told(3s).contains(u"held by C, lease 3.0 s left; C is dead"), qPrintable(told(3s)));
        QVERIFY2(!told(7s).contains(u"dead"), qPrintable(told(7s)));
    }

    void aDeadClientFirstInTheQueueIsToldSo() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "orders");
        const auto client = t.intern(trace::EntityKind::Client, "C");
        const auto thread = t.intern(trace::EntityKind::Thread, "1", client);
        t.append({Nanos(1s).count(), -1, thread, lock, 0, trace::EventKind::Requested});
        t.append({Nanos(1s).count(), 0, thread, lock, 0, trace::EventKind::RecordQueued});
        t.append({Nanos(2s).count(), 0, client, 0, 0, trace::EventKind::ClientKilled});
        t.reach(4s);
        ViewContext context;
        context.setSession(&session);
        for (const auto& [at, dead] : {std::pair<Nanos, bool>{1500ms, false}, {3s, true}}) {
            context.setPlayhead(at);
            const QString told = locksAtPlayhead(context);
            QVERIFY2(told.contains(u"C, which is dead, still stands first in the queue") == dead, qPrintable(told));
            const LockFacts facts = lockFacts(lock, *context.trace(), context.state(), context.settings(), at);
            QCOMPARE(facts.waiters.size(), std::size_t(1));
            QCOMPARE(facts.waiters.front().dead, dead);
        }
    }
};

QTEST_MAIN(LockFactsTest)
#include "tst_lock_facts.moc"
