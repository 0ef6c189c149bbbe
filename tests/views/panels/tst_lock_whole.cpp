// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and details of locks that several hold, whose queue the server names, and of which it is known what lies
// there.
#include "fake_session.h"
#include "inspect/seen_content.h"
#include "locks/lock_detail_panel.h"
#include "locks/protocol_panel.h"
#include "locks/seen_lines.h"
#include "models/engine_drain.h"
#include "models/locks_model.h"
#include "models/story.h"
#include "scenario/scenario_file.h"
#include "session/simulated_session.h"
#include "theme/format.h"
#include "trace/server_told.h"
#include "trace/time_text.h"

#include <QAbstractItemModelTester>
#include <QJsonArray>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityKind;
using trace::EventKind;
using trace::HoldMode;
using views::testing::FakeSession;

namespace {

/// One lock on one node, and clients of which none is our own.
struct Scene {
    FakeSession session;
    ViewContext context;
    trace::EntityId node, lock;
    std::int64_t at = 0;

    explicit Scene(const char* format = "redisson-rw") {
        session.can.live = true;
        node = trace().intern(EntityKind::Node, "redis-1");
        lock = trace().intern(EntityKind::Lock, "orders", node, trace().text(format));
        context.setSession(&session);
    }
    trace::Trace& trace() { return session.writable(); }
    trace::EntityId thread(const char* client) {
        return trace().intern(EntityKind::Thread, "1", trace().intern(EntityKind::Client, client));
    }
    void add(EventKind kind, trace::EntityId actor, std::int64_t value = 0, std::uint32_t aux = 0,
             HoldMode mode = HoldMode::Exclusive, trace::EntityId subject = trace::kNoEntity) {
        trace().append({at, value, actor, subject ? subject : lock, aux, kind, std::uint8_t(mode)});
    }
    void reads(const char* client, Nanos deadline, std::uint32_t holds = 1) {
        add(EventKind::RecordHolder, thread(client), deadline.count(), holds, HoldMode::Shared);
    }
    void lookAt(Nanos t) {
        trace().reach(t);
        Q_EMIT session.advanced();
        context.setPlayhead(t);
        QCoreApplication::processEvents();
    }
    QString cell(const LocksModel& model, int column) { return model.index(0, column).data().toString(); }
};

} // namespace

class TestLockWhole : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readersStandThereWithTheirCounts() {
        Scene scene;
        scene.add(EventKind::RecordHeld, scene.thread("A"), Nanos(10s).count(), 2, HoldMode::Shared);
        scene.reads("A", 10s, 2);
        scene.reads("B", 20s);
        scene.lookAt(1s);
        LocksModel model(&scene.context);
        QCOMPARE(scene.cell(model, LocksModel::HolderColumn), u"2 reader(s): A and B"_qs);
        QCOMPARE(scene.cell(model, LocksModel::HoldsColumn), u"2 + 1"_qs);
        QCOMPARE(scene.cell(model, LocksModel::ModeColumn), u"shared"_qs);
        QCOMPARE(scene.cell(model, LocksModel::StateColumn), u"held by 2"_qs);
        LockDetailPanel panel(&scene.context);
        QCOMPARE(panel.fact(LockDetailPanel::RecordSays), u"2 reader(s): A and B"_qs);
        QCOMPARE(panel.holders()->rowCount(), 2);
        QCOMPARE(panel.holders()->index(0).data(party::DetailRole).toString(), u"reads · 2 hold(s) · 9.0 s left"_qs);
        QCOMPARE(panel.holders()->index(1).data(party::NameRole).toString(), u"B"_qs);
        // A goes, which was the owner; B reads on.
        scene.at = Nanos(2s).count();
        scene.trace().append({scene.at, 0, 0, scene.lock, scene.thread("A"), EventKind::RecordHolderGone,
                              trace::goneFlags(trace::FreedBy::Release, HoldMode::Shared)});
        scene.add(EventKind::RecordHeld, scene.thread("B"), Nanos(20s).count(), 1, HoldMode::Shared);
        scene.lookAt(3s);
        QTRY_COMPARE(scene.cell(model, LocksModel::HolderColumn), u"1 reader(s): B"_qs);
        QTRY_COMPARE(panel.holders()->rowCount(), 1);
    }

    void aSessionThatSharesATableNeedNotRead() {
        Scene scene("mariadb-table");
        scene.add(EventKind::RecordHeld, scene.thread("A"), trace::kEndNotKnown, 1, HoldMode::Shared);
        scene.add(EventKind::RecordHolder, scene.thread("A"), trace::kEndNotKnown, 1, HoldMode::Shared);
        scene.lookAt(1s);
        LocksModel model(&scene.context);
        QCOMPARE(scene.cell(model, LocksModel::HolderColumn), u"A"_qs);
        QCOMPARE(scene.cell(model, LocksModel::ModeColumn), u"shared"_qs);
        scene.add(EventKind::RecordHolder, scene.thread("B"), trace::kEndNotKnown, 1, HoldMode::Shared);
        scene.lookAt(2s);
        QTRY_COMPARE(scene.cell(model, LocksModel::HolderColumn), u"2 sessions: A and B"_qs);
        LockDetailPanel panel(&scene.context);
        QCOMPARE(panel.holders()->index(1).data(party::DetailRole).toString(), u"shares it"_qs);
    }

    void whoWaitsIsSaidWithoutOpeningTheLock() {
        Scene scene("redisson-fair");
        scene.add(EventKind::RecordHeld, scene.thread("A"), Nanos(60s).count(), 1);
        scene.add(EventKind::RecordQueued, scene.thread("B"), 0);
        scene.add(EventKind::RecordQueued, scene.thread("C"), 1);
        scene.add(EventKind::RecordWaiters, 0, 5);
        scene.lookAt(12s);
        LocksModel model(&scene.context);
        const QModelIndex waiters = model.index(0, LocksModel::WaitersColumn);
        const QString tip = waiters.data(Qt::ToolTipRole).toString();
        const QStringList lines = tip.split(u'\n');
        QCOMPARE(lines.size(), 4);
        QVERIFY2(lines[0].startsWith(u"1. B") && lines[0].endsWith(u"waits ≥ 12.0 s"), qPrintable(tip));
        QVERIFY2(lines[1].startsWith(u"2. C") && lines[2].contains(u"3 more"), qPrintable(tip));
        QVERIFY2(lines[3].contains(u"server's queue"), qPrintable(tip));
        QCOMPARE(waiters.data(Qt::AccessibleTextRole).toString(), tip); // for who moves by the keyboard
    }

    void permitsAreSoManyOfSoMany() {
        Scene scene;
        scene.add(EventKind::RecordHeld, scene.thread("p1"), trace::kEndNotKnown, 1, HoldMode::Permit);
        for (const char* id : {"p1", "p2", "p3"})
            scene.add(EventKind::RecordHolder, scene.thread(id), Nanos(9s).count(), 1, HoldMode::Permit);
        scene.add(EventKind::RecordPermits, 0, 2, 5);
        scene.lookAt(1s);
        LocksModel model(&scene.context);
        QCOMPARE(scene.cell(model, LocksModel::HolderColumn), u"3 of 5 permits"_qs);
        LockDetailPanel panel(&scene.context);
        QCOMPARE(panel.fact(LockDetailPanel::RecordSays), u"3 of 5 permits"_qs);
        QCOMPARE(panel.holders()->rowCount(), 3);
    }

    void aQueueIsShownInTheServersOrder() {
        Scene scene;
        for (const char* client : {"W1", "W2"})
            scene.add(EventKind::RecordQueued, scene.thread(client), client[1] - '1');
        scene.add(EventKind::RecordWaiters, 0, 2);
        scene.lookAt(4s);
        LockDetailPanel panel(&scene.context);
        const QAbstractItemModelTester tester(panel.queue(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(panel.queue()->rowCount(), 2);
        QCOMPARE(panel.queue()->index(0).data(party::NameRole).toString(), u"W1 · 1"_qs);
        QVERIFY(panel.queueNote().isEmpty());
        LocksModel model(&scene.context);
        QCOMPARE(scene.cell(model, LocksModel::WaitersColumn), u"2"_qs);
        // The second one overtakes, the first one does not wait any more.
        scene.at = Nanos(5s).count();
        scene.add(EventKind::RecordQueued, scene.thread("W2"), 0);
        scene.trace().append(
            {scene.at, 1, scene.thread("W1"), scene.lock, 0, EventKind::RecordQueued, trace::kQueuedDead});
        scene.add(EventKind::RecordWaiters, 0, 1);
        scene.lookAt(6s);
        QTRY_COMPARE(panel.queue()->index(0).data(party::NameRole).toString(), u"W2 · 1"_qs);
        QCOMPARE(panel.queue()->rowCount(), 2);
        QVERIFY(panel.queue()->index(1).data(party::DetailRole).toString().contains(u"nobody waits"_qs));
        QTRY_COMPARE(scene.cell(model, LocksModel::WaitersColumn), u"1"_qs); // of those that live
    }

    /// A client that has asked anew left a dead place in front, and waits further behind.
    void aDeadPlaceIsNotWhereItsClientWaits() {
        Scene scene("lockscope");
        scene.add(EventKind::RecordHeld, scene.thread("A"), Nanos(60s).count(), 1);
        scene.add(EventKind::Requested, scene.thread("B"), -1);
        scene.trace().append(
            {scene.at, 0, scene.thread("B"), scene.lock, 0, EventKind::RecordQueued, trace::kQueuedDead});
        scene.add(EventKind::RecordQueued, scene.thread("C"), 1);
        scene.lookAt(3s);
        LockDetailPanel panel(&scene.context);
        QCOMPARE(panel.queue()->rowCount(), 3);
        const auto told = [&](int row, int role) { return panel.queue()->index(row).data(role).toString(); };
        QCOMPARE(told(0, party::NameRole), u"B · 1"_qs);
        QVERIFY(told(0, party::DetailRole).contains(u"nobody waits"_qs));
        QCOMPARE(told(1, party::NameRole), u"C · 1"_qs);
        QCOMPARE(told(2, party::NameRole), u"B · 1"_qs);
        QCOMPARE(told(2, party::DetailRole), u"waits 3.0 s"_qs);
    }

    void onlyACountSaysThatTheServerDoesNotSayWho() {
        Scene scene;
        scene.add(EventKind::RecordWaiters, 0, 2);
        scene.lookAt(1s);
        LockDetailPanel panel(&scene.context);
        QCOMPARE(panel.queueNote(), u"2 waiter(s); the server does not say who."_qs);
    }

    /// No subscriber is not nobody: a client that asks again and again leaves nothing on the server.
    void wherePollersLeaveNothingNobodyIsNotSaid() {
        for (const auto& [format, known] :
             {std::pair("redisson", false), {"lockscope", false}, {"redisson-fair", true}, {"kazoo", true}}) {
            Scene scene(format);
            scene.trace().setOriginWallMs(1'700'000'000'000);
            scene.add(EventKind::RecordHeld, scene.thread("A"), Nanos(60s).count(), 1);
            scene.add(EventKind::RecordWaiters, 0, 0);
            scene.lookAt(1s);
            LockDetailPanel panel(&scene.context);
            QVERIFY2(panel.queueNote().startsWith(known ? u"Nobody waits"_qs : u"No waiter is known"_qs), format);
        }
    }

    /// A row tells of a change only: while none comes, looks find the same.
    void whatDidNotChangeWasSeenAgain() {
        Scene scene;
        inspect::RawKey key{"orders", "hash", {}, QJsonObject{{u"uuid:1"_qs, u"2"_qs}}, 0};
        scene.at = Nanos(2s).count();
        scene.add(EventKind::RecordHeld, scene.thread("A"), -1, 1);
        scene.add(EventKind::RecordContent, 0, 0, scene.trace().text(inspect::contentText({key})));
        scene.lookAt(60s);
        LockDetailPanel panel(&scene.context);
        QCOMPARE(panel.serverHint(), u"the same since %1"_qs.arg(instantText(2s)));
        scene.at = Nanos(61s).count();
        scene.add(EventKind::RecordUnobserved, 0);
        scene.lookAt(62s);
        QTRY_COMPARE(panel.serverHint(), u"seen at %1, %2 ago"_qs.arg(instantText(2s), duration(60s)));
        // Looks that come rarely have not found anything yet.
        scene.at = Nanos(63s).count();
        scene.add(EventKind::RecordObserved, 0);
        scene.add(EventKind::ServerTold, scene.node, 0,
                  scene.trace().text(trace::serverTold(trace::kLooksApart, "180s")), HoldMode::Exclusive, scene.node);
        scene.lookAt(64s);
        QTRY_COMPARE(panel.serverHint(), u"seen at %1, %2 ago"_qs.arg(instantText(2s), duration(62s)));
    }

    void whatIsOnTheServerIsWhatWasSeen() {
        Scene scene;
        inspect::RawKey hash{"orders", "hash", 29'990, QJsonObject{{u"uuid:1"_qs, u"2"_qs}}, 0};
        inspect::RawKey queue{"redisson_lock_queue:{orders}", "list", {}, QJsonArray{u"b:1"_qs, u"c:1"_qs}, 3};
        const QByteArray text = inspect::contentText({hash, queue});
        scene.at = Nanos(2s).count();
        scene.add(EventKind::RecordContent, 0, 0, scene.trace().text(text));
        scene.lookAt(5s);
        LockDetailPanel panel(&scene.context);
        QCOMPARE(panel.serverLines(), (QStringList{u"orders hash pttl 29990"_qs, u"  “uuid:1” → “2”"_qs,
                                                   u"redisson_lock_queue:{orders} list pttl -1"_qs, u"  1 “b:1”"_qs,
                                                   u"  2 “c:1”"_qs, u"  and 3 more"_qs}));
        QVERIFY2(panel.serverHint().contains(instantText(2s)) && panel.serverHint().contains(duration(3s)),
                 qPrintable(panel.serverHint()));
        scene.at = Nanos(6s).count();
        scene.add(EventKind::RecordContent, 0, 0, scene.trace().text(inspect::contentText({})));
        scene.lookAt(7s);
        QTRY_COMPARE(panel.serverLines(), QStringList{u"no key “orders”"_qs});
        scene.context.setPlayhead(1s); // before the first look
        QTRY_VERIFY(panel.serverLines().front().contains(u"nobody has looked"_qs));
    }

    /// A table has no keys, and a free lock may have a row.
    void nothingIsToldInTheServersWords() {
        QCOMPARE(seenLines({}, u"x"_qs, u"PostgreSQL"_qs), QStringList{u"nobody holds “x”"_qs});
        QCOMPARE(seenLines({}, u"x"_qs, u"Redis"_qs), QStringList{u"no key “x”"_qs});
    }
    void aStringsNamesStayTextInTheBox() {
        inspect::SeenContent content;
        content.keys = {{"<b>x</b>", "string", {}, QStringLiteral("<img src=x>"), 0}};
        QCOMPARE(seenLines(content, u"x"_qs), (QStringList{u"<b>x</b> string pttl -1"_qs, u"  “<img src=x>”"_qs}));
    }
    void theServerAndTheClientsAreSeen() {
        inspect::LockRow row;
        row.name = "jobs";
        row.server = "10.0.0.7:6379";
        row.raw = {{"jobs", "string", {}, QJsonValue(u"x"_qs)}};
        const auto party = [](const char* client, const char* about) {
            inspect::Party one;
            one.client = client;
            one.about = about;
            return one;
        };
        row.holders = {party("session 0x1", "kazoo, 10.0.0.5:51234"), party("b", "")};
        row.waiters.emplace().push_back(party("pid 7", "psql 10.0.0.6: SELECT 1"));
        const auto content = inspect::contentFrom(inspect::contentText(inspect::withPlaces(row).raw));
        QVERIFY(content);
        QCOMPARE(seenLines(*content, u"jobs"_qs),
                 (QStringList{u"jobs string pttl -1"_qs, u"  “x”"_qs, u"on 10.0.0.7:6379"_qs,
                              u"client session 0x1: kazoo, 10.0.0.5:51234"_qs, u"client pid 7: psql 10.0.0.6"_qs}));
    }

    void copiesBelongToTheirLock() {
        Scene scene;
        const auto two = scene.trace().intern(EntityKind::Node, "redis-2");
        const auto logical = scene.trace().intern(EntityKind::Lock, "red");
        const auto copy = scene.trace().intern(EntityKind::Lock, "red", two, logical);
        scene.add(EventKind::RecordHeld, scene.thread("A"), Nanos(9s).count(), 1, HoldMode::Exclusive, logical);
        scene.add(EventKind::RecordHeld, scene.thread("A"), Nanos(8s).count(), 1, HoldMode::Exclusive, copy);
        scene.lookAt(1s);
        LocksModel model(&scene.context);
        QCOMPARE(model.rowCount(), 2); // "orders" and "red"
        QVERIFY(model.indexOf(copy).isValid() && model.indexOf(copy).parent() == model.indexOf(logical));
        scene.context.select(copy);
        QCOMPARE(scene.context.focusedLock(), logical);
        LockDetailPanel panel(&scene.context);
        QVERIFY(panel.copies().size() == 1);
        QCOMPARE(panel.copies().front(), u"redis-2  a copy: A, 7.0 s left"_qs);
    }

    /// A manager moves the lock from a Redis to an ensemble: a majority keeps it then, for as long as a session lives.
    void aLockThatMovesToAnEnsembleIsToldSo() {
        const auto scenario = scenario::loadScenario(u"engine-switch-kinds"_qs);
        QVERIFY(scenario.has_value());
        session::SimulatedSession session(*scenario, 1);
        ViewContext context;
        context.setSession(&session);
        session.advanceTo(40s);
        QTRY_VERIFY_WITH_TIMEOUT(context.trace()->reached() >= 40s, 20'000);
        const auto trace = context.trace();
        Nanos onRedis = kNever, onEnsemble = kNever;
        trace::EntityId lock = trace::kNoEntity;
        bool moved = false;
        for (std::size_t row = 0; row < trace->size() && onEnsemble == kNever; ++row) {
            const trace::Event e = trace->at(row);
            moved = moved || (e.kind == EventKind::RecordDecider && e.value > 1);
            if (e.kind != EventKind::RecordHeld || trace->copyOf(e.subject) != trace::kNoEntity) continue;
            lock = e.subject;
            (moved ? onEnsemble : onRedis) = e.time() + 200ms;
        }
        QVERIFY(onRedis != kNever && onEnsemble != kNever);
        LockDetailPanel panel(&context);
        context.select(lock);
        context.setPlayhead(onEnsemble);
        QTRY_COMPARE(panel.fact(LockDetailPanel::WhoDecides), u"a majority: 2 of 3 servers"_qs);
        QCOMPARE(panel.fact(LockDetailPanel::RenewalFact), u"none: the session keeps it"_qs);
        QCOMPARE(panel.fact(LockDetailPanel::EndsWhen), u"it is released, or its session is silent for 4 s"_qs);
        QCOMPARE(panel.stateText(), u"held"_qs); // no renewal is missed
        context.setPlayhead(onRedis);
        QTRY_VERIFY(panel.fact(LockDetailPanel::RenewalFact).startsWith(u"in "_qs));
        QVERIFY(panel.fact(LockDetailPanel::WhoDecides) != u"a majority: 2 of 3 servers"_qs);
    }

    /// Before anybody has asked the ensemble that a manager changed to, it is the ensemble already.
    void anEnsembleWithoutAHoldIsOneAlready() {
        const auto scenario = scenario::loadScenario(u"engine-switch-kinds-naive"_qs);
        QVERIFY(scenario.has_value());
        session::SimulatedSession session(*scenario, 1);
        ViewContext context;
        context.setSession(&session);
        session.advanceTo(20s);
        QTRY_VERIFY_WITH_TIMEOUT(context.trace()->reached() >= 20s, 20'000);
        const auto trace = context.trace();
        std::size_t row = 0;
        while (row < trace->size() && !(trace->at(row).kind == EventKind::RecordDecider && trace->at(row).value > 1))
            ++row;
        QVERIFY(row < trace->size());
        LockDetailPanel panel(&context);
        context.select(trace->at(row).subject);
        context.setPlayhead(trace->at(row).time());
        QTRY_COMPARE(panel.fact(LockDetailPanel::WhoDecides), u"a majority: 2 of 3 servers"_qs);
        QCOMPARE(panel.fact(LockDetailPanel::RecordSays), u"free"_qs);
    }

    /// A manager's token is the one that the resource is shown, and not that of the engine below it.
    void theTokenIsTheOneThatIsShown() {
        Scene scene;
        scene.session.can.live = false;
        const auto a = scene.thread("A");
        scene.add(EventKind::RecordHeld, a, Nanos(9s).count(), 1);
        scene.add(EventKind::RecordToken, a, 7479);
        scene.lookAt(1s);
        QCOMPARE(lockFacts(scene.lock, scene.context).token, 7479);
        scene.add(EventKind::Granted, a, 8795, 1);
        scene.lookAt(2s);
        QCOMPARE(lockFacts(scene.lock, scene.context).token, 8795);
        scene.add(EventKind::Released, a);
        scene.lookAt(3s);
        QCOMPARE(lockFacts(scene.lock, scene.context).token, 7479);
    }

    /// Nobody can get a lock whose only server is dead.
    void aDeadServersLockIsNotFree() {
        auto scenario = scenario::loadScenario(u"contention"_qs);
        QVERIFY(scenario.has_value());
        scenario->recipe = u"redis-set"_qs;
        scenario::Fault kill;
        kill.action = scenario::Action::KillNode;
        kill.target = u"redis-1"_qs;
        kill.at = 9s;
        scenario->faults.push_back(kill);
        session::SimulatedSession session(*scenario, 42);
        ViewContext context;
        context.setSession(&session);
        session.advanceTo(14s);
        QTRY_VERIFY_WITH_TIMEOUT(context.trace()->reached() >= 14s, 20'000);
        context.setPlayhead(14s);
        const trace::EntityId lock = context.focusedLock();
        const LockFacts facts = lockFacts(lock, context);
        QCOMPARE(facts.condition, LockCondition::Undecided);
        QCOMPARE(holdersText(facts, *context.trace()), u"nobody decides"_qs);
        QVERIFY2(storyAtPlayhead(context).contains(u"its server is dead, so nobody can get it"_qs),
                 qPrintable(storyAtPlayhead(context)));
    }

    /// From the order to drain until the next engine is in use nobody gets in; the lock is free, and nobody is idle.
    void aDrainIsToldWhileItLasts() {
        const auto scenario = scenario::loadScenario(u"engine-switch"_qs);
        QVERIFY(scenario.has_value());
        session::SimulatedSession session(*scenario, 1);
        ViewContext context;
        context.setSession(&session);
        session.advanceTo(30s);
        QTRY_VERIFY_WITH_TIMEOUT(context.trace()->reached() >= 30s, 20'000);
        const auto trace = context.trace();
        std::vector<Nanos> leaving, inUse;
        for (std::size_t row = 0; row < trace->size(); ++row) {
            const trace::Event e = trace->at(row);
            if (e.kind != EventKind::EngineChanged) continue;
            const auto news = trace::EngineNews(e.flags & trace::kEngineNewsMask);
            if (news == trace::EngineNews::Leaving) leaving.push_back(e.time());
            if (news == trace::EngineNews::InUse && !leaving.empty()) inUse.push_back(e.time());
        }
        QVERIFY(!leaving.empty() && !inUse.empty());
        const auto drain = engineDrainAt(*trace, context.settings(), inUse.front() - 1ms);
        QVERIFY(drain && drain->holdersGoOn);
        QCOMPARE(drain->from, leaving.front());
        QVERIFY2(std::chrono::abs(drain->until - inUse.front()) < 500ms, qPrintable(formatDuration(drain->until)));
        QVERIFY(!engineDrainAt(*trace, context.settings(), leaving.front() - 1ns));
        QVERIFY(!engineDrainAt(*trace, context.settings(), inUse.front()));

        LockDetailPanel panel(&context);
        trace::EntityId lock = trace::kNoEntity;
        for (const trace::EntityId id : context.entities(trace::EntityKind::Lock))
            if (trace->copyOf(id) == trace::kNoEntity) lock = id;
        context.select(lock);
        context.setPlayhead(inUse.front() - 1s);
        QTRY_VERIFY2(panel.fact(LockDetailPanel::WhoDecides).startsWith(u"draining: nobody gets in until about"_qs),
                     qPrintable(panel.fact(LockDetailPanel::WhoDecides)));
        QCOMPARE(panel.stateText(), u"draining"_qs); // not free for the taking
        QCOMPARE(conditionId(lockFacts(lock, context).condition), u"draining"_qs);
        QVERIFY2(storyAtPlayhead(context).contains(u"draining: nobody gets in"_qs),
                 qPrintable(storyAtPlayhead(context)));
        QVERIFY2(!storyAtPlayhead(context).contains(u"free"_qs), qPrintable(storyAtPlayhead(context)));
        QCOMPARE(panel.queue()->rowCount(), 0);
        QVERIFY2(panel.queueNote().contains(u"the change of engines"_qs), qPrintable(panel.queueNote()));
        context.setPlayhead(inUse.back() + 1s);
        QTRY_VERIFY(panel.fact(LockDetailPanel::WhoDecides).startsWith(u"redis-2"_qs));
        QVERIFY(panel.stateText() != u"draining"_qs);
    }

    // A recipe chosen in mid-run: what is held is the old one's until its holder asks again.
    void formatAndProtocolFollowTheHolder() {
        FakeSession session;
        trace::Trace& t = session.writable();
        const auto lock = t.intern(EntityKind::Lock, "orders", t.intern(EntityKind::Node, "redis-1"));
        const auto b = t.intern(EntityKind::Thread, "1", t.intern(EntityKind::Client, "B"));
        const auto c = t.intern(EntityKind::Thread, "1", t.intern(EntityKind::Client, "C"));
        const auto row = [&](Nanos at, EventKind kind, trace::EntityId who, std::uint32_t aux = 0,
                             std::int64_t value = 0) {
            t.append({at.count(), value, who, lock, aux, kind});
        };
        row(1s, EventKind::AsksBy, b, t.text("redis-set"));
        row(1s, EventKind::Requested, b);
        row(1s, EventKind::RecordHeld, b, 1, Nanos(20s).count());
        row(1s, EventKind::Granted, b, 1);
        row(1s, EventKind::Step, b, 3);
        t.append(
            {Nanos(9s).count(), 0, 0, 0, t.text("recipe=redis-fenced"), EventKind::SettingChanged, trace::kByHand});
        row(10s, EventKind::AsksBy, c, t.text("redis-fenced"));
        row(10s, EventKind::Requested, c);
        row(10s, EventKind::AcquireFailed, c, t.text("foreign-format"));
        t.reach(12s);
        session.plan.recipe = QStringLiteral("redis-fenced");
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(11s);
        QCOMPARE(lockFormat(lock, context), u"redis-set"_qs);
        ProtocolPanel panel(&context);
        QCOMPARE(panel.model()->recipe(), u"redis-fenced"_qs);
        QVERIFY2(panel.model()->note().contains(u"B (redis-set)"_qs) && panel.model()->note().contains(instantText(9s)),
                 qPrintable(panel.model()->note()));
        for (int step = 0; step < panel.model()->rowCount(); ++step)
            for (const StepBadge& badge : panel.model()->badges(step))
                QVERIFY(badge.thread != b); // it stands at no step of a recipe that it does not follow
        // It asks again, by the new one.
        row(13s, EventKind::RecordFreed, b, b);
        row(13s, EventKind::Released, b);
        row(14s, EventKind::AsksBy, b, t.text("redis-fenced"));
        row(14s, EventKind::Requested, b);
        t.reach(15s);
        Q_EMIT session.advanced();
        context.setPlayhead(15s);
        QTRY_COMPARE(panel.model()->note(), QString());
        QCOMPARE(lockFormat(lock, context), u"redis-fenced"_qs);
    }
};

QTEST_MAIN(TestLockWhole)
#include "tst_lock_whole.moc"
