// SPDX-License-Identifier: Apache-2.0
#include "lock/hold_keeper.h"
#include "lock/recipe_choice.h"

#include <QCoreApplication>

namespace lockscope::detail {

using recipes::HeldBy;
using trace::EventKind;

namespace {
using Done = std::expected<void, LockError>;

LockError cannotProlong(const recipes::RecipeInfo& info, Nanos most) {
    const QString seconds = QString::number(std::chrono::duration<double>(most).count());
    if (!recipes::findRecipe(info.id)) { // several locks as one
        return {LockError::Kind::NotSupported,
                QCoreApplication::translate("LockError", "%1: they cannot be kept for longer than was granted, %2 s.")
                    .arg(info.summary, seconds)};
    }
    return {LockError::Kind::NotSupported,
            QCoreApplication::translate("LockError", "The recipe “%1” cannot prolong a lease beyond what was granted, "
                                                     "%2 s.")
                .arg(QString::fromLatin1(info.id), seconds)};
}
/// Other processes wait at a switch of engines for as long as the namespace's lease, and no longer.
LockError longerThanNamespace(Nanos most) {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockError", "A manager's lock cannot be kept for longer than its namespace's "
                                                     "lease, %1 s: a switch of its engine waits for as long as that.")
                .arg(std::chrono::duration<double>(most).count())};
}
} // namespace

LockCore::Outcome<void> LockCore::extend(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold, Nanos lease) {
    if (const auto wrong = wrongLease(lease)) co_return std::unexpected(*wrong);
    if (!core || !hold || !core->has(*hold)) co_return std::unexpected(notHeld(hold.get()));
    const recipes::RecipeInfo& info = core->recipe->info();
    Runtime& runtime = core->client.runtime;
    if (core->options.epoch > 0 && lease > core->options.lease)
        co_return std::unexpected(longerThanNamespace(core->options.lease));
    if (info.heldBy == HeldBy::Nothing) co_return Done();
    if (info.heldBy != HeldBy::Lease) { // its session or connection goes on; only its own end here can come later
        if (hold->leaseUntil == kNever) co_return Done();
        const Nanos end = std::max(hold->leaseUntil, laterBy(runtime.monotonic(), lease));
        core->moveDeadline(*hold, end, hold->newsUntil);
        core->believeUntilDeadline(*hold);
        co_return Done();
    }
    if (lease > hold->grant.lease && !core->recipe->prolongs())
        co_return std::unexpected(cannotProlong(info, hold->grant.lease));

    const Nanos askedAt = runtime.monotonic(), before = hold->grant.lease;
    if (core->recipe->prolongs()) {
        // Never less than what is left; and the watchdog's next renewal must not take it back.
        const Nanos left = std::max(Nanos(0), hold->leaseUntil - askedAt);
        const Nanos least = hold->renewing ? hold->grant.lease : Nanos(0);
        const Nanos wanted = std::chrono::ceil<std::chrono::milliseconds>(std::max({lease, left, least}));
        hold->grant.lease = wanted; // before it is sent: a renewal that follows at once asks for no less
        hold->ownLease = std::max(hold->ownLease, lease);
    }
    recipes::Grant asked = hold->grant;
    auto renewed = co_await core->recipe->renew(asked, {});
    while (renewed && !*renewed && asked.permits != hold->grant.permits) { // some were given back meanwhile
        asked = hold->grant;
        renewed = co_await core->recipe->renew(asked, {});
    }
    if (!renewed) {
        // A lease that the server does not take would have it refuse each renewal, too.
        if (renewed.error().kind == LockError::Kind::Refused) hold->grant.lease = before;
        co_return std::unexpected(mayBeGranted(renewed.error(), info.heldBy, asked.lease));
    }
    if (!*renewed) {
        core->emit(EventKind::RenewRefused, hold->grant.thread);
        core->lose(hold, QT_TRANSLATE_NOOP("Lock", "renewal refused: the server no longer knows this hold"));
        co_return std::unexpected(notHeld(hold.get()));
    }
    if (!core->has(*hold)) co_return std::unexpected(notHeld(hold.get())); // given up or lost meanwhile
    core->moveDeadline(*hold, std::max(hold->leaseUntil, laterBy(askedAt, asked.lease)), hold->newsUntil);
    hold->suspended = false;
    core->emit(EventKind::Renewed, hold->grant.thread, toValue(runtime.traceTimeOf(hold->deadline)));
    core->believeUntilDeadline(*hold);
    if (!hold->cutOff) core->tell(Event::Renewed, hold->grant.thread, {});
    co_return Done();
}

} // namespace lockscope::detail
