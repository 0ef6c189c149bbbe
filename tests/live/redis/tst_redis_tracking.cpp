// SPDX-License-Identifier: Apache-2.0
// A server that tells of changes: known locks are read again only when something has happened to them.
#include "watched_redis.h"

#include <QElapsedTimer>
#include <algorithm>

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::redis;
using namespace lockscope::test;

class TestRedisTracking : public WatchedRedis {
    Q_OBJECT

    static constexpr int kLocks = 300;

    /// Looks by itself so seldom that a test which does not wait for half a minute shows what was told.
    static WatchOptions seldom() {
        WatchOptions options;
        options.shortestPeriod = options.longestPeriod = 30s;
        return options;
    }
    static std::optional<std::int64_t> countOf(const LockReport& report, WatchNote::Kind kind) {
        for (const WatchNote& note : report.notes)
            if (note.kind == kind) return note.count;
        return std::nullopt;
    }
    static bool tells(const LockReport& report, std::int64_t keys = 1) {
        return countOf(report, WatchNote::Kind::ChangesTold).value_or(0) >= keys;
    }
    void takeMany(RedisDriver& client, int ttlMs = 600'000) {
        QVERIFY(call(client, {"EVAL",
                              "for i = 1, tonumber(ARGV[2]) do redis.call('HSET', 'svc:' .. i, ARGV[1], 1) "
                              "redis.call('PEXPIRE', 'svc:' .. i, ARGV[3]) end",
                              "0", owner(kA, 1), QByteArray::number(kLocks), QByteArray::number(ttlMs)}));
    }
    /// The lines of CLIENT LIST that contain `text`.
    QList<QByteArray> clientsWith(const QByteArray& text) {
        QList<QByteArray> lines = call(*m_client, {"CLIENT", "LIST"}).value().text.split('\n');
        lines.removeIf([&text](const QByteArray& line) { return !line.contains(text); });
        return lines;
    }
    static QByteArray fieldOf(const QByteArray& line, const QByteArray& field) {
        for (const QByteArray& word : line.split(' '))
            if (word.startsWith(field + '=')) return word.mid(field.size() + 1);
        return {};
    }
    /// The server's number of the connection that hears of changes: the one to which the watching one redirects.
    QByteArray feedOf() {
        for (const QByteArray& line : clientsWith("redir="))
            if (const QByteArray to = fieldOf(line, "redir"); to.toLongLong() > 0) return to;
        return {};
    }

private Q_SLOTS:
    /// A key that a look has just seen is not old, however short the memory is and however long the look took.
    void aLookForgetsNothingThatItHasSeen() {
        takeRedisson("orders", owner(kA, 1), 1, 600'000);
        takeRedisson("stock", owner(kB, 1), 1, 600'000);
        WatchOptions options;
        options.remembered = 0ns;
        options.wholeAgain = 0ns;
        options.longestPeriod = options.shortestPeriod;
        Watch watch(*this, options);
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(watch.last(), "orders") && rowOf(watch.last(), "stock"), 20'000);
        const int before = watch.reports;
        QTRY_VERIFY_WITH_TIMEOUT(watch.reports >= before + 8, 30'000);
        QVERIFY(watch.ended.empty());
        QCOMPARE(watch.last().locks.size(), std::size_t(2));
        QVERIFY(call(*m_client, {"DEL", "orders"}));
        QTRY_COMPARE_WITH_TIMEOUT(watch.ended.size(), std::size_t(1), 20'000); // it tells what is gone
    }

    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() { begin(); }
    void cleanup() { end(); }

    /// They are two keys that are written together: a holder with the former one's token would be a lie.
    void aHolderIsShownWithItsOwnToken() {
        int shown = 0;
        QByteArray wrong;
        RedisWatcher watcher(*m_watched);
        std::stop_source stop;
        auto watch = howCancelled(watcher.watch(
            [&](const LockReport& report) {
                const LockRow* const row = rowOf(report, "orders");
                if (!row || row->holders.size() != 1) return;
                ++shown;
                const QByteArray holder = row->holders.front().thread.value_or("?");
                if (row->token && QByteArray::number(qlonglong(*row->token)) != holder)
                    wrong = holder + " with " + QByteArray::number(qlonglong(*row->token));
            },
            stop.get_token()));
        const auto take = [&](int i) {
            const QByteArray number = QByteArray::number(i);
            return bool(call(*m_client, {"EVAL",
                                         "redis.call('del', KEYS[1]); redis.call('hset', KEYS[1], ARGV[1], 1); "
                                         "redis.call('pexpire', KEYS[1], 60000); redis.call('set', KEYS[2], ARGV[2]) "
                                         "return 1",
                                         "2", "orders", "redisson_lock_token:{orders}", owner(kA, i), number}));
        };
        QVERIFY(take(1));
        QTRY_VERIFY_WITH_TIMEOUT(watcher.lastSeen("orders") && watcher.lastSeen("orders")->token == 1, 10'000);
        // As fast as it goes, until enough looks have fallen between two of them.
        constexpr int kLeast = 1500, kLooks = 10;
        int last = 1;
        const Nanos begun = m_runtime.monotonic();
        while (last < kLeast || (shown <= kLooks && m_runtime.monotonic() - begun < 30s))
            QVERIFY(take(++last));
        QTRY_VERIFY_WITH_TIMEOUT(watcher.lastSeen("orders") && watcher.lastSeen("orders")->token == last, 10'000);
        stop.request_stop();
        run(std::move(watch));
        QCOMPARE(wrong, QByteArray());
        QVERIFY2(shown > kLooks, qPrintable(QString::number(shown)));
    }

    void aStaticServerCostsNearlyNothing() {
        takeMany(*m_client);
        Watch watch(*this);
        QTRY_VERIFY_WITH_TIMEOUT(tells(watch.last(), kLocks) && watch.last().period >= 2s, 30'000);
        const int reports = watch.reports;
        const auto before = m_watched->commandsSent();
        QTRY_VERIFY_WITH_TIMEOUT(watch.reports >= reports + 4, 30'000);
        // Each look asks for the server's own facts and for new keys: about a dozen commands, and none for a lock.
        const auto sent = m_watched->commandsSent() - before;
        qInfo("%llu commands in %d looks at %d locks", static_cast<unsigned long long>(sent), watch.reports - reports,
              kLocks);
        QVERIFY2(sent <= 80, qPrintable(QString::number(sent)));
        QCOMPARE(watch.last().locks.size(), std::size_t(kLocks));
    }

    void changesAreSeenAtOnce() {
        takeMany(*m_client);
        takeRedisson("orders", owner(kA, 1), 1, 600'000);
        Watch watch(*this, seldom());
        QTRY_VERIFY_WITH_TIMEOUT(tells(watch.last(), kLocks) && rowOf(watch.last(), "orders"), 20'000);
        QList<qint64> times;
        const auto timed = [&times](auto&& act, auto&& seen) {
            QElapsedTimer timer;
            timer.start();
            act();
            QTRY_VERIFY_WITH_TIMEOUT(seen(), 10'000);
            times.push_back(timer.elapsed());
        };
        const auto row = [&watch] { return rowOf(watch.last(), "orders"); };
        for (int i = 0; i < 3; ++i) {
            timed(
                [&] {
                    QVERIFY(call(*m_client, {"HINCRBY", "orders", owner(kA, 1), "1"}));
                },
                [&] { return row() && row()->holders.at(0).holds == 2; });
            timed(
                [&] {
                    QVERIFY(call(*m_client, {"PEXPIRE", "orders", "900000"}));
                },
                [&] { return row() && row()->ttlMs.value_or(0) > 800'000; });
            timed(
                [&] {
                    QVERIFY(call(*m_client, {"RPUSH", "redisson_lock_queue:{orders}", owner(kB, 1)}));
                },
                [&] { return row() && row()->waiterCount.value_or(0) == 1; });
            timed(
                [&] {
                    QVERIFY(call(*m_client, {"DEL", "orders", "redisson_lock_queue:{orders}"}));
                },
                [&] { return !row(); });
            QCOMPARE(watch.ended["orders"], LockChange::What::Released);
            timed([&] { takeRedisson("orders", owner(kB, 1), 1, 600'000); },
                  [&] { return row() && row()->ttlMs && row()->holders.at(0).client == kB; });
            timed([&] { QVERIFY(call(*m_client, {"DEL", "orders"})); }, [&] { return !row(); });
            timed([&] { takeRedisson("orders", owner(kA, 1), 1, 600'000); },
                  [&] { return row() && row()->ttlMs && row()->holders.at(0).client == kA; });
        }
        std::ranges::sort(times);
        qInfo("a change is seen after %lld ms (median), %lld ms at most", times[times.size() / 2], times.back());
        QVERIFY2(times[times.size() / 2] <= 250, qPrintable(QString::number(times[times.size() / 2])));
    }

    void anEndIsSeenWhenItComes() {
        takeMany(*m_client, 8000);
        takeRedisson("orders", owner(kA, 1), 1, 600'000);
        WatchOptions options;
        options.longestPeriod = 30s;
        Watch watch(*this, options);
        QTRY_VERIFY_WITH_TIMEOUT(tells(watch.last(), kLocks), 8000);
        QElapsedTimer timer;
        timer.start();
        QTRY_COMPARE_WITH_TIMEOUT(watch.last().locks.size(), 1u, 25'000);
        QVERIFY2(timer.elapsed() <= 20'000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(watch.ended["svc:7"], LockChange::What::Expired);
        QVERIFY(rowOf(watch.last(), "orders"));
    }

    void anEmptiedServerIsToldAsOne() {
        takeMany(*m_client);
        Watch watch(*this);
        QTRY_VERIFY_WITH_TIMEOUT(tells(watch.last(), kLocks), 30'000);
        QVERIFY(call(*m_client, {"FLUSHALL"}));
        QTRY_VERIFY_WITH_TIMEOUT(watch.last().locks.empty(), 10'000);
        QCOMPARE(watch.happened, std::vector<ServerEvent>{ServerEvent::Emptied});
        QCOMPARE(watch.ended["svc:7"], LockChange::What::Lost);
    }

    /// The server tells nobody of that: neither are the keys gone, as far as it tells, nor are they changed.
    void aDatabaseThatWasExchangedIsToldAsOne() {
        takeMany(*m_client);
        Watch watch(*this);
        QTRY_VERIFY_WITH_TIMEOUT(tells(watch.last(), kLocks), 30'000);
        QVERIFY(call(*m_client, {"SWAPDB", "1", "2"})); // others' databases
        QTRY_VERIFY_WITH_TIMEOUT(watch.searchesAgain == 1 && tells(watch.last(), kLocks), 20'000);
        QCOMPARE(watch.happened, std::vector<ServerEvent>());
        QVERIFY(rowOf(watch.last(), "svc:7"));
        QVERIFY(call(*m_client, {"SWAPDB", "0", "1"}));
        QTRY_VERIFY_WITH_TIMEOUT(watch.last().locks.empty(), 20'000);
        QCOMPARE(watch.happened, std::vector<ServerEvent>{ServerEvent::Swapped});
        QCOMPARE(watch.ended["svc:7"], LockChange::What::Lost);
        QVERIFY(call(*m_client, {"SWAPDB", "0", "1"}));
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(watch.last(), "svc:7"), 20'000);
    }

    void aLostFeedComesBack() {
        takeMany(*m_client);
        Watch watch(*this);
        QTRY_VERIFY_WITH_TIMEOUT(tells(watch.last(), kLocks), 30'000);
        const QByteArray first = feedOf();
        QVERIFY(!first.isEmpty());
        QVERIFY(call(*m_client, {"CLIENT", "KILL", "ID", first}));
        QVERIFY(call(*m_client, {"DEL", "svc:7"})); // nobody tells of this one
        QTRY_VERIFY_WITH_TIMEOUT(!rowOf(watch.last(), "svc:7"), 10'000);
        QTRY_VERIFY_WITH_TIMEOUT(!feedOf().isEmpty() && feedOf() != first && tells(watch.last(), kLocks - 1), 10'000);
        QVERIFY(call(*m_client, {"DEL", "svc:8"}));
        QTRY_VERIFY_WITH_TIMEOUT(!rowOf(watch.last(), "svc:8"), 10'000);
        QCOMPARE(watch.outages, 0);
    }

    void aNewConnectionAsksAgain() {
        takeMany(*m_client);
        Watch watch(*this, seldom());
        QTRY_VERIFY_WITH_TIMEOUT(tells(watch.last(), kLocks), 20'000);
        const QList<QByteArray> lines = clientsWith("redir=" + feedOf());
        QCOMPARE(lines.size(), 1);
        const QByteArray asking = fieldOf(lines.front(), "id");
        QVERIFY(call(*m_client, {"CLIENT", "KILL", "ID", asking}));
        QVERIFY(call(*m_client, {"DEL", "svc:7"})); // before it is back
        QTRY_VERIFY_WITH_TIMEOUT(!rowOf(watch.last(), "svc:7"), 10'000);
        QTRY_VERIFY_WITH_TIMEOUT(!feedOf().isEmpty() && tells(watch.last(), kLocks - 1), 10'000);
        QVERIFY(call(*m_client, {"DEL", "svc:8"}));
        QTRY_VERIFY_WITH_TIMEOUT(!rowOf(watch.last(), "svc:8"), 10'000);
    }

    void aServerThatForgetsIsPolled() {
        RedisServerOptions options;
        options.extraLines = {QStringLiteral("tracking-table-max-keys 100")};
        RedisServer small(m_runtime, options);
        VERIFY_STARTED(small);
        RedisDriver client(m_runtime, urlOf(small));
        takeMany(client);
        m_watched = std::make_unique<RedisDriver>(m_runtime, urlOf(small));
        Watch watch(*this);
        QTRY_VERIFY_WITH_TIMEOUT(countOf(watch.last(), WatchNote::Kind::ChangesForgotten), 30'000);
        QCOMPARE(watch.last().locks.size(), std::size_t(kLocks));
        for (const int i : {1, 100, 200, 300}) {
            const QByteArray name = "svc:" + QByteArray::number(i);
            QVERIFY(call(client, {"DEL", name}));
            QTRY_VERIFY_WITH_TIMEOUT(!rowOf(watch.last(), name), 30'000);
        }
    }

    void theLeastRightsSuffice() {
        const QString least = QStringLiteral(
            "resetkeys %R~* &* -@all +ping +scan +type +strlen +getrange +memory|usage +hlen +hstrlen +hgetall +hget "
            "+hscan +llen +lrange +zcard +zrange +pttl +exists +object|idletime +dbsize +info +time +pubsub "
            "+cluster|nodes +config|get +client|setname +client|id +client|list +client|tracking "
            "+client|caching +subscribe +psubscribe");
        QString without = least;
        without.remove(QStringLiteral(" +client|tracking"));
        const QString shorter = QStringLiteral(
            "%R~* &* -@all +@read +ping +info +time +pubsub +config|get +client|id +client|list +client|setname "
            "+client|tracking +client|caching +subscribe +psubscribe +memory|usage +cluster|nodes");
        RedisServerOptions options;
        options.users = {{QStringLiteral("reader"), QStringLiteral("secret"), least},
                         {QStringLiteral("short"), QStringLiteral("secret"), shorter},
                         {QStringLiteral("poller"), QStringLiteral("secret"), without}};
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        RedisDriver writer(m_runtime, urlOf(server));
        takeMany(writer);
        for (const char* user : {"reader", "short", "poller"}) {
            ConnectionUrl url = urlOf(server);
            url.user = QLatin1String(user);
            url.password = QStringLiteral("secret");
            m_watched = std::make_unique<RedisDriver>(m_runtime, url);
            Watch watch(*this);
            const bool told = qstrcmp(user, "poller") != 0;
            QTRY_VERIFY_WITH_TIMEOUT(watch.last().complete && watch.last().locks.size() == kLocks &&
                                         (told ? tells(watch.last(), kLocks)
                                               : countOf(watch.last(), WatchNote::Kind::ChangesRefused).has_value()),
                                     30'000);
            QCOMPARE(watch.last().notes.size(), 1u);
            QVERIFY(call(writer, {"HINCRBY", "svc:7", owner(kA, 1), "1"}));
            const int holds = call(writer, {"HGET", "svc:7", owner(kA, 1)}).value().text.toInt();
            QTRY_COMPARE_WITH_TIMEOUT(rowOf(watch.last(), "svc:7")->holders.at(0).holds.value(), holds, 10'000);
        }
    }
};

QTEST_GUILESS_MAIN(TestRedisTracking)
#include "tst_redis_tracking.moc"
