// SPDX-License-Identifier: Apache-2.0
#include "lock_fleet.h"
#include "sandbox/redis_masters.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>

using namespace lockscope;
using namespace lockscope::test;

namespace {

constexpr int kMasters = 3;
/// From the beginning of a release to the next holder, in ms. Nobody is told of one: whoever waits asks again and
/// again, ours after pauses that are part of this, the peer every 100 ms (redlock_peer.mjs).
constexpr qint64 kHandOver = 200;
constexpr qint64 kItsPause = 100;

/// node-redlock in a process of its own.
class Peer {
public:
    /// `arguments` behind the ports; see redlock_peer.mjs.
    QString start(const sandbox::Workspace& workspace, const QStringList& arguments) {
        const QStringList all = QStringList{workspace.file(QStringLiteral("redlock_peer.mjs"))} + arguments;
        return m_process.start(QStringLiteral("node"), all, workspace.path()) ? QString() : m_process.lastOutput();
    }
    bool said(const char* word) const { return m_process.lastOutput().contains(QLatin1String(word)); }
    /// The number behind a word that it said last; -1: it did not.
    qint64 number(const char* word) const {
        const QRegularExpression pattern(QString::fromLatin1(word) + QStringLiteral(" (\\d+)"));
        auto matches = pattern.globalMatch(m_process.lastOutput());
        qint64 last = -1;
        while (matches.hasNext())
            last = matches.next().captured(1).toLongLong();
        return last;
    }
    QString output() const { return m_process.lastOutput(); }
    void release() { m_process.terminate(); }
    void kill() { m_process.kill(); }
    bool running() const { return m_process.running(); }

private:
    sandbox::ProcessSupervisor m_process;
};

LockOptions options(Nanos lease = 10s) {
    LockOptions all;
    all.lease = lease;
    all.watchdog = Nanos(0);
    return all;
}

struct Share {
    int counted = 0;
    QString error;
};

/// Counts a key of the first master up under the lock, as the peer does: read, wait, write.
QCoro::Task<> contend(LockUser& user, redis::RedisDriver& store, QByteArray counter, Nanos until, Share& share) {
    while (user.runtime.monotonic() < until) {
        const auto taken = co_await user.lock->tryLockFor(until - user.runtime.monotonic());
        if (!taken) share.error = taken.error().message;
        if (!taken || !*taken) continue;
        const redis::Result read = co_await store.call(redis::argsOf("GET", counter));
        co_await user.runtime.sleep(1ms);
        const QByteArray next = QByteArray::number((read ? read->text.toInt() : 0) + 1);
        const redis::Result written = co_await store.call(redis::argsOf("SET", counter, next));
        if (written) ++share.counted;
        const auto left = co_await user.lock->unlock();
        if (!left) share.error = left.error().message;
    }
}

} // namespace

class TestRedlockInterop : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const QString script = QStringLiteral("redlock_peer.mjs");
        QVERIFY(QFile::copy(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/live/interop/redlock/") + script,
                            m_workspace.file(script)));
        const auto installed =
            run(sandbox::run(m_runtime, QStringLiteral("npm"),
                             {QStringLiteral("install"), QStringLiteral("--no-audit"), QStringLiteral("--no-fund"),
                              QStringLiteral("--ignore-scripts"), QStringLiteral("redlock@5.0.0-beta.2"),
                              QStringLiteral("ioredis@5.4.1")},
                             m_workspace.path()));
        QVERIFY2(installed, qPrintable(QStringLiteral("npm could not install redlock and ioredis, which this test "
                                                      "locks against; does the registry answer? %1")
                                           .arg(installed ? QString() : installed.error())));
        const auto started = run(m_masters.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        QStringList ports;
        for (int i = 0; i < kMasters; ++i) {
            ports += QString::number(m_masters.at(i).port());
            m_admins.push_back(std::make_unique<redis::RedisDriver>(m_runtime, urlOf(m_masters.at(i))));
        }
        m_ports = ports.join(u',');
    }

    void thePeerHoldsAndWeWait() {
        Peer peer;
        const QString error = peer.start(m_workspace, hold("peer-first", 30'000));
        QVERIFY2(error.isEmpty(), qPrintable(error));
        QTRY_VERIFY2(peer.said("acquired"), qPrintable(peer.output()));
        LockUser user(m_masters.url(), "redis-redlock", "peer-first", options());
        VERIFY_OPEN(user);
        QVERIFY(!run(user.lock->tryLock()).value());
        QVERIFY(!run(user.lock->tryLockFor(500ms)).value());
        auto waiting = user.lock->tryLockFor(20s);
        letPass(m_runtime, 300ms);
        QVERIFY(!user.lock->stillMine());
        peer.release();
        QVERIFY(run(std::move(waiting)).value());
        const qint64 got = QDateTime::currentMSecsSinceEpoch();
        QTRY_VERIFY2(peer.number("released") > 0, qPrintable(peer.output()));
        const qint64 late = got - peer.number("releasing");
        qInfo("ours %lld ms after the peer began its release", static_cast<long long>(late));
        QVERIFY2(late < kHandOver, QByteArray::number(late).constData());
        VERIFY_OK(run(user.lock->unlock()));
    }
    void weHoldAndThePeerWaits() {
        LockUser user(m_masters.url(), "redis-redlock", "we-first", options(30s));
        VERIFY_OPEN(user);
        QVERIFY(run(user.lock->lock()).value());
        Peer peer;
        const QString error = peer.start(m_workspace, hold("we-first", 30'000));
        QVERIFY2(error.isEmpty(), qPrintable(error));
        letPass(m_runtime, 1500ms);
        QVERIFY2(peer.running() && !peer.said("acquired"), qPrintable(peer.output()));
        const qint64 freed = QDateTime::currentMSecsSinceEpoch();
        VERIFY_OK(run(user.lock->unlock()));
        QTRY_VERIFY2(peer.said("acquired"), qPrintable(peer.output()));
        const qint64 late = peer.number("acquired") - freed;
        qInfo("the peer's %lld ms after we began our release", static_cast<long long>(late));
        QVERIFY2(late < kItsPause + kHandOver, QByteArray::number(late).constData());
        // Our value on the server has the peer's form.
        const QByteArray value = call(*m_admins[0], {"GET", "we-first"}).value().text;
        QVERIFY2(QRegularExpression(QStringLiteral("^[0-9a-f]{32}$")).match(QString::fromLatin1(value)).hasMatch(),
                 value.constData());
        peer.release();
        QTRY_VERIFY2(peer.said("released"), qPrintable(peer.output()));
    }
    void aKilledPeerFreesItByItsLease() {
        Peer peer;
        const QString error = peer.start(m_workspace, hold("killed", 2'000));
        QVERIFY2(error.isEmpty(), qPrintable(error));
        QTRY_VERIFY2(peer.said("acquired"), qPrintable(peer.output()));
        const qint64 acquired = peer.number("acquired");
        peer.kill();
        LockUser user(m_masters.url(), "redis-redlock", "killed", options());
        VERIFY_OPEN(user);
        QVERIFY(run(user.lock->tryLockFor(20s)).value());
        const qint64 after = QDateTime::currentMSecsSinceEpoch() - acquired;
        QVERIFY2(after >= 1'900 && after < 3'000, QByteArray::number(after).constData());
        VERIFY_OK(run(user.lock->unlock()));
    }
    void tenOfEachCountExactly() {
        constexpr int kEach = 10;
        const QString seconds = QStringLiteral("5");
        std::vector<std::unique_ptr<LockUser>> users;
        for (int i = 0; i < kEach; ++i) {
            users.push_back(std::make_unique<LockUser>(m_masters.url(), "redis-redlock", "shared", options(5s)));
            VERIFY_OPEN(*users.back());
        }
        Peer peer;
        const QString error = peer.start(m_workspace, {m_ports, QStringLiteral("contend"), QStringLiteral("shared"),
                                                       QStringLiteral("5000"), QStringLiteral("counter"), seconds,
                                                       QString::number(kEach)});
        QVERIFY2(error.isEmpty(), qPrintable(error));
        QTRY_VERIFY2(peer.said("contending"), qPrintable(peer.output()));
        std::vector<Share> shares(kEach);
        std::vector<QCoro::Task<>> tasks;
        for (std::size_t i = 0; i < shares.size(); ++i) {
            LockUser& user = *users[i];
            tasks.push_back(contend(user, *m_admins[0], "counter", user.runtime.monotonic() + 5s, shares[i]));
        }
        run(all(std::move(tasks)));
        for (int i = 0; i < 100 && peer.number("counted") < 0; ++i)
            letPass(m_runtime, 100ms);
        QVERIFY2(peer.number("counted") >= 0, qPrintable(peer.output()));
        int ours = 0;
        for (const Share& share : shares) {
            QVERIFY2(share.error.isEmpty(), qPrintable(share.error));
            ours += share.counted;
        }
        const auto theirs = int(peer.number("counted"));
        qInfo("counted %d by us, %d by the peer", ours, theirs);
        QVERIFY2(!peer.said("not released"), qPrintable(peer.output()));
        QCOMPARE(call(*m_admins[0], {"GET", "counter"}).value().text.toInt(), ours + theirs);
        QVERIFY(ours > 0 && theirs > 0);
        for (const auto& admin : m_admins)
            QTRY_COMPARE(call(*admin, {"EXISTS", "shared"}).value().integer, 0);
    }

private:
    QStringList hold(const char* key, int lease) const {
        return {m_ports, QStringLiteral("hold"), QString::fromLatin1(key), QString::number(lease)};
    }
    EventLoopRuntime m_runtime;
    sandbox::Workspace m_workspace;
    sandbox::RedisMasters m_masters{m_runtime, kMasters};
    std::vector<std::unique_ptr<redis::RedisDriver>> m_admins;
    QString m_ports;
};

QTEST_GUILESS_MAIN(TestRedlockInterop)
#include "tst_redlock_interop.moc"
