// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "lock_fleet.h"
#include "recipes/redlock/redlock.h"
#include "sandbox/redis_masters.h"

#include <QElapsedTimer>
#include <QRegularExpression>

using namespace lockscope;
using namespace lockscope::test;
using recipes::Redlock;
using Kind = LockError::Kind;

namespace {
constexpr int kMasters = 5;
using Admins = std::vector<std::unique_ptr<redis::RedisDriver>>; ///< one for each master

/// A client whose node time-out is long enough for a busy machine, and short against the lease.
LockOptions options(Nanos lease = 10s) {
    LockOptions all;
    all.lease = lease;
    all.watchdog = Nanos(0);
    return all;
}
} // namespace

class TestRedlock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const auto started = run(m_masters.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        m_url = m_masters.url();
        redis::DriverOptions soonBack;
        soonBack.retryLongest = 100ms;
        for (int i = 0; i < kMasters; ++i)
            m_admins.push_back(std::make_unique<redis::RedisDriver>(m_runtime, urlOf(m_masters.at(i)), soonBack));
    }
    void init() {
        for (int i = 0; i < kMasters; ++i)
            m_masters.at(i).resume();
        const auto started = run(m_masters.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        m_name = QByteArray("lock-") + QTest::currentTestFunction();
        for (int i = 0; i < kMasters; ++i)
            QTRY_VERIFY(call(*m_admins[std::size_t(i)], {"FLUSHALL"}).has_value());
    }

    void everyNodeHasTheValueThatNodeRedlockWrites() {
        LockUser user(m_url, "redis-redlock", m_name, options());
        VERIFY_OPEN(user);
        QVERIFY(holdEverywhere(user));
        const QByteArray value = valueAt(0);
        QVERIFY2(QRegularExpression(QStringLiteral("^[0-9a-f]{32}$")).match(QString::fromLatin1(value)).hasMatch(),
                 value.constData());
        for (int i = 0; i < kMasters; ++i) {
            QCOMPARE(valueAt(i), value);
            QCOMPARE(ask(i, {"TYPE", m_name}).value().text, "string");
            const std::int64_t left = ask(i, {"PTTL", m_name}).value().integer;
            QVERIFY2(left > 5'000 && left <= 10'000, QByteArray::number(qlonglong(left)).constData());
        }
        // Validity is the lease less what it took, less the drift.
        QVERIFY(user.lock->remaining() <= 10s - Redlock::drift(10s));
        QVERIFY(user.lock->remaining() > 8s);
        QCOMPARE(run(user.lock->unlock()).value(), 0);
        QTRY_COMPARE(nodesWithKey(), 0);
    }
    void valuesDifferEachTime() {
        LockUser user(m_url, "redis-redlock", m_name, options());
        QSet<QByteArray> seen;
        for (int i = 0; i < 5; ++i) {
            QVERIFY(holdEverywhere(user));
            seen.insert(valueAt(0));
            QCOMPARE(run(user.lock->unlock()).value(), 0);
            QTRY_COMPARE(nodesWithKey(), 0);
        }
        QCOMPARE(seen.size(), 5);
    }
    void anotherClientIsKeptOutUntilTheRelease() {
        LockUser holder(m_url, "redis-redlock", m_name, options()), other(m_url, "redis-redlock", m_name, options());
        VERIFY_OPEN(holder);
        VERIFY_OPEN(other);
        QVERIFY(holdEverywhere(holder));
        const QByteArray value = valueAt(0);
        QVERIFY(!run(other.lock->tryLock()).value());
        QVERIFY(!run(other.lock->tryLockFor(300ms)).value());
        for (int i = 0; i < kMasters; ++i)
            QCOMPARE(valueAt(i), value); // untouched
        auto waiting = other.lock->tryLockFor(10s);
        letPass(m_runtime, 200ms);
        QElapsedTimer since;
        since.start();
        QCOMPARE(run(holder.lock->unlock()).value(), 0);
        QVERIFY(run(std::move(waiting)).value());
        QVERIFY2(since.elapsed() < 5000, QByteArray::number(since.elapsed()).constData()); // the lease is 10 s
        QCOMPARE(run(other.lock->unlock()).value(), 0);
    }
    void aMinorityOfForeignValuesDoesNotHinder() {
        LockUser user(m_url, "redis-redlock", m_name, options());
        QVERIFY(connectEverywhere(user));
        for (int i = 0; i < 2; ++i)
            QVERIFY(ask(i, {"SET", m_name, "somebody", "PX", "60000"}));
        QVERIFY(run(user.lock->tryLock()).value());
        QCOMPARE(run(user.lock->unlock()).value(), 0);
        QTRY_COMPARE(nodesWithKey(), 2);
        QCOMPARE(valueAt(0), "somebody"); // never touched
        // Nor is a majority of them taken for ours.
        QVERIFY(ask(2, {"SET", m_name, "somebody", "PX", "60000"}));
        QVERIFY(!run(user.lock->tryLock()).value());
        QTRY_COMPARE(nodesWithKey(), 3);
    }
    void aHashOfAnotherLibraryKeepsUsOut() {
        LockUser user(m_url, "redis-redlock", m_name, options());
        QVERIFY(connectEverywhere(user));
        for (int i = 0; i < 3; ++i)
            QVERIFY(ask(i, {"HSET", m_name, "uuid:1", "1"}));
        QVERIFY(!run(user.lock->tryLock()).value());
        QTRY_COMPARE(nodesWithKey(), 3);
        QCOMPARE(ask(0, {"HGET", m_name, "uuid:1"}).value().text, "1");
    }
    void twoOfFiveDownStillGrants() {
        LockUser user(m_url, "redis-redlock", m_name, options());
        VERIFY_OPEN(user);
        m_masters.at(1).kill();
        m_masters.at(3).kill();
        for (int i = 0; i < 5; ++i) {
            const auto taken = run(user.lock->lock());
            VERIFY_OK(taken);
            QVERIFY(user.lock->stillMine());
            VERIFY_OK(run(user.lock->unlock()));
        }
        for (const int i : {0, 2, 4})
            QTRY_COMPARE(ask(i, {"EXISTS", m_name}).value().integer, 0);
    }
    void threeOfFiveDownRefusesAndLeavesNothing() {
        LockUser user(m_url, "redis-redlock", m_name, options());
        VERIFY_OPEN(user);
        for (const int i : {0, 1, 2})
            m_masters.at(i).kill();
        const auto taken = run(user.lock->tryLock());
        QVERIFY(!taken);
        QVERIFY2(taken.error().kind == Kind::Unreachable, qPrintable(taken.error().message));
        QVERIFY2(taken.error().message.contains(QLatin1String("2 of 5")), qPrintable(taken.error().message));
        for (const int i : {3, 4})
            QCOMPARE(ask(i, {"EXISTS", m_name}).value().integer, 0); // at once, not after a while
        // Also after a wait, when they have not come back in time.
        const auto waiting = beside(user.lock->lock());
        QVERIFY(run(user.lock->tryLockFor(2s, "2")).error().kind == Kind::Unreachable);
        QVERIFY(run(user.connection->ping()).error().kind == Kind::Unreachable);
        QVERIFY(!waiting->done);
        // And it is available again soon after they are back.
        const auto restarted = run(m_masters.start());
        QVERIFY(restarted);
        QVERIFY(ends(waiting, 10s));
        QVERIFY(waiting->result->value_or(false));
        VERIFY_OK(run(user.lock->unlock()));
    }
    void aNodeThatStandsStillIsNotWaitedFor() {
        LockUser user(m_url, "redis-redlock", m_name, options());
        QVERIFY(connectEverywhere(user));
        m_masters.at(2).pause();
        QElapsedTimer took;
        took.start();
        QVERIFY(run(user.lock->lock()).value());
        VERIFY_OK(run(user.lock->unlock()));
        // A majority answers at once: not even the node time-out is waited out.
        QVERIFY2(took.elapsed() < Redlock::nodeTimeout(10s) / 1ms, QByteArray::number(took.elapsed()).constData());
        m_masters.at(2).resume();
        // The node first grants the request that reached it while it stood still, and then undoes it.
        QTRY_COMPARE(nodesWithKey(), 0);
        letPass(m_runtime, 50ms);
        QCOMPARE(nodesWithKey(), 0);
    }
    void aMajorityThatStandsStillIsRefusedInTime() {
        LockUser user(m_url, "redis-redlock", m_name, options());
        QVERIFY(connectEverywhere(user));
        for (const int i : {0, 1, 2})
            m_masters.at(i).pause();
        QElapsedTimer took;
        took.start();
        const auto taken = run(user.lock->tryLock());
        QVERIFY(taken.error().kind == Kind::Unreachable);
        // Once to ask, once to take back.
        const qint64 limit = 2 * (Redlock::nodeTimeout(10s) / 1ms);
        QVERIFY2(took.elapsed() >= limit / 2 && took.elapsed() < limit + 1000,
                 QByteArray::number(took.elapsed()).constData());
        for (const int i : {3, 4})
            QCOMPARE(ask(i, {"EXISTS", m_name}).value().integer, 0);
        for (const int i : {0, 1, 2})
            m_masters.at(i).resume();
        // The late grants are taken back: long before their lease of 10 s ends.
        QTRY_COMPARE(nodesWithKey(), 0);
        letPass(m_runtime, 50ms);
        QCOMPARE(nodesWithKey(), 0);
    }
    void grantedTooLateIsRefusedAndGivenBack() {
        LockUser user(m_url, "redis-redlock", m_name, options(1s));
        QVERIFY(connectEverywhere(user));
        // The client stands still while the answers come: what is left then is under a tenth of the lease.
        auto taking = user.lock->tryLock();
        user.runtime.pause();
        letPass(m_runtime, 930ms);
        QCOMPARE(nodesWithKey(), kMasters);
        user.runtime.resume();
        const auto taken = run(std::move(taking));
        QVERIFY(!taken);
        QVERIFY2(taken.error().kind == Kind::Unreachable, qPrintable(taken.error().message));
        QVERIFY2(taken.error().message.contains(QLatin1String("late")), qPrintable(taken.error().message));
        QCOMPARE(nodesWithKey(), 0);
        QVERIFY(!user.lock->stillMine());
    }
    void aLeaseShorterThanTheDriftIsRefused() {
        LockUser user(m_url, "redis-redlock", m_name, options(2ms));
        QVERIFY(run(user.lock->tryLock()).error().kind == Kind::Refused);
        QCOMPARE(nodesWithKey(), 0);
    }
    void contendersCountExactly() {
        std::vector<std::unique_ptr<LockUser>> users;
        Counter counter;
        std::vector<QCoro::Task<>> tasks;
        for (int i = 0; i < 8; ++i) {
            users.push_back(std::make_unique<LockUser>(m_url, "redis-redlock", m_name, options()));
            VERIFY_OPEN(*users.back());
        }
        for (const auto& user : users)
            tasks.push_back(countUp(*user, counter, 4));
        run(all(std::move(tasks)));
        QCOMPARE(counter.value, 32);
        QCOMPARE(counter.mostInside, 1);
        QVERIFY2(counter.failures == 0, qPrintable(counter.lastError));
        QTRY_COMPARE(nodesWithKey(), 0);
    }
    void interruptedAtAnyMomentLeavesNothing() {
        LockUser user(m_url, "redis-redlock", m_name, options());
        VERIFY_OPEN(user);
        int interrupted = 0;
        for (int i = 0; i < 40; ++i) {
            std::stop_source stop;
            auto taking = howCancelled(user.lock->lock("1", stop.get_token()));
            if (i % 4) letPass(m_runtime, i * 10us);
            stop.request_stop();
            const auto why = run(std::move(taking));
            if (why) {
                QVERIFY(*why == Cancelled::Why::Stopped);
                ++interrupted;
                QCOMPARE(nodesWithKey(), 0);
            } else {
                VERIFY_OK(run(user.lock->unlock()));
                QTRY_COMPARE(nodesWithKey(), 0);
            }
        }
        QVERIFY(interrupted >= 10);
    }
    void interruptedWhileWaitingLeavesTheHolderAlone() {
        LockUser holder(m_url, "redis-redlock", m_name, options()), waiter(m_url, "redis-redlock", m_name, options());
        QVERIFY(holdEverywhere(holder));
        const QByteArray value = valueAt(0);
        std::stop_source stop;
        auto waiting = howCancelled(waiter.lock->lock("1", stop.get_token()));
        letPass(m_runtime, 300ms);
        stop.request_stop();
        QCOMPARE(run(std::move(waiting)), std::optional(Cancelled::Why::Stopped));
        for (int i = 0; i < kMasters; ++i)
            QCOMPARE(valueAt(i), value);
        VERIFY_OK(run(holder.lock->unlock()));
    }
    void theWatchdogKeepsIt() {
        LockOptions renewing = options(1s);
        renewing.watchdog = 200ms;
        LockUser user(m_url, "redis-redlock", m_name, renewing);
        QVERIFY(holdEverywhere(user));
        letPass(m_runtime, 1100ms); // longer than the lease
        QVERIFY(user.lock->stillMine());
        for (int i = 0; i < kMasters; ++i)
            QVERIFY(ask(i, {"PTTL", m_name}).value().integer > 300);
        // Two of five may go, not three.
        m_masters.at(0).kill();
        m_masters.at(1).kill();
        letPass(m_runtime, 1100ms);
        QVERIFY(user.lock->stillMine());
        QString reason;
        user.lock->listen([&](DistributedLock::Event event, const QByteArray&, const QString& why) {
            if (event == DistributedLock::Event::Lost) reason = why;
        });
        m_masters.at(2).kill();
        QTRY_VERIFY_WITH_TIMEOUT(!reason.isEmpty(), 3000);
        QVERIFY(!user.lock->stillMine());
        // The two that were left are free again, at the latest with the lease.
        QTRY_COMPARE(ask(3, {"EXISTS", m_name}).value().integer, 0);
        QTRY_COMPARE(ask(4, {"EXISTS", m_name}).value().integer, 0);
    }
    void aRenewalThatAMajorityRefusesIsALoss() {
        LockOptions renewing = options(30s);
        renewing.watchdog = 200ms;
        LockUser user(m_url, "redis-redlock", m_name, renewing);
        QVERIFY(holdEverywhere(user));
        for (const int i : {0, 1})
            ask(i, {"DEL", m_name});
        letPass(m_runtime, 600ms);
        QVERIFY(user.lock->stillMine()); // a majority is left
        ask(2, {"DEL", m_name});
        QTRY_VERIFY(!user.lock->stillMine());
        QTRY_COMPARE(nodesWithKey(), 0); // the minority does not stand in others' way
    }
    void releaseByOneWhoDoesNotHoldItAnyMore() {
        LockUser user(m_url, "redis-redlock", m_name, options());
        QVERIFY(holdEverywhere(user));
        for (const int i : {0, 1, 2})
            ask(i, {"SET", m_name, "somebody"});
        QVERIFY(run(user.lock->unlock()).error().kind == Kind::NotOwner);
        QTRY_COMPARE(nodesWithKey(), 3);
        QCOMPARE(valueAt(0), "somebody");
        QVERIFY(run(user.lock->unlock()).error().kind == Kind::NotOwner);
    }
    void releaseWhileTooFewAnswerSaysSo() {
        LockUser user(m_url, "redis-redlock", m_name, options());
        QVERIFY(holdEverywhere(user));
        for (const int i : {0, 1, 2})
            m_masters.at(i).pause();
        const auto left = run(user.lock->unlock());
        QVERIFY(!left);
        QVERIFY2(left.error().kind == Kind::OutcomeUnknown, qPrintable(left.error().message));
        for (const int i : {0, 1, 2})
            m_masters.at(i).resume();
        QTRY_COMPARE(nodesWithKey(), 0); // it goes on trying
    }
    void forcedReleaseLeavesAloneWhatNoLockOfThisKindWrote_data() {
        QTest::addColumn<QByteArrayList>("put");
        QTest::newRow("a hash") << QByteArrayList{"HSET", "KEY", "uuid:1", "1"};
        QTest::newRow("a number") << QByteArrayList{"SET", "KEY", "1700000000"};
        QTest::newRow("a list") << QByteArrayList{"RPUSH", "KEY", "job"};
    }
    void forcedReleaseLeavesAloneWhatNoLockOfThisKindWrote() {
        QFETCH(QByteArrayList, put);
        put[1] = m_name;
        const redis::Args foreign(put.begin(), put.end());
        LockUser holder(m_url, "redis-redlock", m_name, options()), other(m_url, "redis-redlock", m_name, options());
        VERIFY_OPEN(other);
        QVERIFY(connectEverywhere(holder));
        // On a minority it is in nobody's way: the lock is freed, and the rest stays.
        for (const int i : {1, 3})
            QVERIFY(ask(i, foreign));
        QVERIFY(run(holder.lock->lock()).value());
        QTRY_COMPARE(nodesWithKey(), kMasters);
        const auto freed = run(other.lock->forceUnlock());
        VERIFY_OK(freed);
        QVERIFY(*freed);
        for (int i = 0; i < kMasters; ++i)
            QCOMPARE(ask(i, {"EXISTS", m_name}).value().integer, i == 1 || i == 3 ? 1 : 0);
        const auto nothing = run(other.lock->forceUnlock());
        VERIFY_OK(nothing);
        QVERIFY(!*nothing);
        // On one more nobody can take the lock, and freeing it is not ours.
        QVERIFY(ask(2, foreign));
        const QByteArray before = ask(2, {"DUMP", m_name}).value().text;
        const auto refused = run(other.lock->forceUnlock());
        QVERIFY(!refused);
        QVERIFY2(refused.error().kind == Kind::ForeignFormat, qPrintable(refused.error().message));
        QVERIFY2(refused.error().message.contains(QString::fromUtf8(m_name)), qPrintable(refused.error().message));
        if (put[0] != "SET") QVERIFY(run(other.lock->isLocked()).error().kind == Kind::ForeignFormat);
        for (const int i : {1, 2, 3})
            QCOMPARE(ask(i, {"DUMP", m_name}).value().text, before);
        QVERIFY(!run(other.lock->tryLock()).value());
    }
    void forcedRelease() {
        LockUser holder(m_url, "redis-redlock", m_name, options()), other(m_url, "redis-redlock", m_name, options());
        QVERIFY(holdEverywhere(holder));
        QVERIFY(run(other.lock->isLocked()).value());
        QVERIFY(run(other.lock->forceUnlock()).value());
        QCOMPARE(nodesWithKey(), 0);
        QVERIFY(!run(other.lock->isLocked()).value());
        QVERIFY(!run(other.lock->forceUnlock()).value());
        QVERIFY(run(other.lock->tryLock()).value());
    }
    void aDeadClientsLockEndsByItsLease() {
        LockUser other(m_url, "redis-redlock", m_name, options());
        VERIFY_OPEN(other);
        QElapsedTimer since;
        {
            LockUser user(m_url, "redis-redlock", m_name, options(800ms));
            QVERIFY(run(user.lock->lock()).value());
            since.start();
        }
        QVERIFY(run(other.lock->tryLockFor(10s)).value());
        QVERIFY2(since.elapsed() >= 700 && since.elapsed() < 3000, QByteArray::number(since.elapsed()).constData());
    }
    void aMasterThatForgotIsNoMajority() {
        // One that comes back empty lets somebody else in there: still no second majority.
        LockUser holder(m_url, "redis-redlock", m_name, options(30s)), other(m_url, "redis-redlock", m_name, options());
        QVERIFY(holdEverywhere(holder));
        VERIFY_OPEN(other);
        run(m_masters.at(4).stop());
        const auto restarted = run(m_masters.start());
        QVERIFY(restarted);
        QTRY_COMPARE(nodesWithKey(), kMasters - 1);
        QVERIFY(!run(other.lock->tryLockFor(500ms)).value());
        VERIFY_OK(run(holder.lock->unlock()));
    }
    void otherRecipesAreRefusedWithASentence() {
        EventLoopRuntime runtime;
        const auto connection = makeConnection(runtime, parseConnectionUrl(m_url).value());
        const auto recipe = connection->makeRecipe("redis-reentrant", {m_name});
        QVERIFY(recipe.error().kind == Kind::NotSupported);
        QVERIFY(recipe.error().message.contains(QLatin1String("redis-redlock")));
    }

    void behindALoginAndTls() {
        sandbox::RedisServerOptions each;
        each.tls = true;
        each.password = QStringLiteral("s3cret/4");
        each.users = {
            {QStringLiteral("locker"), QStringLiteral("pw@1"), QStringLiteral("~* +@all -@admin -@dangerous")}};
        sandbox::RedisMasters masters(m_runtime, 3, each);
        VERIFY_STARTED(masters);
        const QString url = masters.url({QStringLiteral("locker"), QStringLiteral("pw@1")});
        QVERIFY2(url.startsWith(QLatin1String("redlocks://")), qPrintable(url));
        LockUser holder(url, "redis-redlock", m_name, options()),
            other(masters.url(), "redis-redlock", m_name, options());
        VERIFY_OPEN(holder);
        VERIFY_OPEN(other);
        Admins admins;
        for (int i = 0; i < masters.count(); ++i)
            admins.push_back(std::make_unique<redis::RedisDriver>(m_runtime, urlOf(masters.at(i))));
        QVERIFY(holdEverywhere(holder, admins));
        QVERIFY(!run(other.lock->tryLock()).value());
        for (const auto& admin : admins)
            QCOMPARE(call(*admin, {"STRLEN", m_name}).value().integer, 32);
        auto waiting = beside(other.lock->tryLockFor(20s));
        QCOMPARE(run(holder.lock->unlock()).value(), 0);
        QVERIFY(ends(waiting, 10s));
        QVERIFY(waiting->result->value());
        VERIFY_OK(run(other.lock->unlock()));

        // A client that is not let in hears the reason, and no password.
        LockUser mistaken(masters.url({QStringLiteral("locker"), QStringLiteral("wr0ng")}), "redis-redlock", m_name);
        const QString login = mistaken.open();
        QVERIFY2(login.contains(QLatin1String("login")) && !login.contains(QLatin1String("wr0ng")), qPrintable(login));
        QString text = url;
        LockUser plain(text.replace(QLatin1String("redlocks:"), QLatin1String("redlock:")).section(u'?', 0, 0),
                       "redis-redlock", m_name);
        const QString scheme = plain.open();
        QVERIFY2(scheme.contains(QLatin1String("TLS")), qPrintable(scheme));
        text = url;
        LockUser bare(text.section(u'&', 0, 0), "redis-redlock", m_name); // without our certificate
        QVERIFY(!bare.open().isEmpty());
        text = url;
        LockUser distrustful(text.replace(QLatin1String("ca.pem"), QLatin1String("client.pem")), "redis-redlock",
                             m_name);
        const QString authority = distrustful.open(); // not who signed the servers'
        QVERIFY2(authority.contains(QLatin1String("TLS")), qPrintable(authority));
    }

private:
    /// Takes the lock, again until all masters have it: one that was started just now may be a moment late, on a busy
    /// machine later than its command is kept for it. False: not within a while.
    bool holdEverywhere(LockUser& user) { return holdEverywhere(user, m_admins); }
    bool holdEverywhere(LockUser& user, const Admins& admins) {
        for (int tries = 0; tries < 10; ++tries) {
            const auto taken = run(user.lock->lock());
            if (!taken || !*taken) continue;
            if (QTest::qWaitFor([&] { return nodesWithKey(admins) == int(admins.size()); }, 2'000)) return true;
            if (!run(user.lock->unlock())) return false;
            if (!QTest::qWaitFor([&] { return nodesWithKey(admins) == 0; }, 5'000)) return false;
        }
        return false;
    }
    /// Waits until the client talks to all masters: with a majority it says that it is open.
    bool connectEverywhere(LockUser& user) {
        return holdEverywhere(user) && run(user.lock->unlock()) &&
               QTest::qWaitFor([&] { return nodesWithKey() == 0; }, 5'000);
    }
    redis::Result ask(int node, redis::Args args) { return call(*m_admins[std::size_t(node)], std::move(args)); }
    QByteArray valueAt(int node) { return ask(node, {"GET", m_name}).value().text; }
    int nodesWithKey() { return nodesWithKey(m_admins); }
    int nodesWithKey(const Admins& admins) {
        int count = 0;
        for (const auto& admin : admins) {
            const redis::Result there = call(*admin, {"EXISTS", m_name});
            count += there ? int(there->integer) : 0;
        }
        return count;
    }

    EventLoopRuntime m_runtime;
    sandbox::RedisMasters m_masters{m_runtime, kMasters};
    Admins m_admins;
    QString m_url;
    QByteArray m_name;
};

QTEST_GUILESS_MAIN(TestRedlock)
#include "tst_redlock.moc"
