// SPDX-License-Identifier: Apache-2.0
#include "zookeeper_client.h"

using namespace lockscope;
using namespace lockscope::test;
using namespace lockscope::recipes;

class TestZooKeeperEnsemble : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_ensemble); }

    void leaderLostIsSurvivedQuorumLostIsNot() {
        Client a(m_runtime, m_ensemble.url(), "a", 10s), b(m_runtime, m_ensemble.url(), "b", 10s);
        const auto ours = a.recipe("zk-mutex", "orders"), theirs = b.recipe("zk-mutex", "orders");
        const auto held = take(*ours);
        VERIFY_OK(held);
        const auto waiting = begin(m_runtime, *theirs);
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/orders").size() == 2; }));

        const int leader = run(m_ensemble.leader());
        QVERIFY(leader >= 0);
        m_ensemble.server(leader).kill();
        QVERIFY(eventually([&] { return run(m_ensemble.leader()) >= 0; }, 20s)); // another one
        VERIFY_OK(run(a.driver.connected()));
        QCOMPARE(a.driver.session().generation, 1u);
        QVERIFY(!waiting->done); // safe
        QVERIFY(eventually([&] {
            const auto left = run(ours->release(**held, {}));
            return left || left.error().kind == LockError::Kind::NotOwner;
        }));
        QVERIFY(eventually([&] { return waiting->done; }, 20s)); // and available
        VERIFY_OK(waiting->taken);
        QVERIFY((*waiting->taken)->token > (*held)->token);

        // One of three left: nothing is granted, and nobody is told anything false.
        int second = -1;
        for (int i = 0; i < m_ensemble.size(); ++i) {
            if (i != leader) second = i;
        }
        m_ensemble.server(second).kill();
        const Nanos begun = m_runtime.monotonic();
        const auto refused = take(*ours, request(1s));
        QVERIFY(m_runtime.monotonic() - begun < 4s); // not when the session ends
        QVERIFY(!refused || !*refused);
        VERIFY_STARTED(m_ensemble);
        VERIFY_OK(run(b.driver.connected()));
        (void)run(theirs->release(**waiting->taken, {}));
        const auto back = take(*ours, request(20s));
        VERIFY_OK(back);
        QVERIFY(back.value());
        QVERIFY((*back)->token > (*waiting->taken)->token);
        VERIFY_OK(run(ours->release(**back, {})));
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::ZooKeeperEnsemble m_ensemble{m_runtime};
};

QTEST_GUILESS_MAIN(TestZooKeeperEnsemble)
#include "tst_zookeeper_ensemble.moc"
