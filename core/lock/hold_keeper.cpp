// SPDX-License-Identifier: Apache-2.0
#include "lock/hold_keeper.h"

#include <QCoreApplication>

namespace lockscope::detail {

using trace::EventKind;

void LockCore::emit(EventKind kind, const Thread& thread, std::int64_t value, std::uint32_t aux) {
    if (!client.recorder) return;
    const trace::EntityId who = client.thread(thread);
    client.recorder->emit(kind, who, lock, value, aux);
    for (const trace::EntityId other : alsoLocks)
        client.recorder->emit(kind, who, other, value, aux);
}

void LockCore::emitText(EventKind kind, const Thread& thread, const QString& text) {
    if (client.recorder) emit(kind, thread, 0, client.recorder->trace().text(text.toUtf8()));
}

std::shared_ptr<Hold> LockCore::find(const Thread& thread, Mode mode) const {
    const auto range = holds.equal_range({thread, mode});
    return range.first == range.second ? nullptr : std::prev(range.second)->second;
}

std::shared_ptr<Hold> LockCore::findOrGone(const Thread& thread, Mode mode) const {
    if (auto hold = find(thread, mode)) return hold;
    const auto lost = gone.find({thread, mode});
    return lost == gone.end() ? nullptr : lost->second;
}

bool LockCore::has(const Hold& hold) const {
    const auto range = holds.equal_range({hold.grant.thread, hold.mode()});
    return std::any_of(range.first, range.second, [&](const auto& entry) { return entry.second.get() == &hold; });
}

int LockCore::holdCount(const Thread& thread, Mode mode) const {
    if (holds.empty()) return 0;
    int count = 0;
    const auto range = holds.equal_range({thread, mode});
    for (auto at = range.first; at != range.second; ++at)
        count += at->second->taken;
    return count;
}

std::uint32_t LockCore::holdsOf(const Thread& thread) const {
    int count = 0;
    for (auto at = holds.lower_bound({thread, Mode::Exclusive}); at != holds.end() && at->first.first == thread; ++at)
        count += at->second->grant.holds;
    return static_cast<std::uint32_t>(count);
}

std::uint32_t LockCore::leftAfter(const Hold& released, int left) const {
    const std::uint32_t known = holdsOf(released.grant.thread);
    if (released.mode() == Mode::Permit || released.view->lost || has(released)) return known;
    // `released` is no longer among `holds`: add what its other releases, or other lock objects, still hold of it.
    return known + static_cast<std::uint32_t>(std::max(released.leaving > 0 ? released.grant.holds : left, 0));
}

Nanos LockCore::deadlineOf(const recipes::Grant& grant) const {
    if (recipe->info().heldBy == recipes::HeldBy::Nothing) return kNever;
    return laterBy(grant.askedAt, grant.lease);
}

std::shared_ptr<Hold> LockCore::hold(recipes::Grant grant, std::optional<Nanos> ownLease,
                                     std::shared_ptr<Hold> reused) {
    const Thread thread = grant.thread;
    const Mode mode = grant.mode;
    const recipes::HeldBy heldBy = recipe->info().heldBy;
    const bool byLease = heldBy == recipes::HeldBy::Lease;
    // A session or connection outlives such a lease: when the lease ends, this client gives the lock back.
    const bool endsHere = ownLease && !byLease && heldBy != recipes::HeldBy::Nothing;
    const Nanos ownEnd = endsHere ? laterBy(client.runtime.monotonic(), *ownLease) : kNever;
    if (const auto old = find(thread, mode); old && grant.holds == 1 && mode != Mode::Permit) {
        lose(old, QT_TRANSLATE_NOOP("Lock", "the server granted the lock anew: it had freed this hold before"));
    }
    if (const auto again = mode == Mode::Permit ? nullptr : find(thread, mode)) {
        again->grant = std::move(grant);
        ++again->taken;
        again->ownLease = std::max(again->ownLease, ownLease.value_or(Nanos(0)));
        if (byLease) {
            moveDeadline(*again, deadlineOf(again->grant), again->newsUntil);
            if (!ownLease && !again->renewing) keepRenewing(again);
        } else { // a re-entry brings no news of the session or connection
            moveDeadline(*again, std::max(again->leaseUntil, ownEnd), again->newsUntil);
            if (!ownLease) again->renewing = true;
        }
        again->view->token = tokenOf(again->grant);
        granted(*again, EventKind::Reentered);
        believeUntilDeadline(*again);
        tell(Event::Reentered, thread, {});
        return again;
    }
    const bool more = holdsOf(thread) > 0; // in another mode, or other permits
    if (reused) reused->keeper = weak_from_this();
    const bool known = reused != nullptr; // other threads may read its view already
    const std::shared_ptr<Hold> hold = known ? std::move(reused) : std::make_shared<Hold>();
    if (!known && options.honourDeadline) hold->view->engineUntil = engineUntil;
    hold->grant = std::move(grant);
    hold->taken = 1;
    hold->ends = options.honourDeadline;
    hold->since = client.runtime.monotonic();
    const Nanos end = deadlineOf(hold->grant);
    hold->setDeadline(byLease ? end : ownEnd, byLease ? kNever : end);
    hold->ownLease = ownLease.value_or(Nanos(0));
    hold->renewing = !ownLease;
    hold->suspended = hold->cutOff = false;
    hold->watchAgain();
    // A stop token that reported an earlier loss stays as it is. The new hold gets a new source, for the next loss.
    if (hold->view->lost.exchange(false)) hold->lost = std::stop_source(std::nostopstate);
    hold->view->token = tokenOf(hold->grant);
    hold->view->permits = hold->grant.permits;
    hold->view->mine = true;
    hold->lostBy = nullptr;
    gone.erase(Key(thread, mode));
    holds.emplace(Key(thread, mode), hold);
    granted(*hold, more ? EventKind::Reentered : EventKind::Granted);
    believeUntilDeadline(*hold);
    tell(Event::Acquired, thread, {});
    watch(hold);
    return hold;
}

void LockCore::granted(const Hold& hold, EventKind kind) {
    const Thread& thread = hold.grant.thread;
    if (hold.mode() == Mode::Permit && options.capacity > 0 && client.recorder && !std::exchange(capacityTold, true)) {
        client.recorder->emit(EventKind::LockCapacity, trace::kNoEntity, lock, options.capacity);
    }
    // A version that was read keeps nobody out: its reader believes no more than other readers do.
    const bool optimistic = std::holds_alternative<recipes::ReadVersion>(hold.grant.own);
    const Mode mode = optimistic ? Mode::Shared : hold.mode();
    if (mode != Mode::Exclusive) {
        emit(EventKind::GrantedAs, thread, static_cast<std::int64_t>(mode),
             static_cast<std::uint32_t>(mode == Mode::Permit ? hold.grant.permits : 1));
    }
    emit(kind, thread, tokenOf(hold.grant), holdsOf(thread));
}

void LockCore::believeUntilDeadline(Hold& hold) {
    const bool ends = options.honourDeadline && hold.deadline != kNever;
    const Nanos until = ends ? client.runtime.traceTimeOf(hold.deadline) : kNever;
    hold.toldUntil = hold.deadline;
    emit(EventKind::BelievedUntil, hold.grant.thread, toValue(until));
}

void LockCore::moveDeadline(Hold& hold, Nanos byLease, Nanos byNews) {
    const Nanos before = hold.deadline;
    hold.setDeadline(byLease, byNews);
    if (hold.deadline < before && hold.ending) hold.ending->set(hold.deadline);
}

void LockCore::forget(const std::shared_ptr<Hold>& hold) {
    hold->stopWatching();
    hold->view->mine = false;
    const auto range = holds.equal_range({hold->grant.thread, hold->mode()});
    for (auto at = range.first; at != range.second; ++at) {
        if (at->second == hold) {
            holds.erase(at);
            return;
        }
    }
}

void LockCore::lose(const std::shared_ptr<Hold>& hold, const char* reason) {
    if (hold->over) return;
    forget(hold);
    if (hold->resting) { // it was given up before: no holder loses anything
        restIsOver(hold);
        return;
    }
    const Thread thread = hold->grant.thread;
    emitText(EventKind::Lost, thread, QString::fromUtf8(reason));
    hold->lostBy = reason;
    constexpr std::size_t kMostGone = 64;
    if (gone.size() >= kMostGone) gone.erase(gone.begin());
    gone.insert_or_assign(Key(thread, hold->mode()), hold);
    hold->view->lost = true;
    hold->lost.request_stop();
    tell(Event::Lost, thread, QCoreApplication::translate("Lock", reason));
}

bool LockCore::stillMine(const Hold& hold) const {
    if (closed || !has(hold)) return false;
    const Nanos now = client.runtime.monotonic();
    return !options.honourDeadline || (now < hold.deadline && hold.view->stillMineAt(now));
}

QCoro::Task<> LockCore::loseAll(std::shared_ptr<LockCore> core, const char* reason, Pause pause) {
    std::vector<std::pair<std::shared_ptr<Hold>, recipes::Grant>> gone;
    for (const auto& [key, hold] : core->holds)
        gone.emplace_back(hold, hold->own(hold->leaving));
    for (const auto& [hold, grant] : gone)
        core->lose(hold, reason);
    if (pause && !gone.empty()) co_await pause();
    for (const auto& [hold, grant] : gone)
        co_await giveBack(core, grant);
}

/// Releases all holds of a grant. If the server does not answer, they end with their lease.
QCoro::Task<> LockCore::giveBack(std::shared_ptr<LockCore> core, recipes::Grant grant) {
    while (grant.holds > 0) {
        const auto left = co_await core->recipe->release(grant, {});
        if (!left) {
            if (left.error().kind == LockError::Kind::NotOwner) co_return;
            --grant.holds; // the recipe itself sees to the hold whose release failed
            core->recipe->abandoned(grant);
            co_return;
        }
        grant.holds = std::min(*left, grant.holds - 1);
    }
}

} // namespace lockscope::detail
