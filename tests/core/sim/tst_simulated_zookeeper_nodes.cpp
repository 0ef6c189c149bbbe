// SPDX-License-Identifier: Apache-2.0
// The nodes of a simulated ZooKeeper, behaviour by behaviour of the real one. A function's number is the behaviour's.
#include "zookeeper_group.h"

using namespace lockscope;
using tests::ZooKeeperGroup;
using Kind = zookeeper::Error::Kind;
using Mode = zookeeper::NodeMode;
using Op = zookeeper::Op;

namespace {
Op op(Op::Kind kind, const QByteArray& path, int version = -1) {
    Op step;
    step.kind = kind;
    step.path = path;
    step.version = version;
    return step;
}
} // namespace

class TestZooKeeperNodes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void Z30_failuresUseUpTransactions() {
        ZooKeeperGroup g;
        auto& a = g.client("A");
        const auto first = g.create(a, "/a");
        QVERIFY(first.has_value());
        QCOMPARE(first->stat.czxid, 2); // the session was the first one
        QVERIFY(g.create(a, "/a").error().kind == Kind::NodeExists);
        QVERIFY(g.create(a, "/x/y").error().kind == Kind::NoNode);
        QVERIFY(g.set(a, "/a", "v", 7).error().kind == Kind::BadVersion);
        g.get(a, "/a");
        QCOMPARE(g.create(a, "/b")->stat.czxid, 6);
        g.create(a, "/b/c");
        QVERIFY(g.remove(a, "/b").error().kind == Kind::NotEmpty);
        QVERIFY(!g.multi(a, {op(Op::Kind::Create, "/m"), op(Op::Kind::Check, "/none")}));
        QCOMPARE(g.create(a, "/d")->stat.czxid, 10);
    }

    void Z31_numbersCountCreations() {
        ZooKeeperGroup g;
        auto& a = g.client("A");
        g.create(a, "/q");
        g.create(a, "/q/k");
        QCOMPARE(g.create(a, "/q/s-", Mode::PersistentSequential)->path, "/q/s-0000000001");
        QCOMPARE(g.create(a, "/q/s-", Mode::EphemeralSequential)->path, "/q/s-0000000002");
        QVERIFY(g.create(a, "/q/k").error().kind == Kind::NodeExists);
        QVERIFY(!g.multi(a, {op(Op::Kind::Create, "/q/m"), op(Op::Kind::Check, "/none")}));
        QVERIFY(g.remove(a, "/q/s-0000000001").has_value());
        QCOMPARE(g.create(a, "/q/t-", Mode::PersistentSequential)->path, "/q/t-0000000003");
    }

    void Z32_theVisibleCountIsAnotherOne() {
        ZooKeeperGroup g;
        auto& a = g.client("A");
        g.create(a, "/q");
        for (int i = 0; i < 4; ++i)
            g.create(a, "/q/s-", Mode::PersistentSequential);
        g.remove(a, "/q/s-0000000000");
        const auto stat = g.exists(a, "/q");
        QCOMPARE((*stat)->cversion, 5);
        QCOMPARE((*stat)->children, 3);
    }

    void Z33_aNameThatIsTakenStaysInTheWay() {
        ZooKeeperGroup g;
        auto& a = g.client("A");
        g.create(a, "/q");
        g.create(a, "/q/s-0000000001"); // counts as number 0
        QVERIFY(g.create(a, "/q/s-", Mode::PersistentSequential).error().kind == Kind::NodeExists);
        QVERIFY(g.create(a, "/q/s-", Mode::PersistentSequential).error().kind == Kind::NodeExists);
        g.create(a, "/q/other");
        QCOMPARE(g.create(a, "/q/s-", Mode::PersistentSequential)->path, "/q/s-0000000002");
    }

    void Z34_theCounterStopsAtItsEnd() {
        ZooKeeperGroup g;
        auto& a = g.client("A");
        g.create(a, "/q");
        g.at(0).presetCreations("/q", 2147483646);
        QCOMPARE(g.create(a, "/q/s-", Mode::PersistentSequential)->path, "/q/s-2147483646");
        const auto last = g.create(a, "/q/s-", Mode::PersistentSequential);
        QCOMPARE(last->path, "/q/s-2147483647");
        QVERIFY((*g.exists(a, "/q"))->pzxid < last->stat.czxid);
        QVERIFY(g.create(a, "/q/s-", Mode::PersistentSequential).error().kind == Kind::NodeExists);
    }

    void Z35_stats() {
        ZooKeeperGroup g;
        auto& a = g.client("A");
        const auto made = g.create(a, "/p")->stat;
        QCOMPARE(made.mzxid, made.czxid);
        QCOMPARE(made.pzxid, made.czxid);
        QCOMPARE(made.version, 0);
        const auto child = g.create(a, "/p/c")->stat;
        auto parent = *g.exists(a, "/p").value();
        QCOMPARE(parent.pzxid, child.czxid);
        QCOMPARE(parent.mzxid, made.mzxid);
        const auto changed = g.set(a, "/p/c", "v").value();
        QCOMPARE(changed.version, 1);
        QCOMPARE(changed.czxid, child.czxid);
        QVERIFY(changed.mzxid > child.czxid);
        QCOMPARE(g.exists(a, "/p").value()->pzxid, child.czxid);
        QVERIFY(g.multi(a, {op(Op::Kind::Create, "/m"), op(Op::Kind::Create, "/m/n")}).has_value());
        QCOMPARE(g.exists(a, "/m").value()->czxid, g.exists(a, "/m/n").value()->czxid);
    }

    void Z36_ephemeralsGoTogether() {
        ZooKeeperGroup g;
        auto &a = g.client("A"), &b = g.client("B");
        const auto made = g.create(a, "/e", Mode::Ephemeral);
        QCOMPARE(made->stat.ephemeralOwner, a.session().id);
        QCOMPARE(g.create(a, "/t", Mode::Ttl, {}, 5s)->stat.ephemeralOwner, 0);
        QCOMPARE(g.create(a, "/k", Mode::Container)->stat.ephemeralOwner, 0);
        QVERIFY(g.create(a, "/e/c").error().kind == Kind::EphemeralParent);
        g.create(a, "/f", Mode::Ephemeral);
        const zookeeper::Watch watch;
        g.exists(b, "/e", watch);
        g.exists(b, "/f", watch);
        g.children(b, "/", watch);
        const auto before = g.at(0).state().zxid;
        g.ask(a, [](zookeeper::Port& port) -> QCoro::Task<bool> {
            co_await static_cast<zookeeper::Client&>(port).close();
            co_return true;
        });
        g.run(10ms);
        QCOMPARE(g.at(0).state().zxid, before + 1);
        QByteArrayList events = g.events(b, watch);
        std::ranges::sort(events);
        QCOMPARE(events, (QByteArrayList{"Children /", "Deleted /e", "Deleted /f"}));
    }

    void Z37_transactions() {
        ZooKeeperGroup g;
        auto& a = g.client("A");
        const auto made = g.multi(a, {op(Op::Kind::Create, "/m"), op(Op::Kind::Create, "/m/n"),
                                      op(Op::Kind::Set, "/m", 0), op(Op::Kind::Check, "/m", 1)});
        QVERIFY(made.has_value());
        QCOMPARE(*made, (std::vector<QByteArray>{"/m", "/m/n"}));
        const auto failed =
            g.multi(a, {op(Op::Kind::Remove, "/m/n"), op(Op::Kind::Check, "/m", 9), op(Op::Kind::Create, "/z")});
        QVERIFY(failed.error().kind == Kind::BadVersion);
        QVERIFY(g.has(0, "/m/n"));
        QVERIFY(!g.has(0, "/z"));
    }

    /// As the server tells them: zero before the bad step, its code, and -2 after it.
    void Z37_codesOfATransactionThatFails() {
        sim::ZkPreparer preparer;
        preparer.newSession(7, 4000, 1, 0);
        sim::ZkRequest request;
        request.kind = sim::ZkRequest::Kind::Multi;
        for (const char* path : {"/a", "/none/b", "/c"}) {
            sim::ZkOp step;
            step.kind = Op::Kind::Create;
            step.path = path;
            request.ops.push_back(step);
        }
        const sim::ZkTxn txn = preparer.prepare(request, 7, {}, 2, 0);
        QCOMPARE(txn.results.at(0).code, 0);
        QCOMPARE(txn.results.at(1).code, -101);
        QCOMPARE(txn.results.at(2).code, -2);
        QVERIFY(txn.changes.empty());
        QVERIFY(!preparer.state().tree.find("/a"));
    }

    void Z38_codes() {
        ZooKeeperGroup g;
        auto& a = g.client("A");
        QVERIFY(g.get(a, "/none").error().kind == Kind::NoNode);
        QVERIFY(g.children(a, "/none").error().kind == Kind::NoNode);
        QVERIFY(g.set(a, "/none", "").error().kind == Kind::NoNode);
        QVERIFY(g.remove(a, "/none/x").error().kind == Kind::NoNode);
        sim::ZkPreparer preparer;
        preparer.newSession(7, 4000, 1, 0);
        const auto codeOf = [&](const QByteArray& path) {
            sim::ZkRequest request;
            request.kind = sim::ZkRequest::Kind::Create;
            request.ops.emplace_back();
            request.ops.front().kind = Op::Kind::Create;
            request.ops.front().path = path;
            return preparer.prepare(request, 7, {}, 2, 0).code;
        };
        QCOMPARE(codeOf("a"), -8);
        QCOMPARE(codeOf(""), -8);
        QCOMPARE(codeOf("/a/"), -101);
        QCOMPARE(codeOf("/a//b"), -101); // the parent is looked up first
        QCOMPARE(codeOf("/a/../b"), -101);
        QCOMPARE(codeOf("/.."), -8);
    }

    void Z39_whatDoesNotExistIsWatchedByExistsOnly() {
        ZooKeeperGroup g;
        auto& a = g.client("A");
        const zookeeper::Watch exists, get, children;
        QVERIFY(!g.exists(a, "/n", exists).value());
        g.get(a, "/n", get);
        g.children(a, "/n", children);
        g.create(a, "/n");
        QCOMPARE(g.events(a, exists), (QByteArrayList{"Created /n"}));
        QVERIFY(g.events(a, get).isEmpty());
        QVERIFY(g.events(a, children).isEmpty());
    }

    void Z40_accessLists() {
        ZooKeeperGroup g;
        auto& a = g.client("A", 4s, {}, QStringLiteral("ann:secret"));
        auto& other = g.client("B", 4s, {}, QStringLiteral("bob:other"));
        auto& nobody = g.client("C");
        QVERIFY(g.create(a, "/own").has_value());
        QVERIFY(g.create(a, "/own/child").has_value());
        for (auto* process : {&other, &nobody}) {
            QVERIFY(g.get(*process, "/own").error().kind == Kind::NoAuth);
            QVERIFY(g.children(*process, "/own").error().kind == Kind::NoAuth);
            QVERIFY(g.set(*process, "/own", "x").error().kind == Kind::NoAuth);
            QVERIFY(g.create(*process, "/own/x").error().kind == Kind::NoAuth);
            QVERIFY(g.remove(*process, "/own/child").error().kind == Kind::NoAuth);
            QVERIFY(g.exists(*process, "/own").value().has_value()); // needs nothing
        }
        // The parent's list decides: the root is open.
        QVERIFY(g.remove(a, "/own/child").has_value());
        QVERIFY(g.remove(nobody, "/own").has_value());
        QVERIFY(!sim::ZkLogins().resolve({{31, "auth", ""}}));
    }

    /// Since 3.8.4, and in Debian's 3.8.0: the watch is over all the same.
    void eventsAreForThoseWhoMayRead() {
        ZooKeeperGroup g;
        auto& a = g.client("A", 4s, {}, QStringLiteral("ann:secret"));
        auto& b = g.client("B");
        const zookeeper::Watch own, others, again;
        g.exists(a, "/n", own);
        g.exists(b, "/n", others);
        g.create(a, "/n");
        QCOMPARE(g.events(a, own), (QByteArrayList{"Created /n"}));
        QCOMPARE(g.events(b, others), QByteArrayList());
        g.exists(b, "/n", again);
        g.remove(a, "/n");
        QCOMPARE(g.events(b, again), QByteArrayList());
    }

    void Z42_childrenHaveNoOrderThatCounts() {
        ZooKeeperGroup g;
        auto& a = g.client("A");
        g.create(a, "/q");
        std::set<QByteArray> made;
        for (int i = 0; i < 5; ++i)
            made.insert(zookeeper::nameOf(g.create(a, "/q/s-", Mode::PersistentSequential)->path));
        const auto list = g.children(a, "/q");
        QCOMPARE(std::set<QByteArray>(list->names.begin(), list->names.end()), made);
        QCOMPARE(list->stat.children, 5);
    }

    void Z43_containers() {
        ZooKeeperGroup g;
        auto& a = g.client("A", 60s);
        g.create(a, "/unused", Mode::Container);
        g.create(a, "/used", Mode::Container);
        g.create(a, "/used/c");
        g.run(61s);
        QVERIFY(g.has(0, "/used"));
        g.remove(a, "/used/c");
        QVERIFY(g.has(0, "/used"));
        QVERIFY(g.until([&] { return !g.has(0, "/used"); }) <= 60s);
        QVERIFY(g.has(0, "/unused"));
        QVERIFY(g.create(a, "/used/c").error().kind == Kind::NoNode);
        g.create(a, "/used", Mode::Container);
        QCOMPARE(g.create(a, "/used/s-", Mode::PersistentSequential)->path, "/used/s-0000000000");
    }

    void Z44_nodesWithATimeToLive() {
        auto settings = ZooKeeperGroup::settings(1, ZooKeeperGroup::quick());
        settings.ensemble.containerCheck = 2s;
        ZooKeeperGroup g(settings);
        auto& a = g.client("A");
        QVERIFY(g.create(a, "/t", Mode::Ttl, {}, 3s).has_value());
        const Nanos gone = g.until([&] { return !g.has(0, "/t"); });
        QVERIFY(gone > 3s && gone <= 5s);
        settings.ensemble.extendedTypes = false;
        ZooKeeperGroup plain(settings);
        QVERIFY(plain.create(plain.client("A"), "/t", Mode::Ttl, {}, 3s).error().kind == Kind::NotSupported);
    }

    void aChrootIsMadeWhenItIsMissing() {
        ZooKeeperGroup g;
        auto& a = g.client("A", 4s, {}, {}, QStringLiteral("/apps/one"));
        QCOMPARE(g.create(a, "/lock", Mode::EphemeralSequential)->path, "/lock0000000000");
        QVERIFY(g.has(0, "/apps/one/lock0000000000"));
        QCOMPARE(g.children(a, "/")->names, (std::vector<QByteArray>{"lock0000000000"}));
    }
};

QTEST_GUILESS_MAIN(TestZooKeeperNodes)
#include "tst_simulated_zookeeper_nodes.moc"
