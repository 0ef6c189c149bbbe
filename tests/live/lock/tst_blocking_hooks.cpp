// SPDX-License-Identifier: Apache-2.0
// The process's handlers of log lines and of measures, and a client's totals.
#include "blocking_redis.h"

#include <QProcess>
#include <QTemporaryDir>
#include <lockscope/blocking.h>
#include <mutex>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;

namespace {
/// The lines that a handler has heard, on any thread. The handler goes with this object.
class Log {
public:
    explicit Log(LogLevel least) {
        setLogHandler(
            [this](LogLevel level, std::string_view text) {
                const std::lock_guard held(m_guard);
                m_lines.emplace_back(level, std::string(text));
            },
            least);
    }
    ~Log() { setLogHandler(nullptr); }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;
    int count(LogLevel level, const char* part) const {
        const std::lock_guard held(m_guard);
        return int(std::ranges::count_if(m_lines, [&](const auto& line) {
            return line.first == level && line.second.find(part) != std::string::npos;
        }));
    }
    std::size_t size() const {
        const std::lock_guard held(m_guard);
        return m_lines.size();
    }

private:
    mutable std::mutex m_guard;
    std::vector<std::pair<LogLevel, std::string>> m_lines;
};

LockOptions brief() {
    LockOptions options;
    options.lease = 1s;
    options.watchdog = 200ms;
    return options;
}
} // namespace

class TestBlockingHooks : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    BlockingRedis m_server{m_runtime};

    std::string url() const { return m_server.url(); }

private Q_SLOTS:
    void init() { VERIFY_EMPTY(m_server.running()); }
    void cleanup() {
        setLogHandler(nullptr);
        setMetricsHandler(nullptr);
    }
    void cleanupTestCase() { m_server.end(); }

    void theLogTellsWhatChangesForHolders() {
        const Log log(LogLevel::Info);
        blocking::Client client(url()), other(url());
        blocking::Mutex orders(client, "orders", brief()), same(other, "orders", brief());
        orders.lock();
        m_server->pause();
        QVERIFY(soon([&] { return log.count(LogLevel::Info, "does not answer for the lock “orders”") == 1; }));
        m_server->resume();
        QVERIFY(soon([&] { return !orders.stillMine() || orders.remaining() > 800ms; }));
        if (!orders.stillMine()) orders.lock();
        const int lost = log.count(LogLevel::Info, "the lock “orders” was lost");
        QVERIFY(same.forceUnlock());
        QVERIFY(soon([&] { return log.count(LogLevel::Info, "the lock “orders” was lost") == lost + 1; }));
        QCOMPARE(log.count(LogLevel::Debug, ""), 0);
        orders.unlock(); // nobody else hears of it
        QCOMPARE(log.count(LogLevel::Warning, "“orders” could not be given back"), 1);
    }

    void theLogTellsEverythingThatItIsAskedFor() {
        const Log log(LogLevel::Debug);
        blocking::Client client(url());
        blocking::Mutex orders(client, "all", brief());
        orders.lock();
        orders.lock();
        QVERIFY(soon([&] { return log.count(LogLevel::Debug, "the lock “all” was renewed") > 0; }));
        orders.unlock();
        orders.unlock();
        QCOMPARE(log.count(LogLevel::Debug, "the lock “all” was taken"), 2);
        QCOMPARE(log.count(LogLevel::Debug, "the lock “all” was taken again"), 1);
        QCOMPARE(log.count(LogLevel::Debug, "the lock “all” was given back"), 2);
    }

    void whatIsLessThanAskedForIsNotBuilt() {
        const Log log(LogLevel::Warning);
        blocking::Client client(url());
        blocking::Mutex orders(client, "quiet", brief());
        orders.lock();
        orders.unlock();
        QCOMPARE(log.size(), std::size_t(0));
    }

    /// A program without Qt: with a handler nothing is on its stderr, without one its warnings are.
    void withAHandlerNothingIsOnStderr_data() {
        QTest::addColumn<bool>("handled");
        QTest::newRow("with a handler") << true;
        QTest::newRow("without") << false;
    }
    void withAHandlerNothingIsOnStderr() {
        QFETCH(bool, handled);
        QProcess program;
        program.start(QStringLiteral(LOCKSCOPE_ODD_PROGRAM),
                      {handled ? QStringLiteral("logged") : QStringLiteral("unlogged"), m_server->url()});
        QVERIFY(program.waitForFinished(60'000));
        QCOMPARE(program.exitCode(), 0);
        const QByteArray out = program.readAllStandardOutput(), err = program.readAllStandardError();
        QCOMPARE(out.contains("could not be given back") && out.contains("a line of Qt's"), handled);
        QCOMPARE(err.contains("could not be given back") && err.contains("a line of Qt's"), !handled);
        if (handled) QCOMPARE(err, QByteArray());
    }

    void measuresAreTakenAndSummedUp() {
        std::mutex guard;
        std::map<LockMeasure::Kind, std::vector<std::chrono::nanoseconds>> heard;
        setMetricsHandler([&](const LockMeasure& measure) {
            const std::lock_guard held(guard);
            if (measure.lock == "measured") heard[measure.kind].push_back(measure.duration);
        });
        using Kind = LockMeasure::Kind;
        const auto count = [&](Kind kind) {
            const std::lock_guard held(guard);
            return heard[kind].size();
        };
        blocking::Client client(url()), other(url());
        blocking::Mutex orders(client, "measured", brief()), same(other, "measured", brief());
        orders.lock();
        orders.lock(); // once more
        QVERIFY(!same.try_lock_for(300ms));
        QVERIFY(soon([&] { return count(Kind::Renewed) > 0; }));
        orders.unlock();
        QCOMPARE(count(Kind::Released), std::size_t(0)); // still held
        orders.unlock();
        QCOMPARE(count(Kind::Released), std::size_t(1));
        same.acquire().unlock();
        orders.lock();
        QVERIFY(same.forceUnlock());
        QVERIFY(soon([&] { return count(Kind::Lost) == 1; }));
        orders.onUnlockFailed([](const LockException&) {});
        orders.unlock();
        m_server->kill();
        QVERIFY_THROWS_EXCEPTION(LockException, orders.try_lock());
        QCOMPARE(count(Kind::Acquired), std::size_t(4));
        QCOMPARE(count(Kind::TimedOut), std::size_t(1));
        QCOMPARE(count(Kind::Released), std::size_t(2));
        QCOMPARE(count(Kind::Lost), std::size_t(1));
        QCOMPARE(count(Kind::Failed), std::size_t(1));
        const LockTotals totals = client.totals();
        QCOMPARE(totals.acquired, std::uint64_t(3));
        QCOMPARE(totals.released, std::uint64_t(1));
        QCOMPARE(totals.lost, std::uint64_t(1));
        QCOMPARE(totals.failed, std::uint64_t(1));
        QCOMPARE(totals.timedOut, std::uint64_t(0));
        QCOMPARE(other.totals().timedOut, std::uint64_t(1));
        const std::lock_guard held(guard);
        QCOMPARE(totals.held, heard[Kind::Released][0] + heard[Kind::Lost][0]);
        QVERIFY(heard[Kind::TimedOut][0] >= 300ms && heard[Kind::Released][0] >= 300ms);
        QVERIFY(totals.waited > 0s);
    }

    void aHoldThatCouldNotBeGivenBackIsLost() {
        blocking::Client client(url());
        blocking::Mutex orders(client, "orders", brief()), prices(client, "prices", brief());
        orders.lock();
        blocking::Hold hold = prices.acquire();
        m_server->kill();
        orders.onUnlockFailed([](const LockException&) {});
        orders.unlock();
        QVERIFY_THROWS_EXCEPTION(LockException, hold.unlock());
        const LockTotals totals = client.totals();
        QCOMPARE(totals.released, std::uint64_t(0));
        QCOMPARE(totals.lost, std::uint64_t(2));
        QVERIFY(totals.held > 0s);
    }

    void aNameWithALineBreakIsOneLine() {
        const Log log(LogLevel::Info);
        blocking::Client client(url()), other(url());
        blocking::Mutex odd(client, "a\nb", brief()), same(other, "a\nb", brief());
        odd.lock();
        QVERIFY(same.forceUnlock());
        QVERIFY(soon([&] { return log.count(LogLevel::Info, "“a\\x0ab” was lost") == 1; }));
        QCOMPARE(log.count(LogLevel::Info, "\n"), 0);
        odd.unlock();
        try {
            odd.unlockOrThrow();
            QFAIL("it was held");
        } catch (const LockException& refused) {
            QVERIFY2(!QByteArray(refused.what()).contains('\n'), refused.what());
        }
    }

    void aHandlerThatThrowsHarmsNobody() {
        setMetricsHandler([](const LockMeasure&) { throw std::runtime_error("a careless handler"); });
        setLogHandler([](LogLevel, std::string_view) { throw 7; });
        blocking::Client client(url());
        blocking::Mutex orders(client, "careless", brief());
        orders.lock();
        QVERIFY(orders.stillMine());
        orders.unlock();
    }

    void aHistoryIsSaved() {
        const QTemporaryDir folder;
        const std::string file = folder.filePath(QStringLiteral("holds.lockscope")).toStdString();
        const auto history = std::make_shared<blocking::History>();
        {
            blocking::Client client(url(), {.history = history});
            blocking::Mutex orders(client, "told");
            const std::lock_guard guard(orders);
        }
        QVERIFY(history->size() > 3);
        history->save(file);
        QVERIFY(QFile::exists(QString::fromStdString(file)));
        QVERIFY_THROWS_EXCEPTION(RefusedException, history->save("/nowhere/at/all.lockscope"));
    }
};

QTEST_GUILESS_MAIN(TestBlockingHooks)
#include "tst_blocking_hooks.moc"
