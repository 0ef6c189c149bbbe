// SPDX-License-Identifier: Apache-2.0
// A manager as coroutines: locks go on while the engine changes, and what is wrong is told by kind.
#include "managed_servers.h"

#include <lockscope/lockscope.h>

using namespace lockscope;
using namespace lockscope::test;

class TestQtManager : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    ManagedServers m_servers{m_runtime};

    QByteArray json(const char* mode, const QByteArray& recipes = "redis-reentrant redis-fenced") const {
        QByteArray text = R"({"lockscope-manager": 1, "namespaces": [{"name": "shop", "engines": [
            {"url": "FIRST", "recipe": "ONE"}, {"url": "SECOND", "recipe": "TWO"}], "witnesses": ["WITNESS"],
            "switch": {"mode": "MODE", "drain-for": "2s", "confirm-for": "2s"}, "lease": "3s", "token": true}]})";
        text.replace("FIRST", m_servers.first.url().toUtf8()).replace("SECOND", m_servers.second.url().toUtf8());
        text.replace("WITNESS", m_servers.witness.url().toUtf8()).replace("MODE", mode);
        return text.replace("ONE", recipes.split(' ')[0]).replace("TWO", recipes.split(' ')[1]);
    }
    static std::unique_ptr<qt::Manager> started(const QByteArray& config) {
        auto manager = qt::Manager::make(config);
        if (!manager || !run((*manager)->start(30s))) return nullptr;
        return *std::move(manager);
    }

private Q_SLOTS:
    void init() { VERIFY_EMPTY(m_servers.begin()); }

    void coroutinesAddWhileTheEngineChanges_data() {
        QTest::addColumn<QByteArray>("mode");
        QTest::newRow("drain") << QByteArray("drain");
        QTest::newRow("immediate") << QByteArray("immediate");
    }
    void coroutinesAddWhileTheEngineChanges() {
        QFETCH(QByteArray, mode);
        const QByteArray config = json(mode.constData(), "redis-fenced redis-fenced"); // tokens that grow on both
        const auto first = started(config), second = started(config);                  // as two processes have them
        QVERIFY(first && second);
        QVERIFY(first->identity() != second->identity());
        std::vector<QString> inUse;
        first->onEvent([&](const qt::ManagerEvent& event) {
            if (event.kind == qt::ManagerEvent::Kind::InUse) inUse.push_back(event.engine);
        });
        int inside = 0, most = 0, added = 0;
        std::int64_t token = 0;
        bool grows = true, ends = false;
        QString failure;
        const auto add = [&](qt::Manager& manager, int thread) -> QCoro::Task<> {
            qt::Mutex mutex(manager, QStringLiteral("shop"), QStringLiteral("counter"));
            while (!ends) {
                auto hold = co_await mutex.lock({}, thread);
                if (!hold) {
                    failure = hold.error().message;
                    co_return;
                }
                most = std::max(most, ++inside);
                grows = grows && hold->token() > token;
                token = hold->token();
                ++added;
                --inside;
                const auto left = co_await hold->unlock(); // refused if the switch was quicker
                if (!left && left.error().kind != ErrorKind::NotOwner) failure = left.error().message;
            }
        };
        std::vector<QCoro::Task<>> adding;
        for (int i = 0; i < 4; ++i)
            adding.push_back(add(i % 2 == 0 ? *first : *second, i + 1));
        QTRY_VERIFY_WITH_TIMEOUT(added >= 40, 30'000);
        QCOMPARE(first->status(QStringLiteral("shop")).epoch, std::int64_t(1));
        QVERIFY(run(second->switchTo(QStringLiteral("shop"), 1)));
        const auto allUseSecond = [&] {
            for (const qt::Manager* const one : {first.get(), second.get()}) {
                const qt::ManagerStatus now = one->status(QStringLiteral("shop"));
                if (!now.usable || now.epoch != 2 || !now.engine.contains(m_servers.second.url().mid(8))) return false;
            }
            return true;
        };
        QTRY_VERIFY_WITH_TIMEOUT(allUseSecond(), 60'000);
        const int before = added;
        QTRY_VERIFY_WITH_TIMEOUT(added >= before + 40, 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(!inUse.empty(), 10'000);
        ends = true;
        for (const QCoro::Task<>& one : adding)
            QTRY_VERIFY_WITH_TIMEOUT(one.isReady(), 30'000);
        QVERIFY2(failure.isEmpty(), qPrintable(failure));
        QCOMPARE(most, 1);
        QVERIFY(grows);
    }

    void aConditionIsSignalledAcrossManagers() {
        const auto first = started(json("drain", "redis-reentrant redis-reentrant")),
                   second = started(json("drain", "redis-reentrant redis-reentrant"));
        QVERIFY(first && second);
        qt::Mutex mine(*first, QStringLiteral("shop"), QStringLiteral("box")),
            theirs(*second, QStringLiteral("shop"), QStringLiteral("box"));
        qt::Condition filled(mine), same(theirs);
        auto hold = run(mine.lock());
        QVERIFY(hold && *hold);
        std::optional<bool> woken;
        const auto waits = [&]() -> QCoro::Task<> {
            const auto signalled = co_await filled.await(20s);
            woken = signalled && *signalled;
        };
        const QCoro::Task<> waiting = waits();
        auto other = run(theirs.lock());
        QVERIFY(other && *other);
        QCOMPARE(run(same.signal()).value(), 1);
        QVERIFY(run(other->unlock()));
        QTRY_VERIFY_WITH_TIMEOUT(woken.has_value(), 20'000);
        QVERIFY(*woken && hold->stillMine());
    }

    void permitsComeFromAManagerToo() {
        const auto manager = started(json("drain", "redis-semaphore redis-semaphore"));
        QVERIFY(manager);
        qt::Semaphore seats(*manager, QStringLiteral("shop"), QStringLiteral("seats"), 3);
        auto three = run(seats.acquire(3));
        QVERIFY(three && *three);
        QCOMPARE(run(three->release(2)).value(), 1);
        QCOMPARE(run(seats.availablePermits()).value(), 2);
        qt::Mutex none(*manager, QStringLiteral("shop"), QStringLiteral("orders"));
        const auto refused = run(none.tryLock());
        QVERIFY(!refused && refused.error().kind == ErrorKind::NotSupported);
        qt::Condition condition(none);
        const auto unsaid = run(condition.signal());
        QVERIFY(!unsaid && unsaid.error().kind == ErrorKind::NotSupported);
    }

    void itsLocksKeepItAndItsIdentity() {
        auto manager = qt::Manager::make(json("drain"), QStringLiteral("clerk"));
        QVERIFY(manager && run((*manager)->start(30s)));
        auto orders = std::make_unique<qt::Mutex>(**manager, QStringLiteral("shop"), QStringLiteral("orders"));
        manager->reset();
        auto hold = run(orders->tryLock());
        QVERIFY(hold && *hold);
        QVERIFY(run(hold->unlock()));
        const auto twice = qt::Manager::make(json("drain"), QStringLiteral("clerk"));
        QVERIFY(!twice && twice.error().kind == ErrorKind::Refused);
        const auto alike = qt::Connection::make(m_servers.witness.url(), QStringLiteral("clerk"));
        QVERIFY(!alike && alike.error().kind == ErrorKind::Refused);
        orders.reset();
        const auto again = qt::Manager::make(json("drain"), QStringLiteral("clerk"));
        QVERIFY(again.has_value());
        QCOMPARE((*again)->identity(), QStringLiteral("clerk"));
    }

    void whatIsWrongIsToldByKind() {
        const auto nonsense = qt::Manager::make("{}");
        QVERIFY(!nonsense && nonsense.error().kind == ErrorKind::InvalidArgument);
        const auto manager = started(json("drain"));
        QVERIFY(manager);
        const auto noEngine = run(manager->switchTo(QStringLiteral("shop"), 7));
        QVERIFY(!noEngine && !noEngine.error().message.isEmpty());
        const auto other = manager->reload(json("immediate")); // for that, all processes must be restarted
        QVERIFY(!other && other.error().kind == ErrorKind::InvalidArgument);
        QVERIFY(manager->reload(json("drain")));
        QVERIFY(!manager->watchFile(QStringLiteral("/nowhere/manager.json")));
        QVERIFY(run(manager->prepare()));
        QVERIFY(manager->status(QStringLiteral("nowhere")).engine.isEmpty());
        QVERIFY(run(manager->close()));
        qt::Mutex closed(*manager, QStringLiteral("shop"), QStringLiteral("orders"));
        const auto late = run(closed.tryLock());
        QVERIFY(!late || !*late);
        QVERIFY(qt::Manager::make(json("drain"), manager->identity()).has_value()); // its claim ended with close()
    }
};

QTEST_GUILESS_MAIN(TestQtManager)
#include "tst_qt_manager.moc"
