// SPDX-License-Identifier: Apache-2.0
#include "lock/hold_keeper.h"
#include "recipes/backoff.h"

#include <QCoreApplication>

namespace lockscope::detail {

LockError notHeldForCondition() {
    return {LockError::Kind::NotOwner,
            QCoreApplication::translate("LockError", "This thread does not hold the lock of the condition.")};
}

namespace {
LockError heldBeside() {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockError", "Another lock object of this thread holds the lock, too: nobody "
                                                     "could come in to signal. Wait with the only one.")};
}

/// Apart from the loop that calls it: GCC 12 destroys an expected without a value that is awaited in a loop when it was
/// never made.
recipes::Outcome<bool> enlistOnce(std::shared_ptr<recipes::ConditionRecipe> condition, QByteArray thread,
                                  std::stop_token stop) {
    const std::expected<void, LockError> entered = co_await condition->enlist(std::move(thread), std::move(stop));
    if (!entered) co_return std::unexpected(entered.error());
    co_return true;
}
} // namespace

/// Waits out a server that cannot be asked, as all waiters do, for as long as the hold lasts.
LockCore::Outcome<bool> LockCore::enlist(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold,
                                         std::shared_ptr<recipes::ConditionRecipe> condition, Nanos giveUpAt,
                                         std::stop_token stop) {
    Runtime& runtime = core->client.runtime;
    recipes::Backoff backoff;
    for (;;) {
        const std::expected<bool, LockError> entered = co_await enlistOnce(condition, hold->grant.thread, stop);
        if (entered) co_return true;
        // A hold that was lost meanwhile says more than what its server has answered.
        if (!core->stillMine(*hold)) co_return std::unexpected(notHeldForCondition());
        if (!recipes::passes(entered.error()) || runtime.monotonic() >= giveUpAt)
            co_return std::unexpected(entered.error());
        const Nanos pause = backoff.next(runtime, giveUpAt);
        co_await runtime.sleep(pause, stop);
    }
}

LockCore::Outcome<bool> LockCore::await(std::shared_ptr<LockCore> core,
                                        std::shared_ptr<recipes::ConditionRecipe> condition, Thread thread, Nanos wait,
                                        std::stop_token stop, Retake retake) {
    const std::shared_ptr<Hold> hold = core->find(thread, Mode::Exclusive);
    if (!hold || !core->stillMine(*hold)) co_return std::unexpected(notHeldForCondition());
    const int holds = hold->taken;
    const bool renewed = hold->renewing;
    const bool byLease = core->recipe->info().heldBy == recipes::HeldBy::Lease;
    const Nanos lease = byLease ? hold->grant.lease : hold->ownLease;

    // Join the waiters before the lock is free: the next holder may signal at once.
    const auto entered = co_await enlist(core, hold, condition, laterBy(core->client.runtime.monotonic(), wait), stop);
    if (!entered) co_return std::unexpected(entered.error());
    bool moved = false;
    for (int left = holds; left > 0;) {
        const auto now = co_await giveUp(core, hold, true);
        moved = !now && retake.elsewhere && recipes::passes(now.error()) && retake.elsewhere();
        if (moved) break;
        if (!now) { // it was lost meanwhile, or nobody knows
            // The next holder may have signalled this waiter, which ends with an error: pass the signal on.
            const auto late = co_await condition->awaitSignal(thread, Nanos(0), {});
            if (late && *late) co_await condition->signal(1, {});
            co_return std::unexpected(now.error());
        }
        left = *now;
    }
    // The thread also holds the lock through another object: no other client could take it and signal.
    const bool others = !moved && hold->grant.holds > 0;
    if (others) wait = Nanos(0);

    std::expected<bool, LockError> signalled = false;
    bool stopped = false;
    try {
        signalled = co_await condition->awaitSignal(thread, wait, stop);
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
        stopped = true;
    }
    // Back into the lock, however long that takes: the caller's next line is written for a holder.
    LockRequest request;
    request.thread = thread;
    if (!renewed) request.lease = lease;
    for (int held = 0; held < holds;) {
        // Counted by the hold itself: after a loss on the way, the next grant begins at 1 again.
        std::expected<Taken, LockError> taken;
        if (retake.take)
            taken = co_await retake.take(request, hold);
        else
            taken = co_await take<Taken>(core, request, {}, hold);
        if (taken && taken->hold) {
            held = taken->hold->taken;
            continue;
        }
        // This waiter cannot use its signal: the next one gets it.
        if (signalled && *signalled) co_await condition->signal(1, {});
        if (!taken) co_return std::unexpected(taken.error());
        if (stopped) throw Cancelled(Cancelled::Why::Stopped);
        co_return std::unexpected(notHeldForCondition()); // the lock object is gone
    }
    if (others) {
        if (signalled && *signalled) co_await condition->signal(1, {});
        co_return std::unexpected(heldBeside());
    }
    if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    co_return signalled;
}

} // namespace lockscope::detail
