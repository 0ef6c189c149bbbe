// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "locks/protocol_model.h"
#include "models/lock_filter.h"
#include "models/queue_model.h"
#include "synthetic/synthetic.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using views::testing::FakeSession;
using views::testing::PauseScene;
using Mode = QAbstractItemModelTester::FailureReportingMode;

class LocksModelTest : public QObject {
    Q_OBJECT

    using Scene = PauseScene;

    static QString cell(const QAbstractItemModel& model, int column, int row = 0) {
        return model.index(row, column).data().toString();
    }

private Q_SLOTS:
    void thousandsOfLocksAreAllAtThePlayheadSoonAfter() {
        FakeSession session;
        trace::Trace& trace = session.writable();
        const auto node = trace.intern(trace::EntityKind::Node, "redis");
        const auto client = trace.intern(trace::EntityKind::Client, "A");
        const auto thread = trace.intern(trace::EntityKind::Thread, "1", client);
        constexpr int kLocks = 7000;
        for (int i = 0; i < kLocks; ++i)
            trace.append({Nanos(i * 1ms).count(), Nanos(1h).count(), thread,
                          trace.intern(trace::EntityKind::Lock, "svc:" + QByteArray::number(i), node), 1,
                          trace::EventKind::RecordHeld, 0});
        ViewContext context;
        context.setSession(&session);
        LocksModel model(&context);
        QCOMPARE(model.lockCount(), kLocks);
        int told = 0;
        connect(&model, &QAbstractItemModel::dataChanged, this,
                [&](const QModelIndex& first, const QModelIndex& last) { told += last.row() - first.row() + 1; });
        for (const Nanos at : {1s, 100s, 3s}) {
            context.setPlayhead(at);
            const auto wrong = [&] {
                int count = 0;
                for (int row = 0; row < kLocks; ++row) {
                    const LockFacts& facts = *model.facts(model.index(row, 0));
                    count += facts != lockFacts(facts.lock, context);
                }
                return count;
            };
            QTRY_COMPARE(wrong(), 0);
        }
        QVERIFY(told >= 2 * kLocks); // of all of them twice: at 100 s and back
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
        QCOMPARE(changed.count(), 87); // few locks are told at once, with all other panels
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
        model.setGrouping(grouped ? LocksModel::Grouping::Server : LocksModel::Grouping::None);
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
        QCOMPARE(queue.index(0).data(party::NameRole).toString(), QStringLiteral("B · 1"));
        QCOMPARE(queue.index(1).data(party::NameRole).toString(), QStringLiteral("C · 1"));
        const QPersistentModelIndex c = queue.index(1);
        show(6500ms);
        QCOMPARE(queue.rowCount(), 1);
        QCOMPARE(c.row(), 0);
        QCOMPARE(c.data(party::DetailRole).toString(), QStringLiteral("waits 4.3 s"));
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

    /// The name table of a recording knows the format from its beginning; nobody had seen a lock by then.
    void aRecordingOfServersFollowsNoRecipeBeforeALockIsHeld() {
        FakeSession session;
        session.can = {};
        trace::Trace& trace = session.writable();
        trace.setOriginWallMs(1'790'000'000'000);
        const auto node = trace.intern(trace::EntityKind::Node, "redis-1");
        const auto lock = trace.intern(trace::EntityKind::Lock, "nightly", node, trace.text("redis-py"));
        const auto thread = trace.intern(trace::EntityKind::Thread, "1", trace.intern(trace::EntityKind::Client, "A"));
        trace.append({Nanos(5s).count(), Nanos(9s).count(), thread, lock, 1, trace::EventKind::RecordHeld});
        trace.reach(8s);
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(1s);
        ProtocolModel model(&context);
        QCOMPARE(model.recipe(), QString());
        QCOMPARE(lockFormat(lock, context), QStringLiteral("unknown"));
        context.setPlayhead(6s);
        QTRY_COMPARE(model.recipe(), QStringLiteral("redis-set"));
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
        model.setGrouping(grouped ? LocksModel::Grouping::Server : LocksModel::Grouping::None);
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
