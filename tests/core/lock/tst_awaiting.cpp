// SPDX-License-Identifier: Apache-2.0
// Waiting for a condition, where something goes wrong between giving the lock up and waiting.
#include "lock/hold_keeper.h"
#include "pretend_recipe.h"

#include <QTest>

using namespace lockscope;
using detail::LockCore;
using recipes::Outcome;

namespace {
/// Gives back as asked, and then does not hear the answer.
class DeafRecipe final : public recipes::Recipe {
public:
    DeafRecipe(Runtime& runtime, tests::PretendServer& server) : m_inner(runtime, server) {}
    const recipes::RecipeInfo& info() const override { return m_inner.info(); }
    Outcome<std::optional<recipes::Grant>> acquire(recipes::Request request, std::stop_token stop) override {
        return m_inner.acquire(std::move(request), std::move(stop));
    }
    Outcome<int> release(recipes::Grant grant, std::stop_token stop) override {
        co_await m_inner.release(std::move(grant), std::move(stop));
        co_return std::unexpected(LockError{LockError::Kind::OutcomeUnknown, {}});
    }
    Outcome<bool> forceRelease(std::stop_token) override { co_return false; }
    Outcome<bool> isLocked(std::stop_token stop) override { return m_inner.isLocked(std::move(stop)); }

private:
    tests::PretendRecipe m_inner;
};

/// Grants once, and cannot be reached from then on.
class OnceRecipe final : public recipes::Recipe {
public:
    OnceRecipe(Runtime& runtime, tests::PretendServer& server) : m_inner(runtime, server) {}
    const recipes::RecipeInfo& info() const override { return m_inner.info(); }
    Outcome<std::optional<recipes::Grant>> acquire(recipes::Request request, std::stop_token stop) override {
        if (std::exchange(m_granted, true)) co_return std::unexpected(LockError{LockError::Kind::Unreachable, {}});
        co_return co_await m_inner.acquire(std::move(request), std::move(stop));
    }
    Outcome<int> release(recipes::Grant grant, std::stop_token stop) override {
        return m_inner.release(std::move(grant), std::move(stop));
    }
    Outcome<bool> forceRelease(std::stop_token) override { co_return false; }
    Outcome<bool> isLocked(std::stop_token stop) override { return m_inner.isLocked(std::move(stop)); }

private:
    tests::PretendRecipe m_inner;
    bool m_granted = false;
};

/// A condition whose waiter has been signalled meanwhile, or has not.
struct Signals final : recipes::ConditionRecipe {
    explicit Signals(bool s) : signalled(s) {}
    Outcome<void> enlist(QByteArray, std::stop_token) override {
        const bool there = away-- <= 0;
        entered = entered || there;
        return answer(there);
    }
    Outcome<bool> awaitSignal(QByteArray, Nanos, std::stop_token) override {
        entered = false;
        return valueOf(signalled);
    }
    // Not of parameters without names: GCC 12 destroys those of a coroutine twice.
    static Outcome<void> answer(bool there) {
        if (there) co_return {};
        const LockError away{LockError::Kind::Unreachable, QString()};
        co_return std::unexpected(away);
    }
    static Outcome<bool> valueOf(bool value) { co_return value; }
    Outcome<int> signal(int most, std::stop_token) override {
        passedOn += most;
        co_return most;
    }
    bool signalled;
    int away = 0; ///< how often the server cannot be asked
    bool entered = false;
    int passedOn = 0;
};
} // namespace

class TestAwaiting : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aSignalThatCannotBeUsedIsPassedOn_data() {
        QTest::addColumn<bool>("deaf");
        QTest::addColumn<bool>("signalled");
        QTest::newRow("not given up, signalled") << true << true;
        QTest::newRow("not given up, not signalled") << true << false;
        QTest::newRow("not taken again, signalled") << false << true;
        QTest::newRow("not taken again, not signalled") << false << false;
    }
    void aSignalThatCannotBeUsedIsPassedOn() {
        QFETCH(bool, deaf);
        QFETCH(bool, signalled);
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        tests::PretendServer server;
        server.info.heldBy = recipes::HeldBy::Lease;
        std::unique_ptr<recipes::Recipe> recipe;
        if (deaf)
            recipe = std::make_unique<DeafRecipe>(runtime, server);
        else
            recipe = std::make_unique<OnceRecipe>(runtime, server);
        const auto core = std::make_shared<LockCore>(LockClient{runtime, "client"}, std::move(recipe), LockOptions(),
                                                     trace::kNoEntity);
        const auto condition = std::make_shared<Signals>(signalled);
        std::expected<bool, LockError> outcome = true;
        runtime.spawn([&]() -> QCoro::Task<> {
            co_await LockCore::take<LockCore::Taken>(core, LockRequest(), {});
            outcome = co_await LockCore::await(core, condition, "1", kNever, {});
        });
        scheduler.runUntil(1s);
        QVERIFY(!outcome.has_value() &&
                outcome.error().kind == (deaf ? LockError::Kind::OutcomeUnknown : LockError::Kind::Unreachable));
        QVERIFY(!condition->entered);
        QCOMPARE(condition->passedOn, signalled ? 1 : 0);
        runtime.kill();
    }

    void aServerThatIsAwayForAWhileIsWaitedOut_data() {
        QTest::addColumn<int>("away");
        QTest::addColumn<bool>("lost");
        QTest::addColumn<int>("waitMs");
        QTest::newRow("for a while") << 3 << false << -1;
        QTest::newRow("until the hold is lost") << 1000 << true << -1;
        QTest::newRow("for too long") << 1000 << false << 500;
    }
    void aServerThatIsAwayForAWhileIsWaitedOut() {
        QFETCH(int, away);
        QFETCH(bool, lost);
        QFETCH(int, waitMs);
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        tests::PretendServer server;
        server.info.heldBy = recipes::HeldBy::Lease;
        const auto core = std::make_shared<LockCore>(LockClient{runtime, "client"},
                                                     std::make_unique<tests::PretendRecipe>(runtime, server),
                                                     LockOptions(), trace::kNoEntity);
        const auto condition = std::make_shared<Signals>(true);
        condition->away = away;
        std::optional<std::expected<bool, LockError>> outcome;
        runtime.spawn([&]() -> QCoro::Task<> {
            co_await LockCore::take<LockCore::Taken>(core, LockRequest(), {});
            const Nanos wait = waitMs < 0 ? kNever : Nanos(1ms) * waitMs;
            outcome = co_await LockCore::await(core, condition, "1", wait, {});
        });
        scheduler.runUntil(100ms);
        QVERIFY(!outcome && core->holdCount("1", recipes::Mode::Exclusive) == 1);
        if (lost) runtime.spawn([core] { return LockCore::loseAll(core, "lost on the way into the wait"); });
        scheduler.runUntil(3s);
        QVERIFY(outcome);
        if (away < 10)
            QVERIFY(outcome->value_or(false));
        else
            QVERIFY(!*outcome &&
                    outcome->error().kind == (lost ? LockError::Kind::NotOwner : LockError::Kind::Unreachable));
        runtime.kill();
    }

    void whatIsLostOnTheWayBackIsTakenAnew() {
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        tests::PretendServer server;
        server.info.heldBy = recipes::HeldBy::Lease;
        server.info.reentrant = true;
        const auto core = std::make_shared<LockCore>(LockClient{runtime, "client"},
                                                     std::make_unique<tests::PretendRecipe>(runtime, server),
                                                     LockOptions(), trace::kNoEntity);
        int retakes = 0;
        LockCore::Retake retake;
        retake.take = [&](LockRequest request, std::shared_ptr<detail::Hold> again) {
            if (++retakes == 2) runtime.spawn([core] { return LockCore::loseAll(core, "lost on the way back"); });
            return LockCore::take<LockCore::Taken>(core, std::move(request), {}, std::move(again));
        };
        std::optional<std::expected<bool, LockError>> outcome;
        std::shared_ptr<detail::Hold> hold;
        std::stop_token lost;
        runtime.spawn([&]() -> QCoro::Task<> {
            for (int i = 0; i < 3; ++i) {
                const auto taken = co_await LockCore::take<LockCore::Taken>(core, LockRequest(), {});
                hold = taken->hold;
            }
            lost = hold->lostToken();
            const auto condition = std::make_shared<Signals>(true);
            outcome = co_await LockCore::await(core, condition, "1", kNever, {}, retake);
        });
        scheduler.runUntil(1s);
        QVERIFY(outcome && outcome->value_or(false));
        QCOMPARE(retakes, 4); // one, lost with the second, and three
        QCOMPARE(core->holdCount("1", recipes::Mode::Exclusive), 3);
        QVERIFY(core->stillMine(*hold) && hold->view->mine && !hold->view->lost);
        QVERIFY(lost.stop_requested() &&
                !hold->lostToken().stop_requested()); // that loss was told; there is a new hold
        runtime.kill();
    }
};

QTEST_GUILESS_MAIN(TestAwaiting)
#include "tst_awaiting.moc"
