// SPDX-License-Identifier: Apache-2.0
// Sessions, time and watches of a simulated ZooKeeper, behaviour by behaviour of the real one. A function's number is
// the behaviour's.
#include "sim/probe.h"
#include "zookeeper_group.h"

using namespace lockscope;
using tests::ZooKeeperGroup;
using Kind = zookeeper::Error::Kind;
using Mode = zookeeper::NodeMode;
using State = zookeeper::Session::State;

namespace {

/// A client's end of a connection without the library's keeping: it sends only what the test says.
struct Raw {
    ZooKeeperGroup& group;
    std::shared_ptr<sim::ZkSocket> socket;
    std::optional<sim::ZkWelcome> welcome;
    std::vector<sim::ZkReply> replies;
    QByteArrayList order; ///< of replies and events
    bool ended = false;

    Raw(ZooKeeperGroup& g, std::size_t server, const QByteArray& name) : group(g) {
        const auto entity = g.trace->intern(trace::EntityKind::Client, name);
        sim::ZkServer& at = g.at(server);
        socket = std::make_shared<sim::ZkSocket>(
            g.grounds, g.network.between(entity, at.entity()), entity, at,
            sim::ZkSocket::ClientEnd{[this](const sim::ZkWelcome& w) { welcome = w; },
                                     [this](std::uint64_t number, const sim::ZkReply& reply) {
                                         replies.push_back(reply);
                                         order += "reply " + QByteArray::number(quint64(number));
                                     },
                                     [this](const sim::ZkEvent& event) { order += event.text(); },
                                     [this] { ended = true; }});
    }
    ~Raw() { socket->close(); }
    Raw(const Raw&) = delete;
    Raw& operator=(const Raw&) = delete;

    Raw& greet(const sim::ZkGreeting& greeting) {
        socket->greet(greeting);
        group.run(20ms);
        return *this;
    }
    /// Opens a session and makes an ephemeral node.
    Raw& hold(Nanos timeout, const QByteArray& path) {
        greet({0, std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count(), 0, 0});
        ask(1, created(path, Mode::Ephemeral));
        return *this;
    }
    void ask(std::uint64_t number, const sim::ZkRequest& request, Nanos time = 20ms) {
        socket->ask(number, request);
        group.run(time);
    }
    void ping() { ask(0, {}, Nanos(0)); }
    sim::ZkGreeting again() const { return {0, welcome->timeoutMs, welcome->session, welcome->password}; }

    static sim::ZkRequest created(const QByteArray& path, Mode mode = Mode::Persistent) {
        sim::ZkRequest request;
        request.kind = sim::ZkRequest::Kind::Create;
        request.ops.emplace_back();
        request.ops.front().kind = zookeeper::Op::Kind::Create;
        request.ops.front().path = path;
        request.ops.front().mode = mode;
        return request;
    }
    static sim::ZkRequest look(sim::ZkRequest::Kind kind, const QByteArray& path, bool watch = false) {
        sim::ZkRequest request;
        request.kind = kind;
        request.path = path;
        request.watch = watch;
        return request;
    }
};
using Ask = sim::ZkRequest::Kind;

QByteArray seconds(Nanos time) {
    return QByteArray::number(double(time.count()) / 1e9);
}

} // namespace

class TestZooKeeperSessions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void Z01_timeOutsAreClamped() {
        ZooKeeperGroup g(ZooKeeperGroup::settings(1, [] {
            sim::ZkSettings times;
            times.tick = 500ms;
            return times;
        }()));
        for (const auto& [wanted, granted] : {std::pair(1234, 1234), std::pair(900, 1000), std::pair(10001, 10000)}) {
            Raw raw(g, 0, "A");
            raw.greet({0, wanted, 0, 0});
            QCOMPARE(raw.welcome->timeoutMs, granted);
        }
    }

    void Z02_aReconnectionMayAskForAnotherTimeOut() {
        ZooKeeperGroup g;
        Raw first(g, 0, "A");
        first.hold(4s, "/e");
        sim::ZkGreeting again = first.again();
        again.timeoutMs = 8000;
        Raw second(g, 0, "A");
        second.greet(again);
        QCOMPARE(second.welcome->timeoutMs, 8000);
        const Nanos gone = g.until([&] { return !g.has(0, "/e"); });
        QVERIFY2(gone > 7900ms && gone <= 8500ms, seconds(gone));
    }

    void Z03_wrongPasswordsAndUnknownSessions() {
        ZooKeeperGroup g(3);
        Raw good(g, 0, "A");
        good.hold(4s, "/e");
        QCOMPARE(good.welcome->session >> 56, 1);
        sim::ZkGreeting wrong = good.again();
        ++wrong.password;
        sim::ZkGreeting unknown = good.again();
        ++unknown.session;
        for (const sim::ZkGreeting& greeting : {wrong, unknown}) {
            Raw raw(g, 1, "B");
            raw.greet(greeting);
            QVERIFY(raw.welcome.has_value());
            QCOMPARE(raw.welcome->session, 0);
            QCOMPARE(raw.welcome->timeoutMs, 0);
            QVERIFY(raw.ended);
        }
        QVERIFY(g.has(0, "/e"));
    }

    void Z04_sessionsEndByBuckets() {
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
            ZooKeeperGroup g(1, seed);
            std::vector<std::unique_ptr<Raw>> raws;
            for (int i = 0; i < 4; ++i) {
                raws.push_back(std::make_unique<Raw>(g, 0, "A"));
                raws.back()->hold(2s, "/e" + QByteArray::number(i));
                g.run(40ms); // 80 ms apart
            }
            const Nanos lastTouch = 4 * 80ms - 60ms; // sent; a flight earlier or later does not matter
            std::vector<Nanos> ends;
            for (int i = 0; i < 4; ++i) {
                g.until([&] { return !g.has(0, "/e" + QByteArray::number(i)); });
                ends.push_back(g.scheduler.now());
            }
            Nanos touched = lastTouch - 3 * 80ms;
            std::set<Nanos> buckets;
            for (const Nanos end : ends) {
                QVERIFY2(end - touched > 1990ms && end - touched <= 2505ms, seconds(end - touched));
                touched += 80ms;
                buckets.insert(end);
            }
            QVERIFY(buckets.size() <= 2); // 240 ms lie in one tick or in two
            if (buckets.size() == 2) QCOMPARE(*buckets.rbegin() - *buckets.begin(), 500ms);
        }
    }

    void Z05_followersTellTheLeaderOfTouches() {
        Nanos shortest = kNever, longest{};
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            ZooKeeperGroup g(3, seed);
            Raw raw(g, 0, "A");
            raw.hold(2s, "/e");
            const Nanos gone = 20ms + g.until([&] { return !g.has(0, "/e"); });
            shortest = std::min(shortest, gone);
            longest = std::max(longest, gone);
            QVERIFY2(gone > 2s && gone <= 2780ms, seconds(gone));
        }
        // Sometimes later than a leader's own clients: it was told at its next ping.
        QVERIFY2(longest > 2550ms, seconds(longest));
        QVERIFY2(shortest < 2300ms, seconds(shortest));
    }

    void Z06_silenceEndsASession() {
        ZooKeeperGroup g;
        Raw raw(g, 0, "A");
        raw.hold(1s, "/e");
        g.run(800ms);
        raw.ping();
        g.run(800ms);
        QVERIFY(g.has(0, "/e")); // any request touches
        const Nanos gone = g.until([&] { return raw.ended; });
        QVERIFY(gone != kNever);
        QVERIFY(!g.has(0, "/e"));
        QCOMPARE(raw.replies.size(), std::size_t(2)); // no packet says so, only the connection's end
        Raw closes(g, 0, "B");
        closes.hold(1s, "/f");
        closes.socket->close();
        g.run(500ms);
        QVERIFY(g.has(0, "/f"));
        QVERIFY(g.until([&] { return !g.has(0, "/f"); }) <= 1s);
    }

    void Z07_aFarewellEndsItAtOnce() {
        ZooKeeperGroup g(3);
        Raw raw(g, 0, "A");
        raw.hold(4s, "/e");
        sim::ZkRequest farewell;
        farewell.kind = Ask::EndSession;
        raw.ask(2, farewell);
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(!g.has(i, "/e"));
        QVERIFY(raw.ended);
        QCOMPARE(raw.replies.size(), std::size_t(2));
    }

    void Z09_wallClocksEndNoSession() {
        ZooKeeperGroup g;
        Raw raw(g, 0, "A");
        raw.hold(3s, "/e");
        g.at(0).setClock(2h);
        g.run(1s);
        QVERIFY(g.has(0, "/e"));
        auto& b = g.client("B");
        const auto ahead = g.create(b, "/later")->stat;
        g.at(0).setClock(-2h);
        QVERIFY(g.create(b, "/earlier")->stat.ctime < ahead.ctime - 3'600'000);
        const Nanos gone = g.until([&] { return !g.has(0, "/e"); });
        QVERIFY2(gone > 1900ms && gone < 2500ms, seconds(gone));
        g.create(b, "/ttl", Mode::Ttl, {}, 300s);
        g.at(0).setClock(2h); // those go by the wall clock
        QVERIFY(g.until([&] { return !g.has(0, "/ttl"); }, 61s) != kNever);
    }

    void Z10_aSecondConnection() {
        ZooKeeperGroup g(3);
        Raw first(g, 0, "A");
        first.hold(4s, "/e");
        Raw same(g, 0, "A");
        same.greet(first.again());
        QVERIFY(first.ended);
        QCOMPARE(same.welcome->session, first.welcome->session);
        Raw moved(g, 1, "A");
        moved.greet(same.again());
        sim::resetProbes();
        QVERIFY(g.has(0, "/e"));
        QVERIFY(!same.ended);
        same.ask(2, Raw::look(Ask::Get, "/e"));
        QCOMPARE(same.replies.back().code, 0);
        same.ask(3, Raw::look(Ask::Sync, "/"));
        QCOMPARE(same.replies.size(), std::size_t(2));
        for (int i = 0; i < 10; ++i) { // its pings still count
            g.run(1s);
            same.ping();
        }
        QVERIFY(g.has(0, "/e"));
        same.ask(4, Raw::created("/never"));
        QVERIFY(same.ended);
        QCOMPARE(same.replies.size(), std::size_t(12)); // the ten pings', and no more
        QVERIFY(!g.has(2, "/never"));
        QVERIFY(!moved.ended);
        QCOMPARE(sim::probeCounts()[std::size_t(sim::Probe::ZkSessionMoved)], std::uint64_t(1));
    }

    void Z11_noGoingBackInTime() {
        ZooKeeperGroup g;
        Raw raw(g, 0, "A");
        raw.greet({g.at(0).state().zxid + 5, 4000, 0, 0});
        QVERIFY(raw.ended);
        QVERIFY(!raw.welcome);
    }

    void Z13_theClientsOwnStates() {
        ZooKeeperGroup g;
        auto& a = g.client("A", 6s);
        QVERIFY(g.open(a));
        g.create(a, "/e", Mode::Ephemeral);
        const auto first = a.session().id;
        g.at(0).pause();
        g.run(1500ms);
        QVERIFY(a.session().state == State::Connected);
        g.at(0).resume();
        g.run(2s);
        QVERIFY(a.session().state == State::Connected);
        QCOMPARE(a.session().id, first);
        // The server dies, and comes back within the session.
        g.at(0).kill();
        g.run(10ms);
        QVERIFY(a.session().state == State::Suspended);
        g.run(300ms);
        g.at(0).start();
        g.run(500ms);
        QVERIFY(a.session().state == State::Connected);
        QCOMPARE(a.session().id, first);
        QVERIFY(g.has(0, "/e"));
        // It stands still for longer than that.
        g.at(0).pause();
        g.run(7s);
        QVERIFY(a.session().state == State::None);
        g.at(0).resume();
        g.run(4s);
        QVERIFY(a.session().state == State::Connected);
        QVERIFY(a.session().id != first);
        QVERIFY(!g.has(0, "/e"));
    }

    void Z29_oneConnectionIsAQueue() {
        ZooKeeperGroup g(3);
        Raw raw(g, 0, "A");
        raw.greet({0, 4000, 0, 0});
        for (std::uint64_t i = 1; i <= 30; ++i) {
            if (i % 3 == 0)
                raw.socket->ask(i, Raw::created("/n" + QByteArray::number(quint64(i))));
            else
                raw.socket->ask(i, Raw::look(Ask::Exists, "/n" + QByteArray::number(quint64(i - i % 3))));
        }
        g.run(1s);
        QCOMPARE(raw.replies.size(), std::size_t(30));
        for (std::size_t i = 0; i < 30; ++i) {
            QCOMPARE(raw.order.at(qsizetype(i)), "reply " + QByteArray::number(quint64(i + 1)));
            const bool early = i < 2; // asks for /n0, which is never made
            QCOMPARE(raw.replies[i].code, early ? -101 : 0);
        }
    }

    void Z45_aLostReplyIsALostConnection() {
        ZooKeeperGroup g(3);
        auto& a = g.client("A", 4s, "0");
        QVERIFY(g.open(a));
        g.network.between(a.entity, g.at(0).entity()).loseNextReply = true;
        g.exists(a, "/"); // the answer to a look is not worth losing
        const auto lost = g.create(a, "/made", Mode::Ephemeral);
        QVERIFY(lost.error().kind == Kind::ConnectionLoss);
        g.run(100ms);
        QVERIFY(g.has(0, "/made"));
        QVERIFY(a.session().state == State::Connected);
        QCOMPARE(g.exists(a, "/made").value()->ephemeralOwner, a.session().id);
    }

    void Z47_watchesFireOnce() {
        ZooKeeperGroup g;
        auto &a = g.client("A"), &b = g.client("B");
        g.create(a, "/n");
        const zookeeper::Watch one, two, kids;
        g.get(b, "/n", one);
        g.exists(b, "/n", two);
        g.children(b, "/n", kids);
        g.set(a, "/n", "1");
        g.set(a, "/n", "2");
        QCOMPARE(g.events(b, one), (QByteArrayList{"Changed /n"}));
        QCOMPARE(g.events(b, two), (QByteArrayList{"Changed /n"}));
        QVERIFY(g.events(b, kids).isEmpty());
        // At the server it is one watch for data, whoever asked.
        Raw raw(g, 0, "C");
        raw.greet({0, 4000, 0, 0});
        raw.ask(1, Raw::look(Ask::Get, "/n", true));
        raw.ask(2, Raw::look(Ask::Exists, "/n", true));
        g.set(a, "/n", "3");
        g.set(a, "/n", "4");
        QCOMPARE(raw.order.count("NodeDataChanged /n"), 1);
    }

    void Z48_events() {
        ZooKeeperGroup g;
        auto& a = g.client("A");
        Raw raw(g, 0, "B");
        raw.greet({0, 4000, 0, 0});
        raw.ask(1, Raw::look(Ask::Exists, "/n", true));
        raw.ask(2, Raw::look(Ask::Children, "/", true));
        g.create(a, "/n");
        g.run(10ms);
        QVERIFY(raw.order.contains("NodeCreated /n"));
        QVERIFY(raw.order.contains("NodeChildrenChanged /"));
        raw.order.clear();
        raw.ask(3, Raw::look(Ask::Get, "/n", true));
        raw.ask(4, Raw::look(Ask::Children, "/n", true));
        g.remove(a, "/n");
        g.run(10ms);
        QCOMPARE(raw.order.count("NodeDeleted /n"), 1);
    }

    void Z49_eventsComeBeforeWhatShowsTheChange() {
        ZooKeeperGroup g(3);
        auto& a = g.client("A", 4s, "1");
        g.create(a, "/n");
        Raw raw(g, 0, "B");
        raw.greet({0, 4000, 0, 0});
        for (int i = 0; i < 50; ++i) {
            raw.ask(1, Raw::look(Ask::Get, "/n", true));
            const auto before = raw.replies.back().stat.version;
            raw.order.clear();
            const auto changing = g.start(a, [](zookeeper::Port& port) { return port.set("/n", "v"); });
            while (raw.replies.back().stat.version == before)
                raw.ask(2, Raw::look(Ask::Get, "/n"), 300us);
            const qsizetype event = raw.order.indexOf("NodeDataChanged /n");
            QVERIFY(event >= 0 && event < raw.order.size() - 1);
        }
        // Its own change as well.
        raw.ask(3, Raw::look(Ask::Exists, "/own", true));
        raw.order.clear();
        raw.ask(4, Raw::created("/own"));
        QCOMPARE(raw.order, (QByteArrayList{"NodeCreated /own", "reply 4"}));
    }

    void Z50_watchesAreSetAgain() {
        ZooKeeperGroup g(3);
        auto& a = g.client("A", 10s, "0");
        auto& b = g.client("B", 10s, "1");
        for (const char* path : {"/same", "/set", "/gone", "/parent", "/quiet"})
            g.create(b, path);
        g.run(50ms);
        zookeeper::Watch same, set, gone, parent, quiet, unborn, never;
        g.get(a, "/same", same);
        g.get(a, "/set", set);
        g.get(a, "/gone", gone);
        g.children(a, "/parent", parent);
        g.children(a, "/quiet", quiet);
        g.exists(a, "/unborn", unborn);
        g.exists(a, "/never", never);
        auto& link = g.network.between(a.entity, g.at(0).entity());
        link.setCut(true);
        g.set(b, "/set", "x");
        g.remove(b, "/gone");
        g.create(b, "/parent/c");
        g.remove(b, "/parent/c");
        g.create(b, "/unborn");
        g.create(b, "/never");
        g.remove(b, "/never");
        // Messages that A's server had sent are lost with its machine.
        g.at(0).crash();
        g.run(100ms);
        for (auto* watch : {&same, &set, &gone, &parent, &quiet, &unborn, &never})
            g.events(a, *watch);
        link.setCut(false);
        g.at(0).start();
        QVERIFY(g.until([&] { return a.session().state == State::Suspended; }, 3s) != kNever);
        QVERIFY(g.until([&] { return a.session().state == State::Connected; }, 3s) != kNever);
        g.run(100ms);
        const auto got = [&](const zookeeper::Watch& watch) {
            QByteArrayList events = g.events(a, watch);
            events.removeAll("Suspended");
            return events;
        };
        QCOMPARE(got(same), QByteArrayList());
        QCOMPARE(got(set), (QByteArrayList{"Changed /set"}));
        QCOMPARE(got(gone), (QByteArrayList{"Deleted /gone"}));
        QCOMPARE(got(parent), (QByteArrayList{"Children /parent"})); // came and went
        QCOMPARE(got(quiet), QByteArrayList());
        QCOMPARE(got(unborn), (QByteArrayList{"Created /unborn"}));
        QCOMPARE(got(never), QByteArrayList()); // Z51: created and removed meanwhile
        g.set(b, "/same", "x");                 // those are armed
        g.create(b, "/never");
        g.run(50ms);
        QCOMPARE(got(same), (QByteArrayList{"Changed /same"}));
        QCOMPARE(got(never), (QByteArrayList{"Created /never"}));
    }

    void Z51_anotherNodeOfThatNameLooksLikeAChange() {
        ZooKeeperGroup g;
        auto& b = g.client("B", 20s);
        g.create(b, "/n");
        Raw first(g, 0, "A");
        first.greet({0, 10000, 0, 0});
        sim::ZkRequest again;
        again.kind = Ask::Rewatch;
        again.rewatch.seen = g.at(0).state().zxid;
        again.rewatch.data = {"/n"};
        g.remove(b, "/n");
        g.create(b, "/n");
        first.ask(1, again);
        QCOMPARE(first.order, (QByteArrayList{"NodeDataChanged /n", "reply 1"}));
    }

    void Z52_anEndedSessionHasNoWatches() {
        ZooKeeperGroup g;
        auto& a = g.client("A", 2s);
        auto& b = g.client("B", 60s);
        g.create(b, "/n");
        const zookeeper::Watch watch;
        g.get(a, "/n", watch);
        auto& link = g.network.between(a.entity, g.at(0).entity());
        link.setCut(true);
        g.run(4s);
        link.setCut(false);
        QCOMPARE(g.events(a, watch), (QByteArrayList{"Suspended", "Lost"}));
        QVERIFY(g.until([&] { return a.session().state == State::Connected; }, 5s) != kNever);
        g.set(b, "/n", "x");
        g.run(100ms);
        QCOMPARE(g.events(a, watch), QByteArrayList());
    }
};

QTEST_GUILESS_MAIN(TestZooKeeperSessions)
#include "tst_simulated_zookeeper_sessions.moc"
