// SPDX-License-Identifier: Apache-2.0
#include "zookeeper_client.h"

#include <QTcpServer>
#include <QTcpSocket>

using namespace lockscope;
using namespace lockscope::test;
using namespace lockscope::recipes;

namespace {
/// A connection between two servers, which stays and passes nothing on once it is cut.
class Link : public QObject {
public:
    Link(Runtime& runtime, std::uint16_t target) : m_target(target) {
        for (int tries = 0; tries < 10 && !m_server.isListening(); ++tries)
            m_server.listen(QHostAddress::LocalHost, sandbox::freePort(runtime).value_or(0));
        connect(&m_server, &QTcpServer::newConnection, this, [this] { accept(); });
    }
    std::uint16_t port() const { return m_server.serverPort(); }
    bool cut = false;

private:
    void accept() {
        QTcpSocket* const from = m_server.nextPendingConnection();
        auto* const to = new QTcpSocket(from);
        connect(from, &QTcpSocket::readyRead, to, [this, from, to] { pass(from, to); });
        connect(to, &QTcpSocket::readyRead, from, [this, from, to] { pass(to, from); });
        connect(to, &QTcpSocket::connected, from, [this, from, to] { pass(from, to); });
        connect(to, &QTcpSocket::disconnected, from, [from] { from->abort(); });
        connect(to, &QTcpSocket::errorOccurred, to, [this, to](QTcpSocket::SocketError error) {
            // A leader that has just been elected does not listen yet.
            if (error == QTcpSocket::ConnectionRefusedError) QTimer::singleShot(20ms, to, [this, to] { reach(to); });
        });
        connect(from, &QTcpSocket::disconnected, from, [from] { from->deleteLater(); });
        reach(to);
    }
    void reach(QTcpSocket* to) const { to->connectToHost(QHostAddress(QHostAddress::LocalHost), m_target); }
    void pass(QTcpSocket* from, QTcpSocket* to) const {
        if (to->state() != QTcpSocket::ConnectedState) return; // it waits until then
        const QByteArray bytes = from->readAll();
        if (!cut) to->write(bytes);
    }
    std::uint16_t m_target;
    QTcpServer m_server;
};
} // namespace

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

    void serverThatIsCutOffFromItsLeaderProvesNothing() {
        const int leader = run(m_ensemble.leader());
        QVERIFY(leader >= 0);
        const int follower = (leader + 1) % m_ensemble.size();
        Client a(m_runtime, m_ensemble.server(follower), "a", 2s), b(m_runtime, m_ensemble.server(leader), "b");
        const auto ours = a.recipe("zk-mutex", "cut"), theirs = b.recipe("zk-mutex", "cut");
        const auto held = take(*ours);
        VERIFY_OK(held);
        const auto waiting = begin(m_runtime, *theirs);
        QVERIFY(eventually([&] { return childrenOf(b.driver, "/cut").size() == 2; }));
        // Cut off right after the leader has answered, and before our server has told it how lately it heard of us.
        pass(400ms);
        VERIFY_OK(run(a.driver.sync("/")));
        m_links.at({follower, leader})->cut = true;
        Nanos until{};
        QVERIFY(eventually([&] {
            const zookeeper::Session& session = a.driver.session();
            if (session.generation == 1) until = session.until();
            return waiting->done;
        }));
        VERIFY_OK(waiting->taken);
        QVERIFY2(until <= waiting->at, qPrintable(QString::number((until - waiting->at).count())));
        QCOMPARE(run(theirs->release(**waiting->taken, {})).value(), 0);
    }

private:
    std::uint16_t link(int from, int to, std::uint16_t port) {
        auto made = std::make_unique<Link>(m_runtime, port);
        return m_links.emplace(std::pair(from, to), std::move(made)).first->second->port();
    }
    EventLoopRuntime m_runtime;
    std::map<std::pair<int, int>, std::unique_ptr<Link>> m_links; ///< of those who follow, to those who lead
    sandbox::ZooKeeperEnsemble m_ensemble{
        m_runtime, 3, {}, [this](int from, int to, std::uint16_t port) { return link(from, to, port); }};
};

QTEST_GUILESS_MAIN(TestZooKeeperEnsemble)
#include "tst_zookeeper_ensemble.moc"
