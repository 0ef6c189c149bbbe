// SPDX-License-Identifier: Apache-2.0
// One master's clock leaps while somebody holds a Redlock: what the table of clocks says comes of it. A server's leap
// shows in nothing but the deadlines of its keys, so that is what is done to them.
#include "lock_fleet.h"
#include "sandbox/redis_masters.h"
#include "scenario/clock_table.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
constexpr int kMasters = 3;
const QByteArray kRecipe = "redis-redlock", kName = "orders";

LockOptions options() {
    LockOptions all;
    all.lease = 30s;
    return all;
}
} // namespace

class TestRedlockClocks : public QObject {
    Q_OBJECT

    redis::Reply ask(int master, redis::Args args) {
        const redis::Result reply = call(*m_operators[std::size_t(master)], std::move(args));
        return reply ? *reply : redis::Reply();
    }
    /// Every deadline there comes nearer by that much, or moves away.
    void leap(int master, Nanos by) {
        const std::int64_t end = ask(master, {"PEXPIRETIME", kName}).integer;
        QVERIFY(end > 0);
        const auto moved = end - std::chrono::duration_cast<std::chrono::milliseconds>(by).count();
        QCOMPARE(ask(master, {"PEXPIREAT", kName, QByteArray::number(qlonglong(moved))}).integer, 1);
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_masters);
        for (int i = 0; i < kMasters; ++i)
            m_operators.push_back(std::make_unique<redis::RedisDriver>(m_runtime, urlOf(m_masters.at(i))));
    }
    void cleanupTestCase() { m_operators.clear(); }

    void aMastersClockLeaps_data() {
        QTest::addColumn<int>("jump");
        QTest::addColumn<bool>("bareMajority");
        for (int i = 0; i < int(std::size(kClockJumps)); ++i) {
            if (kClockJumps[i].whose != ClockJump::Whose::Server) continue;
            QTest::addRow("%s, two of three granted it", kClockJumps[i].name) << i << true;
            QTest::addRow("%s, all granted it", kClockJumps[i].name) << i << false;
        }
    }
    void aMastersClockLeaps() {
        QFETCH(int, jump);
        QFETCH(bool, bareMajority);
        const ClockJump& wrong = kClockJumps[jump];
        for (int i = 0; i < kMasters; ++i)
            ask(i, {"FLUSHALL"});
        LockUser holder(m_masters.url(), kRecipe, kName, options()), rival(m_masters.url(), kRecipe, kName, options());
        VERIFY_OPEN(holder);
        VERIFY_OPEN(rival);
        if (bareMajority) QCOMPARE(ask(2, {"SET", kName, "somebody's"}).text, QByteArray("OK"));
        QVERIFY(run(holder.lock->tryLockFor(10s)).value_or(false));
        if (bareMajority) QCOMPARE(ask(2, {"DEL", kName}).integer, 1);
        // It is enough for a grant that a majority has answered.
        for (int i = 0; i < (bareMajority ? 2 : kMasters); ++i)
            QVERIFY(comesTrue([&] { return ask(i, {"EXISTS", kName}).integer == 1; }));
        QCOMPARE(run(rival.lock->tryLockFor(50ms)).value_or(true), false);

        leap(1, wrong.by);
        const bool broken = bareMajority && clockBreaks(kRecipe, wrong);
        QCOMPARE(run(rival.lock->tryLockFor(broken ? 10s : 500ms)).value_or(!broken), broken);
        QVERIFY(holder.lock->stillMine()); // and nobody tells it
        QCOMPARE(rival.lock->stillMine(), broken);
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisMasters m_masters{m_runtime, kMasters};
    std::vector<std::unique_ptr<redis::RedisDriver>> m_operators;
};

QTEST_GUILESS_MAIN(TestRedlockClocks)
#include "tst_redlock_clocks.moc"
