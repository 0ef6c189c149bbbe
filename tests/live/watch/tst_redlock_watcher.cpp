// SPDX-License-Identifier: Apache-2.0
// The locks of a Redlock, watched as one logical lock each while its servers are away, come back and disagree.
#include "inspect/releaser.h"
#include "sandbox/redis_masters.h"
#include "support/lock_user.h"
#include "watching.h"

using namespace lockscope;
using namespace lockscope::test;
using State = LockRow::State;
using What = LockChange::What;

namespace {

constexpr int kMasters = 3;
constexpr int kSoon = 15'000; ///< a look or two; many times that on a busy machine

std::vector<State> statesOf(const LockRow& row) {
    std::vector<State> states;
    for (const LockRow& copy : row.copies)
        states.push_back(copy.state);
    return states;
}
/// Empty: there is no such row.
std::vector<State> statesOf(const LockRow* row) {
    return row ? statesOf(*row) : std::vector<State>();
}

} // namespace

class TestRedlockWatcher : public QObject {
    Q_OBJECT

    redis::Result at(int master, redis::Args args) {
        const auto url = parseConnectionUrl(QStringLiteral("redis://127.0.0.1:%1").arg(m_masters.at(master).port()));
        const auto client = realDiallers().redis(m_runtime, *url, {});
        return run(client->call(std::move(args)));
    }
    QByteArray addressOf(int master) { return "127.0.0.1:" + QByteArray::number(m_masters.at(master).port()); }

    EventLoopRuntime m_runtime;
    sandbox::RedisMasters m_masters{m_runtime, kMasters};

private Q_SLOTS:
    void init() {
        const auto started = run(m_masters.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        for (int i = 0; i < kMasters; ++i)
            QVERIFY(at(i, {"FLUSHALL"}));
    }

    void aHeldLockIsOneRowWithACopyForEachServer() {
        LockUser client(m_masters.url(), "redis-redlock", "orders", unrenewed(30s));
        QVERIFY(client.take());
        // A majority makes a hold: the last copy may still be on its way.
        for (int i = 0; i < kMasters; ++i)
            QTRY_COMPARE_WITH_TIMEOUT(at(i, {"EXISTS", "orders"})->integer, 1, kSoon);
        const QByteArray value = at(0, {"GET", "orders"})->text;
        QVERIFY(!value.isEmpty());
        QVERIFY(at(1, {"PEXPIRE", "orders", "9000"}));
        QVERIFY(at(2, {"PEXPIRE", "orders", "5000"}));
        const auto watcher = watcherOf(m_runtime, m_masters.url());
        const LockReport report = run(watcher->once());
        QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
        QVERIFY(report.complete);
        QCOMPARE(report.locks.size(), 1u);
        const LockRow& row = report.locks.front();
        QCOMPARE(row.name, QByteArray("orders"));
        QCOMPARE(row.state, State::Held);
        QCOMPARE(clientsOf(row.holders), QByteArrayList{value});
        QCOMPARE(row.quorum, 2u);
        QCOMPARE(statesOf(row), (std::vector{State::Held, State::Held, State::Held}));
        for (int i = 0; i < kMasters; ++i)
            QCOMPARE(row.copies[std::size_t(i)].server, addressOf(i));
        // The majority ends when the second longest copy does.
        QVERIFY2(row.ttlMs && *row.ttlMs > 5'000 && *row.ttlMs <= 9'000,
                 QByteArray::number(qlonglong(*row.ttlMs)).constData());
        QVERIFY(!row.waiterCount); // a waiter leaves nothing on the servers
        const QJsonObject json = toJson(row);
        QCOMPARE(json[QStringLiteral("copies")].toArray().size(), 3);
        QCOMPARE(json[QStringLiteral("quorum")].toInt(), 2);
        QCOMPARE(run(client.lock->unlock()).value(), 0);
        QVERIFY(run(watcher->once()).locks.empty());
    }

    void aHolderOnAMinorityIsNoHolder() {
        QVERIFY(at(1, {"SET", "orders", QByteArray(32, 'a'), "PX", "600000"}));
        const auto watcher = watcherOf(m_runtime, m_masters.url(), QStringLiteral("orders"));
        const LockReport report = run(watcher->once());
        QVERIFY(!report.trouble);
        const LockRow* const row = rowOf(report, "orders");
        QVERIFY(row);
        QCOMPARE(row->state, State::Free);
        QVERIFY(row->holders.empty() && !row->ttlMs);
        QCOMPARE(statesOf(*row), (std::vector{State::Free, State::Held, State::Free}));
        QCOMPARE(row->copies[1].holders.size(), 1u);

        // Three values on three servers are nobody's majority either.
        QVERIFY(at(0, {"SET", "orders", QByteArray(32, 'b'), "PX", "600000"}));
        QVERIFY(at(2, {"SET", "orders", QByteArray(32, 'c'), "PX", "600000"}));
        const LockReport split = run(watcher->once());
        QCOMPARE(rowOf(split, "orders")->state, State::Free);
        QCOMPARE(statesOf(*rowOf(split, "orders")), (std::vector{State::Held, State::Held, State::Held}));
    }

    void aServerThatIsAwayIsNotKnownAndTheOthersDecide() {
        // By hand: a client of ours gives its last copy back when it hears that the others are lost.
        for (int i = 0; i < kMasters; ++i)
            QVERIFY(at(i, {"SET", "orders", QByteArray(32, 'e'), "PX", "600000"}));
        QVERIFY(at(2, {"SET", "elsewhere", QByteArray(32, 'a'), "PX", "600000"}));
        Watching watch(m_runtime, m_masters.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.row("orders") && watch.row("elsewhere") && watch.last().complete, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(statesOf(watch.row("elsewhere")),
                                  (std::vector{State::Free, State::Free, State::Held}), kSoon);
        QCOMPARE(watch.row("elsewhere")->state, State::Free);
        QCOMPARE(watch.watcher().status().state, inspect::WatchStatus::State::Connected);
        QVERIFY(!watch.watcher().status().partial);

        m_masters.at(0).kill();
        QTRY_COMPARE_WITH_TIMEOUT(statesOf(watch.row("orders")),
                                  (std::vector{State::NotKnown, State::Held, State::Held}), kSoon);
        QCOMPARE(watch.row("orders")->state, State::Held);
        QVERIFY(watch.row("orders")->copies[0].holders.empty());
        QCOMPARE(watch.outages, 0);
        // The server that is away may have the copy that makes a majority of this one.
        QCOMPARE(watch.row("elsewhere")->state, State::NotKnown);
        QVERIFY(!watch.last().servers.at(0).trouble.isEmpty());
        QVERIFY(watch.last().servers.at(1).trouble.isEmpty());
        const inspect::WatchStatus partial = watch.watcher().status();
        QCOMPARE(partial.state, inspect::WatchStatus::State::Connected);
        QVERIFY(partial.partial);
        QVERIFY2(partial.text.contains(QStringLiteral("2 of 3 servers answer, still a majority")),
                 qPrintable(partial.text));

        m_masters.at(1).kill();
        QTRY_COMPARE_WITH_TIMEOUT(watch.outages, 1, kSoon);
        QCOMPARE(watch.watcher().status().state, inspect::WatchStatus::State::Retrying);
        QVERIFY(watch.watcher().status().trouble.contains(QStringLiteral("Only 1 of the 3 servers")));

        // They come back without their data: one copy is left of the lock, and that holds nothing.
        const auto started = run(m_masters.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        QTRY_COMPARE_WITH_TIMEOUT(statesOf(watch.row("orders")), (std::vector{State::Free, State::Free, State::Held}),
                                  kSoon);
        QCOMPARE(watch.row("orders")->state, State::Free);
        const auto& happened = watch.happened["orders"];
        QVERIFY(std::ranges::find(happened, What::Released) == happened.end());
        QVERIFY(std::ranges::find(happened, What::Expired) == happened.end());
    }

    void withoutAMajorityALookSaysSo() {
        const auto watcher = watcherOf(m_runtime, m_masters.url());
        m_masters.at(0).kill();
        QVERIFY(run(watcher->open()));
        m_masters.at(2).kill();
        const LockReport report = run(watcher->once());
        QVERIFY(report.trouble);
        QCOMPARE(report.trouble->kind, inspect::WatchTrouble::Kind::Unreachable);
        QVERIFY2(report.trouble->message.contains(QStringLiteral("Only 1 of the 3 servers")),
                 qPrintable(report.trouble->message));
        QVERIFY(report.trouble->message.contains(QString::fromLatin1(addressOf(2))));
    }

    void takingAndReleasingAreToldOnceForAllServers() {
        Watching watch(m_runtime, m_masters.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.last().complete, kSoon);
        LockUser client(m_masters.url(), "redis-redlock", "orders", unrenewed(600s));
        for (int round = 0; round < 2; ++round) {
            QVERIFY(client.take());
            QTRY_VERIFY_WITH_TIMEOUT(watch.row("orders"), kSoon);
            QTRY_COMPARE_WITH_TIMEOUT(watch.row("orders")->state, State::Held, kSoon);
            QTRY_COMPARE_WITH_TIMEOUT(statesOf(watch.row("orders")),
                                      (std::vector{State::Held, State::Held, State::Held}), kSoon);
            QCOMPARE(run(client.lock->unlock()).value(), 0);
            QTRY_VERIFY_WITH_TIMEOUT(!watch.row("orders"), kSoon);
        }
        const auto& happened = watch.happened["orders"];
        // A look may fall between the servers: then the lock is released first, and its last copy gone afterwards.
        const auto released = std::ranges::count(happened, What::Released);
        const auto gone = std::ranges::count(happened, What::Gone);
        QVERIFY2(released <= 2 && gone <= 2 && released + gone >= 2,
                 qPrintable(QStringLiteral("%1 released, %2 gone").arg(released).arg(gone)));
        QVERIFY(std::ranges::find(happened, What::ChangedHands) == happened.end());
        QVERIFY(std::ranges::find(happened, What::Lost) == happened.end());
    }

    /// All servers answer, so nothing about a hand-over is not known.
    void aHandOverIsNotOutOfSight() {
        Watching watch(m_runtime, m_masters.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.last().complete, kSoon);
        const std::vector everywhere{State::Held, State::Held, State::Held};
        for (int round = 0; round < 5; ++round) {
            LockUser client(m_masters.url(), "redis-redlock", "orders", unrenewed(600s));
            QVERIFY(client.take());
            QTRY_COMPARE_WITH_TIMEOUT(statesOf(watch.row("orders")), everywhere, kSoon);
            QCOMPARE(run(client.lock->unlock()).value(), 0);
        }
        QTRY_VERIFY_WITH_TIMEOUT(!watch.row("orders"), kSoon);
        const auto& happened = watch.happened["orders"];
        for (const What what : {What::Found, What::Lost}) // found again: it was not known in between
            QVERIFY2(std::ranges::find(happened, what) == happened.end(), nameOf(what));
    }

    void aForcedReleaseTakesTheHoldFromEveryServer() {
        LockUser client(m_masters.url(), "redis-redlock", "orders", unrenewed(600s));
        QVERIFY(client.take());
        QVERIFY(at(1, {"SET", "orders", QByteArray(32, 'a'), "PX", "600000"})); // another client's
        const auto watcher = watcherOf(m_runtime, m_masters.url());
        const LockRow seen = run(watcher->once()).locks.at(0);
        QCOMPARE(seen.state, State::Held);
        const auto releaser = inspect::makeReleaser(m_runtime, urlOf(m_masters.url()), realDiallers());
        QVERIFY(releaser);
        const auto commands = (*releaser)->commands(seen);
        QVERIFY2(commands, commands ? "" : qPrintable(commands.error()));
        const QByteArray shown = commands->join('\n');
        QVERIFY(shown.contains("-- " + addressOf(0)) && shown.contains("-- " + addressOf(2)));
        QVERIFY(!shown.contains("-- " + addressOf(1)));
        const auto freed = run((*releaser)->free(seen));
        QVERIFY2(freed, freed ? "" : qPrintable(freed.error()));
        QCOMPARE(*freed, inspect::Freed::Freed);
        QCOMPARE(at(0, {"EXISTS", "orders"})->integer, 0);
        QCOMPARE(at(1, {"EXISTS", "orders"})->integer, 1);
        QCOMPARE(at(2, {"EXISTS", "orders"})->integer, 0);
        QCOMPARE(run((*releaser)->free(seen)).value(), inspect::Freed::WasFree);

        // A hold that another one has replaced meanwhile stays.
        for (int i = 0; i < kMasters; ++i)
            QVERIFY(at(i, {"SET", "orders", QByteArray(32, 'b'), "PX", "600000"}));
        QCOMPARE(run((*releaser)->free(seen)).value(), inspect::Freed::HeldByAnother);
        QCOMPARE(at(0, {"EXISTS", "orders"})->integer, 1);

        // Without one of the two servers that have it, the lock may be held on: that is said.
        const LockRow again = run(watcher->once()).locks.at(0);
        m_masters.at(0).kill();
        m_masters.at(1).kill();
        const auto half = run((*releaser)->free(again));
        QVERIFY(!half);
        QVERIFY2(half.error().contains(QString::fromLatin1(addressOf(0))), qPrintable(half.error()));
    }
};

QTEST_GUILESS_MAIN(TestRedlockWatcher)
#include "tst_redlock_watcher.moc"
