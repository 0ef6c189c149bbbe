// SPDX-License-Identifier: Apache-2.0
#include "live_zookeeper.h"

using namespace lockscope;
using namespace lockscope::zookeeper;
using namespace lockscope::test;
using Kind = Error::Kind;

namespace {
/// Several requests in flight all the time.
QCoro::Task<bool> useUntilItEnds(Port& port, int* asked) {
    std::deque<Port::Reply<std::optional<NodeStat>>> flying;
    for (;;) {
        while (flying.size() < 3)
            flying.push_back(port.exists("/"));
        const auto seen = co_await std::move(flying.front());
        flying.pop_front();
        if (!seen) break;
        ++*asked;
    }
    for (auto& one : flying)
        (void)co_await std::move(one);
    co_return true;
}
} // namespace

class TestZooKeeperDriver : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }

    void createsWithStatAndReadsBack() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()));
        const auto made = run(driver.create("/a", "data", NodeMode::Persistent));
        VERIFY_OK(made);
        QCOMPARE(made->path, QByteArray("/a"));
        QVERIFY(made->stat.czxid > 0);
        QCOMPARE(made->stat.ephemeralOwner, 0);
        const auto node = run(driver.get("/a"));
        VERIFY_OK(node);
        QCOMPARE(node->data, QByteArray("data"));
        QCOMPARE(node->stat.czxid, made->stat.czxid);
        const auto changed = run(driver.set("/a", "other", 0));
        VERIFY_OK(changed);
        QCOMPARE(changed->version, 1);
        QVERIFY(run(driver.set("/a", "late", 0)).error().kind == Kind::BadVersion);
        QVERIFY(run(driver.create("/a", {}, NodeMode::Persistent)).error().kind == Kind::NodeExists);
        VERIFY_OK(run(driver.create("/a/b", {}, NodeMode::Persistent)));
        QVERIFY(run(driver.remove("/a")).error().kind == Kind::NotEmpty);
        VERIFY_OK(run(driver.remove("/a/b")));
        QVERIFY(run(driver.remove("/a/b")).error().kind == Kind::NoNode);
        VERIFY_OK(run(driver.remove("/a", 1)));
        QVERIFY(!run(driver.exists("/a")).value());
        VERIFY_OK(run(driver.sync("/")));
    }
    void badPathsAreRefusedBeforeSending() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()));
        for (const char* path : {"", "a", "//", "/a/", "/a//b", "/./a", "/a/..", "/a\x01"})
            QVERIFY(run(driver.create(path, {}, NodeMode::Persistent)).error().kind == Kind::BadArguments);
        QCOMPARE(driver.requestsSent(), 0u);
    }
    void sequentialEphemeralAndItsOwner() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()));
        VERIFY_OK(run(driver.makeContainers("/seq/deep/down")));
        const auto first = run(driver.create("/seq/deep/down/n-", {}, NodeMode::EphemeralSequential));
        VERIFY_OK(first);
        QCOMPARE(first->path, QByteArray("/seq/deep/down/n-0000000000"));
        QCOMPARE(first->stat.ephemeralOwner, driver.session().id);
        const auto second = run(driver.create("/seq/deep/down/n-", {}, NodeMode::EphemeralSequential));
        QVERIFY(second.has_value());
        QVERIFY(second->stat.czxid > first->stat.czxid);
        QCOMPARE(childrenOf(driver, "/seq/deep/down").size(), 2u);
        QVERIFY(run(driver.create(first->path + "/x", {}, NodeMode::Persistent)).error().kind == Kind::EphemeralParent);
        run(driver.close());
        ZooKeeperDriver other(m_runtime, urlOf(m_server.url()));
        QVERIFY(childrenOf(other, "/seq/deep/down").empty()); // its session was ended, not left to time out
    }
    void lookRightAfterAChangeSeesIt() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()));
        VERIFY_OK(run(driver.makeContainers("/order")));
        auto making = driver.create("/order/n-", {}, NodeMode::EphemeralSequential);
        auto listing = driver.children("/order");
        const auto list = run(std::move(listing));
        QVERIFY(list.has_value());
        QCOMPARE(list->names.size(), 1u);
        VERIFY_OK(run(std::move(making)));
    }
    void watchesTellOnce() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url())), other(m_runtime, urlOf(m_server.url()));
        const Watch creation, data, children;
        QVERIFY(!run(driver.exists("/w", creation)).value());
        VERIFY_OK(run(other.create("/w", "1", NodeMode::Persistent)));
        const auto created = run(creation.next(m_runtime, 5s));
        QVERIFY(created && created->kind == WatchEvent::Kind::Created);
        QCOMPARE(created->path, QByteArray("/w"));
        VERIFY_OK(run(driver.get("/w", data)));
        VERIFY_OK(run(driver.children("/w", children)));
        VERIFY_OK(run(other.set("/w", "2")));
        VERIFY_OK(run(other.set("/w", "3")));
        QVERIFY(run(data.next(m_runtime, 5s)).value().kind == WatchEvent::Kind::Changed);
        VERIFY_OK(run(other.create("/w/c", {}, NodeMode::Persistent)));
        QVERIFY(run(children.next(m_runtime, 5s)).value().kind == WatchEvent::Kind::Children);
        VERIFY_OK(run(driver.sync("/w")));
        QVERIFY(!run(data.next(m_runtime, 1ms))); // once
        VERIFY_OK(run(driver.get("/w", data)));
        VERIFY_OK(run(driver.get("/w", data))); // twice the same: still one event
        VERIFY_OK(run(other.remove("/w/c")));
        VERIFY_OK(run(other.remove("/w")));
        QVERIFY(run(data.next(m_runtime, 5s)).value().kind == WatchEvent::Kind::Deleted);
        VERIFY_OK(run(driver.sync("/")));
        QVERIFY(!run(data.next(m_runtime, 1ms)));
        QVERIFY(run(driver.get("/w", data)).error().kind == Kind::NoNode);
    }
    void transactionsAreAllOrNothing() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()));
        std::vector<Op> good{{Op::Kind::Create, "/multi", "x"}, {Op::Kind::Create, "/multi/a", "y"}};
        const auto made = run(driver.multi(good));
        VERIFY_OK(made);
        QCOMPARE(made.value(), (std::vector<QByteArray>{"/multi", "/multi/a"}));
        std::vector<Op> bad{{Op::Kind::Set, "/multi", "changed"}, {Op::Kind::Remove, "/multi/none"}};
        const auto failed = run(driver.multi(bad));
        QVERIFY2(failed.error().kind == Kind::NoNode, qPrintable(failed.error().message));
        QVERIFY(failed.error().message.contains(QLatin1String("/multi/none")));
        QCOMPARE(run(driver.get("/multi")).value().data, QByteArray("x"));
        VERIFY_OK(run(driver.multi({{Op::Kind::Remove, "/multi/a"}, {Op::Kind::Remove, "/multi"}})));
    }
    void nodesWithTtlWhereTheServerHasThem() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()));
        VERIFY_OK(run(driver.create("/ttl", {}, NodeMode::Ttl, 1s)));
        sandbox::ZooKeeperServerOptions options;
        options.extendedTypes = false;
        sandbox::ZooKeeperServer plain(m_runtime, options);
        VERIFY_STARTED(plain);
        ZooKeeperDriver without(m_runtime, urlOf(plain.url()));
        const auto refused = run(without.create("/ttl", {}, NodeMode::Ttl, 1s));
        QVERIFY2(refused.error().kind == Kind::NotSupported, qPrintable(refused.error().message));
        VERIFY_OK(run(without.create("/container", {}, NodeMode::Container)));
    }
    void chrootIsMadeAndKeptTo() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url() + QStringLiteral("/app/locks")));
        VERIFY_OK(run(driver.makeContainers("/a/b")));
        const Watch watch;
        VERIFY_OK(run(driver.get("/a/b", watch)));
        ZooKeeperDriver root(m_runtime, urlOf(m_server.url()));
        QVERIFY(run(root.exists("/app/locks/a/b")).value());
        VERIFY_OK(run(root.remove("/app/locks/a/b")));
        QCOMPARE(run(watch.next(m_runtime, 5s)).value().path, QByteArray("/a/b"));
        QCOMPARE(childrenOf(driver, "/"), (std::vector<QByteArray>{"a"}));
    }
    void loginAndAccessLists() {
        const QString host = m_server.url().section(u'/', 2);
        ZooKeeperDriver alice(m_runtime, urlOf(QStringLiteral("zookeeper://alice:secret@") + host));
        ZooKeeperDriver again(m_runtime, urlOf(QStringLiteral("zookeeper://alice:secret@") + host));
        ZooKeeperDriver wrong(m_runtime, urlOf(QStringLiteral("zookeeper://alice:guess@") + host));
        ZooKeeperDriver nobody(m_runtime, urlOf(m_server.url()));
        VERIFY_OK(run(alice.create("/private", "x", NodeMode::Persistent)));
        QCOMPARE(run(again.get("/private")).value().data, QByteArray("x"));
        for (ZooKeeperDriver* driver : {&wrong, &nobody}) {
            const auto refused = run(driver->get("/private"));
            QVERIFY(refused.error().kind == Kind::NoAuth);
            QVERIFY(!refused.error().message.contains(QLatin1String("guess")));
        }
        VERIFY_OK(run(alice.remove("/private")));
    }
    void sessionIsGrantedWithinTheServersBounds() {
        ZooKeeperDriver shortest(m_runtime, urlOf(m_server.url()), sessionOf(1ms));
        ZooKeeperDriver longest(m_runtime, urlOf(m_server.url()), sessionOf(10min));
        VERIFY_OK(run(shortest.connected()));
        VERIFY_OK(run(longest.connected()));
        QCOMPARE(shortest.session().timeout, Nanos(600ms)); // three ticks
        QCOMPARE(longest.session().timeout, Nanos(60s));
    }
    void sessionLivesOnWhenNothingIsAsked() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()), sessionOf(600ms));
        VERIFY_OK(run(driver.create("/quiet", {}, NodeMode::Ephemeral)));
        const Nanos until = driver.session().until();
        pass(2000ms);
        QVERIFY(driver.session().until() > until);
        QCOMPARE(driver.session().generation, 1u);
        QVERIFY(run(driver.exists("/quiet")).value());
    }
    void unreachableIsSaidInTime() {
        DriverOptions options;
        options.connect = 300ms;
        ConnectionUrl url = urlOf(m_server.url());
        url.endpoints[0].port = sandbox::freePort(m_runtime).value();
        ZooKeeperDriver driver(m_runtime, url, options);
        const auto refused = run(driver.exists("/"));
        QVERIFY(refused.error().kind == Kind::Unreachable);
        QVERIFY(refused.error().message.contains(url.endpoints[0].display()));
        ConnectionUrl nowhere = url;
        nowhere.endpoints[0].host = QStringLiteral("no-such-host.invalid");
        ZooKeeperDriver lost(m_runtime, nowhere, options);
        const auto unknown = run(lost.exists("/"));
        QVERIFY(unknown.error().kind == Kind::Unreachable);
        QVERIFY2(unknown.error().message.contains(QLatin1String("no-such-host")), qPrintable(unknown.error().message));
    }
    void hostNamesAreResolved() {
        ConnectionUrl url = urlOf(m_server.url());
        url.endpoints[0].host = QStringLiteral("localhost");
        ZooKeeperDriver driver(m_runtime, url);
        VERIFY_OK(run(driver.exists("/")));
    }
    void hostNamesAreLookedUpAgainWhenNobodyAnswers() {
        ConnectionUrl url = urlOf(m_server.url());
        url.endpoints[0].host = QStringLiteral("zookeeper.example");
        DriverOptions options;
        options.staleAfter = 200ms;
        int lookups = 0;
        options.lookup = [&lookups](const QString&) { // it moves
            return QList{QHostAddress(++lookups == 1 ? QStringLiteral("127.0.0.9") : QStringLiteral("127.0.0.1"))};
        };
        ZooKeeperDriver driver(m_runtime, url, options);
        VERIFY_OK(run(driver.connected()));
        QVERIFY(lookups >= 2);
        QCOMPARE(driver.session().generation, 1u);
    }
    void connectsAfterACloseDuringALookup() {
        ConnectionUrl url = urlOf(m_server.url());
        url.endpoints[0].host = QStringLiteral("localhost");
        ZooKeeperDriver driver(m_runtime, url);
        const auto connecting = beside(driver.connected());
        run(driver.close());
        QVERIFY(ends(connecting, 5s));
        QVERIFY(!connecting->result->has_value());
        VERIFY_OK(run(driver.exists("/")));
    }
    void closeEndsTheSessionAlsoWhileItIsUsed() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()), sessionOf(20s)),
            other(m_runtime, urlOf(m_server.url()));
        VERIFY_OK(run(driver.create("/closed", {}, NodeMode::Ephemeral)));
        const Watch watch;
        VERIFY_OK(run(other.get("/closed", watch)));
        int asked = 0;
        const auto users = beside(useUntilItEnds(driver, &asked));
        QVERIFY(eventually([&] { return asked > 100; }));
        run(driver.close());
        const auto gone = run(watch.next(m_runtime, 1s));
        QVERIFY(gone && gone->kind == WatchEvent::Kind::Deleted);
        QVERIFY(ends(users, 5s));
        VERIFY_OK(run(driver.exists("/")));
    }
    void manyRequestsAtOnceKeepTheirOrder() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()));
        VERIFY_OK(run(driver.makeContainers("/many")));
        std::vector<Port::Reply<CreatedNode>> making;
        for (int i = 0; i < 2000; ++i)
            making.push_back(driver.create("/many/n-", QByteArray::number(i), NodeMode::EphemeralSequential));
        QByteArray last;
        for (auto& one : making) {
            const auto made = run(std::move(one));
            VERIFY_OK(made);
            QVERIFY(made->path > last);
            last = made->path;
        }
        QCOMPARE(childrenOf(driver, "/many").size(), 2000u); // an answer longer than a socket's buffer
    }
    void driverThatGoesAwayEndsItsCalls() {
        auto driver = std::make_unique<ZooKeeperDriver>(m_runtime, urlOf(m_server.url()));
        VERIFY_OK(run(driver->connected()));
        auto making = driver->create("/gone", {}, NodeMode::Ephemeral);
        auto looking = driver->exists("/gone");
        driver.reset();
        QVERIFY(run(std::move(making)).error().kind == Kind::SessionLost);
        QVERIFY(run(std::move(looking)).error().kind == Kind::SessionLost);
        driver = std::make_unique<ZooKeeperDriver>(m_runtime, urlOf(m_server.url()));
        auto early = driver->exists("/gone"); // not connected yet
        driver.reset();
        QVERIFY(!run(std::move(early)));
    }
    void stoppedCreationIsTakenBack() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()));
        VERIFY_OK(run(driver.makeContainers("/stopped")));
        for (int round = 0; round < 20; ++round) {
            std::stop_source stop;
            auto making = driver.create("/stopped/n-", {}, NodeMode::EphemeralSequential, Nanos(0), stop.get_token());
            if (round % 2) QCoreApplication::processEvents(QEventLoop::AllEvents);
            stop.request_stop();
            const auto why = run(howCancelled(std::move(making)));
            if (!why) continue;                                                       // answered before
            QTRY_VERIFY(childrenOf(driver, "/stopped").size() <= std::size_t(round)); // those that were answered
        }
        VERIFY_OK(run(driver.sync("/")));
    }
    void killEndsEverythingThatWaits() {
        EventLoopRuntime client;
        ZooKeeperDriver driver(client, urlOf(m_server.url()));
        VERIFY_OK(run(driver.connected()));
        const Watch watch;
        std::optional<Cancelled::Why> request, event;
        m_server.pause();
        client.spawn([&]() -> QCoro::Task<> { request = co_await howCancelled(driver.exists("/")); });
        client.spawn([&]() -> QCoro::Task<> { event = co_await howCancelled(watch.next(client, kNever)); });
        client.kill();
        m_server.resume();
        QCOMPARE(request, std::optional(Cancelled::Why::Killed));
        QCOMPARE(event, std::optional(Cancelled::Why::Killed));
    }

private:
    static sandbox::ZooKeeperServerOptions options() {
        sandbox::ZooKeeperServerOptions options;
        options.extraLines << QStringLiteral("minSessionTimeout=600");
        return options;
    }
    EventLoopRuntime m_runtime;
    sandbox::ZooKeeperServer m_server{m_runtime, options()};
};

QTEST_GUILESS_MAIN(TestZooKeeperDriver)
#include "tst_zookeeper_driver.moc"
