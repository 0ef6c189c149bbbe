// SPDX-License-Identifier: Apache-2.0
// Events of holds for threads that block, and leases of their own.
#include "blocking_redis.h"
#include "client/blocking/access.h"
#include "verdict/verdict.h"
#include <lockscope/mutex.h>
#include <lockscope/semaphore.h>
#include <lockscope/shared_mutex.h>

#include <QDateTime>
#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;

namespace {
/// The events that a listener has heard, on any thread.
class Heard {
public:
    auto listener() {
        return [this](HoldEvent event, const std::string& reason) {
            const std::lock_guard held(m_lock);
            m_events.push_back(event);
            m_reasons.push_back(reason);
        };
    }
    std::vector<HoldEvent> events() const {
        const std::lock_guard held(m_lock);
        return m_events;
    }
    bool has(HoldEvent event) const { return std::ranges::count(events(), event) > 0; }
    std::string reasonOf(HoldEvent event) const {
        const std::lock_guard held(m_lock);
        for (std::size_t i = 0; i < m_events.size(); ++i) {
            if (m_events[i] == event) return m_reasons[i];
        }
        return {};
    }

private:
    mutable std::mutex m_lock;
    std::vector<HoldEvent> m_events;
    std::vector<std::string> m_reasons;
};

/// Warnings while it lives, of all threads.
class Warnings {
public:
    Warnings() {
        s_texts.clear();
        m_before = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
            const std::lock_guard held(s_lock);
            if (type == QtWarningMsg) s_texts += text;
        });
    }
    ~Warnings() { qInstallMessageHandler(m_before); }
    Warnings(const Warnings&) = delete;
    Warnings& operator=(const Warnings&) = delete;
    QStringList texts() const {
        const std::lock_guard held(s_lock);
        return s_texts;
    }

private:
    static inline std::mutex s_lock;
    static inline QStringList s_texts;
    QtMessageHandler m_before;
};

} // namespace

class TestBlockingEvents : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    BlockingRedis m_server{m_runtime};

    std::string url() const { return m_server.url(); }

private Q_SLOTS:
    void init() { VERIFY_EMPTY(m_server.running()); }
    void cleanupTestCase() { m_server.end(); }

    void listenersHearOfEveryEvent() {
        blocking::Client client(url()), another(url());
        LockOptions options;
        options.lease = 900ms;
        options.watchdog = 100ms;
        blocking::Mutex orders(client, "orders", options), theirs(another, "orders");
        Heard heard, replaced;
        orders.onEvent(replaced.listener());
        orders.onEvent(heard.listener());
        orders.lock();
        orders.lock();
        orders.unlock();
        QVERIFY(soon([&] { return heard.has(HoldEvent::Renewed); }));
        orders.unlock();
        auto events = heard.events();
        std::erase(events, HoldEvent::Renewed);
        using enum HoldEvent;
        QCOMPARE(events, (std::vector{Acquired, Reentered, Released, Released}));
        QVERIFY(replaced.events().empty());

        orders.lock();
        m_server->pause();
        QVERIFY(soon([&] { return heard.has(Suspended); }));
        QVERIFY(!heard.reasonOf(Suspended).empty());
        m_server->resume();
        orders.unlock();
        orders.lock();
        QVERIFY(theirs.forceUnlock());
        QVERIFY(soon([&] { return heard.has(Lost); }));
        QVERIFY(!heard.reasonOf(Lost).empty());

        orders.onEvent(nullptr);
        const std::size_t before = heard.events().size();
        orders.lock();
        orders.unlock();
        QCOMPARE(heard.events().size(), before);
    }

    void aHistoryHasOneWriter() {
        const auto history = std::make_shared<blocking::History>();
        // Nothing listens there: its program tries again.
        QVERIFY_THROWS_EXCEPTION(UnreachableException, blocking::Client("redis://127.0.0.1:1", {.history = history}));
        {
            blocking::Client client(url(), {.history = history});
            QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::Client(url(), {.history = history}));
            blocking::Client beside(url(), {.history = history, .beside = &client});
            blocking::Mutex(beside, "orders").acquire().unlock();
        }
        QVERIFY(history->size() > 0);
        // Its times would begin again.
        QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::Client(url(), {.history = history}));
    }

    void theHistoryIsWrittenDown() {
        constexpr int kTurns = 40;
        const auto trace = std::make_shared<trace::Trace>();
        blocking::ClientOptions options;
        options.history = blocking::detail::Access::history(trace);
        {
            blocking::Client client(url(), options);
            options.beside = &client;
            blocking::Client beside(url(), options);
            blocking::Mutex orders(client, "orders"), same(beside, "orders");
            const auto work = [](blocking::Mutex& lock) {
                for (int turn = 0; turn < kTurns; ++turn) {
                    lock.lock();
                    lock.unlock();
                }
            };
            const std::jthread one([&] { work(orders); }), two([&] { work(orders); }), three([&] { work(same); });
        }
        int grants = 0, releases = 0;
        std::set<trace::EntityId> threads, clients;
        for (std::size_t i = 0; i < trace->size(); ++i) {
            const trace::Event event = trace->at(i);
            grants += event.kind == trace::EventKind::Granted;
            releases += event.kind == trace::EventKind::Released;
            if (event.kind != trace::EventKind::Granted) continue;
            QCOMPARE(trace->entity(event.subject).name, "orders");
            threads.insert(event.actor);
            clients.insert(trace->clientOf(event.actor));
        }
        QCOMPARE(grants, 3 * kTurns);
        QCOMPARE(releases, 3 * kTurns);
        QCOMPARE(threads.size(), 3U);
        QCOMPARE(clients.size(), 2U);
        verdict::Judge judge(trace, {});
        judge.consume();
        const verdict::Verdict verdict = judge.verdict(true);
        for (const verdict::Violation& violation : verdict.violations)
            QFAIL(qPrintable(verdict::explain(violation, *trace)));
        QVERIFY(std::abs(trace->originWallMs() + trace->reached() / 1ms - QDateTime::currentMSecsSinceEpoch()) <
                60'000);
    }

    void semaphoresTellTheSame() {
        blocking::Client client(url());
        blocking::Semaphore seats(client, "seats", 2);
        Heard heard;
        seats.onEvent(heard.listener());
        seats.acquire().unlock();
        using enum HoldEvent;
        QCOMPARE(heard.events(), (std::vector{Acquired, Released}));
    }

    void aReleaseThatFailsIsTold_data() {
        QTest::addColumn<bool>("rests");
        QTest::addColumn<bool>("listens");
        QTest::newRow("at once, to the listener and the handler") << false << true;
        QTest::newRow("at once, to the handler") << false << false;
        QTest::newRow("after its rest, to the listener") << true << true;
        QTest::newRow("after its rest, on stderr") << true << false;
    }
    void aReleaseThatFailsIsTold() {
        QFETCH(bool, rests);
        QFETCH(bool, listens);
        blocking::Client client(url());
        LockOptions options;
        if (rests) options.minHold = 2s;
        blocking::Mutex orders(client, "orders", options);
        Heard heard;
        if (listens) orders.onEvent(heard.listener());
        int handled = 0;
        orders.onUnlockFailed([&](const LockException&) { ++handled; });
        const Warnings warnings;
        orders.lock();
        if (!rests) m_server->kill();
        orders.unlock();
        if (rests) m_server->kill();
        QCOMPARE(handled, rests ? 0 : 1);
        const std::string where = "127.0.0.1:" + std::to_string(m_server->port());
        if (listens) {
            QVERIFY(soon([&] { return heard.has(HoldEvent::ReleaseFailed); }));
            QVERIFY(heard.reasonOf(HoldEvent::ReleaseFailed).find(where) != std::string::npos);
        }
        if (rests && !listens) {
            QVERIFY(soon([&] { return !warnings.texts().isEmpty(); }));
            QVERIFY(warnings.texts().front().contains(QString::fromStdString(where)));
            QVERIFY(warnings.texts().front().contains(QStringLiteral("“orders”")));
        }
        client.close(); // whatever there is to be said has been said
        QCOMPARE(warnings.texts().size(), rests && !listens ? 1 : 0);
    }

    void readersAndPermitsHaveLeasesOfTheirOwn() {
        blocking::Client client(url()), another(url());
        LockOptions options;
        options.lease = 5s; // a busy machine renews it late
        options.watchdog = 100ms;
        blocking::SharedMutex prices(client, "prices", options), theirs(another, "prices");
        QVERIFY(prices.tryLockSharedWithLease(0s, 2s));
        QVERIFY(prices.stillShared() && prices.remainingShared() <= 2s);
        QVERIFY(theirs.try_lock_for(10s)); // when it has ended: a watchdog would keep it for ever
        QVERIFY(!prices.stillShared());
        theirs.unlock();

        blocking::Semaphore seats(client, "seats", 2, options), others(another, "seats", 2);
        const blocking::Permit kept = seats.acquire();
        const blocking::Permit brief = seats.tryAcquireWithLease(0s, 2s);
        QVERIFY(kept && brief);
        QVERIFY(brief.remaining() > Nanos(0) && brief.remaining() <= 2s);
        QVERIFY(kept.remaining() > Nanos(0) && kept.remaining() <= 5s);
        QVERIFY(others.tryAcquireFor(10s));
        QVERIFY(soon([&] { return !brief.stillMine(); }));
        QCOMPARE(brief.remaining(), Nanos(0));
        QVERIFY(kept.stillMine());
        QCOMPARE(blocking::Permit().remaining(), Nanos(0));
        QVERIFY_THROWS_EXCEPTION(RefusedException, (void)seats.tryAcquireWithLease(0s, 0s));
    }

    void permitsAreFreedByForce() {
        blocking::Client client(url()), another(url());
        blocking::Semaphore seats(client, "boxes", 2), others(another, "boxes", 2);
        QVERIFY(!others.forceUnlock());
        blocking::Permit both = seats.acquire(2);
        QVERIFY(!others.tryAcquire());
        QVERIFY(others.forceUnlock());
        QVERIFY(others.tryAcquire(2));
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, both.unlock());
    }
};

QTEST_GUILESS_MAIN(TestBlockingEvents)
#include "tst_blocking_events.moc"
