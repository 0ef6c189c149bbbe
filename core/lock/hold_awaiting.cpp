// SPDX-License-Identifier: Apache-2.0
#include "lock/hold_keeper.h"

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
} // namespace

LockCore::Outcome<bool> LockCore::await(std::shared_ptr<LockCore> core,
                                        std::shared_ptr<recipes::ConditionRecipe> condition, Thread thread, Nanos wait,
                                        std::stop_token stop, Retake retake) {
    const std::shared_ptr<Hold> hold = core->find(thread, Mode::Exclusive);
    if (!hold || !core->stillMine(*hold)) co_return std::unexpected(notHeldForCondition());
    const int holds = hold->taken;
    const bool renewed = hold->renewing;
    const bool byLease = core->recipe->info().heldBy == recipes::HeldBy::Lease;
    const Nanos lease = byLease ? hold->grant.lease : hold->ownLease;

    // Enter before the lock is free: the next holder then finds us.
    const auto entered = co_await condition->enlist(thread, stop);
    if (!entered) co_return std::unexpected(entered.error());
    for (int left = holds; left > 0;) {
        const auto now = co_await giveUp(core, hold, true);
        if (!now) { // it was lost meanwhile, or nobody knows
            // Somebody may have been in the lock since, and have signalled us: that was meant for one who waits.
            const auto late = co_await condition->awaitSignal(thread, Nanos(0), {});
            if (late && *late) co_await condition->signal(1, {});
            co_return std::unexpected(now.error());
        }
        left = *now;
    }
    // Nobody could come in to signal us.
    const bool others = hold->grant.holds > 0;
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
        // It is taken anew each time that what was taken so far has been lost meanwhile; a re-entry leaves it alone.
        std::expected<Taken, LockError> taken;
        if (retake)
            taken = co_await retake(request, hold);
        else
            taken = co_await take<Taken>(core, request, {}, hold);
        if (taken && taken->hold) {
            held = taken->hold->taken;
            continue;
        }
        // Nothing comes of our signal: it goes to the next one.
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
