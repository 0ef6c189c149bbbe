// SPDX-License-Identifier: Apache-2.0
// A Redis tells of itself and of its neighbours: that is read and put into words.
#include "inspect/lock_report.h"
#include "inspect/redis/info.h"
#include "inspect/zookeeper/admin_answers.h"

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
        QVERIFY(!nodes[0].master && nodes[0].slots == 0);
        QCOMPARE(nodes[0].at.display(), QStringLiteral("127.0.0.1:30004"));
        QVERIFY(nodes[1].master && !nodes[1].myself);
        QCOMPARE(nodes[1].slots, 5462);
        QCOMPARE(nodes[2].slotRanges, QByteArray("10923-16383"));
        QVERIFY(nodes[3].myself && nodes[3].at.host.isEmpty() && nodes[3].at.port == 30001);
        QCOMPARE(nodes[3].slots, 5461);
        QVERIFY(nodes[3].owns(0) && nodes[3].owns(5460) && !nodes[3].owns(5461));
    }
    void aZooKeeperSaysItsRole() {
        const auto server = zooKeeperIdentityFrom(
            "Zookeeper version: 3.8.0-5a02a05eddb59aee6ac762f7ea82e92a68eb9c0f, built on 2022-02-25 08:49 UTC\n"
            "Latency min/avg/max: 0/0.5/12\nConnections: 3\nZxid: 0x200000005\nMode: follower\nNode count: 9\n");
        QVERIFY(server);
        QCOMPARE(server->version, QByteArray("3.8.0"));
        QVERIFY(server->role == Role::Follower);
        QCOMPARE(textOf(WatchedServerState{"zk2:2181", server}), QStringLiteral("zk2:2181 · follower"));
        QVERIFY(!zooKeeperIdentityFrom("srvr is not executed because it is not in the whitelist.\n"));
        QVERIFY(!zooKeeperIdentityFrom("This ZooKeeper instance is not currently serving requests\n"));
    }
    /// It stood still while another one was elected, and does not know that yet.
    void aZooKeeperThatLedBeforeDoesNotLead() {
        const auto server = [](const char* mode) {
            return WatchedServerState{mode,
                                      zooKeeperIdentityFrom(QByteArray("Zookeeper version: 3.8.0\nMode: ") + mode)};
        };
        std::vector<WatchedServerState> servers{server("follower"), server("leader"), server("leader")};
        doubtFormerLeaders(servers, {0x300000007, 0x300000009, 0x200000005});
        QVERIFY(servers[0].identity && servers[1].identity && !servers[2].identity);
        QVERIFY(servers[1].identity->role == Role::Leader && servers[2].trouble.isEmpty());
        servers = {server("follower"), server("leader"), {"away", std::nullopt, QStringLiteral("it does not answer")}};
        doubtFormerLeaders(servers, {0x200000007, 0x200000009, -1});
        QVERIFY(servers[0].identity && servers[1].identity); // one behind the other in the same epoch
    }
    void aZooKeeperSaysWhereItsSessionsAre() {
        const auto peers = sessionPeersIn(
            " /10.0.0.5:51234[1](queued=0,recved=5,sent=5,sid=0x100000a1b2c0001,lop=PING,est=1790000000123,to=10000,"
            "lcxid=0x2,lzxid=0x200000005,lresp=7,llat=0,minlat=0,avglat=0,maxlat=1)\n"
            " /[0:0:0:0:0:0:0:1]:40000[1](queued=0,recved=1,sent=0)\n\n");
        QCOMPARE(peers.size(), 1u); // the second one is the question itself, and has no session
        QCOMPARE(peers.begin()->first, std::int64_t(0x100000a1b2c0001));
        QCOMPARE(peers.begin()->second, QByteArray("10.0.0.5:51234"));
        QVERIFY(sessionPeersIn("cons is not executed because it is not in the whitelist.\n").empty());
    }
    void anotherRoleOrSlotIsAnotherServer() {
        WatchedServerState before{"zk1:2181", ServerIdentity()};
        before.identity->role = Role::Follower;
        WatchedServerState now = before;
        now.identity->uptime = 5s;
        QVERIFY(sameServer(before, now));
        now.identity->role = Role::Leader;
        QVERIFY(!sameServer(before, now));
        now = before;
        now.identity->slotRanges = "0-5460";
        QVERIFY(!sameServer(before, now));
        now.identity.reset();
        QVERIFY(!sameServer(before, now));
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
