// SPDX-License-Identifier: Apache-2.0
// Totals, histories and the log of coroutines' locks, on a real Redis.
#include "live_redis.h"
#include "trace/recording.h"

#include <QTemporaryDir>
#include <lockscope/lockscope.h>

using namespace lockscope;
using namespace lockscope::test;

class TestQtMeasures : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;

    std::unique_ptr<qt::Connection> opened(const qt::Connection* beside = nullptr) const {
        auto connection = qt::Connection::make(m_server->url(), {}, beside);
        if (!connection || !run((*connection)->open())) return nullptr;
        return *std::move(connection);
    }

private Q_SLOTS:
    void initTestCase() {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        VERIFY_STARTED(*m_server);
    }
    void cleanup() { setMetricsHandler(nullptr); }
    void cleanupTestCase() { m_server.reset(); }

    void eachHoldIsCountedOnceWithItsEnd() {
        const auto mine = opened(), theirs = opened();
        QVERIFY(mine && theirs);
        std::vector<std::pair<LockMeasure::Kind, std::string>> measures;
        setMetricsHandler(
            [&](const LockMeasure& measure) { measures.emplace_back(measure.kind, std::string(measure.lock)); });
        {
            qt::Mutex orders(*mine, QStringLiteral("orders")), others(*theirs, QStringLiteral("orders"));
            auto hold = run(orders.lock());
            QVERIFY(hold && *hold);
            QTest::qWait(20); // it is held for a time that can be measured, and that much is enough
            const auto missed = run(others.tryLock());
            QVERIFY(missed && !*missed);
            QVERIFY(run(hold->unlock()));
            auto again = run(orders.tryLock());
            QVERIFY(again && *again);
            QVERIFY(run(others.forceUnlock()).value());
            const auto failed = run(again->unlock());
            QVERIFY(!failed && failed.error().kind == ErrorKind::NotOwner);
            const auto last = run(orders.tryLock()); // its release is still under way when the lock goes
            QVERIFY(last && *last);
        }
        const LockTotals totals = mine->totals();
        QCOMPARE(totals.acquired, std::uint64_t(3));
        QCOMPARE(totals.released, std::uint64_t(2));
        QCOMPARE(totals.lost, std::uint64_t(1));
        QCOMPARE(totals.timedOut + totals.failed, std::uint64_t(0));
        QVERIFY(totals.held >= 20ms && totals.waited > 0ns);
        QCOMPARE(theirs->totals().timedOut, std::uint64_t(1));
        QCOMPARE(theirs->totals().acquired, std::uint64_t(0));
        using Kind = LockMeasure::Kind;
        const std::vector<std::pair<Kind, std::string>> expected{{Kind::Acquired, "orders"}, {Kind::TimedOut, "orders"},
                                                                 {Kind::Released, "orders"}, {Kind::Acquired, "orders"},
                                                                 {Kind::Lost, "orders"},     {Kind::Acquired, "orders"},
                                                                 {Kind::Released, "orders"}};
        QVERIFY(measures == expected);
    }

    void permitsAndReentriesAreCounted() {
        const auto mine = opened();
        QVERIFY(mine);
        qt::Semaphore seats(*mine, QStringLiteral("seats"), 3);
        auto two = run(seats.acquire(2)), one = run(seats.acquire(1));
        QVERIFY(two && *two && one && *one);
        QVERIFY(run(two->release(1)));
        QCOMPARE(mine->totals().released, std::uint64_t(0)); // it has one left
        QVERIFY(run(two->unlock()) && run(one->unlock()));
        QCOMPARE(mine->totals().released, std::uint64_t(2));
        qt::Mutex orders(*mine, QStringLiteral("twice"));
        auto outer = run(orders.lock()), inner = run(orders.lock());
        QVERIFY(outer && *outer && inner && *inner);
        QVERIFY(run(inner->unlock()));
        QCOMPARE(mine->totals().released, std::uint64_t(2));
        QVERIFY(run(outer->unlock()));
        QCOMPARE(mine->totals().released, std::uint64_t(3));
        QCOMPARE(mine->totals().acquired, std::uint64_t(4));
    }

    void electionsAreCounted() {
        const auto mine = opened();
        QVERIFY(mine);
        qt::LeaderElection election(*mine, QStringLiteral("scheduler"));
        QVERIFY(election.campaign().has_value());
        QVERIFY(run(election.waitUntilLeader(10s)).value());
        QCOMPARE(mine->totals().acquired, std::uint64_t(1));
        QVERIFY(run(election.resign()));
        QCOMPARE(mine->totals().released, std::uint64_t(1));
    }

    void aHistoryHasAllThatHappened() {
        const auto history = std::make_shared<qt::History>();
        const auto mine = opened(), beside = opened(mine.get()), apart = opened();
        QVERIFY(mine && beside && apart);
        QVERIFY(mine->record(history) && beside->record(history));
        const auto refused = apart->record(history);
        QVERIFY(!refused && refused.error().kind == ErrorKind::Refused);
        {
            qt::Mutex orders(*mine, QStringLiteral("kept")), others(*beside, QStringLiteral("kept"));
            auto hold = run(orders.lock());
            QVERIFY(hold && *hold && run(hold->unlock()));
            auto next = run(others.lock());
            QVERIFY(next && *next && run(next->unlock()));
        }
        QVERIFY(mine->record(nullptr).has_value());
        const std::size_t all = history->size();
        qt::Mutex later(*mine, QStringLiteral("not-kept"));
        QVERIFY(run(later.lock()).value());
        QCOMPARE(history->size(), all);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("kept.lockscope"));
        history->save(path.toStdString());
        trace::RecordingReader reader(path);
        QVERIFY(reader.open() && reader.load());
        int grants = 0, releases = 0;
        for (std::size_t row = 0; row < reader.trace()->size(); ++row) {
            grants += reader.trace()->kindAt(row) == trace::EventKind::Granted ? 1 : 0;
            releases += reader.trace()->kindAt(row) == trace::EventKind::Released ? 1 : 0;
        }
        QCOMPARE(grants, 2);
        QCOMPARE(releases, 2);
    }

    void aFailedReleaseIsTold() {
        std::vector<std::string> lines;
        setLogHandler([&](LogLevel level, std::string_view text) {
            if (level == LogLevel::Warning) lines.emplace_back(text);
        });
        const auto restore = qScopeGuard([] { setLogHandler(nullptr); });
        const auto mine = opened();
        QVERIFY(mine);
        redis::RedisDriver admin(m_runtime, urlOf(*m_server));
        qt::Mutex orders(*mine, QStringLiteral("gone"));
        auto hold = run(orders.tryLock());
        QVERIFY(hold && *hold);
        QVERIFY(call(admin, {"DEL", "gone"}));
        QVERIFY(!run(hold->unlock())); // its caller hears of it
        QVERIFY(lines.empty());
        auto next = run(orders.tryLock());
        QVERIFY(next && *next);
        QVERIFY(call(admin, {"DEL", "gone"}));
        *next = qt::Hold(); // nobody does
        QTRY_COMPARE_WITH_TIMEOUT(lines.size(), std::size_t(1), 10'000);
        QVERIFY2(lines.front().find("“gone” could not be given back") != std::string::npos, lines.front().c_str());
    }
};

QTEST_GUILESS_MAIN(TestQtMeasures)
#include "tst_qt_measures.moc"
