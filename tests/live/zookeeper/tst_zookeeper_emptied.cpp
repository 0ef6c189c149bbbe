// SPDX-License-Identifier: Apache-2.0
// Servers that come back without their data hang up on clients that have seen newer transactions, and give the lock to
// the next one who asks. The holder must hear of that at once, and must not believe it of a server that is only behind.
#include "fault_proxy.h"
#include "zookeeper_client.h"

#include <QElapsedTimer>
#include <QRegularExpression>

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;

namespace {
using State = zookeeper::Session::State;

constexpr Nanos kTogether = 300ms;
/// The default: what the holder would wait for otherwise.
const Nanos kSession = zookeeper::DriverOptions().session;
/// A busy machine may take the processor away at the wrong moment; a client that waits for its session's end never
/// comes near the limit. So one run of several must hold it.
constexpr int kRuns = 3;

/// A holder of a lock, and the time at which its recipe told of the loss, by the test's clock.
struct Holder {
    Holder(Runtime& runtime, const QString& url, Runtime& clock)
        : watch(clock), client(runtime, url, "holder", kSession) {}
    QString take() {
        held = test::take(*lock);
        if (!held || !*held) return held ? QStringLiteral("not free") : held.error().message;
        client.driver.runtime().spawn([this] { return listen(); });
        return {};
    }
    QCoro::Task<> listen() {
        for (;;) {
            const auto news = co_await lock->news(**held, {});
            if (!news || news->kind != HoldNews::Kind::Lost) continue;
            lostAt = watch.monotonic();
            co_return;
        }
    }
    Runtime& watch;
    Client client;
    std::unique_ptr<Recipe> lock = client.recipe("zk-mutex", "orders");
    Taken held;
    std::optional<Nanos> lostAt;
};

/// How many sessions a server keeps; -1: it does not say.
int sessionsOf(sandbox::ZooKeeperServer& server) {
    static const QRegularExpression words(QStringLiteral("Session Sets \\(\\d+\\)/\\((\\d+)\\)"));
    const auto found = words.match(QString::fromLatin1(run(server.ask("dump"))));
    return found.hasMatch() ? found.captured(1).toInt() : -1;
}

void empty(sandbox::ZooKeeperServer& server) {
    server.kill();
    QVERIFY(eventually([&] { return !server.running(); }));
    QVERIFY(QDir(server.workspace().file(QStringLiteral("data"))).removeRecursively());
}
} // namespace

class TestZooKeeperEmptied : public QObject {
    Q_OBJECT

    /// For how long a holder and a newcomer both had the lock, in ms; less than 0: not at all. `forget` empties the
    /// servers, `start` starts them again.
    template <typename Forget, typename Start>
    std::optional<double> together(const QString& url, Forget forget, Start start) {
        EventLoopRuntime own; // ends the holder's coroutine with its client
        Holder holder(own, url, m_runtime);
        const auto end = qScopeGuard([&] { own.kill(); });
        const QString refused = holder.take();
        if (!refused.isEmpty()) return qWarning("%s", qPrintable(refused)), std::nullopt;
        // Some transactions that the holder hears of: emptied servers do not catch up with their number soon.
        for (int i = 0; i < 50; ++i)
            if (!run(holder.client.driver.create("/busy-", {}, zookeeper::NodeMode::EphemeralSequential)))
                return std::nullopt;
        Client newcomer(m_runtime, url, "newcomer");
        const auto next = newcomer.recipe("zk-mutex", "orders");
        forget();
        if (QTest::currentTestFailed() || holder.lostAt) return std::nullopt;
        // It is there from the first moment on, as whoever tries again and again.
        const auto taking = begin(m_runtime, *next, request(60s));
        start();
        if (QTest::currentTestFailed()) return std::nullopt;
        const bool both = eventually([&] { return taking->done && holder.lostAt; }, 20s);
        if (!both || !taking->taken || !*taking->taken) return std::nullopt;
        if (holder.client.driver.session().generation < 2) return std::nullopt;
        const double ms = double((*holder.lostAt - taking->at).count()) / 1e6;
        qInfo("both had the lock for %.0f ms", ms);
        if (!run(next->release(**taking->taken, {}))) return std::nullopt;
        return ms;
    }
    template <typename Measure>
    void bestOf(Measure measure) {
        double best = std::numeric_limits<double>::infinity();
        for (int i = 0; i < kRuns && best > double(kTogether / 1ms); ++i) {
            const std::optional<double> ms = measure();
            QVERIFY(ms);
            best = std::min(best, *ms);
        }
        QVERIFY2(best <= double(kTogether / 1ms), QByteArray::number(best));
    }

private Q_SLOTS:
    void aServerAlone() {
        sandbox::ZooKeeperServer server(m_runtime);
        VERIFY_STARTED(server);
        bestOf([&] {
            return together(
                server.url(), [&] { empty(server); }, [&] { VERIFY_STARTED(server); });
        });
    }

    void anEnsemble() {
        sandbox::ZooKeeperEnsemble ensemble(m_runtime);
        VERIFY_STARTED(ensemble);
        const auto forget = [&] {
            for (int i = 0; i < ensemble.size(); ++i)
                empty(ensemble.server(i));
        };
        bestOf([&] { return together(ensemble.url(), forget, [&] { VERIFY_STARTED(ensemble); }); });
    }

    /// A waiter's place in the queue is lost, too: it takes another one, and has the lock in the end.
    void aWaiterQueuesAnew() {
        sandbox::ZooKeeperServer server(m_runtime);
        VERIFY_STARTED(server);
        Client a(m_runtime, server.url(), "a", kSession), b(m_runtime, server.url(), "b", kSession);
        const auto held = a.recipe("zk-mutex", "orders"), wanted = b.recipe("zk-mutex", "orders");
        VERIFY_OK(take(*held));
        const auto waiting = begin(m_runtime, *wanted);
        QVERIFY(eventually([&] { return ephemerals(a.driver, "/orders") == 2; }));
        empty(server);
        VERIFY_STARTED(server);
        QVERIFY(eventually([&] { return waiting->done; }, 10s)); // its session would have lasted for three times that
        VERIFY_OK(waiting->taken);
        VERIFY_OK(run(wanted->release(**waiting->taken, {})));
    }

    /// A server that is behind the others hangs up like one that lost its data. A transaction that most servers have
    /// agreed upon meanwhile shows that nothing is lost.
    void aServerThatIsBehindEndsNothing() {
        sandbox::ZooKeeperServer server(m_runtime);
        VERIFY_STARTED(server);
        FaultProxy proxy(m_runtime, server.port());
        EventLoopRuntime own;
        Holder holder(own, proxy.url(), m_runtime);
        const auto end = qScopeGuard([&] { own.kill(); });
        VERIFY_EMPTY(holder.take());
        const std::int64_t session = holder.client.driver.session().id;
        const int before = proxy.fresh;
        proxy.behind = 0;
        proxy.cutAll();
        QElapsedTimer timer;
        timer.start();
        // The third probe comes after two answers.
        QVERIFY(eventually([&] { return proxy.fresh - before >= 3; }));
        QVERIFY2(timer.elapsed() >= 2 * 900, "probes cost writes: there is a pause between them");
        QVERIFY(proxy.hangUps > 3);
        QCOMPARE(int(holder.client.driver.session().state), int(State::Suspended));
        proxy.behind.reset();
        QVERIFY(eventually([&] { return holder.client.driver.session().state == State::Connected; }));
        QCOMPARE(holder.client.driver.session().id, session);
        QCOMPARE(holder.client.driver.session().generation, 1u);
        QVERIFY(!holder.lostAt);
        QCOMPARE(run(holder.lock->release(**holder.held, {})).value(), 0);
        // The probes that had their answers have left no session behind.
        const int all = sessionsOf(server);
        QVERIFY2(all == 1 || all == 2, QByteArray::number(all));
    }

private:
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestZooKeeperEmptied)
#include "tst_zookeeper_emptied.moc"
