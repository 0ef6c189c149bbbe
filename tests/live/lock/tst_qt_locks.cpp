// SPDX-License-Identifier: Apache-2.0
// The public coroutines: what <lockscope/lockscope.h> offers, on a real Redis.
#include "live_redis.h"

#include <lockscope/lockscope.h>

using namespace lockscope;
using namespace lockscope::test;

class TestQtLocks : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;
    std::unique_ptr<qt::Connection> m_a, m_b;

    std::unique_ptr<qt::Connection> opened() const {
        auto connection = qt::Connection::make(m_server->url());
        if (!connection || !run((*connection)->open())) return nullptr;
        return *std::move(connection);
    }

private Q_SLOTS:
    void initTestCase() {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        VERIFY_STARTED(*m_server);
        m_a = opened();
        m_b = opened();
        QVERIFY(m_a && m_b && m_a->identity() != m_b->identity());
        QVERIFY(run(m_a->ping()) && run(m_a->prepare()) && m_a->schema().isEmpty());
    }
    void cleanupTestCase() {
        m_a.reset();
        m_b.reset();
        m_server.reset();
    }

    void aMutexIsHeldExtendedAndGivenBack() {
        qt::Mutex mine(*m_a, QStringLiteral("orders")), theirs(*m_b, QStringLiteral("orders"));
        auto hold = run(mine.tryLockWithLease(0s, 2s));
        QVERIFY(hold && *hold && hold->stillMine() && hold->token() > 0);
        QCOMPARE(hold->tokens(), std::vector{hold->token()});
        QVERIFY(run(hold->extend(20s)));
        QVERIFY(hold->remaining() > 15s);
        const auto holders = run(theirs.holders());
        QVERIFY(holders && holders->size() == 1);
        QCOMPARE(QString::fromStdString(holders->front().client), m_a->identity());
        const auto refused = run(theirs.tryLock());
        QVERIFY(refused && !*refused && run(theirs.isLocked()).value());
        QCOMPARE(run(hold->unlock()).value(), 0);
        QVERIFY(!*hold && !run(theirs.isLocked()).value());
        const auto again = run(hold->unlock());
        QVERIFY(!again && again.error().kind == ErrorKind::NotOwner);
    }

    void aLossIsTold() {
        qt::Mutex mine(*m_a, QStringLiteral("lost")), theirs(*m_b, QStringLiteral("lost"));
        std::vector<HoldEvent> events;
        QString reason;
        mine.onEvent([&](HoldEvent event, const QString& why) {
            events.push_back(event);
            if (event == HoldEvent::Lost) reason = why;
        });
        auto hold = run(mine.lock());
        QVERIFY(hold && *hold);
        const std::stop_token lost = hold->lost();
        QVERIFY(run(theirs.forceUnlock()).value());
        QTRY_VERIFY_WITH_TIMEOUT(lost.stop_requested(), 15'000);
        QVERIFY(!hold->stillMine() && !reason.isEmpty());
        QCOMPARE(events, (std::vector{HoldEvent::Acquired, HoldEvent::Lost}));
    }

    void aStopRequestIsAnErrorOfItsOwn() {
        qt::Mutex mine(*m_a, QStringLiteral("stopped")), theirs(*m_b, QStringLiteral("stopped"));
        const auto held = run(mine.lock());
        QVERIFY(held);
        std::stop_source stop;
        QTimer::singleShot(50, [&] { stop.request_stop(); });
        const auto waited = run(theirs.lock(stop.get_token()));
        QVERIFY(!waited && waited.error().kind == ErrorKind::Interrupted && !waited.error().message.isEmpty());
    }

    void readersPermitsAndSeveralLocks() {
        qt::SharedMutex mine(*m_a, QStringLiteral("prices")), theirs(*m_b, QStringLiteral("prices"));
        {
            const auto one = run(mine.lockShared()), other = run(theirs.tryLockShared());
            QVERIFY(one && *one && other && *other);
            const auto writer = run(theirs.tryLockFor(50ms));
            QVERIFY(writer && !*writer);
        }
        qt::Semaphore seats(*m_a, QStringLiteral("seats"), 2), same(*m_b, QStringLiteral("seats"), 2);
        const auto both = run(seats.acquire(2));
        QVERIFY(both && *both);
        const auto none = run(same.tryAcquireFor(50ms));
        QVERIFY(none && !*none);
        QCOMPARE(run(same.availablePermits()).value(), 0);
        QCOMPARE(run(qt::Semaphore(*m_a, QStringLiteral("benches"), 4).availablePermits()).value(), 4);
        const auto taken = run(same.holders());
        QVERIFY(taken && taken->size() == 2 && taken->front().mode == LockMode::Permit);
        QVERIFY(taken->front().permit.size() == 32 && taken->front().permit != taken->back().permit);
        QVERIFY(taken->front().left && *taken->front().left > 0s);
        QVERIFY(!run(same.queueLength()).value()); // Redis keeps none
        qt::MultiLock several({{*m_a, QStringLiteral("a")}, {*m_a, QStringLiteral("b")}});
        auto all = run(several.tryLockFor(5s));
        QVERIFY(all && *all);
        QCOMPARE(all->tokens().size(), std::size_t(2));
        QVERIFY(run(all->unlock()));
    }

    void readersAndPermitsHaveLeasesOfTheirOwn() {
        qt::SharedMutex mine(*m_a, QStringLiteral("rates"));
        const auto reader = run(mine.tryLockSharedWithLease(0s, 2s));
        QVERIFY(reader && *reader);
        QVERIFY(reader->remaining() > 0s && reader->remaining() <= 2s);
        qt::Semaphore seats(*m_a, QStringLiteral("stools"), 2), same(*m_b, QStringLiteral("stools"), 2);
        const auto permit = run(seats.tryAcquireWithLease(0s, 400ms, 2));
        QVERIFY(permit && *permit && permit->permits() == 2);
        const auto next = run(same.tryAcquireFor(10s, 2)); // nothing renews them
        QVERIFY(next && *next);
        qt::Mutex orders(*m_a, QStringLiteral("no-lease"));
        for (const auto lease : {0ns, 999'999ns}) {
            const auto refused = run(orders.tryLockWithLease(0s, lease));
            QVERIFY(!refused && refused.error().kind == ErrorKind::Refused);
        }
    }

    void twoObjectsOfOneNameDoNotShareAHold() {
        qt::Mutex one(*m_a, QStringLiteral("shared")), other(*m_a, QStringLiteral("shared"));
        auto hold = run(one.lock());
        QVERIFY(hold && *hold);
        const auto refused = run(other.tryLock());
        QVERIFY(!refused && refused.error().kind == ErrorKind::Refused);
        QVERIFY2(refused.error().message.contains(u"“shared”"), qPrintable(refused.error().message));
        auto again = run(one.tryLock()); // by the same object: re-entry
        QVERIFY(again && *again);
        const auto others = run(other.tryLock(2)); // another thread's: it waits
        QVERIFY(others && !*others);
        QCOMPARE(run(hold->unlock()).value(), 1);
        QVERIFY(!run(other.tryLock()));
        {
            auto last = std::move(*again);
            QVERIFY(run(last.unlock()));
        }
        const auto free = run(other.tryLock());
        QVERIFY(free && *free);
        LockOptions alone; // not reentrant: the second waits for the first, whichever objects they are
        alone.recipe = "redis-set";
        qt::Mutex first(*m_a, QStringLiteral("alone"), alone), second(*m_a, QStringLiteral("alone"), alone);
        const auto held = run(first.tryLock()), waits = run(second.tryLockFor(50ms));
        QVERIFY(held && *held && waits && !*waits);
    }

    void somePermitsAreGivenBack() {
        qt::Semaphore seats(*m_a, QStringLiteral("chairs"), 3), same(*m_b, QStringLiteral("chairs"), 3);
        auto three = run(seats.acquire(3));
        QVERIFY(three && *three && three->permits() == 3);
        QCOMPARE(run(three->release(2)).value(), 1);
        QVERIFY(*three && three->stillMine() && three->permits() == 1);
        const auto two = run(same.tryAcquire(2));
        QVERIFY(two && *two);
        const auto tooMany = run(three->release(2));
        QVERIFY(!tooMany && tooMany.error().kind == ErrorKind::Refused);
        QVERIFY(three->stillMine());
        QCOMPARE(run(three->release(1)).value(), 0);
        QVERIFY(!*three && three->permits() == 0);
        const auto none = run(three->release(1));
        QVERIFY(!none && none.error().kind == ErrorKind::NotOwner);
    }

    void aConditionIsSignalled() {
        qt::Mutex mine(*m_a, QStringLiteral("box")), theirs(*m_b, QStringLiteral("box"));
        qt::Condition filled(mine), same(theirs);
        auto hold = run(mine.lock());
        QVERIFY(hold && *hold);
        std::optional<bool> woken;
        const auto waits = [&]() -> QCoro::Task<> {
            const auto signalled = co_await filled.await(20s);
            woken = signalled && *signalled;
        };
        const QCoro::Task<> waiting = waits();
        auto other = run(theirs.lock()); // it is free while the first one waits
        QVERIFY(other && *other);
        QCOMPARE(run(same.signal()).value(), 1);
        QVERIFY(run(other->unlock()));
        QTRY_VERIFY_WITH_TIMEOUT(woken.has_value(), 20'000);
        QVERIFY(*woken && hold->stillMine());
        QVERIFY(run(hold->unlock()));
        const auto refused = run(filled.signalAll());
        QVERIFY(!refused && refused.error().kind == ErrorKind::NotOwner);
    }

    void severalLocksAreOneOverConnectionsBesideOneAnother() {
        sandbox::RedisServer second(m_runtime);
        VERIFY_STARTED(second);
        auto first = qt::Connection::make(m_server->url());
        QVERIFY(first && run((*first)->open()));
        auto beside = qt::Connection::make(second.url(), {}, first->get());
        QVERIFY(beside && run((*beside)->open()));
        auto alone = qt::Connection::make(second.url());
        QVERIFY(alone && run((*alone)->open()));
        qt::Mutex theirs(**alone, QStringLiteral("there"));
        {
            qt::MultiLock both({{**first, QStringLiteral("here")}, {**beside, QStringLiteral("there")}});
            auto held = run(both.tryLock());
            QVERIFY(held && *held && held->tokens().size() == 2);
            const auto refused = run(theirs.tryLock());
            QVERIFY(refused && !*refused);
            QVERIFY(run(held->unlock()));
            const auto taken = run(theirs.tryLock());
            QVERIFY(taken && *taken);
        }
        qt::MultiLock apart({{**first, QStringLiteral("here")}, {**alone, QStringLiteral("there")}});
        const auto refused = run(apart.tryLock());
        QVERIFY(!refused && refused.error().kind == ErrorKind::Refused);
        QVERIFY2(refused.error().message.contains(u"beside"), qPrintable(refused.error().message));
        first->reset(); // the other one goes on
        qt::Mutex stock(**beside, QStringLiteral("stock"));
        const auto hold = run(stock.tryLock());
        QVERIFY(hold && *hold);
    }

    void anIdentityIsTakenAsLongAsALockOfItLives() {
        const auto beside = qt::Connection::make(m_server->url());
        QVERIFY(beside && run((*beside)->open()));
        auto first = qt::Connection::make(m_server->url(), QStringLiteral("clerk"), beside->get());
        QVERIFY(first && run((*first)->open()));
        auto orders = std::make_unique<qt::Mutex>(**first, QStringLiteral("clerks-orders"));
        auto stock = std::make_unique<qt::Mutex>(**first, QStringLiteral("clerks-stock"));
        auto held = run(orders->tryLock());
        QVERIFY(held && *held);
        first->reset();
        const auto claims = [&] { return !qt::Connection::make(m_server->url(), QStringLiteral("clerk")).has_value(); };
        QVERIFY(claims());
        QVERIFY(run(held->unlock())); // its locks go on
        QVERIFY(run(stock->tryLock()).value());
        orders.reset();
        QVERIFY(claims());
        stock.reset();
        QVERIFY(!claims());
        qt::Mutex others(**beside, QStringLiteral("clerks-orders"));
        QVERIFY(run(others.tryLock()).value());
    }

    void aDestroyedConnectionIsCutWhileOthersBesideItLive() {
        redis::RedisDriver admin(m_runtime, urlOf(*m_server));
        const auto connections = [&] {
            return call(admin, {"CLIENT", "LIST"}).value().text.count("name=lockscope:cut-me");
        };
        const auto beside = qt::Connection::make(m_server->url());
        QVERIFY(beside && run((*beside)->open()));
        auto cut = qt::Connection::make(m_server->url(), QStringLiteral("cut-me"), beside->get());
        QVERIFY(cut && run((*cut)->open()));
        {
            qt::Mutex orders(**cut, QStringLiteral("cut-orders"));
            QVERIFY(run(orders.tryLock()).value());
            cut->reset();
            QVERIFY(connections() > 0);
        }
        QTRY_COMPARE_WITH_TIMEOUT(connections(), 0, 10'000);
        QVERIFY(run((*beside)->ping()));
    }

    void whatIsWrongIsToldByKind() {
        const auto nonsense = qt::Connection::make(QStringLiteral("redsi://127.0.0.1"));
        QVERIFY(!nonsense && nonsense.error().kind == ErrorKind::InvalidArgument);
        const auto away = qt::Connection::make(QStringLiteral("redis://127.0.0.1:1?connect=300ms"));
        QVERIFY(away.has_value());
        const auto refused = run((*away)->open());
        QVERIFY(!refused && refused.error().kind == ErrorKind::Unreachable);
        const auto twice = qt::Connection::make(m_server->url(), m_a->identity());
        QVERIFY(!twice && twice.error().kind == ErrorKind::Refused);
        QVERIFY2(twice.error().message.contains(m_a->identity()), qPrintable(twice.error().message));
        LockOptions unknown;
        unknown.recipe = "redis-no-such";
        qt::Mutex mutex(*m_a, QStringLiteral("orders"), unknown);
        const auto hold = run(mutex.tryLock());
        QVERIFY(!hold && hold.error().kind == ErrorKind::NotSupported);
        QVERIFY2(hold.error().message.contains(u"there is no recipe “redis-no-such”"),
                 qPrintable(hold.error().message));
    }
};

QTEST_GUILESS_MAIN(TestQtLocks)
#include "tst_qt_locks.moc"
