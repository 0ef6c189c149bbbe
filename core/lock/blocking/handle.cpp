// SPDX-License-Identifier: Apache-2.0
#include "lock/blocking/handle.h"

#include "lock/blocking/manager.h"
#include "lock/blocking/service.h"

namespace lockscope::blocking::detail {

namespace {
QByteArray bytes(std::string_view text) {
    return {text.data(), static_cast<qsizetype>(text.size())};
}
} // namespace

Handle::Handle(const Client& client, std::string_view name, recipes::Mode mode, LockOptions options, int permits)
    : m_service(client.service()), m_entry(m_service->entry({{}, bytes(name), mode, std::move(options), permits})) {
}

Handle::Handle(const Manager& manager, std::string_view space, std::string_view name, recipes::Mode mode, int permits)
    : m_service(manager.service()), m_entry(m_service->entry({bytes(space), bytes(name), mode, {}, permits})) {
}

Handle::~Handle() {
    if (!m_service->ofThisProcess()) return; // nobody calls them, and the lock may be one of a thread that is not here
    const std::lock_guard held(m_entry->calling);
    m_entry->onLost.erase(m_lostListener);
    m_entry->onSuspended.erase(m_suspendedListener);
}

bool Handle::take(recipes::Mode mode, Nanos wait, std::stop_token stop, std::optional<Nanos> lease) {
    const QByteArray thread = threadNumber();
    return m_service->call<bool>(
        [&](std::stop_token stopped) -> recipes::Outcome<bool> {
            if (!m_entry->lock) co_return std::unexpected(closedError());
            LockRequest request;
            request.mode = mode;
            request.wait = wait;
            request.thread = thread;
            request.lease = lease;
            const auto taken = co_await m_entry->lock->take(request, stopped);
            if (taken && *taken) {
                const std::lock_guard held(m_entry->guard);
                m_entry->views[{thread, mode}] = m_entry->lock->view(thread, mode);
            }
            // Only a source that closes meanwhile gives up without an end: no caller of lock() looks at what it gets.
            if (taken && !*taken && wait == kNever) throw Cancelled(Cancelled::Why::Stopped);
            co_return taken;
        },
        std::move(stop));
}

int Handle::giveUp(recipes::Mode mode) {
    const QByteArray thread = threadNumber();
    return m_service->call<int>([&](std::stop_token) -> recipes::Outcome<int> {
        if (!m_entry->lock) co_return std::unexpected(closedError());
        const auto left = co_await m_entry->lock->unlock(thread, mode);
        if (m_entry->lock && m_entry->lock->holdCount(thread, mode) == 0) {
            const std::lock_guard held(m_entry->guard);
            m_entry->views.erase({thread, mode});
        }
        co_return left;
    });
}

void Handle::giveUpQuietly(recipes::Mode mode) noexcept {
    try {
        giveUp(mode);
    } catch (const LockException& problem) {
        report(problem);
    } catch (const InterruptedException&) {
        // The client is being closed: what was held ends with its lease, session or connection, as close() says.
    } catch (const std::exception& defect) {
        report(LockException({LockError::Kind::OutcomeUnknown, QString::fromUtf8(defect.what())}));
    }
}

void Handle::report(const LockException& problem) const noexcept {
    try {
        if (m_onUnlockFailed)
            m_onUnlockFailed(problem);
        else
            qWarning("Lockscope: %s", problem.what());
    } catch (const std::exception& defect) {
        qWarning("Lockscope: the handler of a failed unlock threw: %s", defect.what());
    }
}

std::shared_ptr<const HoldView> Handle::view(recipes::Mode mode) const {
    if (!m_service->ofThisProcess()) return nullptr; // it is the other process that holds
    const std::lock_guard held(m_entry->guard);
    const auto found = m_entry->views.find({threadNumber(), mode});
    return found == m_entry->views.end() ? nullptr : found->second;
}

bool Handle::stillMine(recipes::Mode mode) const {
    const auto hold = view(mode);
    return hold && hold->stillMineAt(m_service->now());
}

std::int64_t Handle::token(recipes::Mode mode) const {
    const auto hold = view(mode);
    return hold ? hold->token.load() : 0;
}

Nanos Handle::remaining(recipes::Mode mode) const {
    const auto hold = view(mode);
    const Nanos now = m_service->now();
    if (!hold || !hold->stillMineAt(now)) return Nanos(0);
    const Nanos deadline(hold->deadline.load());
    return deadline == kNever ? kNever : std::max(Nanos(0), deadline - now);
}

int Handle::holdCount(recipes::Mode mode) const {
    const QByteArray thread = threadNumber();
    return m_service->call<int>([&](std::stop_token) -> recipes::Outcome<int> {
        co_return m_entry->lock ? m_entry->lock->holdCount(thread, mode) : 0;
    });
}

bool Handle::forceUnlock() {
    return m_service->call<bool>([&](std::stop_token) -> recipes::Outcome<bool> {
        if (!m_entry->lock) co_return std::unexpected(closedError());
        co_return co_await m_entry->lock->forceUnlock();
    });
}

bool Handle::isLocked() {
    return m_service->call<bool>([&](std::stop_token stop) -> recipes::Outcome<bool> {
        if (!m_entry->lock) co_return std::unexpected(closedError());
        co_return co_await m_entry->lock->isLocked(std::move(stop));
    });
}

void Handle::onLost(std::function<void(const std::string&)> listener) {
    const std::lock_guard held(m_entry->calling);
    m_entry->onLost.erase(m_lostListener);
    m_lostListener = ++m_entry->lastListener;
    if (listener) m_entry->onLost.emplace(m_lostListener, std::move(listener));
}

void Handle::onSuspended(std::function<void(const std::string&)> listener) {
    const std::lock_guard held(m_entry->calling);
    m_entry->onSuspended.erase(m_suspendedListener);
    m_suspendedListener = ++m_entry->lastListener;
    if (listener) m_entry->onSuspended.emplace(m_suspendedListener, std::move(listener));
}

void Handle::onUnlockFailed(std::function<void(const LockException&)> handler) {
    m_onUnlockFailed = std::move(handler);
}

} // namespace lockscope::blocking::detail
