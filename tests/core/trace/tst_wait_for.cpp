// SPDX-License-Identifier: Apache-2.0
#include "trace/connection.h"
#include "trace/possible_cycles.h"
#include "trace/recording.h"
#include "trace/wait_for.h"

#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using namespace lockscope::trace;

namespace {

/// Two servers, each over a connection of its own, and locks that the test has clients hold and wait for.
struct World {
    std::shared_ptr<Trace> trace = std::make_shared<Trace>();
    EntityId shop = internConnection(*trace, "shop", "redis://shop:6379");
    EntityId bank = internConnection(*trace, "bank", "postgresql://bank/db");
    EntityId redis = trace->intern(EntityKind::Node, "10.0.0.1:6379", shop);
    EntityId postgres = trace->intern(EntityKind::Node, "10.0.0.1:6379", bank); // another server all the same
    EntityId stock = trace->intern(EntityKind::Lock, "stock", redis);
    EntityId money = trace->intern(EntityKind::Lock, "stock", postgres); // of the same name, and another lock

    EntityId client(const QByteArray& name, EntityId of = kNoEntity) {
        return trace->intern(EntityKind::Thread, "", trace->intern(EntityKind::Client, name, of));
    }
    EntityId joined(const QByteArray& name, const QByteArray& thread) {
        return trace->intern(EntityKind::Thread, thread,
                             trace->intern(EntityKind::Client, name, kNoEntity, trace->text("app=(.*)")));
    }
    void add(EventKind kind, EntityId actor, EntityId lock, std::int64_t value = 0, std::uint32_t aux = 0,
             std::uint8_t flags = 0) {
        trace->append({std::int64_t(trace->size()), value, actor, lock, aux, kind, flags});
    }
    void held(EntityId lock, EntityId by) { add(EventKind::RecordHeld, by, lock, kNeverEnds, 1); }
    void queued(EntityId lock, EntityId who, int position = 0, std::uint8_t flags = 0) {
        add(EventKind::RecordQueued, who, lock, position, 0, flags);
    }
    WaitGraph graph() const {
        State state;
        for (std::size_t i = 0; i < trace->size(); ++i)
            state.apply(trace->at(i), *trace);
        return waitGraph(state, *trace);
    }
    std::vector<WaitCycle> possible() const {
        State state;
        for (std::size_t i = 0; i < trace->size(); ++i)
            state.apply(trace->at(i), *trace);
        return possibleCycles(waitGraph(state, *trace), state, *trace);
    }
};

} // namespace

class WaitForTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equalNamesOnTwoConnectionsAreTwoLocks() {
        World world;
        QVERIFY(world.redis != world.postgres && world.stock != world.money);
        QCOMPARE(connectionOf(*world.trace, world.stock), world.shop);
        QCOMPARE(connectionOf(*world.trace, world.money), world.bank);
        QCOMPARE(connectionOf(*world.trace, world.client("pid 7", world.bank)), world.bank);
        QCOMPARE(connectionOf(*world.trace, world.client("0f6ef1c2")), kNoEntity);
        QCOMPARE(urlOfConnection(*world.trace, world.bank), QByteArray("postgresql://bank/db"));
        QCOMPARE(connectionsOf(*world.trace, {world.postgres, world.redis, world.postgres}),
                 (std::vector{world.bank, world.shop}));
    }

    void aRingAcrossConnectionsIsFound() {
        World world;
        const EntityId a = world.client("a"), b = world.client("b"), c = world.client("c");
        world.held(world.stock, a);
        world.held(world.money, b);
        world.queued(world.money, a);
        QVERIFY(world.graph().cycles.empty());
        world.queued(world.stock, b);
        world.queued(world.stock, c, 1);
        const WaitGraph graph = world.graph();
        QCOMPARE(graph.edges.size(), 3u);
        QCOMPARE(graph.cycles.size(), 1u);
        const WaitCycle& cycle = graph.cycles.front();
        QCOMPARE(cycle.edges, (std::vector<WaitEdge>{{a, world.money, b}, {b, world.stock, a}}));
        QCOMPARE(cycle.weakest, 1u); // two wait for the stock, one for the money
        QCOMPARE(cycle.freed, 2);
        world.add(EventKind::RecordFreed, a, world.stock, 0, a);
        QVERIFY(world.graph().cycles.empty());
    }

    /// As the alert of the same ring names it.
    void ofEdgesThatEquallyManyWaitForTheFirstByNameIsTheOne() {
        World world;
        const EntityId a = world.client("a"), b = world.client("b");
        const EntityId y = world.trace->intern(EntityKind::Lock, "y", world.redis);
        const EntityId x = world.trace->intern(EntityKind::Lock, "x", world.redis);
        world.held(x, a);
        world.held(y, b);
        world.queued(x, b);
        world.queued(y, a);
        const WaitGraph graph = world.graph();
        QCOMPARE(graph.cycles.size(), 1u);
        const WaitCycle& cycle = graph.cycles.front();
        QCOMPARE(cycle.edges, (std::vector<WaitEdge>{{a, y, b}, {b, x, a}}));
        QCOMPARE(cycle.edges[cycle.weakest].lock, x);
        QCOMPARE(cycle.freed, 1);
    }

    void clientsThatARuleJoinedStandAsOne() {
        World world;
        const EntityId there = world.joined("batch", "pid 7"), here = world.joined("batch", "0f6e:1");
        const EntityId other = world.client("other");
        QCOMPARE(partyInGraph(*world.trace, there), partyInGraph(*world.trace, here));
        world.held(world.money, there);
        world.queued(world.money, other);
        world.held(world.stock, other);
        world.queued(world.stock, here);
        QCOMPARE(world.graph().cycles.size(), 1u);
        // Threads of a client that no rule joined go on by themselves.
        World apart;
        const EntityId process = apart.trace->intern(EntityKind::Client, "0f6e");
        const EntityId first = apart.trace->intern(EntityKind::Thread, "1", process),
                       second = apart.trace->intern(EntityKind::Thread, "2", process);
        const EntityId rival = apart.client("other");
        apart.held(apart.money, first);
        apart.queued(apart.money, rival);
        apart.held(apart.stock, rival);
        apart.queued(apart.stock, second);
        QVERIFY(apart.graph().cycles.empty());
        QVERIFY(apart.possible().empty());
    }

    /// Runs of a program are processes of their own, and may be one client all the same.
    void aRingByNamesAloneIsPossible() {
        World world;
        const auto process = [&](const char* client, const char* number) {
            return world.trace->intern(EntityKind::Thread, number, world.trace->intern(EntityKind::Client, client));
        };
        const EntityId a1 = process("a", "672001234"), a2 = process("a", "469001234");
        const EntityId b1 = process("b", "570001234"), b2 = process("b", "123001234");
        world.held(world.stock, a1);
        world.queued(world.money, a2);
        world.held(world.money, b1);
        QVERIFY(world.possible().empty());
        world.queued(world.stock, b2);
        QVERIFY(world.graph().cycles.empty());
        const std::vector<WaitCycle> possible = world.possible();
        QCOMPARE(possible.size(), 1u);
        QCOMPARE(possible.front().edges, (std::vector<WaitEdge>{{a2, world.money, b1}, {b2, world.stock, a1}}));
        // One that is certain is not told as possible, too.
        World certain;
        const EntityId a = certain.client("a"), b = certain.client("b");
        certain.held(certain.stock, a);
        certain.queued(certain.money, a);
        certain.held(certain.money, b);
        certain.queued(certain.stock, b);
        QCOMPARE(certain.graph().cycles.size(), 1u);
        QVERIFY(certain.possible().empty());
    }

    /// The server's own word goes before the first look, also where it is older than the trace.
    void aBeginningIsWhatTheServerSays() {
        World world;
        const EntityId a = world.client("a"), b = world.client("b"), c = world.client("c");
        world.held(world.stock, a);
        world.queued(world.stock, b);
        world.queued(world.stock, c, 1);
        StateIndex before(world.trace);
        const State seen = before.atRow(world.trace->size());
        const Beginning first = waitingSince(seen, *world.trace, b, world.stock);
        QVERIFY(!first.known && first.at >= 0);
        QVERIFY(!holdingSince(seen, *world.trace, a, world.stock).known);
        QCOMPARE(waitingSince(seen, *world.trace, a, world.stock).at, kSinceNotTold);
        const std::int64_t minuteBefore = -Nanos(60s).count();
        world.add(EventKind::RecordSince, b, world.stock, minuteBefore, 0, kSinceWaits);
        world.add(EventKind::RecordSince, a, world.stock, 2 * minuteBefore);
        StateIndex after(world.trace);
        const State told = after.atRow(world.trace->size());
        const Beginning waits = waitingSince(told, *world.trace, b, world.stock);
        QVERIFY(waits.known);
        QCOMPARE(waits.at, minuteBefore);
        const Beginning holds = holdingSince(told, *world.trace, a, world.stock);
        QVERIFY(holds.known);
        QCOMPARE(holds.at, 2 * minuteBefore);
        QVERIFY(!waitingSince(told, *world.trace, c, world.stock).known);
    }

    void theNamelessTheDeadAndReadersWaitForNobody() {
        World world;
        const EntityId a = world.client("a"), nobody = world.client("", world.shop);
        world.held(world.stock, nobody);
        world.queued(world.stock, a);
        QVERIFY(world.graph().edges.empty());
        world.add(EventKind::RecordFreed, nobody, world.stock, 0, nobody);
        world.add(EventKind::RecordHeld, world.client("b"), world.stock, kNeverEnds, 1, std::uint8_t(HoldMode::Shared));
        world.queued(world.stock, a, 0, std::uint8_t(HoldMode::Shared));
        QVERIFY(world.graph().edges.empty());
        world.queued(world.stock, world.client("c"), 1, kQueuedDead);
        QVERIFY(world.graph().edges.empty());
        world.queued(world.stock, world.client("d"), 2);
        QCOMPARE(world.graph().edges.size(), 1u);
    }

    void clientsOfOurOwnWaitAndHoldAsTheyBelieve() {
        World world;
        const EntityId a = world.client("a"), b = world.client("b");
        const auto holds = [&](EntityId thread, EntityId lock) {
            world.add(EventKind::Requested, thread, lock, -1);
            world.add(EventKind::Granted, thread, lock, 0, 1);
        };
        holds(a, world.stock);
        holds(b, world.money);
        world.add(EventKind::Requested, a, world.money, -1);
        QCOMPARE(world.graph().edges, (std::vector<WaitEdge>{{a, world.money, b}}));
        world.add(EventKind::Requested, b, world.stock, -1);
        QCOMPARE(world.graph().cycles.size(), 1u);
        // The server has granted the stock to b, and the answer is on its way: b waits for a, who believes, and not for
        // itself.
        world.held(world.stock, b);
        QCOMPARE(world.graph().edges, (std::vector<WaitEdge>{{a, world.money, b}, {b, world.stock, a}}));
        world.add(EventKind::TimedOut, b, world.stock);
        QVERIFY(world.graph().cycles.empty());
        // A client that left an entry in the queue behind does not wait.
        world.queued(world.stock, b);
        QCOMPARE(world.graph().edges.size(), 1u);
    }

    void aReaderIsWaitedForByThoseWhoWantTheLockAlone() {
        World world;
        const EntityId reader = world.client("reader"), unknown = world.client("unknown");
        world.add(EventKind::RecordHeld, reader, world.stock, kNeverEnds, 1, std::uint8_t(HoldMode::Shared));
        world.add(EventKind::Requested, unknown, world.stock, -1);
        QVERIFY(world.graph().edges.empty());
        world.queued(world.stock, world.client("writer"), 0, std::uint8_t(HoldMode::Exclusive));
        QCOMPARE(world.graph().edges.size(), 1u);
    }

    void aLongRingIsFoundWithoutRecursion() {
        World world;
        constexpr int kMany = 20'000;
        std::vector<EntityId> clients;
        for (int i = 0; i < kMany; ++i)
            clients.push_back(world.client(QByteArray::number(i) + "x"));
        for (int i = 0; i < kMany; ++i) {
            const EntityId lock = world.trace->intern(EntityKind::Lock, QByteArray::number(i), world.redis);
            world.held(lock, clients[std::size_t(i)]);
            world.queued(lock, clients[std::size_t((i + 1) % kMany)]);
        }
        const WaitGraph graph = world.graph();
        QCOMPARE(graph.cycles.size(), 1u);
        QCOMPARE(graph.cycles.front().edges.size(), std::size_t(kMany));
    }

    void aRecordingKeepsTheConnections() {
        World world;
        world.held(world.stock, world.client("a"));
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("fleet.lockscope"));
        QVERIFY(saveRecording(file, world.trace, {}));
        const auto loaded = loadRecording(file);
        QVERIFY(loaded && !loaded->damage);
        QCOMPARE(loaded->trace->digest(), world.trace->digest());
        QCOMPARE(connectionOf(*loaded->trace, world.stock), world.shop);
        QCOMPARE(loaded->trace->displayName(world.shop), QStringLiteral("shop"));
        QCOMPARE(urlOfConnection(*loaded->trace, world.shop), QByteArray("redis://shop:6379"));
    }
};

QTEST_GUILESS_MAIN(WaitForTest)
#include "tst_wait_for.moc"
