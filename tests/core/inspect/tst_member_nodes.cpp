// SPDX-License-Identifier: Apache-2.0
// The servers of watched groups as nodes of a trace.
#include "inspect/member_change.h"
#include "inspect/member_nodes.h"
#include "trace/connection.h"
#include "trace/excerpt.h"
#include "trace/member.h"
#include "trace/recorder.h"
#include "trace/server_told.h"
#include "trace/state.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;
using trace::EntityId;
using trace::EntityKind;
using trace::EventKind;
using trace::kNoEntity;

namespace {

using Role = ServerIdentity::Role;

WatchedServerState server(const char* address, Role role) {
    WatchedServerState its{address, ServerIdentity(), {}, {}};
    its.identity->role = role;
    return its;
}
WatchedServerState master(const char* address, const char* slots, std::vector<ReplicaState> replicas) {
    WatchedServerState its = server(address, Role::Master);
    its.identity->mode = ServerIdentity::Mode::Cluster;
    its.identity->slotRanges = slots;
    its.identity->replicas = std::move(replicas);
    return its;
}
LockReport reportOf(std::vector<WatchedServerState> servers) {
    LockReport report;
    report.servers = std::move(servers);
    return report;
}
LockReport lost(const char* why) {
    LockReport report;
    report.trouble = WatchTrouble{WatchTrouble::Kind::Unreachable, {}, QString::fromLatin1(why)};
    return report;
}
LockRow lockOn(const char* name, const char* address) {
    LockRow row;
    row.name = name;
    row.format = "string";
    row.state = LockRow::State::Held;
    row.server = address;
    return row;
}

const std::vector<ReplicaState> kOfA{{"a2", true, 512}}, kOfB{{"b2", true, 0}};

/// A watched group, and the trace about it.
struct Watched {
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    Nanos now{};
    trace::Recorder recorder{trace, [this] { return now; }};
    EntityId connection = trace::internConnection(*trace, "shop", "redis+cluster://a");
    EntityId group = trace->intern(EntityKind::Node, "shop", connection);
    EntityId observer = trace->intern(EntityKind::Client, "lockscope");
    TraceFeed feed{recorder, group,
                   [this](const Party& party) { return trace->intern(EntityKind::Client, party.client); }};
    MemberNodes members{{recorder, feed, connection, observer}};

    void see(const LockReport& report) {
        now += 1s;
        members.write(report);
    }
    void seeLock(const LockRow& row) {
        now += 1s;
        feed.update(row.name, row);
        members.writeDecider(row);
    }
    trace::State state() const { return trace::StateIndex(trace).at(now); }
    /// kNoEntity: it is not there.
    EntityId node(const char* address) const {
        for (EntityId id = 1; id < trace->entityCount(); ++id)
            if (trace::isMember(*trace, id) && trace->entity(id).name == address) return id;
        return kNoEntity;
    }
    /// "master", "replica of a, 512 behind", "replica of a, away: out-of-service"; "?": it has no role.
    QByteArray told(const char* address) const {
        const trace::State all = state();
        const auto its = all.nodes.find(node(address));
        if (its == all.nodes.end()) return "?";
        QByteArray text = trace->entity(its->second.role).name;
        if (its->second.follows != kNoEntity) text += " of " + trace->entity(its->second.follows).name;
        if (its->second.lag >= 0) text += ", " + QByteArray::number(qlonglong(its->second.lag)) + " behind";
        if (its->second.unseenSince >= 0) text += ", away: " + trace->entity(its->second.unseenWhy).name;
        return text;
    }
    /// As the last row of the node says; "-": none does.
    static QByteArray slotsOf(const trace::Trace& of, EntityId node) {
        QByteArray text = "-";
        for (std::size_t row = 0; row < of.size(); ++row)
            if (of.kindAt(row) == EventKind::ServerTold && of.at(row).actor == node)
                text = trace::toldValue(of.entity(of.at(row).aux).name, trace::kHasSlots).value_or(text);
        return text;
    }
    std::size_t rows() const { return trace->size(); }
};

} // namespace

class MemberNodesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void mastersAndReplicasOfAClusterAreNodes() {
        Watched shop;
        shop.see(reportOf({master("a", "0-8191", kOfA), master("b", "8192-16383", kOfB)}));
        QCOMPARE(shop.told("a"), QByteArray("master"));
        QCOMPARE(shop.told("a2"), QByteArray("replica of a, 512 behind"));
        QCOMPARE(shop.told("b2"), QByteArray("replica of b, 0 behind"));
        QCOMPARE(Watched::slotsOf(*shop.trace, shop.node("a")), QByteArray("0-8191"));
        QCOMPARE(Watched::slotsOf(*shop.trace, shop.node("a2")), QByteArray("-"));
        // They are the servers, instead of the group that they form.
        const std::vector<EntityId> all{shop.group, shop.node("a"), shop.node("a2"), shop.node("b"), shop.node("b2")};
        QCOMPARE(trace::serversAmong(*shop.trace, all), std::vector<EntityId>(all.begin() + 1, all.end()));
        for (const EntityId id : trace::serversAmong(*shop.trace, all))
            QCOMPARE(trace::connectionOf(*shop.trace, id), shop.connection);
        // Nothing is told again as long as nothing changes.
        const std::size_t rows = shop.rows();
        shop.see(reportOf({master("a", "0-8191", kOfA), master("b", "8192-16383", kOfB)}));
        QCOMPARE(shop.rows(), rows);
        shop.see(reportOf({master("a", "0-99", {{"a2", true, 7}}), master("b", "100-16383", kOfB)}));
        QCOMPARE(shop.told("a2"), QByteArray("replica of a, 7 behind"));
        QCOMPARE(Watched::slotsOf(*shop.trace, shop.node("b")), QByteArray("100-16383"));
    }

    void aFailoverIsToldOfEachServerAndOfTheLock() {
        Watched shop;
        shop.see(reportOf({master("a", "0-8191", kOfA), master("b", "8192-16383", kOfB)}));
        shop.seeLock(lockOn("orders", "a"));
        const EntityId lock = shop.feed.lockEntity("orders");
        QCOMPARE(shop.trace->entity(lock).parent, shop.group); // it stays one lock, whoever has it
        QCOMPARE(shop.state().records.at(lock).decider, shop.node("a"));
        QCOMPARE(trace::keeperOf(*shop.trace, lock, shop.node("a")), shop.node("a"));

        LockReport dying = reportOf({master("a", "0-8191", kOfA), master("b", "8192-16383", kOfB)});
        dying.servers.front().trouble = u"it does not answer"_qs;
        shop.see(dying);
        QCOMPARE(shop.told("a"), QByteArray("master, away: it does not answer"));
        QCOMPARE(shop.told("a2"), QByteArray("replica of a")); // by how much, nobody tells
        LockRow unknown = lockOn("orders", "a");
        unknown.state = LockRow::State::NotKnown;
        shop.seeLock(unknown);
        QCOMPARE(shop.state().records.at(lock).decider, shop.node("a"));

        shop.see(reportOf({master("a2", "0-8191", {}), master("b", "8192-16383", kOfB)}));
        shop.seeLock(lockOn("orders", "a2"));
        QCOMPARE(shop.told("a2"), QByteArray("master"));
        QCOMPARE(shop.told("a"), QByteArray("master, away: it does not answer"));
        QCOMPARE(shop.state().records.at(lock).decider, shop.node("a2"));
        QCOMPARE(shop.state().records.at(lock).deciders, std::int64_t(1));

        shop.see(reportOf({master("a2", "0-8191", {{"a", true, 0}}), master("b", "8192-16383", kOfB)}));
        QCOMPARE(shop.told("a"), QByteArray("replica of a2, 0 behind"));
    }

    void aReplicaThatNoMasterNamesIsOutOfService() {
        Watched shop;
        shop.see(reportOf({master("a", "0-16383", {{"a2", true, 0}, {"a3", true, 0}})}));
        shop.see(reportOf({master("a", "0-16383", kOfA)}));
        QCOMPARE(shop.told("a3"), QByteArray("replica of a, 0 behind, away: out-of-service"));
        QCOMPARE(shop.told("a2"), QByteArray("replica of a, 512 behind"));
        shop.see(reportOf({master("a", "0-16383", {{"a2", true, 0}, {"a3", false, -1}})}));
        QCOMPARE(shop.told("a3"), QByteArray("replica of a")); // it is being copied to
    }

    /// A master that was promoted a moment ago has not told anything: a replica may be its own.
    void ofAMasterThatHasNotToldItsReplicasNoneIsCalledAway() {
        Watched shop;
        shop.see(reportOf({master("a", "0-8191", kOfA), master("b", "8192-16383", kOfB)}));
        shop.see(reportOf({{"a2", std::nullopt, u"not yet"_qs, {}}, master("b", "8192-16383", {})}));
        QCOMPARE(shop.told("b2"), QByteArray("replica of b, 0 behind"));
        QCOMPARE(shop.told("a2"), QByteArray("replica of a, away: not yet"));
    }

    void aLostConnectionHidesAllOfThemUntilItIsBack() {
        Watched shop;
        const LockReport whole = reportOf({master("a", "0-16383", kOfA)});
        shop.see(whole);
        shop.see(lost("no route"));
        QCOMPARE(shop.told("a"), QByteArray("master, away: no route"));
        QCOMPARE(shop.told("a2"), QByteArray("replica of a, 512 behind, away: no route"));
        shop.see(whole);
        QCOMPARE(shop.told("a"), QByteArray("master"));
        shop.members.unobserved(u"ended"_qs);
        QCOMPARE(shop.told("a2"), QByteArray("replica of a, 512 behind, away: ended"));
    }

    void membersOfAnEnsembleAreNodesToo() {
        Watched zk;
        zk.see(reportOf({server("x", Role::Leader), server("y", Role::Follower)}));
        QCOMPARE(zk.told("x"), QByteArray("leader"));
        QCOMPARE(zk.told("y"), QByteArray("follower"));
        const std::size_t rows = zk.rows();
        zk.see(reportOf({{"x", std::nullopt, {}, {}}, {"y", std::nullopt, {}, {}}})); // an election
        QCOMPARE(zk.rows(), rows);
        zk.see(reportOf({{"x", std::nullopt, doesNotAnswer(), {}}, server("y", Role::Leader)}));
        QVERIFY(zk.told("x").startsWith("leader, away: "));
        QCOMPARE(zk.told("y"), QByteArray("leader"));
    }

    void serversThatKnowNothingOfEachOtherHaveNoMembers() {
        QVERIFY(membersOf(reportOf({})).empty());
        QVERIFY(membersOf(reportOf({server("x", Role::Leader)})).empty()); // the connection's own node is that server
        LockReport independent = reportOf({master("a", "", {}), master("b", "", {})});
        independent.together = true; // they have copies
        QVERIFY(membersOf(independent).empty());
        QVERIFY(membersOf(reportOf({server("db", Role::Master)})).empty());
    }

    /// A window that keeps only the end of a long watch still knows roles, lags and slots.
    void theEndOfALongWatchKnowsThem() {
        Watched shop;
        shop.see(reportOf({master("a", "0-16383", kOfA)}));
        shop.now += 10s;
        shop.trace->reach(shop.now);
        const trace::Excerpt end(shop.trace, shop.now);
        trace::StateIndex index(end.trace());
        const trace::State state = index.at(end.trace()->reached());
        const trace::NodeState& replica = state.nodes.at(shop.node("a2"));
        QCOMPARE(replica.follows, shop.node("a"));
        QCOMPARE(replica.lag, std::int64_t(512));
        QVERIFY(replica.lagUnit == trace::LagUnit::Bytes);
        QCOMPARE(Watched::slotsOf(*end.trace(), shop.node("a")), QByteArray("0-16383"));
    }
};

QTEST_GUILESS_MAIN(MemberNodesTest)
#include "tst_member_nodes.moc"
