// SPDX-License-Identifier: Apache-2.0
#include "lock/hold_keeper.h"
#include "lock/recipe_choice.h"

#include <QCoreApplication>

namespace lockscope::detail {

using trace::EventKind;

namespace {
constexpr auto kUnknownThere = QT_TRANSLATE_NOOP("Lock", "the server no longer knows this hold");

/// The lease as servers get it, in whole milliseconds: no client may believe in the fraction that was cut off.
Nanos sendable(Nanos lease) {
    return std::max<Nanos>(std::chrono::floor<std::chrono::milliseconds>(lease), 1ms);
}

/// The reason why a request makes no sense; nullopt: it does.
std::optional<LockError> wrongIn(const LockRequest& request) {
    if (const auto wrong = request.lease ? wrongLease(*request.lease) : std::nullopt) return wrong;
    if (request.mode == recipes::Mode::Permit && request.permits < 1) {
        return LockError{LockError::Kind::Refused,
                         QCoreApplication::translate("LockError", "At least one permit must be asked for, not %1.")
                             .arg(request.permits)};
    }
    return std::nullopt;
}

/// After a grant that came too late to be one, before asking again.
constexpr Nanos kLatePause = 100ms;

/// The time until the hold's lease ends, if nothing renews it; kNever: it has none.
Nanos leaseLeft(const LockCore& core, const Hold& hold) {
    if (hold.leaseUntil == kNever) return kNever;
    return std::max(Nanos(0), hold.leaseUntil - core.client.runtime.monotonic());
}

LockError notSoMany(int permits, int has) {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockError", "%1 permits cannot be given back: the hold has %2.")
                .arg(QString::number(permits), QString::number(has))};
}

Nanos restOf(Nanos wait, Nanos waited) {
    return wait == kNever ? kNever : std::max(Nanos(0), wait - waited);
}

} // namespace

LockCore::Outcome<std::optional<recipes::Grant>> LockCore::ask(const LockRequest& request, Nanos wait,
                                                               std::stop_token stop) {
    const recipes::RecipeInfo& info = recipe->info();
    const bool mayReenter = info.heldBy == recipes::HeldBy::Lease && info.reentrant && request.mode != Mode::Permit;
    const std::shared_ptr<Hold> outer = mayReenter ? find(request.thread, request.mode) : nullptr;
    const bool kept = outer && outer->renewing;
    recipes::Request asked;
    asked.thread = request.thread;
    asked.lease = sendable(request.lease.value_or(options.lease));
    if (outer) {
        // A re-entry must not shorten the lease of the holds that the thread already has.
        const Nanos left = kept ? options.lease : outer->leaseUntil - client.runtime.monotonic();
        asked.lease = std::max<Nanos>(asked.lease, std::chrono::ceil<std::chrono::milliseconds>(left));
    }
    asked.wait = wait;
    asked.token = options.token && info.token;
    asked.held = holdCount(request.thread, request.mode);
    asked.mode = request.mode;
    asked.permits = request.permits;
    asked.steps = {client.recorder, client.thread(request.thread), lock};
    asked.kept = (kept || !request.lease) && options.watchdog > Nanos(0) && !watchdogStopped && info.watchdog;
    return recipe->acquire(asked, std::move(stop));
}

template <typename T>
LockCore::Outcome<T> LockCore::take(std::shared_ptr<LockCore> core, LockRequest request, std::stop_token stop,
                                    std::shared_ptr<Hold> again) {
    Runtime& runtime = core->client.runtime;
    const Nanos begun = runtime.monotonic();
    const Thread thread = request.thread;
    if (!offers(core->recipe->info(), request.mode))
        co_return std::unexpected(notOffered(core->recipe->info(), request.mode));
    if (const auto wrong = wrongIn(request)) co_return std::unexpected(*wrong);
    Nanos pause{};
    core->emit(EventKind::Requested, thread, toValue(request.wait));

    for (;;) {
        std::expected<std::optional<recipes::Grant>, LockError> grant;
        int held = 0;
        bool inTime = true;
        try {
            if (pause > Nanos(0)) {
                const Nanos left = restOf(request.wait, runtime.monotonic() - begun);
                co_await runtime.sleep(std::min(std::exchange(pause, Nanos(0)), left), stop);
            }
            // A hold that this thread gave up before its shortest time still exists on the server: wait until it is
            // free there. Not for permits, because another one may be free.
            const auto resting =
                request.mode == Mode::Permit ? core->resting.end() : core->resting.find(Key(thread, request.mode));
            if (resting != core->resting.end()) {
                const Completion<bool> rested = resting->second->rested.emplace_back();
                const auto over =
                    co_await rested.wait(runtime, restOf(request.wait, runtime.monotonic() - begun), stop);
                inTime = over.has_value();
                if (inTime) continue;
            }
            if (inTime) {
                held = core->holdCount(thread, request.mode);
                grant = co_await core->ask(request, restOf(request.wait, runtime.monotonic() - begun), stop);
            }
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Stopped) core->emit(EventKind::Interrupted, thread);
            throw;
        }
        if (!grant) {
            const Nanos lease = request.lease.value_or(core->options.lease);
            grant = std::unexpected(mayBeGranted(grant.error(), core->recipe->info().heldBy, lease));
            core->emitText(EventKind::AcquireFailed, thread, QString::fromLatin1(lockErrorId(grant.error().kind)));
            co_return std::unexpected(grant.error());
        }
        if (!*grant) {
            core->emit(EventKind::TimedOut, thread, (runtime.monotonic() - begun).count());
            co_return made<T>(core, nullptr);
        }
        if (core->closed) { // the lock object is gone, and nothing could release the grant later
            co_await core->putBack(**grant);
            co_return made<T>(core, nullptr);
        }
        // A grant is of no use when its lease has ended on the way, or when it re-enters a hold that was lost
        // meanwhile.
        const bool late = core->options.honourDeadline && runtime.monotonic() >= core->deadlineOf(**grant);
        const bool ofLost = held > 0 && (*grant)->holds > 1 && core->holdCount(thread, request.mode) == 0;
        if (!late && !ofLost) {
            std::shared_ptr<Hold> taken = core->hold(std::move(**grant), request.lease, again);
            co_return made<T>(core, taken);
        }
        // Give it back and ask again, if there is time.
        if (ofLost) (*grant)->holds = 1;
        if (late) pause = std::min((*grant)->lease, kLatePause);
        co_await core->putBack(**grant);
        if (request.wait != kNever && runtime.monotonic() - begun >= request.wait) {
            core->emit(EventKind::TimedOut, thread, (runtime.monotonic() - begun).count());
            co_return made<T>(core, nullptr);
        }
    }
}

template LockCore::Outcome<bool> LockCore::take<bool>(std::shared_ptr<LockCore>, LockRequest, std::stop_token,
                                                      std::shared_ptr<Hold>);
template LockCore::Outcome<LockGuard> LockCore::take<LockGuard>(std::shared_ptr<LockCore>, LockRequest, std::stop_token,
                                                                std::shared_ptr<Hold>);
template LockCore::Outcome<LockCore::Taken> LockCore::take<LockCore::Taken>(std::shared_ptr<LockCore>, LockRequest,
                                                                            std::stop_token, std::shared_ptr<Hold>);

LockError notHeld(const Hold* hold) {
    const char* const lostBy = hold ? hold->lostBy : nullptr;
    return {LockError::Kind::NotOwner,
            lostBy ? QCoreApplication::translate("LockError", "The lock was lost: %1.")
                         .arg(QCoreApplication::translate("Lock", lostBy))
                   : QCoreApplication::translate("LockError", "This thread does not hold the lock.")};
}

LockCore::Outcome<int> LockCore::giveUp(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold, bool atOnce) {
    if (!core || !hold || !core->has(*hold)) {
        co_return std::unexpected(notHeld(hold.get()));
    }
    const Thread thread = hold->grant.thread;
    // Several releases may be under way at once: each gives back one hold that the others have not yet counted.
    recipes::Grant grant = hold->own(hold->leaving);
    const bool last = grant.holds == 1;
    const std::uint32_t before = core->holdsOf(thread);
    if (last && !atOnce && core->options.minHold > Nanos(0) &&
        core->client.runtime.monotonic() < laterBy(hold->since, core->options.minHold)) {
        core->emit(EventKind::ReleaseSent, thread, 0, before);
        core->rest(hold);
        core->tell(Event::Released, thread, {});
        co_return 0;
    }
    if (last) core->forget(hold); // the watchdog must not renew a hold that is being given up
    core->emit(EventKind::ReleaseSent, thread, 0, before);
    ++hold->leaving;
    const auto left = co_await core->recipe->release(std::move(grant), {});
    --hold->leaving;
    if (left) {
        hold->grant.holds = *left;
        hold->taken = std::min(hold->taken - 1, *left); // the server may have fewer than this object
        core->emit(EventKind::Released, thread, 0, core->leftAfter(*hold, *left));
        core->tell(Event::Released, thread, {});
        if (!last && *left == 0) core->lose(hold, kUnknownThere); // the thread's outer holds ended, too
        co_return hold->mode() == Mode::Permit ? core->holdCount(thread, Mode::Permit) : hold->taken;
    }
    if (left.error().kind == LockError::Kind::NotOwner) {
        core->emit(EventKind::ReleaseRefused, thread);
        core->tell(Event::ReleaseFailed, thread, left.error().message);
        // The caller gets the error of its own hold; the owners of the outer ones are told of a loss.
        if (!last) core->lose(hold, kUnknownThere);
        co_return std::unexpected(left.error());
    }
    if (last) {
        core->emitText(EventKind::ReleaseFailed, thread, QString::fromLatin1(lockErrorId(left.error().kind)));
    } else {
        // One hold fewer here; the recipe sees to it that the server agrees, at the latest with the next release.
        --hold->grant.holds;
        --hold->taken;
        core->emit(EventKind::Released, thread, 0, core->leftAfter(*hold, hold->grant.holds));
    }
    const LockError failure = mayBeHeldStill(left.error(), core->recipe->info().heldBy, leaseLeft(*core, *hold));
    core->tell(Event::ReleaseFailed, thread, failure.message);
    co_return std::unexpected(failure);
}

LockCore::Outcome<int> LockCore::giveUpPart(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold, int permits) {
    if (!core || !hold || !core->has(*hold)) co_return std::unexpected(notHeld(hold.get()));
    const Thread thread = hold->grant.thread;
    if (permits < 1 || permits > hold->grant.permits)
        co_return std::unexpected(notSoMany(permits, hold->grant.permits));
    // The hold had more permits when the caller asked, but another release may have left only these.
    if (permits == hold->grant.permits) {
        auto left = co_await giveUp(core, hold);
        if (left) left = 0;
        co_return left;
    }
    const auto part = std::make_shared<Hold>();
    part->grant = core->recipe->takePart(hold->grant, permits);
    part->taken = 1;
    part->part = true;
    part->since = hold->since;
    part->setDeadline(hold->leaseUntil, hold->newsUntil);
    hold->view->permits = hold->grant.permits;
    core->emit(EventKind::ReleaseSent, thread, permits, core->holdsOf(thread));
    if (core->options.minHold > Nanos(0) &&
        core->client.runtime.monotonic() < laterBy(hold->since, core->options.minHold)) {
        part->renewing = hold->renewing;
        part->ends = hold->ends;
        core->rest(part);
        core->watch(part);
        co_return hold->grant.permits;
    }
    const auto done = co_await core->recipe->release(part->grant, {});
    if (done) co_return hold->grant.permits;
    const bool lost = done.error().kind == LockError::Kind::NotOwner;
    // The server has ended some of them: it may have ended the others, too.
    if (lost && core->recipe->info().heldBy == recipes::HeldBy::Lease) core->askAbout(hold);
    const LockError failure =
        lost ? done.error() : mayBeHeldStill(done.error(), core->recipe->info().heldBy, leaseLeft(*core, *part));
    core->tell(Event::ReleaseFailed, thread, failure.message);
    co_return std::unexpected(failure);
}

void LockCore::rest(const std::shared_ptr<Hold>& hold) {
    const Key key(hold->grant.thread, hold->mode());
    const auto range = holds.equal_range(key);
    for (auto at = range.first; at != range.second; ++at) {
        if (at->second == hold) {
            holds.erase(at);
            break;
        }
    }
    hold->resting = true;
    hold->view->mine = false;
    resting.insert_or_assign(key, hold);
    const auto self = shared_from_this();
    client.runtime.spawn([self, hold] { return freeAfterRest(self, hold); });
}

QCoro::Task<> LockCore::freeAfterRest(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold) {
    Runtime& runtime = core->client.runtime;
    const Nanos end = laterBy(hold->since, core->options.minHold);
    const std::stop_token stop = hold->watched();
    co_await runtime.sleep(std::max(Nanos(0), end - runtime.monotonic()), stop);
    if (stop.stop_requested()) co_return;
    hold->stopWatching();
    const auto left = co_await core->recipe->release(hold->own(), {});
    // When a part was given back, the hold goes on: a row would end it in the trace.
    if (left && !hold->part) core->emit(EventKind::Released, hold->grant.thread, 0, core->leftAfter(*hold, *left));
    if (!left) {
        if (!hold->part)
            core->emitText(EventKind::ReleaseFailed, hold->grant.thread,
                           QString::fromLatin1(lockErrorId(left.error().kind)));
        core->tell(Event::ReleaseFailed, hold->grant.thread, left.error().message);
        core->unheard(left.error());
    }
    core->restIsOver(hold);
}

void LockCore::unheard(const LockError& error) const {
    if (!listener) warn(QStringLiteral("a lock could not be given back: ") + error.message);
}

void LockCore::restIsOver(const std::shared_ptr<Hold>& hold) {
    const auto found = resting.find({hold->grant.thread, hold->mode()});
    if (found != resting.end() && found->second == hold) resting.erase(found);
    for (const Completion<bool>& waiting : std::exchange(hold->rested, {}))
        waiting.complete(true);
}

} // namespace lockscope::detail
