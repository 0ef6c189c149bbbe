// SPDX-License-Identifier: Apache-2.0
// When a hold by a lease is asked about without waiting for its next renewal: a connection was lost and is there again,
// so that the server may have forgotten it, or somebody has freed the lock by force.
#include "lock/hold_keeper.h"
#include "recipes/backoff.h"

namespace lockscope::detail {

namespace {
/// A hold listens for its forced release only after so long: most are over by then, and listening costs a subscription.
constexpr Nanos kHeedAfter = 500ms;
/// Renewals that are no further apart than this find a forced release soon enough.
constexpr Nanos kOftenEnough = 500ms;
/// After a question that had no answer, before it is asked again.
constexpr Nanos kAskAgain = 250ms;
} // namespace

void LockCore::heedDoubts(const std::shared_ptr<Hold>& hold) {
    if (!recipe->info().watchdog) return; // it has no renewal, which is what the question would be
    if (!reconnects) {
        reconnects = recipe->onReconnect([self = weak_from_this()] {
            if (const auto core = self.lock()) core->askAboutAll();
        });
    }
    const bool often = hold->renewing && options.watchdog <= kOftenEnough;
    if (often || !recipe->listens()) return;
    const Nanos latest = laterBy(client.runtime.monotonic(), kHeedAfter);
    hold->heeding.emplace(client.runtime, weak_from_this(), hold, &LockCore::heedForce);
    hold->heeding->set(client.runtime.sometime(latest - kHeedAfter / 4, latest));
}

void LockCore::askAboutAll() {
    std::vector<std::shared_ptr<Hold>> all; // a loss removes a hold from both maps
    for (const auto& [key, hold] : holds)
        all.push_back(hold);
    for (const auto& [key, hold] : resting)
        all.push_back(hold);
    for (const std::shared_ptr<Hold>& hold : all)
        askAbout(hold);
}

void LockCore::askAbout(const std::shared_ptr<Hold>& hold) {
    if (hold->over || watchdogStopped) return;
    if (hold->renewing) {
        renewSoon(hold);
        return;
    }
    client.runtime.spawn([self = shared_from_this(), hold] { return askOnce(self, hold); });
}

/// Asks about a hold that no watchdog renews, and does not make it last any longer by that.
QCoro::Task<> LockCore::askOnce(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold) {
    Runtime& runtime = core->client.runtime;
    const std::stop_token stop = hold->watched();
    for (;;) {
        recipes::Grant asked = hold->grant;
        asked.lease = std::chrono::floor<std::chrono::milliseconds>(hold->leaseUntil - runtime.monotonic());
        if (asked.lease < 1ms) co_return; // its deadline passes before an answer could come
        const auto kept = co_await core->recipe->renew(asked, stop);
        if (stop.stop_requested()) co_return;
        if (kept && !*kept && asked.permits != hold->grant.permits) continue; // some were given back meanwhile
        if (kept && !*kept) {
            if (!hold->resting) core->emit(trace::EventKind::RenewRefused, hold->grant.thread);
            core->lose(hold, QT_TRANSLATE_NOOP("Lock", "renewal refused: the server no longer knows this hold"));
            co_return;
        }
        if (kept || !recipes::passes(kept.error())) co_return;
        co_await runtime.sleep(kAskAgain, stop);
    }
}

void LockCore::heedForce(const std::shared_ptr<Hold>& hold) {
    client.runtime.spawn([self = shared_from_this(), hold] { return forceWatch(self, hold); });
}

QCoro::Task<> LockCore::forceWatch(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold) {
    const std::stop_token stop = hold->watched();
    const std::weak_ptr<LockCore> weakCore = core;
    const std::weak_ptr<Hold> weakHold = hold;
    CallList::Callback ask = [weakCore, weakHold] {
        const auto stillThere = weakCore.lock();
        const auto about = weakHold.lock();
        if (stillThere && about) stillThere->askAbout(about);
    };
    // After an error no message tells of a forced release; the next renewal finds out.
    co_await core->recipe->listen(hold->grant, std::move(ask), stop);
}

} // namespace lockscope::detail
