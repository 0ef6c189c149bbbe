// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/managed_condition.h"

#include "lock/manager/managed_core.h"
#include "lock/manager/namespace.h"

namespace lockscope {

using detail::ManagedCore;

ManagedCondition::Outcome<bool> ManagedCondition::await(Nanos wait, Thread thread, std::stop_token stop) {
    return ManagedCore::await(m_core, std::move(thread), wait, std::move(stop));
}

ManagedCondition::Outcome<int> ManagedCondition::signal(Thread thread) {
    return ManagedCore::signal(m_core, std::move(thread), 1);
}

ManagedCondition::Outcome<int> ManagedCondition::signalAll(Thread thread) {
    return ManagedCore::signal(m_core, std::move(thread), std::numeric_limits<int>::max());
}

} // namespace lockscope

namespace lockscope::detail {

namespace {
/// One engine's condition, whose waiters are woken when the engine is left.
class WokenByLeaving final : public recipes::ConditionRecipe {
public:
    template <typename T>
    using Outcome = recipes::Outcome<T>;
    WokenByLeaving(const ManagedCore& core, std::int64_t epoch, std::unique_ptr<recipes::ConditionRecipe> inner)
        : m_space(core.space), m_closing(core.closing.get_token()), m_epoch(epoch), m_inner(std::move(inner)) {}

    Outcome<void> enlist(QByteArray thread, std::stop_token stop) override {
        if (left()) co_return {}; // awaitSignal() then returns at once
        const auto entered = co_await m_inner->enlist(thread, std::move(stop));
        if (entered) m_entered.insert(thread);
        if (!entered && left()) co_return {}; // the engine was left: no holder signals there any more
        co_return entered;
    }
    Outcome<bool> awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) override {
        if (m_entered.erase(thread) == 0) co_return true;
        std::stop_source any;
        const auto pass = [&any] { any.request_stop(); };
        const std::stop_callback onStop(stop, pass);
        const std::stop_callback onLeaving(m_space->whileIn(), pass);
        const std::stop_callback onClosing(m_closing, pass);
        if (left()) pass(); // if it is in use again by another epoch, whileIn() is not stopped
        std::expected<bool, LockError> signalled = true;
        try {
            signalled = co_await m_inner->awaitSignal(thread, wait, any.get_token());
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed || stop.stop_requested()) throw;
        }
        if (!signalled && left()) co_return true;
        co_return signalled;
    }
    Outcome<int> signal(int most, std::stop_token stop) override { return m_inner->signal(most, std::move(stop)); }

private:
    bool left() const { return m_space->usable() != m_epoch; }
    std::shared_ptr<Namespace> m_space;
    std::stop_token m_closing;
    std::int64_t m_epoch;
    std::unique_ptr<recipes::ConditionRecipe> m_inner;
    std::set<QByteArray> m_entered;
};
} // namespace

std::expected<std::shared_ptr<recipes::ConditionRecipe>, LockError> ManagedCore::conditionOf(std::int64_t epoch) {
    if (const auto lack = space->lackOfConditions()) return std::unexpected(*lack);
    if (const auto known = conditions.find(epoch); known != conditions.end()) return known->second;
    auto made = space->makeCondition(name, epoch);
    if (!made) return std::unexpected(made.error());
    auto condition = std::make_shared<WokenByLeaving>(*this, epoch, *std::move(made));
    conditions.emplace(epoch, condition);
    return condition;
}

ManagedCore::Outcome<bool> ManagedCore::await(std::shared_ptr<ManagedCore> core, Thread thread, Nanos wait,
                                              std::stop_token stop) {
    const auto held = core->heldBy(thread, Mode::Exclusive);
    const std::int64_t epoch = held.first;
    const Lock& lock = held.second;
    if (!lock) co_return std::unexpected(notHeldForCondition());
    const auto condition = core->conditionOf(epoch);
    if (!condition) co_return std::unexpected(condition.error());
    if (lock->holdCount(thread) > 1) {
        // It may be taken again on another engine, whose recipe must then be reentrant.
        if (const auto lack = core->space->lackOfReentry()) co_return std::unexpected(*lack);
    }
    LockCore::Retake retake;
    retake.take = [core](LockRequest request, std::shared_ptr<Hold> again) {
        return take<LockCore::Taken>(core, std::move(request), {}, std::move(again));
    };
    retake.elsewhere = [core, epoch] { return core->space->usable() != epoch; };
    co_return co_await LockCore::await(lock->m_core, *condition, thread, wait, stop, retake);
}

ManagedCore::Outcome<int> ManagedCore::signal(std::shared_ptr<ManagedCore> core, Thread thread, int most) {
    const auto [epoch, lock] = core->heldBy(thread, Mode::Exclusive);
    if (!lock || !lock->stillMine(thread)) co_return std::unexpected(notHeldForCondition());
    const auto condition = core->conditionOf(epoch);
    if (!condition) co_return std::unexpected(condition.error());
    auto signalled = co_await (*condition)->signal(most, {});
    if (!signalled && !lock->stillMine(thread)) co_return std::unexpected(notHeldForCondition());
    co_return signalled;
}

} // namespace lockscope::detail
