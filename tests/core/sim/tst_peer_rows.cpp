// SPDX-License-Identifier: Apache-2.0
// The trace's rows of what servers tell each other: votes in elections, and messages that carry a lock's data.
#include "etcd_group.h"
#include "simulated_group.h"
#include "zookeeper_probe.h"

#include <ranges>

using namespace lockscope;
using tests::EtcdGroup;
using tests::SimulatedGroup;
using tests::ZooKeeperGroup;
using trace::EventKind;

namespace {

std::vector<trace::Event> rowsOf(const trace::Trace& trace, EventKind kind, Nanos from = {}) {
    std::vector<trace::Event> rows;
    for (std::size_t i = trace.lowerBound(from); i < trace.size(); ++i)
        if (trace.kindAt(i) == kind) rows.push_back(trace.at(i));
    return rows;
}

std::vector<trace::Event> messages(const trace::Trace& trace, const char* what, Nanos from = {}) {
    auto rows = rowsOf(trace, EventKind::PeerMessage, from);
    std::erase_if(rows, [&](const trace::Event& row) { return trace.entity(row.aux).name != what; });
    return rows;
}

/// How many servers' last vote, of the newest round, is for that one.
std::size_t votesFor(const std::vector<trace::Event>& votes, trace::EntityId leader) {
    std::map<trace::EntityId, trace::Event> last;
    std::int64_t round = 0;
    for (const trace::Event& vote : votes) {
        last[vote.actor] = vote;
        round = std::max(round, vote.value);
    }
    return std::size_t(std::ranges::count_if(
        last, [&](const auto& each) { return each.second.subject == leader && each.second.value == round; }));
}

} // namespace

class TestPeerRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aNewLeaderHasTheVotesOfMost_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= 10; ++seed)
            QTest::addRow("seed %d", seed) << seed;
    }
    void aNewLeaderHasTheVotesOfMost() {
        QFETCH(int, seed);
        {
            ZooKeeperGroup g(3, std::uint64_t(seed));
            g.run(2s);
            QVERIFY(rowsOf(*g.trace, EventKind::VoteCast).empty()); // it has been there for a while
            const Nanos killed = g.scheduler.now();
            g.at(2).kill();
            QVERIFY(g.until([&] { return tests::anotherLeads(g, 2); }, 10s) != kNever);
            const auto votes = rowsOf(*g.trace, EventKind::VoteCast, killed);
            QVERIFY(votesFor(votes, g.service->leader()->entity()) >= 2);
            QVERIFY(!messages(*g.trace, "vote", killed).empty());
        }
        EtcdGroup g(3, std::uint64_t(seed));
        const Nanos killed = g.scheduler.now();
        const auto first = rowsOf(*g.trace, EventKind::VoteCast);
        QVERIFY(votesFor(first, g.leader().entity()) >= 2);
        g.leader().kill();
        QVERIFY(g.untilLeader() != kNever);
        const auto votes = rowsOf(*g.trace, EventKind::VoteCast, killed);
        QVERIFY(votesFor(votes, g.leader().entity()) >= 2);
        QCOMPARE(votes.back().value, g.leader().raft().term());
        EtcdGroup alone(1, std::uint64_t(seed));
        QVERIFY(rowsOf(*alone.trace, EventKind::VoteCast).empty()); // nobody else to ask
    }

    void aChangeIsAgreedUponBeforeItIsCommitted() {
        ZooKeeperGroup g(3);
        auto& a = g.client("A", 20s, "2");
        g.create(a, "/n");
        g.run(1s);
        const Nanos asked = g.scheduler.now();
        g.create(a, "/m");
        g.run(100ms);
        const auto proposed = messages(*g.trace, "propose", asked), acked = messages(*g.trace, "ack", asked),
                   committed = messages(*g.trace, "commit", asked);
        QCOMPARE(proposed.size(), std::size_t(2));
        QCOMPARE(acked.size(), std::size_t(2));
        QCOMPARE(committed.size(), std::size_t(2));
        for (const trace::Event& row : proposed)
            QVERIFY(row.actor == g.at(2).entity() && row.value > 0);
        const auto arrival = [](const trace::Event& row) { return row.at + row.value; };
        const std::int64_t agreed = std::ranges::min(acked | std::views::transform(arrival)); // with the leader: most
        QVERIFY(agreed <= committed.front().at);
    }

    void heartbeatsHaveNoRows() {
        ZooKeeperGroup g(3);
        auto& a = g.client("A", 20s);
        g.create(a, "/n");
        g.run(2s);
        const Nanos since = g.scheduler.now();
        g.run(60s);
        QVERIFY(rowsOf(*g.trace, EventKind::PeerMessage, since).empty());
        EtcdGroup etcd(3);
        etcd.run(2s);
        const Nanos quiet = etcd.scheduler.now();
        etcd.run(60s);
        QVERIFY(rowsOf(*etcd.trace, EventKind::PeerMessage, quiet).empty());
        SimulatedGroup redis(SimulatedGroup::settings(1, 0));
        redis.ask(redis.at(0), {"SET", "k", "v"});
        redis.run(3s);
        QCOMPARE(messages(*redis.trace, "ack").size(), std::size_t(1)); // once for what it got
        const Nanos idle = redis.scheduler.now();
        redis.run(60s);
        QVERIFY(rowsOf(*redis.trace, EventKind::PeerMessage, idle).empty());
    }

    void whatACutLinkHoldsUpIsLostOnceAndArrivesLater() {
        SimulatedGroup g(SimulatedGroup::settings(1, 0));
        g.run(1s);
        sim::Network::Link& link = g.network.between(g.at(0).entity(), g.at(1).entity());
        link.setCut(true);
        g.ask(g.at(0), {"SET", "k", "v"});
        g.run(3s);
        auto rows = messages(*g.trace, "replicate");
        QCOMPARE(rows.size(), std::size_t(1));
        QCOMPARE(rows.front().value, std::int64_t(-1));
        link.setCut(false);
        g.run(1s);
        rows = messages(*g.trace, "replicate");
        QCOMPARE(rows.size(), std::size_t(2));
        QVERIFY(rows.back().value > 0);
    }
};

QTEST_GUILESS_MAIN(TestPeerRows)
#include "tst_peer_rows.moc"
