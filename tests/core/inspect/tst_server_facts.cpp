// SPDX-License-Identifier: Apache-2.0
// A Redis tells of itself and of its neighbours: that is read and put into words.
#include "inspect/lock_report.h"
#include "inspect/redis/info.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;
using Role = ServerIdentity::Role;

namespace {

const QByteArray kServer = "# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n"
                           "run_id:3f2a9c11d0e4b7f6a5c8d9e0f1a2b3c4d5e6f708\r\nuptime_in_seconds:12\r\n";
const QByteArray kMaster = "# Replication\r\nrole:master\r\nconnected_slaves:2\r\n"
                           "slave0:ip=10.0.0.6,port=6379,state=online,offset=1240,lag=1\r\n"
                           "slave1:ip=10.0.0.7,port=6380,state=wait_bgsave,offset=0,lag=0\r\n"
                           "master_replid:aa\r\nmaster_repl_offset:1752\r\n";
const QByteArray kNodes =
    "07c3 127.0.0.1:30004@31004,hostname4 slave e7d1 0 1426238317239 4 connected\n"
    "67ed 10.0.0.2:30002@31002 master - 0 1426238316232 2 connected 5461-10922\n"
    "292f 10.0.0.3:30003@31003 master,fail - 0 1426238318243 3 disconnected 10923-16383 [77->-67ed]\n"
    "e7d1 :30001@31001 myself,master - 0 0 1 connected 0-5459 5460\n"
    "not a node\n";

} // namespace

class TestServerFacts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aMasterNamesItsReplicas() {
        const ServerIdentity server = identityFrom(kServer, kMaster);
        QCOMPARE(server.role, Role::Master);
        QCOMPARE(server.replicas.size(), 2u);
        QCOMPARE(server.replicas[0], (ReplicaState{"10.0.0.6:6379", true, 512}));
        QCOMPARE(server.replicas[1].address, QByteArray("10.0.0.7:6380"));
        QVERIFY(!server.replicas[1].inStep);
    }
    void aReplicaNamesItsMaster() {
        const ServerIdentity server =
            identityFrom(kServer, "role:slave\r\nmaster_host:10.0.0.5\r\nmaster_port:6379\r\nslave_repl_offset:12\r\n");
        QCOMPARE(server.role, Role::Replica);
        QVERIFY(server.replicas.empty());
        QCOMPARE(roleText(server), QStringLiteral("replica of 10.0.0.5:6379"));
    }
    void theNodesOfAClusterAreRead() {
        const auto nodes = clusterNodesIn(kNodes);
        QCOMPARE(nodes.size(), 4u);
        QVERIFY(!nodes[0].master && nodes[0].masterId == "e7d1" && nodes[0].slots == 0);
        QCOMPARE(nodes[0].at.display(), QStringLiteral("127.0.0.1:30004"));
        QVERIFY(nodes[1].master && !nodes[1].failed && !nodes[1].myself);
        QCOMPARE(nodes[1].slots, 5462);
        QVERIFY(nodes[2].failed && nodes[2].slotRanges == "10923-16383");
        QVERIFY(nodes[3].myself && nodes[3].at.host.isEmpty() && nodes[3].at.port == 30001);
        QCOMPARE(nodes[3].slots, 5461);
        QVERIFY(nodes[3].owns(0) && nodes[3].owns(5460) && !nodes[3].owns(5461));
    }
    void aServersLineSaysWhatItTells() {
        WatchedServerState state{"10.0.0.5:6379", identityFrom(kServer, kMaster)};
        state.identity->persistence = "none";
        state.identity->evicts = "allkeys-lru";
        state.identity->slotRanges = "0-5460";
        const QString text = textOf(state);
        for (const char* part : {"10.0.0.5:6379 · master · slots 0-5460 · run id 3f2a9c11…", "10.0.0.6:6379 (512 ",
                                 "10.0.0.7:6380 not in step", "nothing outlives a restart", "eviction allkeys-lru"})
            QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
        QCOMPARE(textOf(WatchedServerState{"h:1", {}}), QStringLiteral("h:1 · role not known"));
    }
};

QTEST_GUILESS_MAIN(TestServerFacts)
#include "tst_server_facts.moc"
