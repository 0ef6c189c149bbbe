// SPDX-License-Identifier: Apache-2.0
// A candidate that is destroyed: what waits for it ends, and keeps nothing.
#include "live_redis.h"

#include <lockscope/lockscope.h>

using namespace lockscope;
using namespace lockscope::test;

class TestQtElectionEnds : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;

    /// Long enough for a busy machine to renew it in time.
    static LockOptions patient() {
        LockOptions options = qt::LeaderElection::defaults();
        options.lease = 20s;
        options.watchdog = 2s;
        return options;
    }

private Q_SLOTS:
    void initTestCase() {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        VERIFY_STARTED(*m_server);
    }
    void cleanupTestCase() { m_server.reset(); }

    void aWaitForAnElectionEndsWithItsCandidate() {
        const QString name = QStringLiteral("hoped-for"), identity = QStringLiteral("hopeful");
        const auto there = qt::Connection::make(m_server->url());
        QVERIFY(there && run((*there)->open()));
        qt::LeaderElection leads(**there, name, patient());
        QVERIFY(leads.campaign());
        QVERIFY(run(leads.waitUntilLeader(20s)).value());

        auto here = qt::Connection::make(m_server->url(), identity);
        QVERIFY(here && run((*here)->open()));
        auto hopes = std::make_unique<qt::LeaderElection>(**here, name, patient());
        QVERIFY(hopes->campaign());
        QVERIFY(!run(hopes->waitUntilLeader(50ms)).value());
        const auto waiting = beside(hopes->waitUntilLeader()), another = beside(hopes->waitUntilLeader(1h));
        hopes.reset();
        QVERIFY(comesTrue([&] { return waiting->done && another->done; }));
        for (const auto& one : {waiting, another})
            QVERIFY(one->result && *one->result && !**one->result);
        // Nothing of it keeps the connection, and with that its identity.
        here->reset();
        const auto isFree = [&] { return qt::Connection::make(m_server->url(), identity).has_value(); };
        QVERIFY(comesTrue(isFree));
    }
};

QTEST_GUILESS_MAIN(TestQtElectionEnds)
#include "tst_qt_election_ends.moc"
