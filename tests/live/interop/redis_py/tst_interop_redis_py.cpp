// SPDX-License-Identifier: Apache-2.0
// redis-set and redis-py's Lock on one key: they keep each other out, hand over in time, and count exactly together.
#include "recipe_bench.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
const QByteArray kName = "orders";
constexpr int kClients = 10;
constexpr Nanos kContention = 5s;
/// Nobody tells redis-py of a release: it asks again after pauses of 0.1 s, its default.
constexpr Nanos kItsPause = 100ms;

struct Counted {
    int done = 0, counts = 0, least = INT_MAX;
    QStringList wrong;
};

QCoro::Task<> countUp(Runtime& runtime, Process& process, recipes::Recipe& recipe, Nanos until, Counted& counted) {
    int mine = 0;
    while (runtime.monotonic() < until) {
        const Request request = requestFor(recipe);
        const auto grant = co_await recipe.acquire(request, {});
        if (!grant || !*grant) {
            counted.wrong += grant ? QStringLiteral("not taken") : grant.error().message;
            break;
        }
        const redis::Args get = redis::argsOf("GET", "count");
        const redis::Result was = co_await process.driver.call(get);
        const redis::Args set =
            redis::argsOf("SET", "count", QByteArray::number(qlonglong(was->text.toLongLong() + 1)));
        co_await process.driver.call(set);
        ++mine;
        const auto left = co_await recipe.release(**grant, {});
        if (!left) counted.wrong += left.error().message;
    }
    counted.counts += mine;
    counted.least = std::min(counted.least, mine);
    ++counted.done;
}
} // namespace

class TestInteropRedisPy : public QObject {
    Q_OBJECT

    struct Event {
        QByteArray what;
        Nanos at{};
    };
    bool start(sandbox::ProcessSupervisor& peer, const QStringList& arguments) {
        const QString script = QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/live/interop/redis_py/redis_py_peer.py");
        QStringList all{QStringLiteral("-B"), script, QString::number(m_server.port()), QString::fromUtf8(kName)};
        all += arguments;
        // The system's Python, for which the system's packages are.
        return peer.start(QStringLiteral("/usr/bin/python3"), all, m_server.workspace().path());
    }
    /// The peer's next event; nullopt when none comes.
    std::optional<Event> next(sandbox::ProcessSupervisor& peer, Nanos within = 30s) {
        const Nanos until = m_runtime.monotonic() + within;
        while (m_runtime.monotonic() < until) {
            const redis::Result popped = call(m_us->driver, {"LPOP", "peer:events"});
            if (popped && !popped->isNil()) {
                const QList<QByteArray> words = popped->text.split(' ');
                return Event{words.value(0), Nanos(words.value(1).toLongLong())};
            }
            if (!peer.running()) qWarning("%s", qPrintable(peer.lastOutput()));
            QTest::qWait(5);
        }
        return std::nullopt;
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        m_us = std::make_unique<Process>(m_runtime, m_server);
        QVERIFY(call(m_us->driver, {"FLUSHALL"}));
    }

    void itHoldsWeWait() {
        sandbox::ProcessSupervisor peer;
        QVERIFY(start(peer, {QStringLiteral("hold"), QStringLiteral("30")}));
        const auto held = next(peer);
        QVERIFY(held && held->what == "held");
        const auto recipe = m_us->recipe("redis-set", kName);
        QVERIFY(!run(recipe->acquire(requestFor(*recipe, 300ms), {})).value().has_value());

        auto waiting = recipe->acquire(requestFor(*recipe, 20s), {});
        QTest::qWait(150);
        QVERIFY(call(m_us->driver, {"RPUSH", "peer:commands", "release"}));
        const auto grant = run(std::move(waiting));
        const Nanos got = m_runtime.monotonic();
        QVERIFY(grant && *grant);
        const auto released = next(peer);
        QVERIFY(released && released->what == "released");
        // At the next look, and not at the end of its lease of 30 s.
        QVERIFY2(got - released->at < 5s, qPrintable(QString::number((got - released->at) / 1ms)));
        QCOMPARE(run(recipe->release(**grant, {})).value_or(-1), 0);
    }

    void weHoldItWaits() {
        const auto recipe = m_us->recipe("redis-set", kName);
        const auto grant = run(recipe->acquire(requestFor(*recipe), {}));
        QVERIFY(grant && *grant);
        sandbox::ProcessSupervisor peer;
        QVERIFY(start(peer, {QStringLiteral("take")}));
        const auto asking = next(peer);
        QVERIFY(asking && asking->what == "asking");
        QVERIFY(!next(peer, 400ms));
        const Nanos released = m_runtime.monotonic();
        QCOMPARE(run(recipe->release(**grant, {})).value_or(-1), 0);
        const auto got = next(peer);
        QVERIFY(got && got->what == "got");
        QVERIFY(got->at >= released);
        const Nanos late = got->at - released;
        QVERIFY2(late < kItsPause + 200ms, qPrintable(QString::number(late / 1ms)));
    }

    void tenOfEachCountExactly() {
        sandbox::ProcessSupervisor peer;
        QVERIFY(start(peer, {QStringLiteral("contend"), QString::number(kClients), QString::number(kContention / 1s)}));
        const auto contending = next(peer);
        QVERIFY(contending && contending->what == "contending");
        std::vector<std::unique_ptr<Process>> processes;
        std::vector<std::unique_ptr<recipes::Recipe>> all;
        Counted counted;
        const Nanos until = m_runtime.monotonic() + kContention;
        for (int i = 0; i < kClients; ++i) {
            processes.push_back(std::make_unique<Process>(m_runtime, m_server));
            all.push_back(processes.back()->recipe("redis-set", kName));
            m_runtime.spawn([&, process = processes.back().get(), recipe = all.back().get(), until] {
                return countUp(m_runtime, *process, *recipe, until, counted);
            });
        }
        QTRY_COMPARE_WITH_TIMEOUT(counted.done, kClients, 60'000);
        const auto theirs = next(peer);
        QVERIFY(theirs);
        const QList<QByteArray> words = theirs->what.split(':');
        QCOMPARE(words.value(0), QByteArray("counted"));
        QCOMPARE(counted.wrong, QStringList());
        const int sum = counted.counts + words.value(1).toInt();
        QCOMPARE(call(m_us->driver, {"GET", "count"}).value().text.toInt(), sum);
        QVERIFY(counted.counts > 0 && words.value(1).toInt() > 0); // neither was shut out
        qInfo("counted together: %d by us, %d by redis-py", counted.counts, words.value(1).toInt());
    }

    void aKilledPeerFreesItWhenItsTimeIsUp() {
        sandbox::ProcessSupervisor peer;
        QVERIFY(start(peer, {QStringLiteral("hold"), QStringLiteral("1.5")}));
        const auto held = next(peer);
        QVERIFY(held && held->what == "held");
        peer.kill();
        const auto recipe = m_us->recipe("redis-set", kName);
        const auto grant = run(recipe->acquire(requestFor(*recipe, 20s), {}));
        QVERIFY(grant && *grant);
        const Nanos took = m_runtime.monotonic() - held->at;
        QVERIFY2(took > 1200ms && took < 3s, qPrintable(QString::number(took / 1ms)));
    }

private:
    EventLoopRuntime m_runtime{std::chrono::steady_clock::time_point{}}; // CLOCK_MONOTONIC, as Python shows it
    sandbox::RedisServer m_server{m_runtime};
    std::unique_ptr<Process> m_us;
};

QTEST_GUILESS_MAIN(TestInteropRedisPy)
#include "tst_interop_redis_py.moc"
