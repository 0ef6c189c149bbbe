// SPDX-License-Identifier: Apache-2.0
#include "runtime/completion.h"
#include "runtime/event_loop_runtime.h"
#include "runtime/mailbox.h"
#include "runtime/signal_count.h"
#include "runtime/virtual_runtime.h"

#include <QAbstractEventDispatcher>
#include <QEventLoop>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

using namespace lockscope;

namespace {

/// Counts itself: shows that a coroutine's frame is freed.
struct Token {
    explicit Token(int& count) : alive(count) { ++alive; }
    ~Token() { --alive; }
    Token(const Token&) = delete;
    Token& operator=(const Token&) = delete;
    int& alive;
};

} // namespace

class TestRuntime : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sleepsInVirtualTime() {
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        Nanos woke{};
        runtime.spawn([&]() -> QCoro::Task<> {
            co_await runtime.sleep(1500ms);
            woke = scheduler.now();
        });
        scheduler.runUntil(1s);
        QCOMPARE(woke, Nanos(0));
        scheduler.runUntil(2s);
        QCOMPARE(woke, Nanos(1500ms));
    }

    void aPausedProcessGoesOnInTheOrderOfReadiness() {
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        QByteArray order;
        const Completion<int> reply;
        const auto sleeper = [&](Nanos nap, char mark) {
            return [&, nap, mark]() -> QCoro::Task<> {
                co_await runtime.sleep(nap);
                order += mark;
            };
        };
        runtime.spawn(sleeper(3s, 'c'));
        runtime.spawn(sleeper(1s, 'a'));
        runtime.spawn([&]() -> QCoro::Task<> {
            const auto value = co_await reply.wait(runtime, 10s);
            order += value ? 'b' : '?';
        });
        runtime.pause();
        scheduler.at(2s, [&] { reply.complete(7); });
        scheduler.runUntil(20s); // the time-out of 10 s came after the reply: it stays a reply
        QCOMPARE(order, QByteArray());
        runtime.resume();
        scheduler.runUntil(20s);
        QCOMPARE(order, QByteArray("abc"));
    }

    void aKilledProcessEndsEachWaitOnceAndFreesAll() {
        VirtualScheduler scheduler;
        int alive = 0, killed = 0, after = 0;
        {
            VirtualRuntime runtime(scheduler, 1);
            for (int i = 0; i < 5; ++i) {
                runtime.spawn([&]() -> QCoro::Task<> {
                    const Token token(alive);
                    try {
                        co_await runtime.sleep(1s);
                        co_await runtime.sleep(1h);
                    } catch (const Cancelled& cancelled) {
                        if (cancelled.why() == Cancelled::Why::Killed) ++killed;
                    }
                    co_await runtime.sleep(1s); // ends at once: there is no life after this
                    ++after;
                });
            }
            scheduler.runUntil(2s);
            QCOMPARE(alive, 5);
            runtime.kill();
            QCOMPARE(killed, 5);
            QCOMPARE(alive, 0);
            scheduler.runUntil(2h);
            QCOMPARE(after, 0);
        }
    }

    void killWhilePausedWithThingsReady() {
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        int alive = 0, ran = 0;
        runtime.spawn([&]() -> QCoro::Task<> {
            const Token token(alive);
            co_await runtime.sleep(1s);
            ++ran;
        });
        runtime.pause();
        scheduler.runUntil(5s);
        runtime.kill();
        runtime.resume();
        scheduler.runUntil(10s);
        QCOMPARE(ran, 0);
        QCOMPARE(alive, 0);
    }

    void aStopRequestEndsOneWaitOnly() {
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        std::stop_source source;
        bool stopped = false, other = false;
        runtime.spawn([&]() -> QCoro::Task<> {
            try {
                co_await runtime.sleep(1h, source.get_token());
            } catch (const Cancelled& cancelled) {
                stopped = cancelled.why() == Cancelled::Why::Stopped;
            }
        });
        runtime.spawn([&]() -> QCoro::Task<> {
            co_await runtime.sleep(2s);
            other = true;
        });
        scheduler.at(1s, [&] { source.request_stop(); });
        scheduler.runUntil(3s);
        QVERIFY(stopped);
        QVERIFY(other);
    }

    void aWaitTellsHowItEnded() {
        using Outcome = Waiter::Outcome;
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        std::stop_source source;
        std::map<char, Outcome> ended;
        Waiter* woken = nullptr;
        const auto wait = [&](char name, Nanos timeout, std::stop_token stop) -> QCoro::Task<> {
            Waiter waiter(runtime, timeout, stop);
            if (name == 'w') woken = &waiter;
            ended[name] = co_await waiter.howEnded();
        };
        runtime.spawn([&] { return wait('w', 1h, {}); });
        runtime.spawn([&] { return wait('t', 1s, {}); });
        runtime.spawn([&] { return wait('s', 1h, source.get_token()); });
        runtime.spawn([&] { return wait('k', kNever, {}); });
        scheduler.at(2s, [&] {
            woken->wake();
            source.request_stop();
        });
        scheduler.runUntil(3s);
        QCOMPARE(ended.size(), std::size_t(3));
        runtime.kill();
        const std::map<char, Outcome> wanted{
            {'w', Outcome::Ready}, {'t', Outcome::TimedOut}, {'s', Outcome::Stopped}, {'k', Outcome::Killed}};
        QVERIFY(ended == wanted);
    }

    void aCompletionTimesOutOrArrivesOnce() {
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        const Completion<int> late, early;
        std::optional<int> first = 99, second;
        runtime.spawn([&]() -> QCoro::Task<> { first = co_await late.wait(runtime, 1s); });
        runtime.spawn([&]() -> QCoro::Task<> { second = co_await early.wait(runtime, 1s); });
        scheduler.at(500ms, [&] {
            QVERIFY(early.complete(5));
            QVERIFY(!early.complete(6));
        });
        scheduler.at(2s, [&] { late.complete(1); });
        scheduler.runUntil(3s);
        QVERIFY(!first.has_value());
        QCOMPARE(second, std::optional<int>(5));
    }

    void aSignalIsNeverLostWithAStoppedWaiter() {
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        SignalCount signal;
        std::stop_source source;
        bool got = false;
        runtime.spawn([&]() -> QCoro::Task<> { co_await signal.acquire(runtime, kNever, source.get_token()); });
        runtime.spawn([&]() -> QCoro::Task<> { got = co_await signal.acquire(runtime, kNever); });
        scheduler.at(1s, [&] {
            source.request_stop(); // the first waiter goes; the signal must reach the second
            signal.release();
        });
        scheduler.runUntil(2s);
        QVERIFY(got);
        QCOMPARE(signal.waiting(), 0);
    }

    void clocksMayLie() {
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        scheduler.runUntil(10s);
        runtime.setWallOffset(1h);
        QCOMPARE(runtime.wallMs(), VirtualRuntime::kEpochMs + 3'610'000);
        runtime.setDriftPpm(100'000); // a tenth faster
        scheduler.runUntil(20s);
        QCOMPARE(runtime.monotonic(), Nanos(21s));
        Nanos woke{};
        runtime.spawn([&]() -> QCoro::Task<> {
            co_await runtime.sleep(11s);
            woke = scheduler.now();
        });
        scheduler.runUntil(60s);
        QVERIFY(woke >= Nanos(30s) && woke <= Nanos(30s) + 10ns);
    }

    void equalSeedsGiveEqualIdentities() {
        VirtualScheduler scheduler;
        VirtualRuntime one(scheduler, 5), two(scheduler, 5), other(scheduler, 6);
        const QByteArray uuid = one.randomUuid();
        QCOMPARE(uuid, two.randomUuid());
        QVERIFY(uuid != other.randomUuid());
        QCOMPARE(uuid.size(), 36);
        QCOMPARE(uuid[14], '4');
        for (int i = 0; i < 1000; ++i) {
            const Nanos drawn = one.random(3ns, 5ns);
            QVERIFY(drawn >= 3ns && drawn <= 5ns);
        }
    }

    void theEventLoopKindKeepsTheSamePromises() {
        EventLoopRuntime runtime;
        int alive = 0;
        bool slept = false, killed = false;
        runtime.spawn([&]() -> QCoro::Task<> {
            co_await runtime.sleep(20ms);
            slept = true;
        });
        runtime.pause();
        bool looped = false;
        QTimer::singleShot(60, this, [&] { looped = true; });
        QTRY_VERIFY(looped);
        QVERIFY(!slept);
        runtime.resume();
        QTRY_VERIFY(slept);
        runtime.spawn([&]() -> QCoro::Task<> {
            const Token token(alive);
            try {
                co_await runtime.sleep(1h);
            } catch (const Cancelled&) {
                killed = true;
                throw;
            }
        });
        runtime.kill();
        QVERIFY(killed);
        QCOMPARE(alive, 0);
    }

    void aCallMayBeDueInMonths() {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("."))); // of a timer that Qt refuses
        EventLoopRuntime runtime;
        bool far = false, near = false;
        runtime.callAt(runtime.monotonic() + std::chrono::days(30), [&] { far = true; });
        runtime.callAt(runtime.monotonic() + 5ms, [&] { near = true; });
        QTRY_VERIFY(near);
        QVERIFY(!far);
    }

    void aPausedProcessSleepsThoughSomeAreReady() {
        EventLoopRuntime runtime;
        std::vector<Completion<int>> replies(3);
        int went = 0;
        for (const Completion<int>& reply : replies) {
            runtime.spawn([&runtime, &went, reply]() -> QCoro::Task<> {
                co_await reply.wait(runtime, 1h);
                ++went;
            });
        }
        for (const Completion<int>& reply : replies)
            reply.complete(1);
        runtime.pause(); // before the turn that they have asked for
        int rounds = 0;
        QObject here;
        connect(QAbstractEventDispatcher::instance(), &QAbstractEventDispatcher::awake, &here, [&] { ++rounds; });
        QEventLoop loop;
        QTimer::singleShot(100, &loop, &QEventLoop::quit);
        loop.exec();
        QCOMPARE(went, 0);
        QVERIFY2(rounds < 50, qPrintable(QString::number(rounds)));
        runtime.resume();
        QTRY_COMPARE(went, 3);
    }

    void aLetterMayDestroyItsMailbox() {
        auto box = std::make_unique<Mailbox>();
        const QPointer<Mailbox> watched(box.get());
        int read = 0;
        box->put([&] {
            ++read;
            box.reset();
        });
        box->put([&] { ++read; });
        QTRY_VERIFY(!watched);
        QCOMPARE(read, 1);
    }
};

QTEST_GUILESS_MAIN(TestRuntime)
#include "tst_runtime.moc"
