// SPDX-License-Identifier: Apache-2.0
#include "live_etcd.h"
#include "recipes/etcd/etcd_lease.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <csignal>

using namespace lockscope;
using namespace lockscope::etcd;
using namespace lockscope::test;
using recipes::EtcdLease;
using recipes::Request;
using sandbox::EtcdServer;

namespace {

Request asked(Nanos wait, Nanos lease = 10s) {
    Request request;
    request.wait = wait;
    request.lease = lease;
    return request;
}

/// `etcdctl lock NAME`, holding it until it is asked to end, or running a command under it.
class Etcdctl {
public:
    Etcdctl(const EtcdServer& server, const QByteArray& name, int ttl, const QStringList& command = {}) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("ETCDCTL_API"), QStringLiteral("3"));
        m_process.setProcessEnvironment(environment);
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.start(QStringLiteral("etcdctl"),
                        QStringList{QStringLiteral("--endpoints"), server.endpoint(), QStringLiteral("lock"),
                                    QStringLiteral("--ttl"), QString::number(ttl), QString::fromUtf8(name)} +
                            command);
    }
    ~Etcdctl() {
        m_process.kill();
        m_process.waitForFinished();
    }
    /// It prints its key once it holds the lock.
    bool holds() {
        m_said += m_process.readAll();
        return m_said.contains('/');
    }
    const QByteArray& said() const { return m_said; }
    bool ended() const { return m_process.state() == QProcess::NotRunning; }
    void interrupt() { ::kill(pid_t(m_process.processId()), SIGINT); } // it gives the lock up
    void kill() { m_process.kill(); }

private:
    QProcess m_process;
    QByteArray m_said;
};

/// A number in a file, that ours and shell commands count up: read, wait a little, write.
int numberIn(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toInt() : -1;
}
void write(const QString& name, int number) {
    QFile file(name);
    if (file.open(QIODevice::WriteOnly | QIODevice::Truncate)) file.write(QByteArray::number(number));
}

struct Ours {
    Ours(Runtime& runtime, const ConnectionUrl& url, const QByteArray& name)
        : driver(runtime, url), recipe({driver, name}) {}
    EtcdDriver driver;
    EtcdLease recipe;
};

/// From a release to the next holder: both are told by the server.
constexpr Nanos kHandOver = 3s; // a few milliseconds, and what a loaded machine adds

/// Reads a key again and again until it is gone. `there`: when that was last asked for with the answer that it is
/// there, so that it went later than that.
QCoro::Task<bool> watchOver(Runtime& runtime, Port& port, QByteArray key, std::shared_ptr<Nanos> there) {
    for (;;) {
        const Nanos askedAt = runtime.monotonic();
        Range one;
        one.key = key;
        const auto found = co_await port.range(one, {});
        if (!found || found->keys.empty()) co_return found.has_value();
        *there = askedAt;
    }
}

/// Counts until `end`; how often it did, negative after an error.
QCoro::Task<int> count(Runtime& runtime, Ours& ours, QString file, Nanos end) {
    int done = 0;
    while (runtime.monotonic() < end) {
        const auto grant = co_await ours.recipe.acquire(asked(60s), {});
        if (!grant || !*grant) co_return -1;
        const int seen = numberIn(file);
        co_await runtime.sleep(1ms);
        write(file, seen + 1);
        ++done;
        const auto left = co_await ours.recipe.release(**grant, {});
        if (!left) co_return -1;
    }
    co_return done;
}

} // namespace

class TestEtcdctlInterop : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_server);
        m_ours = std::make_unique<Ours>(m_runtime, urlOf(m_server), "shared");
    }
    void cleanup() { QTRY_COMPARE_WITH_TIMEOUT(leaseCount(m_server), 0, 20'000); }

    void itHoldsAndWeWait() {
        Etcdctl peer(m_server, "shared", 3);
        QTRY_VERIFY(peer.holds());
        QVERIFY(!run(m_ours->recipe.acquire(asked(0s), {})).value());
        Nanos got{};
        auto waiting = beside(timed(got));
        QTRY_COMPARE(watchCount(m_server), 1);
        QVERIFY(!waiting->done);
        const auto queue = keysUnder(m_ours->driver, "shared/"); // its key, then ours
        QCOMPARE(queue.size(), 2U);
        EtcdDriver observer(m_runtime, urlOf(m_server));
        VERIFY_OK(run(observer.open()));
        const auto there = std::make_shared<Nanos>();
        const auto watching = beside(watchOver(m_runtime, observer, queue[0].key, there));
        QVERIFY(comesTrue([&] { return *there > Nanos(0); }));
        peer.interrupt();
        QVERIFY(comesTrue([&] { return waiting->done; }));
        QVERIFY(ends(watching, 5s));
        QVERIFY(watching->result == true);
        qInfo("its release → ours: %lld ms", (long long)((got - *there) / 1ms));
        QVERIFY2(got - *there < kHandOver, qPrintable(QString::number((got - *there) / 1ms)));
    }
    void weHoldAndItWaits() {
        const auto grant = run(m_ours->recipe.acquire(asked(0s), {})).value();
        QVERIFY(grant);
        Etcdctl peer(m_server, "shared", 3);
        QTRY_COMPARE(keysUnder(m_ours->driver, "shared/").size(), 2U);
        run(m_runtime.sleep(300ms));
        QVERIFY(!peer.holds());
        const Nanos begun = m_runtime.monotonic();
        QVERIFY(run(m_ours->recipe.release(*grant, {})));
        QVERIFY(comesTrue([&] { return peer.holds(); }));
        const Nanos took = m_runtime.monotonic() - begun;
        qInfo("our release → its: %lld ms", (long long)(took / 1ms));
        QVERIFY2(took < kHandOver, qPrintable(QString::number(took / 1ms)));
        // Its key has the form of ours.
        const auto keys = keysUnder(m_ours->driver, "shared/");
        QCOMPARE(keys.size(), 1U);
        QVERIFY(peer.said().contains(keys[0].key));
        QCOMPARE(keys[0].key, "shared/" + QByteArray::number(qlonglong(keys[0].lease), 16));
        peer.interrupt();
        QTRY_VERIFY(peer.ended());
    }
    void killedItFreesWithItsLease() {
        Etcdctl peer(m_server, "shared", 2);
        QTRY_VERIFY(peer.holds());
        const Nanos begun = m_runtime.monotonic();
        peer.kill();
        const auto grant = run(m_ours->recipe.acquire(asked(20s), {})).value();
        QVERIFY(grant);
        const Nanos took = m_runtime.monotonic() - begun;
        qInfo("killed peer of TTL 2 s: free after %lld ms", (long long)(took / 1ms));
        QVERIFY(took < 2s + 2s);
        QVERIFY(run(m_ours->recipe.release(*grant, {})));
    }
    void killedWeFreeWithOurLease() {
        auto client = std::make_unique<EventLoopRuntime>();
        {
            Ours dying(*client, urlOf(m_server), "shared");
            const auto grant = run(dying.recipe.acquire(asked(0s, 2s), {})).value();
            QVERIFY(grant);
            client->kill();
        }
        Etcdctl peer(m_server, "shared", 3);
        QTRY_COMPARE(keysUnder(m_ours->driver, "shared/").size(), 2U);
        QTRY_VERIFY_WITH_TIMEOUT(peer.holds(), 6000);
        peer.interrupt();
        QTRY_VERIFY(peer.ended());
    }
    void tenOfEachCountExactly() {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("counter"));
        write(file, 0);
        const Nanos end = m_runtime.monotonic() + 5s;
        std::vector<std::unique_ptr<Ours>> ours;
        std::vector<std::shared_ptr<Ending<int>>> endings;
        for (int i = 0; i < 10; ++i) {
            ours.push_back(std::make_unique<Ours>(m_runtime, urlOf(m_server), "counted"));
            endings.push_back(beside(count(m_runtime, *ours.back(), file, end)));
        }
        const QStringList command{QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                                  QStringLiteral("n=$(cat \"$0\"); sleep 0.002; printf %d $((n + 1)) > \"$0\"; echo x"),
                                  file};
        std::vector<std::unique_ptr<Etcdctl>> peers(10);
        int counted = 0;
        bool open = true;
        while (open) {
            open = false;
            for (auto& peer : peers) {
                if (peer) (void)peer->holds();
                if (peer && peer->ended()) {
                    (void)peer->holds();
                    QVERIFY2(peer->said().trimmed().endsWith('x'), peer->said().constData());
                    ++counted;
                    peer.reset();
                }
                if (!peer && m_runtime.monotonic() < end)
                    peer = std::make_unique<Etcdctl>(m_server, "counted", 10, command);
                open = open || peer;
            }
            QTest::qWait(5);
        }
        int own = 0;
        for (const auto& ending : endings) {
            QTRY_VERIFY_WITH_TIMEOUT(ending->done, 20'000);
            QVERIFY(ending->result.value() > 0);
            own += *ending->result;
        }
        qInfo("counted: %d by us, %d by etcdctl", own, counted);
        QVERIFY(counted >= 10);
        QCOMPARE(numberIn(file), own + counted);
    }

private:
    QCoro::Task<bool> timed(Nanos& got) {
        const auto grant = co_await m_ours->recipe.acquire(asked(kNever), {});
        got = m_runtime.monotonic();
        if (!grant || !*grant) co_return false;
        const auto left = co_await m_ours->recipe.release(**grant, {});
        co_return left.has_value();
    }
    EventLoopRuntime m_runtime;
    EtcdServer m_server{m_runtime};
    std::unique_ptr<Ours> m_ours;
};

QTEST_GUILESS_MAIN(TestEtcdctlInterop)
#include "tst_etcdctl_interop.moc"
