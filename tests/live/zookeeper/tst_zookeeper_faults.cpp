// SPDX-License-Identifier: Apache-2.0
#include "fault_proxy.h"
#include "live_zookeeper.h"

#include <QDir>

using namespace lockscope;
using namespace lockscope::zookeeper;
using namespace lockscope::test;
using Kind = Error::Kind;
using State = Session::State;

namespace {
std::vector<std::pair<const char*, QByteArray>> kindsOfGarbage() {
    QByteArray many;
    for (int i = 0; i < 100'000; ++i)
        many += char(i * 7919 >> 5);
    return {{"http", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"},
            {"tls alert", QByteArray("\x15\x03\x01\x00\x02\x02\x50", 7) + QByteArray(60, 'x')},
            {"negative length", QByteArray("\xff\xff\xff\xff", 4) + QByteArray(60, '\0')},
            {"enormous length", QByteArray("\x7f\xff\xff\xff", 4) + QByteArray(60, '\0')},
            {"zero length", QByteArray(64, '\0')},
            // An answer to nobody's question, and one that is too short for its kind.
            {"stray number", QByteArray("\0\0\0\x10\0\0\0\x07", 8) + QByteArray(12, '\0') + QByteArray(60, '\0')},
            {"a lot", many}};
}
} // namespace

class TestZooKeeperFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void cleanup() {
        m_server.resume();
        if (!m_server.running()) VERIFY_STARTED(m_server);
    }

    void serverKilledAndBackInsideOneSessionAndAfterAnother() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()), sessionOf(20s));
        ZooKeeperDriver brief(m_runtime, urlOf(m_server.url()), sessionOf(800ms));
        VERIFY_OK(run(driver.create("/kept", {}, NodeMode::Ephemeral)));
        const Watch watch, briefWatch, node;
        driver.watchSession(watch);
        brief.watchSession(briefWatch);
        VERIFY_OK(run(driver.get("/kept", node)));
        VERIFY_OK(run(brief.create("/lost", {}, NodeMode::Ephemeral)));
        const Nanos until = brief.session().until();
        auto inFlight = driver.create("/maybe", {}, NodeMode::Persistent);
        m_server.kill();
        const auto ended = run(std::move(inFlight));
        QVERIFY(ended || ended.error().kind == Kind::ConnectionLoss);
        QVERIFY(eventually([&] { return driver.session().state == State::Suspended; }));
        QVERIFY(run(watch.next(m_runtime, 1s)).value().kind == WatchEvent::Kind::Suspended);
        QVERIFY(run(node.next(m_runtime, 1s)).value().kind == WatchEvent::Kind::Suspended);
        const auto nextBrief = [&] { // but a sign of life
            std::optional<WatchEvent> event;
            do
                event = run(briefWatch.next(m_runtime, 5s));
            while (event && event->kind == WatchEvent::Kind::Session);
            return event;
        };
        QVERIFY(nextBrief()->kind == WatchEvent::Kind::Suspended);
        QVERIFY(nextBrief()->kind == WatchEvent::Kind::Lost);
        QVERIFY(m_runtime.monotonic() >= until); // by the own clock: nobody was there to say so
        QCOMPARE(brief.session().generation, 2u);
        VERIFY_STARTED(m_server);
        VERIFY_OK(run(driver.connected()));
        QCOMPARE(driver.session().generation, 1u);
        QVERIFY(run(driver.exists("/kept")).value());
        // The node's watch has been set again, by the C client.
        ZooKeeperDriver other(m_runtime, urlOf(m_server.url()));
        VERIFY_OK(run(other.remove("/kept")));
        QVERIFY(run(node.next(m_runtime, 5s)).value().kind == WatchEvent::Kind::Deleted);
        QVERIFY(eventually([&] { return run(brief.exists("/lost")).has_value(); }));
        QVERIFY(eventually([&] { return !run(brief.exists("/lost")).value(); })); // once it has timed out there too
    }
    void serverStoppedAndContinued() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()), sessionOf(3s));
        VERIFY_OK(run(driver.connected()));
        pauseWholly(m_server);
        const Nanos begun = m_runtime.monotonic();
        const auto stuck = run(driver.exists("/"));
        QVERIFY(stuck.error().kind == Kind::ConnectionLoss);
        QVERIFY(m_runtime.monotonic() - begun < 3s);
        QVERIFY(driver.session().state == State::Suspended);
        m_server.resume();
        VERIFY_OK(run(driver.exists("/")));
        QCOMPARE(driver.session().generation, 1u);
    }
    void clientThatSleptThroughItsSession() {
        EventLoopRuntime client;
        ZooKeeperDriver driver(client, urlOf(m_server.url()), sessionOf(600ms));
        VERIFY_OK(run(driver.create("/slept", {}, NodeMode::Ephemeral)));
        ZooKeeperDriver other(m_runtime, urlOf(m_server.url()));
        const Watch watch;
        VERIFY_OK(run(other.get("/slept", watch)));
        client.pause();
        const auto gone = run(watch.next(m_runtime, 10s)); // a paused client sends no heartbeats
        QVERIFY(gone && gone->kind == WatchEvent::Kind::Deleted);
        QCOMPARE(driver.session().generation, 1u);
        client.resume();
        QVERIFY(eventually([&] { return driver.session().generation == 2u; }));
        VERIFY_OK(run(driver.exists("/slept")));
    }
    void connectionCutMidAnswer() {
        FaultProxy proxy(m_runtime, m_server.port());
        ZooKeeperDriver driver(m_runtime, urlOf(proxy.url()), sessionOf(5s));
        VERIFY_OK(run(driver.connected()));
        proxy.fault = FaultProxy::Fault::CutMidAnswer;
        const auto cut = run(driver.create("/cut", {}, NodeMode::Ephemeral));
        QVERIFY(cut.error().kind == Kind::ConnectionLoss);
        QVERIFY(cut.error().outcomeUnknown());
        const auto after = run(driver.exists("/cut"));
        VERIFY_OK(after);
        QVERIFY(after.value()); // it was done
        QCOMPARE(driver.session().generation, 1u);
        QCOMPARE(proxy.connections, 2);
    }
    void stoppedCreationIsTakenBackThroughALostConnection() {
        FaultProxy proxy(m_runtime, m_server.port());
        ZooKeeperDriver driver(m_runtime, urlOf(proxy.url()), sessionOf(5s)), other(m_runtime, urlOf(m_server.url()));
        VERIFY_OK(run(driver.makeContainers("/taken-back")));
        std::stop_source stop;
        proxy.fault = FaultProxy::Fault::CutAfterAnswer;
        auto making =
            beside(driver.create("/taken-back/n-", {}, NodeMode::EphemeralSequential, Nanos(0), stop.get_token()));
        stop.request_stop(); // it is on its way
        QVERIFY(eventually([&] { return making->done && proxy.fault == FaultProxy::Fault::None; }));
        QCOMPARE(making->cancelled, std::optional(Cancelled::Why::Stopped));
        QVERIFY(eventually([&] { return proxy.connections == 2; }));
        VERIFY_OK(run(driver.connected()));
        QVERIFY(eventually([&] { return childrenOf(other, "/taken-back").empty(); }, 3s));
        QCOMPARE(driver.session().generation, 1u);
    }
    void slowAnswersAreWaitedFor() {
        FaultProxy proxy(m_runtime, m_server.port());
        proxy.delay = 300ms;
        ZooKeeperDriver driver(m_runtime, urlOf(proxy.url()), sessionOf(5s));
        VERIFY_OK(run(driver.exists("/")));
        const Nanos begun = m_runtime.monotonic();
        VERIFY_OK(run(driver.exists("/")));
        QVERIFY(m_runtime.monotonic() - begun >= 300ms);
        QCOMPARE(proxy.connections, 1);
        // An answer proves the session's life at the time when the question was sent, not when the answer came.
        QVERIFY(m_runtime.monotonic() - driver.session().provenAt >= 300ms);
    }
    void nothingPassesAnyMore() {
        FaultProxy proxy(m_runtime, m_server.port());
        ZooKeeperDriver driver(m_runtime, urlOf(proxy.url()), sessionOf(900ms));
        VERIFY_OK(run(driver.exists("/")));
        const Watch watch;
        driver.watchSession(watch);
        proxy.deaf = true;
        const Nanos until = driver.session().until();
        std::optional<WatchEvent> event;
        do
            event = run(watch.next(m_runtime, 5s));
        while (event && event->kind != WatchEvent::Kind::Lost);
        QVERIFY(event);
        QVERIFY(m_runtime.monotonic() - until < 3s);
        proxy.deaf = false;
        proxy.cutAll();
        VERIFY_OK(run(driver.exists("/")));
    }
    void garbage_data() {
        QTest::addColumn<QByteArray>("bytes");
        for (const auto& [kind, bytes] : kindsOfGarbage())
            QTest::newRow(kind) << bytes;
    }
    void garbage() {
        QFETCH(QByteArray, bytes);
        FaultProxy proxy(m_runtime, m_server.port());
        ZooKeeperDriver driver(m_runtime, urlOf(proxy.url()), sessionOf(5s));
        VERIFY_OK(run(driver.connected()));
        proxy.fault = FaultProxy::Fault::GarbageInstead;
        proxy.garbage = bytes;
        const auto lied = run(driver.exists("/"));
        QVERIFY(lied.error().kind == Kind::ConnectionLoss);
        VERIFY_OK(run(driver.exists("/"))); // and is well again
        QCOMPARE(driver.session().generation, 1u);
    }
    void garbageInsteadOfAGreeting() { // of every kind, all at once
        struct Liar {
            Liar(Runtime& runtime, std::uint16_t target, const QByteArray& bytes, DriverOptions options)
                : proxy(runtime, target), driver(runtime, urlOf(proxy.url()), options) {
                proxy.fault = FaultProxy::Fault::GarbageGreeting;
                proxy.garbage = bytes;
            }
            FaultProxy proxy;
            ZooKeeperDriver driver;
        };
        DriverOptions options = sessionOf(3s);
        options.connect = 400ms;
        const auto kinds = kindsOfGarbage();
        std::vector<std::unique_ptr<Liar>> liars;
        std::vector<Port::Reply<void>> connecting;
        for (const auto& [kind, bytes] : kinds) {
            liars.push_back(std::make_unique<Liar>(m_runtime, m_server.port(), bytes, options));
            connecting.push_back(liars.back()->driver.connected());
        }
        for (std::size_t i = 0; i < liars.size(); ++i) {
            const auto refused = run(std::move(connecting[i]));
            QVERIFY2(!refused, kinds[i].first);
            QVERIFY2(refused.error().kind == Kind::Protocol, kinds[i].first);
            liars[i]->proxy.fault = FaultProxy::Fault::None;
            liars[i]->proxy.cutAll();
        }
        for (std::size_t i = 0; i < liars.size(); ++i)
            QVERIFY2(eventually([&] { return run(liars[i]->driver.connected()).has_value(); }), kinds[i].first);
    }
    void leavingAServerThatHangsTakesNoTime() {
        auto driver = std::make_unique<ZooKeeperDriver>(m_runtime, urlOf(m_server.url()), sessionOf(5s));
        VERIFY_OK(run(driver->connected()));
        pauseWholly(m_server);
        auto stuck = driver->exists("/");
        const Nanos begun = m_runtime.monotonic();
        driver.reset();
        QVERIFY(m_runtime.monotonic() - begun < 2s); // the session is longer
        QVERIFY(!run(std::move(stuck)));
        m_server.resume();
        ZooKeeperDriver closed(m_runtime, urlOf(m_server.url()), sessionOf(5s));
        VERIFY_OK(run(closed.connected()));
        pauseWholly(m_server);
        auto alsoStuck = closed.exists("/");
        run(closed.close());
        QVERIFY(m_runtime.monotonic() - begun < 4s);
        QVERIFY(!run(std::move(alsoStuck)));
    }
    void serverIsNotTakenForAnotherOnItsPort() {
        sandbox::ZooKeeperServerOptions options;
        options.port = m_server.port();
        sandbox::ZooKeeperServer late(m_runtime, options);
        QVERIFY(!run(late.start()));
        sandbox::ZooKeeperServer again(m_runtime);
        std::stop_source stop;
        const auto starting = beside(again.start(stop.get_token()));
        QVERIFY(eventually([&] { return again.running(); }));
        stop.request_stop();
        QVERIFY(ends(starting, 1s));
        QCOMPARE(starting->cancelled, std::optional(Cancelled::Why::Stopped));
        VERIFY_STARTED(again); // after a start that was given up
    }
    void sessionsAndWatchesLeaveNoDescriptorsBehind() {
        const auto descriptors = [] { return QDir(QStringLiteral("/proc/self/fd")).count(); };
        FaultProxy proxy(m_runtime, m_server.port());
        {
            ZooKeeperDriver warm(m_runtime, urlOf(m_server.url()));
            VERIFY_OK(run(warm.connected()));
        }
        const uint before = descriptors();
        for (int i = 0; i < 20; ++i) {
            ZooKeeperDriver driver(m_runtime, urlOf(proxy.url()), sessionOf(5s));
            VERIFY_OK(run(driver.exists("/")));
            proxy.cutAll();
            VERIFY_OK(run(driver.connected()));
        }
        proxy.cutAll();
        QVERIFY(eventually([&] { return descriptors() <= before; }));
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::ZooKeeperServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestZooKeeperFaults)
#include "tst_zookeeper_faults.moc"
