// SPDX-License-Identifier: Apache-2.0
// A simulated Redis Cluster, behaviour by behaviour of the real one. A function's number is the behaviour's. The last
// ones reach it by the same connection that production uses.
#include "connections/connection.h"
#include "runtime/virtual_runtime.h"
#include "simulated_group.h"

using namespace lockscope;
using redis::Reply;
using tests::SimulatedGroup;

namespace {

constexpr Nanos kNodeTimeout = 2s;

/// Three masters (redis-1 to redis-3) and a replica of each (redis-4 to redis-6).
struct Cluster : SimulatedGroup {
    static sim::RedisService::Settings usual() {
        auto all = settings(5);
        all.shape = sim::RedisShape::Cluster;
        all.cluster.nodeTimeout = kNodeTimeout;
        return all;
    }
    explicit Cluster(std::uint64_t seed = 1) : SimulatedGroup(usual(), seed) { run(2s); }
    /// A key whose slot is the n-th master's.
    static QByteArray keyOf(int master) {
        for (int i = 0;; ++i) {
            const QByteArray key = "key" + QByteArray::number(i);
            if (redis::keySlot(key) * 3 / redis::kClusterSlots == master) return key;
        }
    }
};

} // namespace

class TestRedisClusterNodes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void R47_redirections() {
        Cluster c;
        const QByteArray own = Cluster::keyOf(0), foreign = Cluster::keyOf(1);
        QCOMPARE(c.ask(c.at(0), {"SET", own, "v"}).text, "OK");
        const QByteArray moved = "MOVED " + QByteArray::number(redis::keySlot(foreign)) + " redis-2:6379";
        QCOMPARE(c.ask(c.at(0), {"SET", foreign, "v"}).text, moved);
        QCOMPARE(c.ask(c.at(0), {"EVAL", "return 1", "1", foreign}).text, moved);
        QCOMPARE(c.ask(c.at(0), {"EVAL", "return 1", "0"}).integer, 1);
        QCOMPARE(c.ask(c.at(0), {"DEL", own, foreign}).text, "CROSSSLOT Keys in request don't hash to the same slot");
        const Reply slots = c.ask(c.at(0), {"CLUSTER", "SLOTS"});
        QCOMPARE(slots.items.size(), std::size_t(3));
        QCOMPARE(slots.items[0].items[2].items[0].text, "redis-1");
        QCOMPARE(slots.items[0].items[3].items[0].text, "redis-4");
    }

    void R48_aReplicaSendsOn() {
        Cluster c;
        const QByteArray key = Cluster::keyOf(0);
        c.ask(c.at(0), {"SET", key, "v"});
        c.run(1ms);
        auto& session = c.connect(c.at(3));
        const QByteArray moved = "MOVED " + QByteArray::number(redis::keySlot(key)) + " redis-1:6379";
        QCOMPARE(c.ask(session, {"GET", key}).text, moved);
        c.ask(session, {"READONLY"});
        QCOMPARE(c.ask(session, {"GET", key}).text, "v");
        QCOMPARE(c.ask(session, {"SET", key, "w"}).text, moved);
    }

    void R50_R51_aSlotThatMoves() {
        Cluster c;
        const QByteArray key = Cluster::keyOf(0), slot = QByteArray::number(redis::keySlot(key));
        const QByteArray other = '{' + key + "}other";
        c.ask(c.at(0), {"SET", key, "v"});
        const QByteArray from = c.ask(c.at(0), {"CLUSTER", "MYID"}).text, to = c.ask(c.at(1), {"CLUSTER", "MYID"}).text;
        QCOMPARE(c.ask(c.at(1), {"CLUSTER", "SETSLOT", slot, "IMPORTING", from}).text, "OK");
        QCOMPARE(c.ask(c.at(0), {"CLUSTER", "SETSLOT", slot, "MIGRATING", to}).text, "OK");
        QCOMPARE(c.ask(c.at(0), {"GET", key}).text, "v");
        QCOMPARE(c.ask(c.at(0), {"SET", other, "v", "NX"}).text, "ASK " + slot + " redis-2:6379");
        QCOMPARE(c.ask(c.at(0), {"DEL", key, other}).text, "TRYAGAIN Multiple keys request during rehashing of slot");
        auto& session = c.connect(c.at(1));
        QCOMPARE(c.ask(session, {"SET", other, "v"}).text, "MOVED " + slot + " redis-1:6379");
        c.ask(session, {"ASKING"});
        QCOMPARE(c.ask(session, {"SET", other, "v"}).text, "OK");
        QCOMPARE(c.ask(session, {"GET", other}).text, "MOVED " + slot + " redis-1:6379"); // for one command only
        c.ask(session, {"ASKING"});
        QCOMPARE(c.ask(session, {"DEL", key, other}).text, "TRYAGAIN Multiple keys request during rehashing of slot");
        c.ask(session, {"ASKING"});
        QCOMPARE(c.ask(session, {"EXISTS", key, key}).integer, 0); // one key, named twice
        c.ask(c.at(0), {"DEL", key});
        c.ask(c.at(1), {"CLUSTER", "SETSLOT", slot, "NODE", to});
        c.ask(c.at(0), {"CLUSTER", "SETSLOT", slot, "NODE", to});
        QCOMPARE(c.ask(c.at(0), {"GET", other}).text, "MOVED " + slot + " redis-2:6379");
        c.run(3s);
        QCOMPARE(c.ask(c.at(2), {"GET", other}).text, "MOVED " + slot + " redis-2:6379"); // by gossip
    }

    void R52_whatIsPublishedIsHeardEverywhere() {
        Cluster c;
        std::vector<SimulatedGroup::Session*> all;
        for (std::size_t i = 0; i < 6; ++i) {
            all.push_back(&c.connect(c.at(i)));
            c.ask(*all.back(), {"SUBSCRIBE", "news"});
        }
        QCOMPARE(c.ask(c.at(1), {"PUBLISH", "news", "x"}).integer, 1); // its own subscribers
        c.run(5ms);
        for (const auto* session : all)
            QCOMPARE(session->heard, (std::vector<QByteArray>{"news x"}));
    }

    void R53_R54_aReplicaTakesOverAndTheOldMasterFollows() {
        for (int seed = 1; seed <= 10; ++seed) {
            Cluster c{std::uint64_t(seed)};
            const QByteArray key = Cluster::keyOf(0), elsewhere = Cluster::keyOf(1);
            c.ask(c.at(0), {"SET", key, "v"});
            c.run(10ms);
            const Nanos killed = c.scheduler.now();
            c.at(0).kill();
            std::optional<Nanos> down, promoted;
            for (int i = 0; i < 8000 && !promoted; ++i) {
                c.run(1ms);
                const Nanos passed = c.scheduler.now() - killed;
                if (!down && c.ask(c.at(1), {"GET", elsewhere}).text == "CLUSTERDOWN The cluster is down")
                    down = passed;
                if (!c.at(3).isReplica()) promoted = passed;
            }
            QVERIFY(down && promoted);
            // As measured with this node time-out, give or take a fifth.
            QVERIFY2(*down >= 2000ms && *down <= 4100ms, qPrintable(QString::number(*down / 1ms)));
            QVERIFY2(*promoted >= 2500ms && *promoted <= 4900ms, qPrintable(QString::number(*promoted / 1ms)));
            c.run(1s);
            QCOMPARE(c.ask(c.at(3), {"GET", key}).text, "v");
            QVERIFY(c.ask(c.at(1), {"GET", elsewhere}).isNil());
            QVERIFY(c.ask(c.at(1), {"GET", key}).text.endsWith(" redis-4:6379"));
            c.at(0).start();
            c.run(3s);
            QVERIFY(c.at(0).isReplica());
            QVERIFY(c.ask(c.at(0), {"GET", key}).text.endsWith(" redis-4:6379"));
        }
    }

    /// A master that was stopped still believes that the slot is its own; the newest owner is dead.
    void theOwnerBeforeTheLastDoesNotDecide() {
        Cluster c;
        const QByteArray key = Cluster::keyOf(0);
        c.service->watch(key, "redis-set");
        const auto decider = [&c] {
            std::optional<trace::Event> last;
            for (std::size_t row = 0; row < c.trace->size(); ++row)
                if (c.trace->kindAt(row) == trace::EventKind::RecordDecider) last = c.trace->at(row);
            return last->actor;
        };
        QCOMPARE(decider(), c.at(0).entity());
        c.at(0).pause();
        for (int i = 0; i < 8000 && c.at(3).isReplica(); ++i)
            c.run(1ms);
        QCOMPARE(decider(), c.at(3).entity());
        c.at(3).kill();
        c.run(10ms);
        QCOMPARE(decider(), trace::kNoEntity);
        c.at(3).start();
        c.run(10ms);
        QCOMPARE(decider(), c.at(3).entity());
    }

    void R54_aMasterThatWasStoppedRunsWhatWaitedInItsSockets() {
        Cluster c;
        const QByteArray key = Cluster::keyOf(0);
        auto& session = c.connect(c.at(0));
        c.at(0).pause();
        const auto answer = c.send(session, {"SET", key, "zombie"});
        c.run(8s);
        QVERIFY(!c.at(3).isReplica());
        c.at(0).resume();
        QVERIFY(*answer);
        QCOMPARE((*answer)->text, "OK");
        c.run(3s);
        QVERIFY(c.at(0).isReplica());
        QVERIFY(!session.cut);
        QVERIFY(c.ask(c.at(3), {"GET", key}).isNil());
    }

    void R55_aMinorityRefuses() {
        Cluster c;
        const QByteArray key = Cluster::keyOf(0);
        std::set<trace::EntityId> others;
        for (std::size_t i = 1; i < 6; ++i)
            others.insert(c.at(i).entity());
        const auto partition = c.network.partition({c.at(0).entity()}, others);
        QCOMPARE(c.ask(c.at(0), {"SET", key, "lost"}).text, "OK");
        c.run(4s);
        QCOMPARE(c.ask(c.at(0), {"SET", key, "v"}).text, "CLUSTERDOWN The cluster is down");
        QCOMPARE(c.ask(c.at(0), {"GET", key}).text, "CLUSTERDOWN The cluster is down");
        c.run(4s);
        QVERIFY(!c.at(3).isReplica());
        c.network.heal(partition);
        c.run(5s);
        QVERIFY(c.at(0).isReplica());
        QVERIFY(c.ask(c.at(3), {"GET", key}).isNil());
    }

    /// By the connection that production uses: slots are followed, and a lock is found again after a failover.
    void clientsFollowTheSlots() {
        Cluster c;
        VirtualRuntime runtime(c.scheduler, 9);
        const auto client = c.trace->intern(trace::EntityKind::Client, "A");
        const auto thread = c.trace->intern(trace::EntityKind::Thread, "1", client);
        const auto url = parseConnectionUrl(c.service->url());
        QVERIFY(url.has_value());
        const auto connection = makeConnectionOver(runtime, c.service->diallers({client, thread}), *url);
        const auto recipe = connection->makeRecipe("redis-set", {Cluster::keyOf(0)});
        QVERIFY(recipe.has_value());
        bool taken = false, refused = false, held = false;
        runtime.spawn([&]() -> QCoro::Task<> {
            recipes::Request request;
            request.lease = 60s;
            request.wait = 1s;
            request.thread = "1";
            const auto grant = co_await (*recipe)->acquire(request, {});
            taken = grant && *grant;
        });
        c.run(3s);
        QVERIFY(taken);
        c.at(0).kill();
        c.run(8s);
        runtime.spawn([&]() -> QCoro::Task<> {
            const auto locked = co_await (*recipe)->isLocked({});
            held = locked && *locked;
            refused = !locked;
        });
        c.run(5s);
        QVERIFY(!refused);
        QVERIFY(held);
        runtime.kill();
    }
};

QTEST_GUILESS_MAIN(TestRedisClusterNodes)
#include "tst_redis_cluster_nodes.moc"
