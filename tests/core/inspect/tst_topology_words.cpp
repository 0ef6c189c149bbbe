// SPDX-License-Identifier: Apache-2.0
#include "inspect/topology_words.h"

#include <QTest>

using namespace lockscope::inspect;

namespace {

using Role = ServerIdentity::Role;

WatchedServerState server(const char* address, Role role, int replicas = 0) {
    ServerIdentity its;
    its.role = role;
    for (int i = 0; i < replicas; ++i)
        its.replicas.push_back({"10.0.1." + QByteArray::number(i) + ":6379", true, 0});
    return {address, its, {}, {}};
}

WatchedServerState away(const char* address) {
    return {address, std::nullopt, QStringLiteral("no answer"), {}};
}

} // namespace

class TopologyWordsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aSingleServersRoleSaysIt() {
        QCOMPARE(topologyText({}, false), QString());
        QCOMPARE(topologyText({server("a", Role::Master)}, false), QString());
        QCOMPARE(topologyText({server("a", Role::Replica)}, false), QString());
        QCOMPARE(topologyText({server("a", Role::Alone)}, false), QString());
    }
    void aMasterHasItsReplicas() {
        std::vector<WatchedServerState> servers{server("a", Role::Master, 2)};
        QCOMPARE(topologyText(servers, false), u"master + 2 replica(s)"_qs);
        servers[0].identity->replicas[1].inStep = false;
        QCOMPARE(topologyText(servers, false), u"master + 2 replica(s), 1 of them not in step"_qs);
        servers[0].identity->evicts = "noeviction";
        QVERIFY(!topologyText(servers, false).contains(u"evict"));
        servers[0].identity->evicts = "allkeys-lru";
        QVERIFY(topologyText(servers, false).endsWith(u", evicts keys: allkeys-lru"));
    }
    void aClusterHasItsMastersAndSlots() {
        std::vector<WatchedServerState> servers;
        for (const char* address : {"a", "b", "c"}) {
            servers.push_back(server(address, Role::Master, 1));
            servers.back().identity->slots = 5461;
        }
        servers[1].identity->slots = 5462;
        QCOMPARE(topologyText(servers, false), u"3 master(s) + 3 replica(s)"_qs); // all slots are served
        servers[1].identity->slots = 0;
        QCOMPARE(topologyText(servers, false), u"3 master(s) + 3 replica(s), 10922 of 16384 slots"_qs);
    }
    void anEnsembleHasALeaderAndAQuorum() {
        std::vector<WatchedServerState> servers{server("a:2379", Role::Follower), server("b:2379", Role::Leader),
                                                server("c:2379", Role::Follower)};
        QCOMPARE(topologyText(servers, false), u"leader b:2379, quorum: 3 of 3 answer"_qs);
        servers[0] = away("a:2379");
        QCOMPARE(topologyText(servers, false), u"leader b:2379, quorum: 2 of 3 answer"_qs);
        servers[1] = away("b:2379");
        QCOMPARE(topologyText(servers, false), u"no quorum: 1 of 3 answer"_qs);
    }
    void serversThatKeepLocksTogetherAreAQuorum() {
        std::vector<WatchedServerState> servers(3, server("a", Role::Master));
        QCOMPARE(topologyText(servers, true), u"quorum: 3 of 3 answer"_qs);
        servers[0] = servers[1] = away("a");
        QCOMPARE(topologyText(servers, true), u"no quorum: 1 of 3 answer"_qs);
    }
};

QTEST_GUILESS_MAIN(TopologyWordsTest)
#include "tst_topology_words.moc"
