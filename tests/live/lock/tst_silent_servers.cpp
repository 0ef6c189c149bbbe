// SPDX-License-Identifier: Apache-2.0
// Servers that stand still, as a program with blocking locks sees them.
#include "live_redis.h"
#include "sandbox/zookeeper_server.h"

#include <QElapsedTimer>
#include <future>
#include <lockscope/blocking.h>
#include <mutex>

using namespace lockscope;
using namespace lockscope::test;

namespace {
template <typename Call>
std::pair<ErrorKind, QByteArray> failureOf(const Call& call) {
    try {
        call();
    } catch (const LockException& failed) {
        return {failed.kind(), failed.what()};
    }
    return {ErrorKind::NotSupported, "nothing was thrown"};
}
} // namespace

class TestSilentServers : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_redis{m_runtime};
    sandbox::ZooKeeperServer m_zooKeeper{m_runtime};

    std::string redis() const { return m_redis.url().toStdString() + "?timeout=400ms"; }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_redis);
        VERIFY_STARTED(m_zooKeeper);
    }

    void anUnknownOutcomeSaysHowLongItMatters() {
        blocking::Client client(redis());
        LockOptions options;
        options.lease = 20s;
        options.watchdog = 0s;
        blocking::Mutex orders(client, "orders", options), stock(client, "stock", options);
        stock.lock();
        m_redis.pause();
        const auto taking = failureOf([&] { (void)orders.try_lock(); });
        const auto extending = failureOf([&] { stock.extend(40s); });
        const auto releasing = failureOf([&] { (void)stock.unlockOrThrow(); });
        m_redis.resume();
        QVERIFY2(taking.first == ErrorKind::OutcomeUnknown && taking.second.contains("at most 20 s after that"),
                 taking.second.constData());
        QVERIFY2(extending.first == ErrorKind::OutcomeUnknown && extending.second.contains("at most 40 s after that"),
                 extending.second.constData());
        QVERIFY2(releasing.first == ErrorKind::OutcomeUnknown && releasing.second.contains("by itself within "),
                 releasing.second.constData());
    }

    void aQuestionWithoutAnAnswerHasChangedNothing() {
        blocking::Client client(redis());
        blocking::Mutex orders(client, "asked");
        m_redis.pause();
        std::vector<std::pair<ErrorKind, QByteArray>> failures;
        failures.push_back(failureOf([&] { client.ping(); }));
        failures.push_back(failureOf([&] { (void)orders.isLocked(); }));
        failures.push_back(failureOf([&] { (void)orders.holder(); }));
        m_redis.resume();
        for (const auto& [kind, message] : failures)
            QVERIFY2(kind == ErrorKind::Unreachable && message.contains("nothing was changed"), message.constData());
    }

    void silenceOfZooKeeperIsNoHolder() {
        const std::string url = m_zooKeeper.url().toStdString();
        blocking::Client client(url), another(url);
        blocking::Mutex orders(client, "orders"), same(another, "orders");
        QVERIFY(orders.try_lock()); // it has a session
        orders.unlock();
        std::mutex guard;
        std::vector<std::string> reasons;
        orders.onEvent([&](HoldEvent event, const std::string& reason) {
            const std::lock_guard held(guard);
            if (event == HoldEvent::WaitFailed) reasons.push_back(reason);
        });
        m_zooKeeper.pause();
        QElapsedTimer time;
        time.start();
        const auto once = failureOf([&] { (void)orders.try_lock(); });
        const auto hold = failureOf([&] { (void)orders.tryAcquire(); });
        const bool waited = orders.try_lock_for(500ms);
        const qint64 took = time.elapsed();
        m_zooKeeper.resume();
        QVERIFY2(once.first == ErrorKind::OutcomeUnknown && once.second.contains("orders"), once.second.constData());
        QVERIFY2(hold.first == ErrorKind::OutcomeUnknown, hold.second.constData());
        QVERIFY(!waited);
        {
            const std::lock_guard held(guard);
            QCOMPARE(reasons.size(), std::size_t(1));
            QVERIFY2(reasons[0].find("did not answer") != std::string::npos, reasons[0].c_str());
        }
        QVERIFY2(took < 10'000, qPrintable(QString::number(took)));
        QVERIFY(same.try_lock_for(10s)); // the requests were taken back
        same.unlock();
    }
};

QTEST_GUILESS_MAIN(TestSilentServers)
#include "tst_silent_servers.moc"
