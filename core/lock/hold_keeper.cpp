// SPDX-License-Identifier: Apache-2.0
#include "lock/hold_keeper.h"

#include <QCoreApplication>

namespace lockscope {

using trace::EventKind;

namespace {
/// Between two renewals, whatever was asked for: a watchdog must not drown the server.
constexpr Nanos kShortestPause = 1ms;
} // namespace

void DistributedLock::Core::emit(EventKind kind, const Thread& thread, std::int64_t value, std::uint32_t aux) {
    if (client.recorder) client.recorder->emit(kind, client.thread(thread), lock, value, aux);
}

void DistributedLock::Core::emitText(EventKind kind, const Thread& thread, const QString& text) {
    if (client.recorder) emit(kind, thread, 0, client.recorder->trace().text(text.toUtf8()));
}

void DistributedLock::Core::hold(recipes::Grant grant) {
    const Thread thread = grant.thread;
    const auto holdCount = static_cast<std::uint32_t>(grant.holds);
    if (const auto old = holds.find(thread); old != holds.end() && grant.holds == 1) {
        lose(std::shared_ptr(old->second),
             QT_TRANSLATE_NOOP("Lock", "the server granted the lock anew: it had freed this hold before"));
    }
    if (const auto found = holds.find(thread); found != holds.end()) {
        Hold& hold = *found->second;
        hold.grant = std::move(grant);
        hold.deadline = laterBy(hold.grant.askedAt, hold.grant.lease);
        emit(EventKind::Reentered, thread, hold.grant.token, holdCount);
        believeUntilDeadline(hold);
        tell(Event::Reentered, thread, {});
        return;
    }
    const auto hold = std::make_shared<Hold>();
    hold->grant = std::move(grant);
    hold->deadline = laterBy(hold->grant.askedAt, hold->grant.lease);
    holds.emplace(thread, hold);
    emit(EventKind::Granted, thread, hold->grant.token, holdCount);
    believeUntilDeadline(*hold);
    tell(Event::Acquired, thread, {});

    const auto self = shared_from_this();
    if (options.watchdog > Nanos(0) && recipe->info().watchdog) {
        client.runtime.spawn([self, hold] { return watchdog(self, hold); });
    }
    if (options.honourDeadline) client.runtime.spawn([self, hold] { return deadlineWatch(self, hold); });
}

void DistributedLock::Core::believeUntilDeadline(const Hold& hold) {
    const Nanos until = options.honourDeadline ? client.runtime.traceTimeOf(hold.deadline) : kNever;
    emit(EventKind::BelievedUntil, hold.grant.thread, toValue(until));
}

void DistributedLock::Core::forget(const std::shared_ptr<Hold>& hold) {
    hold->watching.request_stop();
    const auto found = holds.find(hold->grant.thread);
    if (found != holds.end() && found->second == hold) holds.erase(found);
}

void DistributedLock::Core::lose(const std::shared_ptr<Hold>& hold, const char* reason) {
    if (hold->watching.stop_requested()) return; // given up or lost already
    forget(hold);
    emitText(EventKind::Lost, hold->grant.thread, QString::fromUtf8(reason));
    tell(Event::Lost, hold->grant.thread, QCoreApplication::translate("Lock", reason));
}

QCoro::Task<> DistributedLock::Core::watchdog(std::shared_ptr<Core> core, std::shared_ptr<Hold> hold) {
    Runtime& runtime = core->client.runtime;
    const std::stop_token stop = hold->watching.get_token();
    // After a renewal without an answer, try again sooner: the lease may still be saved.
    const Nanos soon = std::max(core->options.watchdog / 4, kShortestPause);
    Nanos pause = std::max(core->options.watchdog, kShortestPause);
    for (;;) {
        co_await runtime.sleep(pause, stop);
        if (core->watchdogStopped) co_return;
        const Nanos askedAt = runtime.monotonic();
        const auto renewed = co_await core->recipe->renew(hold->grant, stop);
        if (stop.stop_requested()) co_return; // given up or lost while the answer waited for its turn
        if (!renewed) {
            core->emitText(EventKind::RenewFailed, hold->grant.thread,
                           QString::fromLatin1(lockErrorId(renewed.error().kind)));
            pause = soon;
            continue;
        }
        if (!*renewed) {
            core->emit(EventKind::RenewRefused, hold->grant.thread);
            core->lose(hold, QT_TRANSLATE_NOOP("Lock", "renewal refused: the server no longer knows this hold"));
            co_return;
        }
        hold->deadline = laterBy(askedAt, hold->grant.lease);
        core->emit(EventKind::Renewed, hold->grant.thread, toValue(runtime.traceTimeOf(hold->deadline)));
        core->believeUntilDeadline(*hold);
        core->tell(Event::Renewed, hold->grant.thread, {});
        pause = std::max(core->options.watchdog, kShortestPause);
    }
}

QCoro::Task<> DistributedLock::Core::deadlineWatch(std::shared_ptr<Core> core, std::shared_ptr<Hold> hold) {
    Runtime& runtime = core->client.runtime;
    const std::stop_token stop = hold->watching.get_token();
    for (;;) {
        const Nanos left = hold->deadline - runtime.monotonic(); // renewals move it
        if (left <= Nanos(0)) {
            if (!stop.stop_requested()) core->recipe->abandoned(hold->grant); // the server may see its end later
            core->lose(hold, QT_TRANSLATE_NOOP("Lock", "own clock past the end of the lease"));
            co_return;
        }
        co_await runtime.sleep(left, stop);
    }
}

} // namespace lockscope
