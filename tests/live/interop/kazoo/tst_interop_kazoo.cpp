// SPDX-License-Identifier: Apache-2.0
#include "zookeeper_peer.h"

using namespace lockscope;
using namespace lockscope::test;
using zookeeper::NodeMode;

/// zk-mutex and kazoo's Lock: in kazoo's own format, which zk-mutex joins, and in Curator's, of which kazoo has to be
/// told by extra_lock_patterns.
class TestInteropKazoo : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<Peer> peer(const QByteArray& path, bool patterns) {
        QStringList arguments{QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/live/interop/kazoo/kazoo_peer.py"),
                              m_server.url().section(u'/', 2), QString::fromLatin1(path)};
        if (patterns) arguments << QStringLiteral("lock-");
        // Debian's, which has Debian's kazoo: there may be another one in the path.
        return std::make_unique<Peer>(QStringLiteral("/usr/bin/python3"), arguments);
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }

    void kazooHoldsAndWeWait() {
        Client a(m_runtime, m_server, "a");
        const auto kazoo = peer("/first", false);
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        QVERIFY(kazoo->ask("acquire 5").startsWith("acquired"));
        const auto ours = a.recipe("zk-mutex", "first");
        QVERIFY(!take(*ours, request(Nanos(0))).value());
        const auto waiting = begin(m_runtime, *ours);
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/first").size() == 2; }));
        for (const QByteArray& child : childrenOf(a.driver, "/first"))
            QVERIFY2(child.contains("__lock__"), child.constData()); // ours too
        pass(100ms);
        QVERIFY(!waiting->done);
        kazoo->tell("release");
        QVERIFY(eventually([&] { return waiting->done; }));
        const Nanos got = machineTime() - (m_runtime.monotonic() - waiting->at);
        QVERIFY(got - instantIn(kazoo->hear()) < 200ms);
        VERIFY_OK(waiting->taken);
        // And now the other way round.
        QCOMPARE(kazoo->ask("acquire 0.3"), QByteArray("timeout"));
        kazoo->tell("acquire 10");
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/first").size() == 2; }));
        const Nanos released = machineTime();
        VERIFY_OK(run(ours->release(**waiting->taken, {})));
        const QByteArray answer = kazoo->hear();
        QVERIFY(answer.startsWith("acquired"));
        QVERIFY(instantIn(answer) - released < 1s);
        // A killed peer frees it when its session times out (2 s).
        kazoo->kill();
        const auto freed = take(*ours, request(15s));
        VERIFY_OK(freed);
        QVERIFY(freed.value());
        VERIFY_OK(run(ours->release(**freed, {})));
    }
    void weHoldInCuratorsFormatAndKazooWaits() {
        Client a(m_runtime, m_server, "a");
        const auto ours = a.recipe("zk-mutex", "second");
        const auto held = take(*ours);
        VERIFY_OK(held);
        QVERIFY((*held)->value.contains("-lock-"));
        const auto kazoo = peer("/second", true);
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        QCOMPARE(kazoo->ask("acquire 0.3"), QByteArray("timeout"));
        kazoo->tell("acquire 10");
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/second").size() == 2; }));
        const Nanos released = machineTime();
        VERIFY_OK(run(ours->release(**held, {})));
        const QByteArray answer = kazoo->hear();
        QVERIFY(answer.startsWith("acquired"));
        QVERIFY(instantIn(answer) - released < 1s);
        const auto waiting = begin(m_runtime, *ours);
        pass(100ms);
        QVERIFY(!waiting->done);
        kazoo->tell("release");
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(waiting->taken);
        VERIFY_OK(run(ours->release(**waiting->taken, {})));
    }
    void tenOfEachCountExactly() {
        Client a(m_runtime, m_server, "a");
        VERIFY_OK(run(a.driver.create("/counter", "0", NodeMode::Persistent)));
        const auto kazoo = peer("/third", true);
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        kazoo->tell("contend /counter 5 10");
        Contenders ours(m_runtime, m_server.url(), "zk-mutex", "third", "/counter", Mode::Exclusive, 5s);
        QVERIFY(eventually([&] { return ours.done(); }, 60s));
        QVERIFY2(ours.failure.isEmpty(), qPrintable(ours.failure));
        const QByteArray answer = kazoo->hear(60s);
        QVERIFY2(answer.startsWith("added "), answer.constData());
        const int theirs = answer.split(' ').last().toInt();
        QVERIFY2(ours.added() > 10 && theirs > 10, answer.constData());
        QCOMPARE(run(a.driver.get("/counter"))->data.toInt(), ours.added() + theirs);
    }

private:
    EventLoopRuntime m_runtime;
    ZooKeeperServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestInteropKazoo)
#include "tst_interop_kazoo.moc"
