// SPDX-License-Identifier: Apache-2.0
#include "operated_redis.h"
#include <lockscope/condition.h>
#include <lockscope/log.h>
#include <lockscope/manager.h>
#include <lockscope/mutex.h>
#include <lockscope/semaphore.h>

#include <QProcess>
#include <QTemporaryDir>
#include <future>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;
using namespace std::chrono_literals;

/// Programs that do with blocking locks what they should not, or seldom do: nothing hangs, and nobody else suffers.
class TestBlockingMisuse : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    OperatedRedis m_redis{m_runtime};

    std::string url() const { return m_redis.url().toStdString(); }
    redis::Reply ask(redis::Args args) { return m_redis.ask(std::move(args)); }
    static LockOptions brief() {
        LockOptions options;
        options.lease = 600ms;
        options.watchdog = 200ms;
        return options;
    }
    /// The exit code of odd_program; -1 when it did not end by itself.
    int odd(const char* what, const QString& url) const {
        QProcess program;
        program.setProcessChannelMode(QProcess::ForwardedChannels);
        // A forked process has no service threads. Memory that only those threads referred to looks like a leak in it.
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        if (QLatin1String(what) == QLatin1String("exit"))
            environment.insert(u"ASAN_OPTIONS"_qs, environment.value(u"ASAN_OPTIONS"_qs) + u":detect_leaks=0"_qs);
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(LOCKSCOPE_ODD_PROGRAM), {QLatin1String(what), url});
        if (!program.waitForFinished(60'000)) {
            program.kill();
            program.waitForFinished();
            return -1;
        }
        return program.exitStatus() == QProcess::NormalExit ? program.exitCode() : -1;
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_redis.start()); }
    void init() { m_redis.empty(); }
    void cleanupTestCase() { m_redis.stop(); }

    void aListenerThatThrowsKeepsNobodyFromHearing() {
        blocking::Client client(url());
        blocking::Mutex one(client, "orders", brief()), other(client, "orders", brief());
        one.onLost([](const std::string&) { throw std::runtime_error("a careless listener"); });
        std::promise<void> told;
        other.onLost([&](const std::string&) { told.set_value(); });
        one.lock();
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(u"a careless listener"_qs));
        ask({"DEL", "orders"});
        QVERIFY(told.get_future().wait_for(10s) == std::future_status::ready);
        QVERIFY(!one.stillMine());
    }

    void aListenerThatThrowsDoesNotKeepAClientFromClosing() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        orders.onLost([](const std::string&) { throw 7; });
        orders.lock();
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(u"listener threw something"_qs));
        client.close();
        QVERIFY_THROWS_EXCEPTION(UnreachableException, orders.lock());
    }

    void twoClientsOfAProgramHaveNoIdentityTogether() {
        const blocking::ClientOptions worker{.identity = "worker-7"};
        std::optional<blocking::Client> first(std::in_place, url(), worker);
        blocking::Mutex orders(*first, "orders");
        orders.lock();
        try {
            const blocking::Client second(url() + "?timeout=2s", worker);
            QFAIL("a second client with the first one's identity");
        } catch (const RefusedException& refused) {
            const QByteArray what = refused.what();
            QVERIFY2(what.contains("“worker-7”") && what.contains("127.0.0.1"), what.constData());
        }
        QVERIFY(orders.stillMine()); // it was left alone
        QVERIFY_THROWS_EXCEPTION(RefusedException,
                                 blocking::Client(url(), {.identity = "worker-7", .beside = &*first}));
        const std::string json = "{\"lockscope-manager\": 1, \"namespaces\": [{\"name\": \"shop\", \"engines\": "
                                 "[{\"recipe\": \"redis-fenced\", \"url\": \"" +
                                 url() + "\"}]}]}";
        QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::Manager(json, {.identity = "worker-7"}));
        const blocking::Client elsewhere(url() + "/1", worker); // another database: other locks
        orders.unlock();
        first->close();
        const blocking::Client again(url(), worker);
        first.reset();
        QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::Client(url(), worker));
    }

    void anIdentityIsFreeAgainAfterAFailure() {
        const blocking::ClientOptions worker{.identity = "worker-8"};
        const std::string nobody = "redis://127.0.0.1:1?connect=200ms";
        QVERIFY_THROWS_EXCEPTION(UnreachableException, blocking::Client(nobody, worker));
        QVERIFY_THROWS_EXCEPTION(UnreachableException, blocking::Client(nobody, worker)); // not refused
        { const blocking::Client client(url(), worker); }
        const blocking::Client next(url(), worker);
        QCOMPARE(next.identity(), std::string("worker-8"));
    }

    void anUnlockThatFailsNamesItsLock() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(u"“orders” could not be given back: This thread"_qs));
        orders.unlock();
        blocking::Semaphore seats(client, "seats", 1);
        blocking::Permit seat = seats.acquire();
        QVERIFY(seats.forceUnlock());
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(u"a hold of “seats” could not be given back"_qs));
        seat = blocking::Permit();
    }

    void aHandlerOfFailedUnlocksThatThrowsEndsNoProgram() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        orders.onUnlockFailed([](const LockException&) { throw 7; });
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(u"listener threw something"_qs));
        orders.unlock();
    }

    /// The second caller of close() relies on the client's end as the first one does: it destroys next what callbacks
    /// use.
    void whoClosesSecondWaitsForTheEnd() {
        blocking::Client client(url());
        m_redis->pause();
        const auto pinging = std::async(std::launch::async, [&] {
            try {
                client.ping();
            } catch (const LockException&) {
                return false;
            }
            return true;
        });
        std::promise<void> closing;
        const auto first = std::async(std::launch::async, [&] {
            closing.set_value();
            client.close();
        });
        closing.get_future().wait();
        QTest::qWait(100); // the other thread is likely to have begun
        client.close();
        const bool over = pinging.wait_for(300ms) == std::future_status::ready;
        m_redis->resume();
        QVERIFY(over);
    }

    void theApplicationObjectMayGoFirst() { QCOMPARE(odd("application", m_redis.url()), 0); }
    void aCopyOfTheProcessHoldsNothingAndHarmsNothing() {
#ifdef __SANITIZE_THREAD__
        QSKIP("The thread checker cannot follow a process that is copied while it has threads, and makes new ones.");
#endif
        QCOMPARE(odd("fork", m_redis.url()), 0);
    }

    void aCopyOfTheProcessEndsAsProgramsDo() {
#ifdef __SANITIZE_THREAD__
        QSKIP("The thread checker cannot follow a process that is copied while it has threads, and makes new ones.");
#endif
        QCOMPARE(odd("exit", m_redis.url()), 0);
        const QTemporaryDir folder; // databases have threads of their own
        QCOMPARE(odd("exit", QStringLiteral("sqlite://") + folder.filePath(QStringLiteral("locks.sqlite"))), 0);
    }

    void aLeaseOfItsOwnEndsByItself() {
        blocking::Client client(url()), another(url());
        blocking::Mutex orders(client, "orders"), same(another, "orders");
        QCOMPARE(orders.remaining(), Nanos(0));
        QVERIFY(orders.tryLockWithLease(1s, 3s));
        QVERIFY(orders.remaining() > Nanos(0) && orders.remaining() <= 3s);
        QVERIFY(!same.try_lock());
        QVERIFY(same.try_lock_for(10s)); // nobody unlocked, nothing renewed it
        QVERIFY(!orders.stillMine());
        QCOMPARE(orders.remaining(), Nanos(0));
        QVERIFY(same.remaining() > 20s);
        same.unlock();
    }

    void conditionsWaitForPredicatesInTimeAndUntilStopped() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        blocking::Condition changed(orders);
        std::unique_lock lock(orders);
        QVERIFY(changed.wait(lock, std::stop_token(), [] { return true; }));
        QVERIFY(!changed.wait_until(lock, std::chrono::steady_clock::now() + 50ms, [] { return false; }));
        QVERIFY(orders.stillMine());
        std::stop_source stop;
        const std::jthread stopping([&] {
            blocking::Client another(url());
            blocking::Mutex same(another, "orders");
            same.lock(); // it waits: its mutex is free
            same.unlock();
            stop.request_stop();
        });
        QVERIFY(!changed.wait(lock, stop.get_token(), [] { return false; }));
        QVERIFY(orders.stillMine());
    }

    void negativeTimesAreRefused_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("watchdog") << 0;
        QTest::newRow("maxHold") << 1;
        QTest::newRow("minHold") << 2;
    }
    void negativeTimesAreRefused() {
        QFETCH(int, which);
        LockOptions options;
        (which == 0 ? options.watchdog : which == 1 ? options.maxHold : options.minHold) = -1s;
        blocking::Client client(url());
        QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::Mutex(client, "orders", options));
    }

    void aNameWithAZeroByteCutsNoMessage() {
        blocking::Client client(url());
        try {
            blocking::Semaphore(client, std::string_view("nul\0in", 6), 0);
            QFAIL("it was made");
        } catch (const RefusedException& refused) {
            QVERIFY2(QByteArray(refused.what()).contains("needs at least one permit"), refused.what());
        }
    }

    void anObjectWithOtherOptionsIsRefused_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("word");
        QTest::newRow("lease") << 0 << u"lease"_qs;
        QTest::newRow("watchdog") << 1 << u"watchdog"_qs;
        QTest::newRow("token") << 2 << u"token"_qs;
        QTest::newRow("maxHold") << 3 << u"maxHold"_qs;
        QTest::newRow("minHold") << 4 << u"minHold"_qs;
    }
    void anObjectWithOtherOptionsIsRefused() {
        QFETCH(int, which);
        QFETCH(QString, word);
        LockOptions other;
        other.recipe = std::string("redis-reentrant"); // the usual one by its name is no other option
        if (which == 0) other.lease = 20s;
        if (which == 1) other.watchdog = 2s;
        if (which == 2) other.token = false;
        if (which == 3) other.maxHold = 1h;
        if (which == 4) other.minHold = 1s;
        blocking::Client client(url()), another(url());
        {
            blocking::Mutex first(client, "orders");
            try {
                blocking::Mutex(client, "orders", other);
                QFAIL("it was made");
            } catch (const RefusedException& refused) {
                const QString told = QString::fromUtf8(refused.what());
                QVERIFY2(told.contains(u"“orders”"_qs) && told.contains(u'(' + word + u')'), qPrintable(told));
            }
            const blocking::Mutex elsewhere(another, "orders", other);
        }
        const blocking::Mutex later(client, "orders", other); // nobody has it otherwise any more
    }

    void aSemaphoreOfAnotherSizeIsRefused() {
        blocking::Client client(url());
        blocking::Semaphore two(client, "seats", 2);
        QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::Semaphore(client, "seats", 3));
        const blocking::Permit one = two.acquire(), other = blocking::Semaphore(client, "seats", 2).tryAcquire();
        QVERIFY(one && other);
    }

    void anUnsafeRecipeWantsAWord() {
        blocking::Client client(url());
        LockOptions unsafe;
        unsafe.recipe = "redis-setnx";
        try {
            blocking::Mutex(client, "orders", unsafe);
            QFAIL("it was made");
        } catch (const RefusedException& refused) {
            QVERIFY2(QByteArray(refused.what()).contains("allowNaive"), refused.what());
        }
        unsafe.allowNaive = true;
        blocking::Mutex orders(client, "orders", unsafe);
        QVERIFY(orders.try_lock());
        orders.unlock();
    }

    void allExceptionsAreOfOneFamily() {
        QVERIFY_THROWS_EXCEPTION(LockException, (void)blocking::Client("redsi://127.0.0.1"));
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        std::stop_source stop;
        stop.request_stop();
        try {
            orders.lock(stop.get_token());
            QFAIL("it was taken");
        } catch (const LockException& interrupted) {
            QCOMPARE(interrupted.kind(), ErrorKind::Interrupted);
        }
        bool caught = false; // also by the standard's common base
        try {
            orders.lock(stop.get_token());
        } catch (const std::exception&) {
            caught = true;
        }
        QVERIFY(caught);
    }

    void whatNobodyElseHearsGoesToTheHandler() {
        std::vector<std::string> told;
        setLogHandler([&](LogLevel, std::string_view sentence) { told.emplace_back(sentence); });
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders");
        orders.unlock();
        setLogHandler(nullptr);
        QCOMPARE(told.size(), std::size_t(1));
        QVERIFY2(told[0].find("“orders” could not be given back: This thread") != std::string::npos, told[0].c_str());
    }

    void aClientLeavesTheLocaleAlone() {
        QCOMPARE(odd("locale", m_redis.url()), 0);
    }
};

QTEST_GUILESS_MAIN(TestBlockingMisuse)
#include "tst_blocking_misuse.moc"
