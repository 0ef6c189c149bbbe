// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "locks/protocol_model.h"
#include "models/lock_filter.h"
#include "models/queue_model.h"
#include "trace/synthetic.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using views::testing::FakeSession;
using views::testing::PauseStory;
using Mode = QAbstractItemModelTester::FailureReportingMode;

class LocksModelTest : public QObject {
    Q_OBJECT

    struct Scene {
        FakeSession session;
        PauseStory story{session.writable()};
        ViewContext context;
        Scene() {
            session.plan.lock.lease = 5s;
            context.setSession(&session);
        }
        LockFacts at(Nanos t) {
            context.setPlayhead(t);
            return lockFacts(story.lock, context);
        }
    };

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
        QCOMPARE(cell(model, LocksModel::WaitersColumn), QStringLiteral("?"));
        QCOMPARE(cell(model, LocksModel::FormatColumn), QStringLiteral("unknown"));
        QCOMPARE(cell(model, LocksModel::RenewalColumn), QStringLiteral("unknown"));
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
        QCOMPARE(cell(model, LocksModel::WaitersColumn), QStringLiteral("?"));
        for (const int column : {LocksModel::HoldsColumn, LocksModel::TtlColumn, LocksModel::HeldForColumn})
            QCOMPARE(model.index(0, column).data(LocksModel::SortRole).toLongLong(), -1);
        row(5s, trace::EventKind::RecordObserved, 0, lock);
        context.setPlayhead(6s);
        QCOMPARE(lockFacts(lock, context).waiterCount(), std::optional<std::int64_t>(3));
    }

    void theTableSaysWhatTheMockupSays() {
        Scene scene;
        scene.context.setPlayhead(6812ms);
        LocksModel model(&scene.context);
        const QAbstractItemModelTester tester(&model, Mode::QtTest);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(cell(model, LocksModel::LockColumn), QStringLiteral("orders"));
        QCOMPARE(cell(model, LocksModel::ServerColumn), QStringLiteral("redis-1"));
        QCOMPARE(cell(model, LocksModel::FormatColumn), QStringLiteral("redis-set"));
        QCOMPARE(cell(model, LocksModel::HolderColumn), QStringLiteral("B · 1"));
        QCOMPARE(cell(model, LocksModel::TtlColumn), QStringLiteral("4.1 s"));
        QCOMPARE(cell(model, LocksModel::WaitersColumn), QStringLiteral("1"));
        QCOMPARE(cell(model, LocksModel::TokenColumn), QStringLiteral("34"));
        QCOMPARE(cell(model, LocksModel::HeldForColumn), QStringLiteral("812 ms"));
        QVERIFY(cell(model, LocksModel::StateColumn).startsWith(QStringLiteral("2 believer")));
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        for (int ms = 6813; ms < 6900; ++ms)
            scene.context.setPlayhead(Nanos(std::chrono::milliseconds(ms)));
        QTRY_COMPARE(changed.count(), 1); // many moves of one turn are one change
        QCOMPARE(cell(model, LocksModel::TtlColumn), QStringLiteral("4.1 s"));
        QCOMPARE(cell(model, LocksModel::HeldForColumn), QStringLiteral("899 ms"));
    }

    void rowsKeepTheirIdentityThroughALiveBurst_data() {
        QTest::addColumn<bool>("grouped");
        QTest::newRow("flat") << false;
        QTest::newRow("grouped") << true;
    }
    void rowsKeepTheirIdentityThroughALiveBurst() {
        QFETCH(bool, grouped);
        Scene scene;
        scene.context.setPlayhead(30s);
        LocksModel model(&scene.context);
        const QAbstractItemModelTester tester(&model, Mode::QtTest);
        LocksProxy proxy(&model);
        const QAbstractItemModelTester proxyTester(&proxy, Mode::QtTest);
        model.setGrouped(grouped);
        proxy.sort(LocksModel::TtlColumn, Qt::DescendingOrder);
        const QPersistentModelIndex orders = model.indexOf(scene.story.lock);
        trace::Trace& t = scene.session.writable();
        for (int i = 0; i < 60; ++i) {
            const auto node = t.intern(trace::EntityKind::Node, "node-" + QByteArray::number(i % 3));
            const auto lock = t.intern(trace::EntityKind::Lock, "lock-" + QByteArray::number(i), node);
            const auto at = Nanos(20s).count() + i;
            t.append({at, at + Nanos(std::chrono::seconds(100 - i)).count(), scene.story.bThread, lock, 1,
                      trace::EventKind::RecordHeld, 0});
            Q_EMIT scene.session.advanced();
            if (i % 7 == 0) QTRY_VERIFY(model.indexOf(lock).isValid());
        }
        QTRY_COMPARE(model.lockCount(), 61);
        QCOMPARE(orders.data(LocksModel::EntityRole).toUInt(), scene.story.lock);
        QCOMPARE(model.rowCount(), grouped ? 4 : 61); // redis-1 and three more
        if (grouped) return;
        QCOMPARE(proxy.index(0, 0).data().toString(), QStringLiteral("lock-0")); // the longest lease on top
        QCOMPARE(proxy.index(1, 0).data().toString(), QStringLiteral("lock-1"));
    }

    void theFilterSpeaksASmallLanguage_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("locks");
        QTest::newRow("nothing") << u""_qs << QStringList{u"orders"_qs, u"stock"_qs, u"nightly"_qs};
        QTest::newRow("word") << u"igh"_qs << QStringList{u"nightly"_qs};
        QTest::newRow("state") << u"state:held"_qs << QStringList{u"orders"_qs, u"stock"_qs};
        QTest::newRow("ttl") << u"ttl<5s"_qs << QStringList{u"orders"_qs};
        QTest::newRow("both") << u"state:held ttl>10s"_qs << QStringList{u"stock"_qs};
        QTest::newRow("not") << u"-state:held"_qs << QStringList{u"nightly"_qs};
        QTest::newRow("waiters") << u"waiters>=1"_qs << QStringList{u"orders"_qs};
        QTest::newRow("holder") << u"holder:B"_qs << QStringList{u"orders"_qs, u"stock"_qs};
        QTest::newRow("quoted") << u"\"B · 1\" stock"_qs << QStringList{u"stock"_qs};
        QTest::newRow("believers") << u"state:believers"_qs << QStringList{u"orders"_qs};
        QTest::newRow("held for") << u"held>500ms"_qs << QStringList{u"orders"_qs, u"stock"_qs};
    }
    void theFilterSpeaksASmallLanguage() {
        QFETCH(QString, text);
        QFETCH(QStringList, locks);
        Scene scene;
        trace::Trace& t = scene.session.writable();
        const auto stock = t.intern(trace::EntityKind::Lock, "stock", scene.story.node);
        t.intern(trace::EntityKind::Lock, "nightly", scene.story.node);
        LocksModel model(&scene.context);
        // Held since long by somebody else, as a trace that began in the middle would say it.
        t.append(
            {Nanos(10s).count(), Nanos(60s).count(), scene.story.bThread, stock, 1, trace::EventKind::RecordHeld, 0});
        t.append({Nanos(10s).count(), Nanos(15s).count(), scene.story.bThread, scene.story.lock, 1,
                  trace::EventKind::RecordHeld, 0});
        t.append({Nanos(10s).count(), 0, scene.story.bThread, scene.story.lock, 1, trace::EventKind::Granted, 0});
        t.append({Nanos(10s).count(), -1, scene.story.aThread, scene.story.lock, 0, trace::EventKind::Requested, 0});
        scene.context.setPlayhead(11s);
        QTRY_COMPARE(cell(model, LocksModel::HolderColumn, 1), QStringLiteral("B · 1"));
        LocksProxy proxy(&model);
        const QAbstractItemModelTester tester(&proxy, Mode::QtTest);
        auto filter = LockFilter::parse(text);
        QVERIFY2(filter, qPrintable(filter ? QString() : filter.error()));
        proxy.setFilter(*filter);
        QStringList shown;
        for (int row = 0; row < proxy.rowCount(); ++row)
            shown += cell(proxy, LocksModel::LockColumn, row);
        QCOMPARE(shown, locks);
    }

    void aFilterThatMakesNoSenseSaysWhatWould_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("mentions");
        QTest::newRow("unknown") << u"age>5s"_qs << "age";
        QTest::newRow("no time") << u"ttl<soon"_qs << "soon";
        QTest::newRow("no number") << u"waiters>many"_qs << "many";
        QTest::newRow("no value") << u"state:"_qs << "state:";
        QTest::newRow("a word is no number") << u"name<5"_qs << "name:5";
    }
    void aFilterThatMakesNoSenseSaysWhatWould() {
        QFETCH(QString, text);
        QFETCH(QString, mentions);
        const auto filter = LockFilter::parse(text);
        QVERIFY(!filter);
        QVERIFY2(filter.error().contains(mentions), qPrintable(filter.error()));
    }

    void theQueueIsInOrderAndKeepsItsRows() {
        Scene scene;
        QueueModel queue;
        const QAbstractItemModelTester tester(&queue, Mode::QtTest);
        const auto show = [&](Nanos t) {
            const LockFacts facts = scene.at(t);
            queue.setWaiters(scene.context.trace(), facts.waiters, t);
        };
        show(2500ms);
        QCOMPARE(queue.rowCount(), 2);
        QCOMPARE(queue.index(0).data(QueueModel::NameRole).toString(), QStringLiteral("B · 1"));
        QCOMPARE(queue.index(1).data(QueueModel::NameRole).toString(), QStringLiteral("C · 1"));
        const QPersistentModelIndex c = queue.index(1);
        show(6500ms);
        QCOMPARE(queue.rowCount(), 1);
        QCOMPARE(c.row(), 0);
        QCOMPARE(c.data(QueueModel::WaitedRole).toString(), QStringLiteral("waits 4.3 s"));
        show(100ms);
        QCOMPARE(queue.rowCount(), 0);
    }

    void everyClientStandsAtItsStep() {
        Scene scene;
        scene.context.setPlayhead(6812ms);
        ProtocolModel model(&scene.context);
        const QAbstractItemModelTester tester(&model, Mode::QtTest);
        QCOMPARE(model.recipe(), QStringLiteral("redis-set"));
        QCOMPARE(model.rowCount(), 5);
        const QString first = model.index(0).data().toString();
        QVERIFY2(first.startsWith(QLatin1String("SET orders value NX PX 5000")), qPrintable(first));
        QCOMPARE(model.badges(1).size(), std::size_t(1));
        QCOMPARE(model.badges(1)[0].name, QStringLiteral("C"));
        QCOMPARE(model.badges(1)[0].tone, Pill::Tone::Waiting);
        QCOMPARE(model.badges(2)[0].name, QStringLiteral("B"));
        QCOMPARE(model.badges(2)[0].tone, Pill::Tone::Holding);
        QCOMPARE(model.badges(3)[0].name, QStringLiteral("A"));
        QCOMPARE(model.badges(3)[0].tone, Pill::Tone::Violation);
        QVERIFY(model.badges(3)[0].paused);
        QVERIFY(model.badges(0).empty());
        scene.context.setPlayhead(9900ms);
        QTRY_VERIFY(model.badges(3).empty());
    }

    void theStepsAreThoseOfTheLockInView() {
        Scene scene;
        trace::Trace& trace = scene.session.writable();
        const auto seen = [&](const char* name, const char* format, Nanos lease) {
            const trace::EntityId lock =
                trace.intern(trace::EntityKind::Lock, name, scene.story.node, trace.text(format));
            trace.append({trace.reached().count(), (trace.reached() + lease).count(), scene.story.aThread, lock, 1,
                          trace::EventKind::RecordHeld});
            return lock;
        };
        const trace::EntityId foreign = seen("billing", "redis-py", 7s);
        const trace::EntityId strange = seen("nightly", "shedlock", 7s);
        trace.reach(11s);
        scene.context.setPlayhead(10500ms);
        ProtocolModel model(&scene.context);
        scene.context.select(foreign);
        QTRY_VERIFY(model.rowCount() > 0 && model.index(0).data().toString().contains(QLatin1String("billing")));
        QCOMPARE(model.recipe(), QStringLiteral("redis-set"));
        const QString first = model.index(0).data().toString();
        // A server tells how much is left, not how long it was taken for.
        QVERIFY2(first.contains(QLatin1String("PX lease")), qPrintable(first));
        scene.context.select(strange); // nothing that we could tell the steps of: better none than another recipe's
        QTRY_COMPARE(model.rowCount(), 0);
        QVERIFY(model.recipe().isEmpty());
        scene.context.select(scene.story.lock);
        QTRY_VERIFY(model.rowCount() > 0 && model.index(0).data().toString().contains(QLatin1String("orders")));
    }

    void whatChangesAtOnceIsToldAtOnce_data() {
        QTest::addColumn<bool>("grouped");
        QTest::newRow("flat") << false;
        QTest::newRow("grouped") << true;
    }
    void whatChangesAtOnceIsToldAtOnce() {
        QFETCH(bool, grouped);
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto thread = t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, "A"));
        for (int i = 0; i < 200; ++i) {
            const auto node = t.intern(trace::EntityKind::Node, "node-" + QByteArray::number(i % 2));
            const auto lock = t.intern(trace::EntityKind::Lock, "lock-" + QByteArray::number(i), node);
            if (i % 4 < 2) t.append({0, Nanos(1h).count(), thread, lock, 1, trace::EventKind::RecordHeld});
        }
        ViewContext context;
        context.setSession(&session);
        LocksModel model(&context);
        const QAbstractItemModelTester tester(&model, Mode::QtTest);
        model.setGrouped(grouped);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        context.setPlayhead(1s); // every second of a group is held: all those changed, the others did not
        QTRY_VERIFY(changed.count() > 0);
        QCOMPARE(changed.count(), grouped ? 2 : 1);
        if (!grouped) return;
        const QModelIndex last = changed.back().at(1).toModelIndex();
        QVERIFY(last.parent().isValid());
        QCOMPARE(last.row(), 98);
    }

    void manyLocksAreRefreshedThoughTimeGoesOn() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto thread = t.intern(trace::EntityKind::Thread, "1", t.intern(trace::EntityKind::Client, "A"));
        for (int i = 0; i < 2001; ++i) {
            const auto lock = t.intern(trace::EntityKind::Lock, "lock-" + QByteArray::number(i));
            t.append({0, Nanos(1h).count(), thread, lock, 1, trace::EventKind::RecordHeld});
        }
        ViewContext context;
        context.setSession(&session);
        const LocksModel model(&context);
        const auto ttl = [&model] { return model.facts(model.index(2000, 0))->ttl; };
        const Nanos before = ttl();
        // The playhead moves on more often than so many locks are looked at.
        QTRY_VERIFY((context.setPlayhead(context.playhead() + 16ms), ttl() != before));
    }

    void aLargeTraceKeepsAllModelsConsistent() {
        FakeSession session;
        trace::fillSynthetic(session.writable(), 60'000, 50, 7);
        ViewContext context;
        context.setSession(&session);
        LocksModel model(&context);
        const QAbstractItemModelTester tester(&model, Mode::QtTest);
        LocksProxy proxy(&model);
        const QAbstractItemModelTester proxyTester(&proxy, Mode::QtTest);
        proxy.setFilter(*LockFilter::parse(QStringLiteral("state:held")));
        proxy.sort(LocksModel::TtlColumn);
        const Nanos end = session.trace()->reached();
        int everHeld = 0;
        for (int i = 0; i <= 40; ++i) {
            context.setPlayhead(end * i / 40);
            QCoreApplication::processEvents();
            everHeld = std::max(everHeld, proxy.rowCount());
            for (int row = 1; row < proxy.rowCount(); ++row)
                QVERIFY(proxy.index(row - 1, LocksModel::TtlColumn).data(LocksModel::SortRole).toLongLong() <=
                        proxy.index(row, LocksModel::TtlColumn).data(LocksModel::SortRole).toLongLong());
        }
        QVERIFY(everHeld >= 2);
    }
};

QTEST_MAIN(LocksModelTest)
#include "tst_locks_model.moc"
