// SPDX-License-Identifier: Apache-2.0
#include "lock_fleet.h"
#include "sandbox/redis_masters.h"

using namespace lockscope;
using namespace lockscope::test;
using Kind = LockError::Kind;

/// Whether a Redlock is held, which no single server knows.
class TestRedlockHeld : public QObject {
    Q_OBJECT
    static constexpr int kMasters = 5;
    EventLoopRuntime m_runtime;
    sandbox::RedisMasters m_masters{m_runtime, kMasters};
    std::vector<std::unique_ptr<redis::RedisDriver>> m_admins;
    std::unique_ptr<LockUser> m_user;

    void put(std::initializer_list<int> nodes, const QByteArray& value) {
        for (const int i : nodes)
            QVERIFY(call(*m_admins[std::size_t(i)], {"SET", "orders", value}));
    }
    std::expected<bool, LockError> held() { return run(m_user->lock->isLocked()); }
    /// Also when a master is a moment late to be connected with: with a majority it says that it is open.
    bool comesToBe(bool expected) {
        return QTest::qWaitFor([&] { return held().value_or(!expected) == expected; });
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_masters);
        for (int i = 0; i < kMasters; ++i)
            m_admins.push_back(std::make_unique<redis::RedisDriver>(m_runtime, urlOf(m_masters.at(i))));
        m_user = std::make_unique<LockUser>(m_masters.url(), "redis-redlock", "orders");
        VERIFY_OPEN(*m_user);
    }
    void init() {
        for (int i = 0; i < kMasters; ++i)
            m_masters.at(i).resume();
        for (const auto& admin : m_admins)
            QTRY_VERIFY(call(*admin, {"FLUSHALL"}).has_value());
    }
    void cleanupTestCase() { m_user.reset(); }

    void oneValueOnAMajority() {
        QVERIFY(comesToBe(false));
        put({0, 1}, "one's");
        QVERIFY(comesToBe(false)); // on its way to be held, or back
        put({4}, "one's");
        QVERIFY(comesToBe(true));
    }

    void whereEverybodyHasAFewNobodyHoldsIt() {
        put({0, 1}, "one's");
        put({2, 3}, "another's");
        put({4}, "a third's");
        QVERIFY(comesToBe(false));
    }

    void whoeverDoesNotAnswerMayHaveIt() {
        put({0, 1, 2}, "one's");
        m_masters.at(0).pause();
        QVERIFY(comesToBe(true));
        m_masters.at(1).pause();
        QVERIFY(comesToBe(true));
        QVERIFY(call(*m_admins[2], {"DEL", "orders"}));
        const Nanos begun = m_runtime.monotonic();
        QVERIFY(comesToBe(false));                   // two are no majority
        QVERIFY(m_runtime.monotonic() - begun < 2s); // and need not be waited for
    }

    void tooFewThatAnswerAreAnError() {
        for (const int i : {0, 1, 2})
            m_masters.at(i).pause();
        const auto unknown = held();
        QVERIFY(!unknown);
        QVERIFY2(unknown.error().kind == Kind::Unreachable, qPrintable(unknown.error().message));
        QVERIFY2(unknown.error().message.contains(QStringLiteral("2 of 5")), qPrintable(unknown.error().message));
    }

    void whatNoLockOfThisKindWrote() {
        for (const int i : {0, 1})
            QVERIFY(call(*m_admins[std::size_t(i)], {"RPUSH", "orders", "job"}));
        QVERIFY(comesToBe(false));
        put({2, 3, 4}, "one's");
        QVERIFY(comesToBe(true));
        QVERIFY(call(*m_admins[2], {"DEL", "orders"}));
        QVERIFY(call(*m_admins[2], {"RPUSH", "orders", "job"}));
        const auto foreign = held();
        QVERIFY(!foreign && foreign.error().kind == Kind::ForeignFormat);
    }
};

QTEST_GUILESS_MAIN(TestRedlockHeld)
#include "tst_redlock_held.moc"
