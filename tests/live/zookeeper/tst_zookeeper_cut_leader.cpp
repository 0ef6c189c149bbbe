// SPDX-License-Identifier: Apache-2.0
// A leader that is cut off from the others answers its clients for a while, reads and syncs, when they have the next
// leader already: what it says must prove no session for longer than that one keeps it.
#include "zookeeper_client.h"

#include "cut_network.h"

using namespace lockscope;
using namespace lockscope::test;

class TestZooKeeperCutLeader : public QObject {
    Q_OBJECT
    static constexpr int kServers = 3;

    int leader() const {
        int found = -1, following = 0;
        for (int i = 0; i < kServers; ++i) {
            const QByteArray mode = m_all[std::size_t(i)]->mode();
            if (mode == "leader") found = found < 0 ? i : kServers;
            following += mode == "follower";
        }
        return found < kServers && following == kServers - 1 ? found : -1;
    }

private Q_SLOTS:
    void initTestCase() {
        const QString trouble = m_network.make();
        if (!trouble.isEmpty() && ::geteuid() != 0)
            QSKIP(qPrintable(QStringLiteral("No network namespaces can be made here: ") + trouble));
        VERIFY_EMPTY(trouble); // root can
        for (int i = 0; i < kServers; ++i) {
            m_all.push_back(std::make_unique<CutServer>(i));
            VERIFY_EMPTY(m_all.back()->start(kServers));
        }
        QVERIFY2(comesTrue([&] { return leader() >= 0; }, 60s), qPrintable(m_all[0]->lastOutput()));
    }

    void itProvesNothing_data() {
        QTest::addColumn<int>("number");
        // Where in the leader's tick it is cut off is left to chance, and decides for how long it goes on.
        for (int i = 0; i < 4; ++i)
            QTest::addRow("%d", i) << i;
    }
    void itProvesNothing() {
        const int old = leader();
        QVERIFY(old >= 0);
        std::vector<std::unique_ptr<Client>> clients;
        for (int i = 0; i < 4; ++i) { // whose heartbeats come at different times
            clients.push_back(std::make_unique<Client>(
                m_runtime, QStringLiteral("zookeeper://%1:2181").arg(CutNetwork::forClients(old)), "a", 8s));
            VERIFY_OK(run(clients.back()->driver.connected()));
            run(m_runtime.sleep(300ms));
        }
        m_network.cut(old);
        VERIFY_EMPTY(m_network.error());

        std::optional<Nanos> next;
        Nanos until{};
        const auto connected = [](const auto& client) {
            return client->driver.session().state == zookeeper::Session::State::Connected;
        };
        const bool over = comesTrue(
            [&] {
                for (int i = 0; i < kServers && !next; ++i)
                    if (i != old && m_all[std::size_t(i)]->mode() == "leader") next = m_runtime.monotonic();
                for (const auto& client : clients)
                    if (client->driver.session().generation == 1)
                        until = std::max(until, client->driver.session().until());
                return next && std::ranges::none_of(clients, connected);
            },
            20s);
        const Nanos kept = next.value_or(Nanos(0)) + clients.front()->driver.session().timeout;
        m_network.heal(old);
        clients.clear();
        QVERIFY(comesTrue([&] { return leader() >= 0; }, 30s));
        QVERIFY(over);
        qInfo("the sessions were believed to end %lld ms before the next leader may end them",
              static_cast<long long>((kept - until) / 1ms));
        QVERIFY2(until <= kept, "the next leader has ended sessions that their clients believe in");
    }

private:
    EventLoopRuntime m_runtime;
    CutNetwork m_network{kServers};
    std::vector<std::unique_ptr<CutServer>> m_all;
};

QTEST_GUILESS_MAIN(TestZooKeeperCutLeader)
#include "tst_zookeeper_cut_leader.moc"
