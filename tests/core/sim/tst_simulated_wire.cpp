// SPDX-License-Identifier: Apache-2.0
// A client's connections to a simulated Redis, while its process, its link or the server fails.
#include "runtime/virtual_runtime.h"
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
    sim::Network network{scheduler, {{1ms, 2ms}, 0}, 5};
    sim::Network::Link link;
    sim::Node node{scheduler, recorder, "redis-1", 7, [this](const inspect::Party&) { return thread; }};
    VirtualRuntime runtime{scheduler, 9};
    std::unique_ptr<sim::RedisWire> wire =
        std::make_unique<sim::RedisWire>(scheduler, network, link, node, runtime, recorder, client, thread);
    std::optional<redis::Result> answer; ///< to the last call
    Nanos answeredAt{};

    Wired() { node.watch("orders"); }
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
        w.link.cut = true;
        w.node.kill();
        w.advance(5s);
        QVERIFY(w.answer && !*w.answer);
        QCOMPARE(w.answer->error().kind, redis::Error::Kind::CommandTimeout);
        QCOMPARE(w.answeredAt, Nanos(1s));
    }

    void aResetThatComesLateSparesWhatWasSentSince() {
        Wired w;
        w.call(redis::argsOf("PING"));
        w.advance(10ms);
        w.link.extraLatency = 300ms;
        w.node.kill();
        w.link.extraLatency = Nanos(0);
        w.node.start();
        w.call(redis::argsOf("PING"));
        w.advance(2s);
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
        w.link.cut = true;
        w.node.kill();
        w.node.start();
        w.advance(3s);
        QVERIFY(!gap);
        w.link.cut = false;
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
