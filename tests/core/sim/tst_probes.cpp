// SPDX-License-Identifier: Apache-2.0
// Random runs over many seeds reach every rare path of the simulated Redis: one that they never reach is not tested.
#include "ports/redis/cluster_keys.h"
#include "sim/probe.h"
#include "simulated_group.h"

#include <random>
#include <set>

using namespace lockscope;
using sim::Probe;
using tests::SimulatedGroup;

namespace {

constexpr int kSeeds = 40;

struct Dice {
    std::mt19937_64 random;
    std::size_t upTo(std::size_t n) { return std::size_t(random() % n); }
    bool once(std::size_t in) { return upTo(in) == 0; }
    Nanos between(Nanos low, Nanos high) {
        return low + Nanos(std::int64_t(random() % std::uint64_t((high - low).count())));
    }
};

/// Does something to one process: pause and go on, die and start again.
void strike(sim::Server& server, Dice& dice) {
    using Life = sim::Server::Life;
    if (server.life() == Life::Dead)
        server.start();
    else if (server.life() == Life::Paused)
        server.resume();
    else if (dice.once(2))
        server.pause();
    else if (dice.once(3))
        server.crash();
    else
        server.kill();
}

void healAll(SimulatedGroup& group) {
    group.network.healAll();
    for (sim::Server* const server : group.service->servers()) {
        server->resume();
        server->start();
    }
}

void writeSomething(SimulatedGroup& group, std::size_t servers, Dice& dice) {
    for (std::size_t i = 0; i < servers; ++i) {
        if (!dice.once(2)) continue;
        auto& session = group.connect(group.at(i));
        for (std::size_t n = dice.upTo(12); n-- > 0;)
            (void)group.send(session, {"SET", "key" + QByteArray::number(qulonglong(dice.upTo(6))), "v", "PX",
                                       QByteArray::number(qulonglong(200 + dice.upTo(3000)))});
        if (dice.once(3)) (void)group.send(session, {"WAIT", "2", "150"});
    }
}

void isolate(SimulatedGroup& group, Dice& dice) {
    const std::vector<sim::Server*> servers = group.service->servers();
    const std::size_t lonely = dice.upTo(3);
    std::set<trace::EntityId> others;
    for (std::size_t n = 0; n < servers.size(); ++n)
        if (n != lonely && dice.once(2)) others.insert(servers[n]->entity());
    group.network.partition({servers[lonely]->entity()}, others);
}

void sentinelRun(std::uint64_t seed) {
    Dice dice{std::mt19937_64(seed)};
    auto settings = SimulatedGroup::settings(2, 3);
    settings.sentinel.downAfter = dice.once(2) ? Nanos(900ms) : Nanos(1s);
    settings.sentinel.failoverTimeout = 3s;
    settings.replication.lag = dice.once(2) ? Nanos(300ms) : Nanos(0);
    settings.replication.backlog = dice.once(2) ? 20 : 10'000;
    settings.replication.minReplicas = dice.once(4) ? 2 : 0;
    settings.replication.minReplicasLag = 2s;
    SimulatedGroup group(settings, seed);
    group.run(12s);
    const std::vector<sim::Server*> servers = group.service->servers();
    for (int i = 0; i < 60; ++i) {
        writeSomething(group, 3, dice);
        switch (dice.upTo(5)) {
        case 0:
            strike(*servers[dice.upTo(servers.size())], dice);
            break;
        case 1:
            strike(*servers[dice.upTo(3)], dice);
            break;
        case 2:
            if (dice.once(2)) isolate(group, dice);
            break;
        case 3:
            if (dice.once(4)) {
                const QByteArray master = "redis-" + QByteArray::number(qulonglong(1 + dice.upTo(3)));
                (void)group.send(group.connect(group.at(dice.upTo(3))), {"REPLICAOF", master, "6379"});
            }
            break;
        default:
            if (dice.once(2)) healAll(group);
            break;
        }
        for (int k = 0; k < 4; ++k) {
            group.run(dice.between(20ms, 700ms));
            for (std::size_t n = 0; n < 3; ++n) // as clients ask
                (void)group.send(group.connect(group.service->sentinel(n)), {"SENTINEL", "MASTER", "main"});
        }
    }
    healAll(group);
    group.run(40s);
}

/// A new master that answers too late to keep its Sentinels from replacing it, too: with a down-after below the second
/// between two tries to connect.
void needlessRun(std::uint64_t seed) {
    auto settings = SimulatedGroup::settings(2, 3);
    settings.sentinel.downAfter = 900ms;
    settings.sentinel.failoverTimeout = 3s;
    SimulatedGroup group(settings, seed);
    group.run(12s);
    group.at(0).kill();
    group.run(9s);
}

void clusterRun(std::uint64_t seed) {
    Dice dice{std::mt19937_64(seed)};
    auto settings = SimulatedGroup::settings(5);
    settings.shape = sim::RedisShape::Cluster;
    settings.cluster.nodeTimeout = 2s;
    SimulatedGroup group(settings, seed);
    group.run(3s);
    const auto id = [&group](std::size_t i) { return group.ask(group.at(i), {"CLUSTER", "MYID"}).text; };
    const std::array ids{id(0), id(1), id(2)};
    for (int i = 0; i < 40; ++i) {
        const QByteArray key = "key" + QByteArray::number(qulonglong(dice.upTo(6)));
        for (std::size_t n = 0; n < 6; ++n)
            (void)group.send(group.connect(group.at(n)), {"SET", key, "v"});
        if (i % 10 == 9) group.at(dice.upTo(6)).evict(key);
        switch (dice.upTo(5)) {
        case 0:
            strike(group.at(dice.upTo(6)), dice);
            break;
        case 1: {
            std::set<trace::EntityId> others;
            const std::size_t lonely = dice.upTo(3);
            for (std::size_t n = 0; n < 6; ++n)
                if (n != lonely) others.insert(group.at(n).entity());
            group.network.partition({group.at(lonely).entity()}, others);
            break;
        }
        case 2: { // a slot on its way, met with one key, and with two of which one is there
            const int slot = redis::keySlot(key);
            const std::size_t owner = std::size_t(slot * 3 / redis::kClusterSlots), to = (owner + 1) % 3;
            (void)group.send(group.connect(group.at(owner)),
                             {"CLUSTER", "SETSLOT", QByteArray::number(slot), "MIGRATING", ids[to]});
            const QByteArray other = '{' + key + "}other";
            (void)group.send(group.connect(group.at(owner)), {"GET", other});
            (void)group.send(group.connect(group.at(owner)), {"DEL", key, other});
            (void)group.send(group.connect(group.at(owner)),
                             {"CLUSTER", "SETSLOT", QByteArray::number(slot), "STABLE"});
            break;
        }
        default:
            if (dice.once(2)) healAll(group);
            break;
        }
        group.run(dice.between(100ms, 3s));
    }
    healAll(group);
    group.run(20s);
}

} // namespace

class TestProbes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesAreStableAndDifferent() {
        std::set<QByteArray> names;
        for (std::size_t i = 0; i < sim::kProbes; ++i)
            names.insert(sim::probeName(Probe(i)));
        QCOMPARE(names.size(), sim::kProbes);
        QCOMPARE(QByteArray(sim::probeName(Probe::StaleMasterDemoted)),
                 QByteArray("redis/failover/stale-master-demoted"));
    }

    void manySeedsReachEveryRarePath() {
        sim::resetProbes();
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            sentinelRun(seed);
            needlessRun(seed);
            clusterRun(seed);
        }
        QStringList missed;
        for (std::size_t i = 0; i < sim::kProbes; ++i) {
            if (!QByteArrayView(sim::probeName(Probe(i))).startsWith("redis/")) continue; // other tests reach those
            qInfo("%8llu %s", static_cast<unsigned long long>(sim::probeCounts()[i]), sim::probeName(Probe(i)));
            if (sim::probeCounts()[i] == 0) missed += QString::fromLatin1(sim::probeName(Probe(i)));
        }
        QVERIFY2(missed.isEmpty(), qPrintable(missed.join(u", ")));
    }

    void countingChangesNothing() {
        // Equal seeds reach equal paths equally often.
        const auto counts = [] {
            sim::resetProbes();
            sentinelRun(7);
            return sim::probeCounts();
        };
        QVERIFY(counts() == counts());
    }
};

QTEST_GUILESS_MAIN(TestProbes)
#include "tst_probes.moc"
