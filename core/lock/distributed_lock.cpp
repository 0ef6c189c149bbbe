// SPDX-License-Identifier: Apache-2.0
#include "lock/distributed_lock.h"

#include "lock/hold_keeper.h"

#include <QCoreApplication>

namespace lockscope {

using trace::EventKind;

DistributedLock::DistributedLock(LockClient client, std::unique_ptr<recipes::Recipe> recipe, LockOptions options,
                                 trace::EntityId lockEntity)
    : m_core(std::make_shared<Core>(client, std::move(recipe), options, lockEntity)) {
}

DistributedLock::~DistributedLock() {
    m_core->closed = true;
    m_core->listener = nullptr;
    for (auto& [thread, hold] : m_core->holds)
        hold->watching.request_stop();
}

void DistributedLock::listen(Listener listener) {
    m_core->listener = std::move(listener);
}

DistributedLock::Outcome<bool> DistributedLock::tryLockFor(Nanos wait, Thread thread, std::stop_token stop) {
    const std::shared_ptr<Core> core = m_core; // the lock object may go away while we wait
    Runtime& runtime = core->client.runtime;
    const Nanos begun = runtime.monotonic();
    core->emit(EventKind::Requested, thread, toValue(wait));

    for (;;) {
        recipes::Request request;
        request.thread = thread;
        request.lease = core->options.lease;
        request.wait = wait == kNever ? kNever : std::max(Nanos(0), wait - (runtime.monotonic() - begun));
        request.token = core->options.token && core->recipe->info().token;
        request.held = core->holdCount(thread);
        request.steps = {core->client.recorder, core->client.thread(thread), core->lock};

        std::expected<std::optional<recipes::Grant>, LockError> grant;
        try {
            grant = co_await core->recipe->acquire(request, stop);
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Stopped) core->emit(EventKind::Interrupted, thread);
            throw;
        }
        if (!grant) {
            core->emitText(EventKind::AcquireFailed, thread, QString::fromLatin1(lockErrorId(grant.error().kind)));
            co_return std::unexpected(grant.error());
        }
        if (!*grant) {
            core->emit(EventKind::TimedOut, thread, (runtime.monotonic() - begun).count());
            co_return false;
        }
        if (core->closed) { // nobody is left who could ever release it
            co_await core->recipe->release(**grant, {});
            co_return false;
        }
        // A grant that took longer than its own lease is no grant; nor is one more of a hold that was lost meanwhile.
        const bool late =
            core->options.honourDeadline && runtime.monotonic() >= laterBy((*grant)->askedAt, (*grant)->lease);
        const bool ofLost = request.held > 0 && (*grant)->holds > 1 && core->holdCount(thread) == 0;
        if (!late && !ofLost) {
            core->hold(std::move(**grant));
            co_return true;
        }
        // Give it back and ask again, if there is time.
        if (ofLost) (*grant)->holds = 1;
        co_await core->recipe->release(**grant, {});
        if (wait != kNever && runtime.monotonic() - begun >= wait) {
            core->emit(EventKind::TimedOut, thread, (runtime.monotonic() - begun).count());
            co_return false;
        }
    }
}

DistributedLock::Outcome<int> DistributedLock::unlock(Thread thread) {
    const std::shared_ptr<Core> core = m_core;
    const auto found = core->holds.find(thread);
    if (found == core->holds.end()) {
        co_return std::unexpected(
            LockError{LockError::Kind::NotOwner,
                      QCoreApplication::translate("LockError", "This thread does not hold the lock.")});
    }
    const std::shared_ptr<Hold> hold = found->second;
    const bool last = hold->grant.holds == 1;
    if (last) {
        // Nothing may renew what is being given up.
        hold->watching.request_stop();
        core->holds.erase(found);
    }
    core->emit(EventKind::ReleaseSent, thread, 0, static_cast<std::uint32_t>(hold->grant.holds));
    const auto left = co_await core->recipe->release(hold->grant, {});
    if (left) {
        hold->grant.holds = *left;
        if (*left == 0) core->forget(hold); // the server knew of fewer than we did
        core->emit(EventKind::Released, thread, 0, static_cast<std::uint32_t>(*left));
        core->tell(Event::Released, thread, {});
        co_return *left;
    }
    if (left.error().kind == LockError::Kind::NotOwner) {
        core->emit(EventKind::ReleaseRefused, thread);
        core->forget(hold);
    } else if (last) {
        core->emitText(EventKind::ReleaseFailed, thread, QString::fromLatin1(lockErrorId(left.error().kind)));
    } else {
        // One hold fewer here; the recipe sees to it that the server agrees, at the latest with the next release.
        --hold->grant.holds;
        core->emit(EventKind::Released, thread, 0, static_cast<std::uint32_t>(hold->grant.holds));
    }
    co_return std::unexpected(left.error());
}

DistributedLock::Outcome<bool> DistributedLock::forceUnlock() {
    const std::shared_ptr<Core> core = m_core;
    co_return co_await core->recipe->forceRelease({});
}

bool DistributedLock::stillMine(const Thread& thread) const {
    const auto found = m_core->holds.find(thread);
    if (found == m_core->holds.end()) return false;
    return !m_core->options.honourDeadline || m_core->client.runtime.monotonic() < found->second->deadline;
}

int DistributedLock::holdCount(const Thread& thread) const {
    return m_core->holdCount(thread);
}

Nanos DistributedLock::remaining(const Thread& thread) const {
    const auto found = m_core->holds.find(thread);
    if (found == m_core->holds.end()) return Nanos(0);
    return std::max(Nanos(0), found->second->deadline - m_core->client.runtime.monotonic());
}

std::int64_t DistributedLock::token(const Thread& thread) const {
    const auto found = m_core->holds.find(thread);
    return found == m_core->holds.end() ? 0 : found->second->grant.token;
}

void DistributedLock::atWork(const Thread& thread) {
    const auto found = m_core->holds.find(thread);
    if (found == m_core->holds.end()) return;
    found->second->grant.steps.at(static_cast<std::uint32_t>(m_core->recipe->info().workStep));
}

void DistributedLock::stopWatchdog() {
    m_core->watchdogStopped = true;
}

} // namespace lockscope
