// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/access.h"
#include "managed_servers.h"
#include "sum_under_lock.h"
#include <lockscope/manager.h>

#include <QScopeGuard>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;
using blocking::detail::Access;
using namespace std::chrono_literals;

namespace {
/// How much slower than an idle machine this one may be.
constexpr int kSlack = 4;
constexpr int kThreads = 6;
constexpr int kPatience = 120'000; // ms
} // namespace

/// The primary dies under load, comes back without its data, and is returned to.
class TestManagedFailBack : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    ManagedServers m_servers{m_runtime};

    ManagerConfig config(Nanos failBackAfter) const {
        ManagerConfig config = m_servers.config(SwitchMode::Drain, kSlack);
        NamespaceConfig& space = config.namespaces[0];
        space.engines[0].recipe = "redis-fenced"; // tokens that grow with each holder, on both
        space.onFailure = true;
        space.failBackAfter = failBackAfter;
        return config;
    }

private Q_SLOTS:
    void init() { VERIFY_EMPTY(m_servers.begin()); }

    void threadsOfSeveralProcessesAddAllTheWayThereAndBack_data() {
        QTest::addColumn<bool>("byHand");
        QTest::newRow("by hand") << true;
        QTest::newRow("by itself") << false;
    }
    void threadsOfSeveralProcessesAddAllTheWayThereAndBack() {
        QFETCH(bool, byHand);
        const Nanos after = config(Nanos::zero()).namespaces[0].switchTime() + 1s;
        const ManagerConfig config = this->config(byHand ? Nanos::zero() : after);
        auto first = Access::manager(config), second = Access::manager(config),
             third = Access::manager(config); // as three processes have them
        blocking::Manager* const managers[] = {&first, &second, &third};
        Sum sum;
        std::atomic<bool> ends = false;
        std::vector<std::jthread> threads;
        const auto endAll = qScopeGuard([&] { ends = true; }); // before the threads are waited for
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                blocking::Mutex mutex(*managers[i % 3], "shop", "counter");
                while (!ends) {
                    try {
                        const std::unique_lock lock(mutex, 5s);
                        if (lock) sum.add(i, mutex, [] { std::this_thread::yield(); });
                    } catch (const LockException&) { // of the server that has just died
                        std::this_thread::yield();
                    }
                }
            });
        }
        const auto allUse = [&](const sandbox::RedisServer& server, std::int64_t sinceEpoch) {
            return std::ranges::all_of(managers, [&](blocking::Manager* manager) {
                const auto status = manager->status("shop");
                return status.usable && status.epoch > sinceEpoch && status.engine.contains(server.url().toUtf8());
            });
        };
        const auto works = [&] {
            const int before = sum.additions;
            return soon([&] { return sum.additions > before + 50; }, kPatience);
        };
        QVERIFY(works());
        m_servers.first.kill();
        QVERIFY(soon([&] { return allUse(m_servers.second, 1); }, kPatience));
        QVERIFY(works());
        const std::int64_t away = first.status("shop").epoch;
        VERIFY_STARTED(m_servers.first);
        if (byHand) {
            QVERIFY(soon([&]() -> bool { return first.status("shop").healthy[0]; }, kPatience));
            third.failBack("shop");
        }
        QVERIFY(soon([&] { return allUse(m_servers.first, away); }, kPatience));
        QVERIFY(works());
        ends = true;
        threads.clear();
        QCOMPARE(sum.clashes.load(), 0);
        QVERIFY((sum.lastToken >> 48) > away);
        if (sum.toldClashes > 0) return; // what those have written over is not there
        QCOMPARE(sum.tokensBack.load(), 0);
        QCOMPARE(sum.value.load(), sum.additions.load());
    }
};

QTEST_GUILESS_MAIN(TestManagedFailBack)
#include "tst_managed_fail_back.moc"
