// SPDX-License-Identifier: Apache-2.0
#include "lock/hold_keeper.h"

#include <QCoreApplication>

namespace lockscope::detail {

using recipes::HeldBy;
using recipes::HoldNews;
using trace::EventKind;

namespace {
/// Between two renewals, whatever was asked for: a watchdog must not drown the server.
constexpr Nanos kShortestPause = 1ms;
/// After news that could not be had, before asking again.
constexpr Nanos kNewsPause = 250ms;
/// Renewals of many holds are sent together, and spread over the last quarter of the period: thousands of holds that
/// were taken at once must not be renewed at once for ever.
Nanos nextRenewal(const LockCore& core) {
    const Nanos pause = std::max(core.options.watchdog, kShortestPause);
    const Nanos latest = laterBy(core.client.runtime.monotonic(), pause);
    return core.client.runtime.sometime(latest - pause / 4, latest);
}
} // namespace

void HoldAlarm::ring() {
    const auto core = m_core.lock();
    const auto hold = m_hold.lock();
    if (core && hold) ((*core).*m_what)(hold);
}

void LockCore::keepRenewing(const std::shared_ptr<Hold>& hold) {
    hold->renewing = options.watchdog > Nanos(0) && recipe->info().watchdog;
    if (!hold->renewing) return;
    hold->renewal.emplace(client.runtime, weak_from_this(), hold, &LockCore::renewSoon);
    hold->renewal->set(nextRenewal(*this));
}

void LockCore::watch(const std::shared_ptr<Hold>& hold) {
    if (closed) return; // the listener that was told of the grant has dropped the lock
    switch (recipe->info().heldBy) {
    case HeldBy::Lease:
        if (hold->renewing) keepRenewing(hold);
        if (recipe->info().news) awaitNews(hold);
        heedDoubts(hold);
        break;
    case HeldBy::Session:
    case HeldBy::Connection:
        awaitNews(hold);
        break;
    case HeldBy::Nothing:
        break;
    }
    if (options.honourDeadline && recipe->info().heldBy != HeldBy::Nothing) {
        hold->ending.emplace(client.runtime, weak_from_this(), hold, &LockCore::lookAtDeadline);
        hold->ending->set(hold->deadline);
    }
    if (options.maxHold > Nanos(0))
        client.runtime.spawn([self = shared_from_this(), hold] { return longestHold(self, hold); });
}

void LockCore::awaitNews(const std::shared_ptr<Hold>& hold) {
    if (const Nanos rest = recipe->newsRest(); rest > Nanos(0)) {
        hold->listening.emplace(client.runtime, weak_from_this(), hold, &LockCore::listenForNews);
        hold->listening->set(laterBy(client.runtime.monotonic(), rest));
    } else {
        listenForNews(hold);
    }
}

void LockCore::renewSoon(const std::shared_ptr<Hold>& hold) {
    if (watchdogStopped) return;
    const auto self = shared_from_this();
    client.runtime.spawn([self, hold] { return renewOnce(self, hold); });
}

QCoro::Task<> LockCore::renewOnce(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold) {
    Runtime& runtime = core->client.runtime;
    const std::stop_token stop = hold->watched();
    const Nanos askedAt = runtime.monotonic();
    const recipes::Grant asked = hold->grant; // a re-entry may change it meanwhile
    const auto renewed = co_await core->recipe->renew(asked, stop);
    if (stop.stop_requested() || !hold->renewal) co_return; // given up or lost while the answer waited for its turn
    if (!renewed) {
        if (!hold->resting) {
            core->emitText(EventKind::RenewFailed, hold->grant.thread,
                           QString::fromLatin1(lockErrorId(renewed.error().kind)));
            if (!std::exchange(hold->suspended, true))
                core->tell(Event::Suspended, hold->grant.thread, renewed.error().message);
        }
        // Without an answer, try again sooner: the lease may still be saved.
        const Nanos soon = std::max(core->options.watchdog / 4, kShortestPause);
        hold->renewal->set(laterBy(runtime.monotonic(), soon));
        co_return;
    }
    if (!*renewed && asked.permits != hold->grant.permits) { // it asked for permits given back meanwhile, too
        core->renewSoon(hold);
        co_return;
    }
    if (!*renewed) {
        if (!hold->resting) core->emit(EventKind::RenewRefused, hold->grant.thread);
        core->lose(hold, QT_TRANSLATE_NOOP("Lock", "renewal refused: the server no longer knows this hold"));
        co_return;
    }
    core->moveDeadline(*hold, laterBy(askedAt, asked.lease), hold->newsUntil);
    hold->renewal->set(nextRenewal(*core));
    hold->suspended = false;
    if (hold->resting) co_return;
    core->emit(EventKind::Renewed, hold->grant.thread, toValue(runtime.traceTimeOf(hold->deadline)));
    core->believeUntilDeadline(*hold);
    if (!hold->cutOff) core->tell(Event::Renewed, hold->grant.thread, {});
}

void LockCore::listenForNews(const std::shared_ptr<Hold>& hold) {
    client.runtime.spawn([self = shared_from_this(), hold] { return newsWatch(self, hold); });
}

QCoro::Task<> LockCore::newsWatch(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold) {
    Runtime& runtime = core->client.runtime;
    const std::stop_token stop = hold->watched();
    for (;;) {
        const auto news = co_await core->recipe->news(hold->grant, stop);
        if (stop.stop_requested()) co_return;
        if (news) {
            core->hear(hold, *news);
            if (news->kind == HoldNews::Kind::Lost) co_return;
            continue;
        }
        if (news.error().kind == LockError::Kind::NotSupported) co_return;
        if (!hold->resting) {
            core->emitText(EventKind::RenewFailed, hold->grant.thread,
                           QString::fromLatin1(lockErrorId(news.error().kind)));
        }
        co_await runtime.sleep(kNewsPause, stop);
    }
}

void LockCore::hear(const std::shared_ptr<Hold>& hold, const HoldNews& news) {
    const Thread thread = hold->grant.thread;
    if (news.kind == HoldNews::Kind::Lost) {
        lose(hold, news.reason);
        return;
    }
    moveDeadline(*hold, hold->leaseUntil, news.until); // of both, the nearer end counts
    const bool suspended = news.kind == HoldNews::Kind::Suspended;
    const bool was = std::exchange(hold->cutOff, suspended);
    if (hold->resting) return;
    if (suspended && !was) {
        emitText(EventKind::Suspended, thread, QString::fromUtf8(news.reason));
        believeUntilDeadline(*hold);
        tell(Event::Suspended, thread, QCoreApplication::translate("Lock", news.reason));
        return;
    }
    if (was && !suspended) {
        emit(EventKind::Renewed, thread,
             toValue(hold->deadline == kNever ? kNever : client.runtime.traceTimeOf(hold->deadline)));
        believeUntilDeadline(*hold);
        if (!hold->suspended) tell(Event::Renewed, thread, {});
        return;
    }
    // Heartbeats are many: the trace hears of one when half of what it knows of is used up.
    if (hold->deadline == hold->toldUntil) return;
    const Nanos now = client.runtime.monotonic();
    const bool told = hold->toldUntil != kNever && hold->deadline != kNever && hold->deadline > hold->toldUntil &&
                      hold->toldUntil - now > (hold->deadline - now) / 2;
    if (!told) believeUntilDeadline(*hold);
}

void LockCore::lookAtDeadline(const std::shared_ptr<Hold>& hold) {
    if (hold->deadline > client.runtime.monotonic()) { // renewals and news have moved it
        hold->ending->set(hold->deadline);
        return;
    }
    const recipes::Grant grant = hold->own(hold->leaving);
    const bool onlyHere = recipe->info().heldBy != HeldBy::Lease && hold->leaseUntil <= client.runtime.monotonic();
    if (!onlyHere) recipe->overdue(grant); // the server may see its end later
    lose(hold, QT_TRANSLATE_NOOP("Lock", "own clock past the end of the lease"));
    // Its session or connection goes on, and would keep it.
    if (onlyHere) client.runtime.spawn([self = shared_from_this(), grant] { return giveBack(self, grant); });
}

QCoro::Task<> LockCore::longestHold(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold) {
    const std::stop_token stop = hold->watched();
    co_await core->client.runtime.sleep(core->options.maxHold, stop);
    if (stop.stop_requested()) co_return;
    const recipes::Grant grant = hold->own(hold->leaving);
    core->lose(hold, QT_TRANSLATE_NOOP("Lock", "held for the maximum hold time"));
    co_await giveBack(core, grant);
}

} // namespace lockscope::detail
