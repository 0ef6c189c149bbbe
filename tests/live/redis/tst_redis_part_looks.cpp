// SPDX-License-Identifier: Apache-2.0
// Looks at what has changed must find the same locks as a look at everything.
#include "watched_redis.h"

#include <QJsonDocument>
#include <algorithm>
#include <random>
#include <set>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::redis;
using namespace lockscope::test;

namespace {

/// Locks of all formats, taken, renewed, queued for and given up at random.
class RandomLocks {
public:
    RandomLocks(RedisDriver& client, std::uint32_t seed) : m_client(client), m_random(seed) {}

    void act() {
        const QByteArray name = "lock:" + number(6);
        const QByteArray holder = owner(pick(2) ? kA : kB, int(pick(3)));
        switch (pick(16)) {
        case 0:
        case 1:
            send({"HSET", name, holder, number(3)});
            send({"PEXPIRE", name, "600000"});
            break;
        case 2:
            send({"HINCRBY", name, holder, "1"});
            break;
        case 3:
            send({"DEL", name});
            break;
        case 4:
            send({"RPUSH", "redisson_lock_queue:{" + name + '}', owner(kB, int(pick(50)))});
            break;
        case 5:
            send({"LPOP", "redisson_lock_queue:{" + name + '}'});
            break;
        case 6:
            send({"ZADD", "redisson_lock_timeout:{" + name + '}', pick(2) ? "1" : kFarAway, owner(kB, int(pick(50)))});
            break;
        case 7:
            send({"INCR", "redisson_lock_token:{lock:" + number(3) + '}'});
            break;
        case 8:
            readLock();
            break;
        case 9:
            send({"SET", "permits:" + number(2), number(5)});
            break;
        case 10:
            send({"ZADD", "{permits:" + number(2) + "}:timeout", kFarAway, "0123456789abcde" + number(10)});
            break;
        case 11:
            send({"SET", "string:lock:" + number(4), owner(kA, int(pick(9))), "PX", pick(2) ? "300000" : "50"});
            break;
        case 12:
            send({"ZADD", "semaphore:" + number(2), kFarAway, kA + number(3)});
            break;
        case 13:
            send({"DEL", "semaphore:" + number(2), "string:lock:" + number(4), "reads:" + number(2)});
            break;
        case 14:
            send({"PEXPIRE", name, "40"});
            break;
        case 15:
            // A counter is no lock: a first look does not see those of locks that are only waited for.
            wait("lock:" + QByteArray::number(3 + pick(3)));
            break;
        }
    }

private:
    std::uint32_t pick(std::uint32_t below) { return m_random() % below; }
    QByteArray number(std::uint32_t below) { return QByteArray::number(pick(below)); }
    void send(redis::Args args) {
        const Result result = call(m_client, std::move(args));
        if (!result && result.error().kind != redis::Error::Kind::Refused) qFatal("The server went away");
    }
    void readLock() {
        const QByteArray name = "reads:" + number(2), reader = owner(kA, int(pick(3)));
        send({"HSET", name, "mode", "read", reader, "1"});
        send({"PEXPIRE", name, "600000"});
        send({"SET", '{' + name + "}:" + reader + ":rwlock_timeout:1", "1", "PX", pick(3) ? "600000" : "60"});
    }
    void wait(const QByteArray& name) {
        if (m_waiters.size() > 3) m_waiters.erase(m_waiters.begin());
        auto waiter = run(m_client.subscribe("redisson_lock__channel:{" + name + '}'));
        if (waiter) m_waiters.push_back(std::move(*waiter));
    }

    RedisDriver& m_client;
    std::mt19937 m_random;
    std::vector<redis::OwnedSubscription> m_waiters;
};

/// The first rows that are not the same in both but for times; empty: all are.
QString differenceBetween(const LockReport& a, const LockReport& b) {
    const auto text = [](const std::vector<LockRow>& rows) {
        return rows.empty() ? QStringLiteral("nothing")
                            : QString::fromUtf8(QJsonDocument(toJson(rows.front())).toJson(QJsonDocument::Compact));
    };
    std::set<QByteArray> names;
    for (const LockReport* const report : {&a, &b})
        for (const LockRow& row : report->locks)
            names.insert(row.name);
    for (const QByteArray& name : names) {
        std::vector<LockRow> mine, theirs;
        std::ranges::copy_if(a.locks, std::back_inserter(mine), [&](const auto& row) { return row.name == name; });
        std::ranges::copy_if(b.locks, std::back_inserter(theirs), [&](const auto& row) { return row.name == name; });
        if (changedBesidesTime(mine, theirs)) return text(mine) + QStringLiteral(" and ") + text(theirs);
    }
    return {};
}

} // namespace

class TestRedisPartLooks : public WatchedRedis {
    Q_OBJECT

    static constexpr int kLocks = 200;
    void takeMany() {
        QVERIFY(call(*m_client, {"EVAL",
                                 "for i = 1, tonumber(ARGV[2]) do redis.call('HSET', 'svc:' .. i, ARGV[1], 1) "
                                 "redis.call('PEXPIRE', 'svc:' .. i, 600000) end",
                                 "0", owner(kA, 1), QByteArray::number(kLocks)}));
    }
    /// A watcher that looks at everything once, and from then on at what has changed.
    static WatchOptions inParts() {
        WatchOptions options;
        options.partsFrom = 1;
        options.wholeAgain = 1h;
        options.shortestPeriod = 10ms;
        options.longestPeriod = 50ms;
        options.share = options.firstShare = 0.5;
        options.commandsPerSecond = 1'000'000;
        return options;
    }

    /// Looks until stopped, and checks that a report says of every lock that may differ from the one before.
    struct Parts {
        explicit Parts(RedisDriver& watched, const WatchOptions& options = inParts())
            : watcher(watched, options),
              task(howCancelled(watcher.watch([this](const LockReport& report) { take(report); }, stop.get_token()))) {}
        ~Parts() {
            stop.request_stop();
            run(std::move(task));
        }
        void take(const LockReport& report) {
            if (report.lookedAgain) {
                ++parts;
                fewest = std::min(fewest, report.lookedAgain->size());
                most = std::max(most, report.lookedAgain->size());
                again.insert(report.lookedAgain->begin(), report.lookedAgain->end());
                for (const LockChange& change : changesBetween(last, report))
                    if (change.what != LockChange::What::Renewed &&
                        !std::ranges::binary_search(*report.lookedAgain, change.row.name))
                        untold = change.row.name;
            }
            last = report;
        }
        int parts = 0;
        std::size_t fewest = SIZE_MAX, most = 0;
        std::set<QByteArray> again; ///< locks that a part was about
        QByteArray untold;          ///< a lock that has changed without the report having said so
        LockReport last;
        std::stop_source stop;
        RedisWatcher watcher;
        QCoro::Task<std::optional<Cancelled::Why>> task;
    };

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        begin();
        takeMany();
    }
    void cleanup() { end(); }

    void findTheSameAsAWholeLook_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= 4; ++seed)
            QTest::addRow("seed %d", seed) << seed;
    }
    void findTheSameAsAWholeLook() {
        QFETCH(int, seed);
        Parts parts(*m_watched);
        QTRY_VERIFY_WITH_TIMEOUT(parts.last.complete && parts.parts > 0, 30'000);
        RedisDriver other(m_runtime, urlOf(m_server));
        RandomLocks locks(*m_client, std::uint32_t(seed));
        for (int burst = 0; burst < 30; ++burst) {
            for (int i = 0; i < 5; ++i)
                locks.act();
            QString difference;
            bool were = false; // once is enough: short leases end between two looks
            const auto same = [&] {
                if (were) return true;
                RedisWatcher whole(other);
                const LockReport all = run(whole.once());
                difference = differenceBetween(all, parts.last);
                were = !all.trouble && difference.isEmpty();
                return were;
            };
            QTRY_VERIFY2_WITH_TIMEOUT(same(), qPrintable(QStringLiteral("burst %1: ").arg(burst) + difference), 10'000);
            QCOMPARE(parts.untold, QByteArray());
        }
        QVERIFY2(parts.fewest < 10, qPrintable(QString::number(parts.fewest)));
    }

    void silenceIsBelievedOnlyForSoLong() {
        WatchOptions options = inParts();
        options.silenceTrusted = 4s;
        Parts parts(*m_watched, options);
        QTRY_VERIFY_WITH_TIMEOUT(parts.last.complete && parts.parts > 0, 30'000);
        const auto reads = [this] {
            const QByteArray stats = call(*m_client, {"INFO", "commandstats"}).value().text;
            const auto from = stats.indexOf("cmdstat_hgetall:calls=");
            return from < 0 ? 0 : stats.mid(from + 22, stats.indexOf(',', from) - from - 22).toInt();
        };
        const int before = reads();
        parts.again.clear();
        parts.most = 0;
        QTRY_COMPARE_WITH_TIMEOUT(parts.again.size(), std::size_t(kLocks), 30'000); // nobody has changed any
        QVERIFY2(parts.most < kLocks / 4, qPrintable(QString::number(parts.most))); // … and not all of them at once
        QVERIFY2(reads() - before >= kLocks, qPrintable(QString::number(reads() - before)));
    }

    void leasesRunDown() {
        Parts parts(*m_watched);
        QTRY_VERIFY_WITH_TIMEOUT(parts.last.complete && parts.parts > 0, 30'000);
        const auto lease = [&parts] { return rowOf(parts.last, "svc:7")->ttlMs.value_or(-1); };
        const std::int64_t before = lease();
        QTRY_VERIFY_WITH_TIMEOUT(before - lease() > 2'000, 10'000);
        const std::int64_t real = call(*m_client, {"PTTL", "svc:7"}).value().integer;
        QVERIFY2(std::abs(lease() - real) < 1'000, qPrintable(QString::number(lease() - real)));
        QCOMPARE(rowOf(parts.last, "svc:7")->raw.at(0).ttlMs.value(), lease());
    }

    void aServerThatWasEmptiedIsLookedAtAsAWhole() {
        Parts parts(*m_watched);
        QTRY_VERIFY_WITH_TIMEOUT(parts.last.complete && parts.parts > 0, 30'000);
        QVERIFY(call(*m_client, {"FLUSHALL"}));
        QTRY_VERIFY_WITH_TIMEOUT(parts.last.locks.empty(), 10'000);
        takeRedisson("orders", owner(kB, 1), 1, 600'000);
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(parts.last, "orders"), 10'000);
    }
};

QTEST_GUILESS_MAIN(TestRedisPartLooks)
#include "tst_redis_part_looks.moc"
