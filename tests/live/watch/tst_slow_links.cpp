// SPDX-License-Identifier: Apache-2.0
// Leases that are watched over a slow connection: their ends must not be told too late.
#include "live_memcached.h"
#include "live_redis.h"
#include "live_sql.h"
#include "tcp_relay.h"
#include "watching.h"

#include <QUrl>

using namespace lockscope;
using namespace lockscope::test;

class TestSlowLinks : public QObject {
    Q_OBJECT
private:
    static constexpr Nanos kLease = 60s;

    /// Takes a lock without a renewal, over a quick connection.
    QString take(const QByteArray& kind) {
        if (kind == "redis") {
            redis::RedisDriver client(m_runtime, urlOf(m_redis));
            const auto taken = call(client, {"SET", "lock:orders", "worker-7", "NX", "PX", "60000"});
            return taken ? QString() : taken.error().message;
        }
        if (kind == "memcached") {
            MemcachedClient client(m_runtime, urlOf(m_memcached));
            const auto taken = run(client.driver.add("lock:orders", "worker-7", 60, false));
            return taken ? QString() : taken.error().message;
        }
        SqlClient client(m_runtime, m_postgres.url());
        if (const auto made = client.prepare(); !made) return made.error().message;
        const auto taken = acquire(*client.recipe("sql-lease", "lock:orders"), request(5s, kLease));
        return taken ? QString() : QStringLiteral("not granted");
    }
    QString through(const TcpRelay& relay, const QByteArray& kind) const {
        QUrl url = place(kind);
        url.setPort(relay.port());
        return url.toString(QUrl::FullyEncoded);
    }
    QUrl place(const QByteArray& kind) const {
        return kind == "redis" ? m_redis.url() : kind == "memcached" ? m_memcached.url() : m_postgres.url();
    }
    std::uint16_t portOf(const QByteArray& kind) const { return std::uint16_t(place(kind).port()); }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_EMPTY(test::start(m_redis));
        VERIFY_EMPTY(test::start(m_postgres));
        VERIFY_STARTED(m_memcached);
    }

    void noLeaseIsToldToLastTooLong_data() {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<int>("answersTakeMs");
        QTest::newRow("redis") << QByteArray("redis") << 300;
        QTest::newRow("postgresql") << QByteArray("postgresql") << 300;
        QTest::newRow("memcached") << QByteArray("memcached") << 800; // it counts in whole seconds
    }
    void noLeaseIsToldToLastTooLong() {
        QFETCH(QByteArray, kind);
        QFETCH(int, answersTakeMs);
        const Nanos tick = kind == "memcached" ? 1500ms : 0ms; // its own second, and half of one of ours
        const Nanos before = m_runtime.monotonic();
        VERIFY_EMPTY(take(kind));
        // Most servers count in milliseconds, and the report is put together in a few, on a busy machine in more; an
        // answer takes 300.
        const Nanos soonest = before + kLease, latest = m_runtime.monotonic() + kLease + tick + 250ms;
        TcpRelay relay(m_runtime, portOf(kind));
        relay.answersTake = std::chrono::milliseconds(answersTakeMs);
        const auto endIn = [](const LockReport& report) {
            const LockRow* const row = rowOf(report, "lock:orders");
            return row && row->ttlMs ? report.at + std::chrono::milliseconds(*row->ttlMs) : Nanos(0);
        };
        constexpr Nanos kWay = 4s; // of the questions to the server, on a busy machine
        const QString match = QStringLiteral("lock:orders");
        const auto watcher = watcherOf(m_runtime, through(relay, kind), match);
        const Nanos once = endIn(run(watcher->once()));
        QVERIFY2(once <= latest, qPrintable(QString::number((once - latest) / 1ms)));
        QVERIFY2(once > soonest - kWay, qPrintable(QString::number((once - soonest) / 1ms)));
        const Watching watching(m_runtime, through(relay, kind), match);
        QTRY_VERIFY_WITH_TIMEOUT(watching.row("lock:orders"), 30'000);
        const Nanos seen = endIn(watching.last());
        QVERIFY2(seen <= latest, qPrintable(QString::number((seen - latest) / 1ms)));
        QVERIFY2(seen > soonest - kWay, qPrintable(QString::number((seen - soonest) / 1ms)));
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_redis{m_runtime};
    sandbox::PostgresServer m_postgres{m_runtime};
    sandbox::MemcachedServer m_memcached{m_runtime};
};

QTEST_GUILESS_MAIN(TestSlowLinks)
#include "tst_slow_links.moc"
