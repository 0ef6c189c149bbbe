// SPDX-License-Identifier: Apache-2.0
// Who waits for whom, and the circles among them.
#include "trace/wait_for.h"

#include <QTest>
#include <random>
#include <set>

using namespace lockscope;
using namespace lockscope::trace;

namespace {

struct World {
    Trace trace;
    State state;

    EntityId thread(const QByteArray& client) {
        return trace.intern(EntityKind::Thread, "1", trace.intern(EntityKind::Client, client));
    }
    EntityId lock(const QByteArray& name) { return trace.intern(EntityKind::Lock, name); }
    void add(EventKind kind, EntityId actor, EntityId subject, std::int64_t value = 0, std::uint32_t aux = 0,
             std::uint8_t flags = 0) {
        const Event event{Nanos(std::int64_t(state.rows) * 1'000'000).count(), value, actor, subject, aux, kind, flags};
        trace.append(event);
        state.apply(event, trace);
    }
    void holds(const QByteArray& client, const QByteArray& name) {
        add(EventKind::Requested, thread(client), lock(name), -1);
        add(EventKind::Granted, thread(client), lock(name), 0, 1);
    }
    void waits(const QByteArray& client, const QByteArray& name) {
        add(EventKind::Requested, thread(client), lock(name), -1);
    }
    WaitForGraph graph() const { return waitForGraph(state, trace); }
};

} // namespace

class tst_wait_for : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nobodyWaits() {
        World world;
        world.holds("A", "orders");
        QCOMPARE(world.graph(), WaitForGraph());
    }

    void aChainIsNoCircle() {
        World world;
        world.holds("A", "orders");
        world.holds("B", "stock");
        world.waits("B", "orders");
        world.waits("C", "stock");
        const WaitForGraph graph = world.graph();
        QCOMPARE(graph.waits.size(), std::size_t(2));
        QCOMPARE(graph.holds.size(), std::size_t(2));
        QVERIFY(graph.cycles.empty());
        QCOMPARE(graph.freedBy(world.lock("orders")), std::size_t(2)); // C gets on, too, once B does
        QCOMPARE(graph.freedBy(world.lock("stock")), std::size_t(1));
    }

    void twoThatWaitForEachOtherAreACircle() {
        World world;
        world.holds("A", "orders");
        world.holds("B", "stock");
        world.waits("A", "stock");
        QVERIFY(world.graph().cycles.empty());
        world.waits("B", "orders");
        const WaitForGraph graph = world.graph();
        QCOMPARE(graph.cycles.size(), std::size_t(1));
        QCOMPARE(graph.cycles[0].threads, (std::vector<EntityId>{world.thread("A"), world.thread("B")}));
        QCOMPARE(graph.cycles[0].locks, (std::vector<EntityId>{world.lock("stock"), world.lock("orders")}));
    }

    void strangersAreWhoTheRecordNames() {
        World world;
        const auto queued = [&](const char* client, const char* name, std::uint8_t flags = 0) {
            world.add(EventKind::RecordQueued, world.thread(client), world.lock(name), 0, 0, flags);
        };
        const auto held = [&](const char* client, const char* name) {
            world.add(EventKind::RecordHeld, world.thread(client), world.lock(name), -1, 1);
        };
        held("X", "orders");
        held("Y", "stock");
        queued("Y", "orders");
        queued("X", "stock");
        queued("Z", "stock", kQueuedDead); // nobody stands behind that one
        WaitForGraph graph = world.graph();
        QCOMPARE(graph.waits.size(), std::size_t(2));
        QVERIFY(graph.holds[0].recorded && !graph.holds[0].believed);
        QCOMPARE(graph.cycles.size(), std::size_t(1));
        world.add(EventKind::RecordUnobserved, kNoEntity, world.lock("stock")); // what is out of sight is not known
        QVERIFY(world.graph().cycles.empty());
    }

    void aReaderMayLetTheWaiterIn() {
        World world;
        const auto shared = [&](const char* client, const char* name) {
            world.add(EventKind::Requested, world.thread(client), world.lock(name), -1);
            world.add(EventKind::GrantedAs, world.thread(client), world.lock(name), 1, 1);
            world.add(EventKind::Granted, world.thread(client), world.lock(name), 0, 1);
        };
        shared("A", "orders");
        shared("B", "stock");
        world.waits("A", "stock");
        world.waits("B", "orders");
        QVERIFY(world.graph().cycles.empty());
        QCOMPARE(world.graph().holds.size(), std::size_t(2));
    }

    /// Against a search of its own: a thread lies on a circle if it can be reached from itself.
    void circlesAreFoundExactlyWhereThereAreSome() {
        std::mt19937 random(7);
        int withCircle = 0;
        for (int round = 0; round < 300; ++round) {
            World world;
            const int threads = 2 + int(random() % 7);
            std::map<int, int> owner; // by lock
            const int locks = 2 + int(random() % 6);
            for (int lock = 0; lock < locks; ++lock) {
                owner[lock] = int(random()) % threads;
                if (owner[lock] < 0) owner[lock] += threads;
                world.holds("c" + QByteArray::number(owner[lock]), "l" + QByteArray::number(lock));
            }
            std::map<int, std::set<int>> next;
            for (int thread = 0; thread < threads; ++thread) {
                const int lock = int(random() % unsigned(locks + 2));
                if (lock >= locks || owner[lock] == thread) continue;
                world.waits("c" + QByteArray::number(thread), "l" + QByteArray::number(lock));
                next[thread].insert(owner[lock]);
            }
            bool circle = false;
            for (int from = 0; from < threads; ++from) {
                std::set<int> reached;
                std::vector<int> open(next[from].begin(), next[from].end());
                while (!open.empty()) {
                    const int at = open.back();
                    open.pop_back();
                    if (!reached.insert(at).second) continue;
                    open.insert(open.end(), next[at].begin(), next[at].end());
                }
                circle = circle || reached.contains(from);
            }
            withCircle += circle;
            const WaitForGraph graph = world.graph();
            QCOMPARE(!graph.cycles.empty(), circle);
            for (const auto& cycle : graph.cycles) {
                for (std::size_t i = 0; i < cycle.threads.size(); ++i) {
                    const EntityId holder = cycle.threads[(i + 1) % cycle.threads.size()];
                    const auto waits = [&](const auto& w) {
                        return w.thread == cycle.threads[i] && w.lock == cycle.locks[i];
                    };
                    QVERIFY(std::ranges::any_of(graph.waits, waits));
                    QVERIFY(std::ranges::any_of(
                        graph.holds, [&](const auto& h) { return h.thread == holder && h.lock == cycle.locks[i]; }));
                }
            }
        }
        QVERIFY2(withCircle > 30 && withCircle < 270, qPrintable(QString::number(withCircle)));
    }
};

QTEST_GUILESS_MAIN(tst_wait_for)
#include "tst_wait_for.moc"
