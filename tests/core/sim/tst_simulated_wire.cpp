// SPDX-License-Identifier: Apache-2.0
// A client's connections to a simulated Redis, while its process, its link or the server fails.
#include "runtime/virtual_runtime.h"
#include "sim/redis_server.h"
#include "sim/redis_wire.h"

#include <QTest>

using namespace lockscope;
using trace::EntityKind;
using trace::EventKind;

namespace {

/// One client, its link, and a node.
struct Wired {
    VirtualScheduler scheduler;
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    trace::Recorder recorder{trace, [this] { return scheduler.now(); }};
    trace::EntityId client = trace->intern(EntityKind::Client, "A");
    trace::EntityId thread = trace->intern(EntityKind::Thread, "1", client);
    sim::Network network{scheduler, trace, {{1ms, 2ms}, 0}, 5};
    sim::Grounds grounds{scheduler, recorder, network};
    sim::RedisServer node{grounds, "redis-1", 7};
    sim::RedisRecord record{scheduler, recorder, node.entity(), [this](const inspect::Party&) { return thread; }};
    sim::Network::Link& link = network.between(client, node.entity());
    VirtualRuntime runtime{scheduler, 9};
    std::unique_ptr<sim::RedisWire> wire =
        std::make_unique<sim::RedisWire>(grounds, node, runtime, sim::ClientEnd{client, thread});
    std::optional<redis::Result> answer; ///< to the last call
    Nanos answeredAt{};

    Wired() {
        record.decidedBy({&node});
        record.watch("orders", {"orders"});
    }
    ~Wired() { runtime.kill(); }
    Wired(const Wired&) = delete;
    Wired& operator=(const Wired&) = delete;

    void call(redis::Args args) {
        runtime.spawn([this, args = std::move(args)]() -> QCoro::Task<> {
            answer = co_await wire->call(args);
            answeredAt = scheduler.now();
        });
    }
    void advance(Nanos time) { scheduler.runUntil(scheduler.now() + time); }
    int held() const {
        int n = 0;
        for (std::size_t i = 0; i < trace->size(); ++i)
            n += trace->kindAt(i) == EventKind::RecordHeld && trace->at(i).actor == thread ? 1 : 0;
        return n;
    }
};

const redis::Args kTake = redis::argsOf("SET", "orders", "A:1", "NX", "PX", "5000");

} // namespace

class TestSimulatedWire : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWasSentBeforeTheClientDiedStillArrives_data() {
        QTest::addColumn<bool>("paused");
        QTest::newRow("running node") << false;
        QTest::newRow("paused node") << true;
    }
    void whatWasSentBeforeTheClientDiedStillArrives() {
        QFETCH(bool, paused);
        Wired w;
        if (paused) w.node.pause();
        w.call(kTake);
        w.runtime.kill();
        w.wire.reset();
        w.advance(1s);
        QCOMPARE(w.held(), paused ? 0 : 1);
        w.node.resume();
        w.advance(1s);
        QCOMPARE(w.held(), 1);
        w.node.kill(); // nobody is left to be told
        w.advance(1s);
    }

    void aDyingServerIsKnownAfterAFlight() {
        Wired w;
        w.node.pause(); // so that the reply is still due
        w.call(kTake);
        w.advance(10ms);
        w.link.extraLatency = 100ms;
        w.node.kill();
        w.advance(5s);
        QVERIFY(w.answer && !*w.answer);
        QCOMPARE(w.answer->error().kind, redis::Error::Kind::Disconnected);
        QVERIFY(w.answeredAt > 110ms && w.answeredAt < 120ms);
    }

    void aDyingServerIsNotKnownOverACutLink() {
        Wired w;
        w.node.pause();
        w.call(kTake);
        w.advance(10ms);
        w.link.setCut(true);
        w.node.kill();
        w.advance(5s);
        QVERIFY(w.answer && !*w.answer);
        QCOMPARE(w.answer->error().kind, redis::Error::Kind::CommandTimeout);
        QCOMPARE(w.answeredAt, Nanos(1s));
    }

    void aRestartedServerKnowsNothingOfTheConnection() {
        Wired w;
        w.call(redis::argsOf("PING"));
        w.advance(10ms);
        w.link.extraLatency = 300ms; // the news of its death comes late
        w.node.kill();
        w.link.extraLatency = Nanos(0);
        w.node.start();
        w.call(kTake);
        w.advance(2s);
        QVERIFY(w.answer && !*w.answer);
        QCOMPARE(w.answer->error().kind, redis::Error::Kind::Disconnected);
        QCOMPARE(w.held(), 0); // the machine has reset it: nothing has run
        w.call(kTake);
        w.advance(2s);
        QVERIFY(w.answer->has_value());
        QCOMPARE(w.held(), 1);
    }

    void aNewConnectionOverACutLinkSendsNothing_data() {
        QTest::addColumn<int>("ways");
        QTest::newRow("both") << int(sim::Network::Ways::Both);
        QTest::newRow("only the answers") << int(sim::Network::Ways::ToFirst);
    }
    void aNewConnectionOverACutLinkSendsNothing() {
        QFETCH(int, ways);
        Wired w;
        w.network.setCut(w.link, w.client, sim::Network::Ways(ways), true);
        w.call(kTake);
        w.advance(3s);
        QVERIFY(w.answer && !*w.answer);
        QVERIFY(!w.answer->error().outcomeUnknown());
        QCOMPARE(w.held(), 0);
    }

    void aRefusedConnectionIsTriedAgainAndTold() {
        Wired w;
        int told = 0;
        const auto registration = w.wire->onReconnect([&told] { ++told; });
        w.call(redis::argsOf("PING"));
        w.advance(10ms);
        QCOMPARE(w.wire->status().state, redis::Status::State::Connected);
        w.node.kill();
        w.advance(10ms);
        QCOMPARE(w.wire->status().state, redis::Status::State::Retrying);
        w.call(redis::argsOf("PING"));
        w.advance(1s);
        QCOMPARE(w.answer->error().kind, redis::Error::Kind::Unreachable); // it waited for a try, which failed
        w.node.start();
        w.advance(2s);
        QCOMPARE(w.wire->status().state, redis::Status::State::Connected);
        QCOMPARE(told, 1);
    }

    void aSilentServerIsGivenUp() {
        Wired w;
        sim::RedisWire::Settings settings;
        settings.heartbeat = 2s;
        settings.silenceLimit = 2s;
        w.wire = std::make_unique<sim::RedisWire>(w.grounds, &w.node, w.runtime, sim::ClientEnd{w.client, w.thread},
                                                  QStringLiteral("redis-1"), settings);
        w.call(redis::argsOf("PING"));
        w.advance(10ms);
        w.link.setCut(true);
        w.advance(3s);
        QCOMPARE(w.wire->status().state, redis::Status::State::Connected);
        w.advance(3s);
        QCOMPARE(w.wire->status().state, redis::Status::State::Retrying);
        w.link.setCut(false);
        w.advance(3s);
        QCOMPARE(w.wire->status().state, redis::Status::State::Connected);
    }

    void anotherLinkDrawsNothingFromThisOne() {
        const auto arrivals = [](bool another) {
            VirtualScheduler scheduler;
            auto trace = std::make_shared<trace::Trace>();
            sim::Network network(scheduler, trace, {{1ms, 2ms}, 0}, 5, sim::Network::Streams::PerLink);
            const auto a = trace->intern(EntityKind::Client, "A");
            const auto node = trace->intern(EntityKind::Node, "redis-1");
            sim::Network::Link& link = network.between(a, node);
            std::vector<Nanos> times;
            for (int i = 0; i < 20; ++i) {
                if (another) {
                    sim::Network::Link& other = network.between(a, trace->intern(EntityKind::Node, "redis-2"));
                    network.transmit(other, sim::Network::Way::Forth);
                }
                times.push_back(*network.transmit(link, sim::Network::Way::Forth));
                scheduler.runUntil(scheduler.now() + 10ms);
            }
            return times;
        };
        QCOMPARE(arrivals(true), arrivals(false));
    }

    void aPartitionRunsBetweenSets() {
        Wired w;
        const auto other = w.trace->intern(EntityKind::Node, "redis-2");
        const auto partition = w.network.partition({w.client, other}, {w.node.entity()});
        w.call(kTake);
        w.advance(3s);
        QVERIFY(!*w.answer);
        QVERIFY(!w.network.between(w.client, other).severed(sim::Network::Way::Forth));
        QVERIFY(w.network.between(other, w.node.entity()).severed(sim::Network::Way::Back));
        w.network.heal(partition);
        w.advance(3s); // it tries again by itself
        w.call(kTake);
        w.advance(3s);
        QVERIFY(w.answer->has_value());
    }

    void aSubscriptionOverACutLinkIsMadeAnewWhenItIsWhole() {
        Wired w;
        bool gap = false;
        int messages = 0;
        w.runtime.spawn([&w, &gap, &messages]() -> QCoro::Task<> {
            const auto inbox = co_await w.wire->subscribe("news");
            if (!inbox) co_return;
            for (;;) {
                const auto message = co_await (*inbox)->next(kNever);
                if (!message) continue;
                ++messages;
                gap = gap || message->gap;
            }
        });
        w.advance(1s);
        w.link.setCut(true);
        w.node.kill();
        w.node.start();
        w.advance(3s);
        QVERIFY(!gap);
        w.link.setCut(false);
        w.advance(3s);
        QVERIFY(gap);
        QCOMPARE(messages, 1);
        w.call(redis::argsOf("PUBLISH", "news", "x"));
        w.advance(1s);
        QCOMPARE(messages, 2);
    }
};

QTEST_GUILESS_MAIN(TestSimulatedWire)
#include "tst_simulated_wire.moc"
