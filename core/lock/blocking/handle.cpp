// SPDX-License-Identifier: Apache-2.0
#include "lock/blocking/handle.h"

#include "lock/blocking/manager.h"
#include "lock/blocking/multi_lock.h"
#include "lock/blocking/service.h"
#include "lock/listener_call.h"

#include <QCoreApplication>

namespace lockscope::blocking::detail {

namespace {
QByteArray bytes(std::string_view text) {
    return {text.data(), static_cast<qsizetype>(text.size())};
}

std::shared_ptr<Service> serviceOf(const std::vector<LockPart>& parts) {
    if (parts.empty()) {
        throwLockError({LockError::Kind::Refused,
                        QCoreApplication::translate("LockError", "A lock of several needs one part at least.")});
    }
    const std::shared_ptr<Service>& first = parts.front().client.get().service();
    for (const LockPart& part : parts) {
        if (part.client.get().service() == first) continue;
        throwLockError(
            {LockError::Kind::Refused,
             QCoreApplication::translate("LockError", "The clients of a MultiLock's parts share one thread: "
                                                      "make all but the first with ClientOptions::beside.")});
    }
    return first;
}

/// Two of the same parts are the same lock.
LockWish wishFor(const std::vector<LockPart>& parts, LockOptions options) {
    LockWish wish;
    wish.options = std::move(options);
    for (const LockPart& part : parts) {
        wish.parts.push_back({part.client.get().number(), bytes(part.name), bytes(part.recipe)});
        const LockWish::Part& one = wish.parts.back();
        for (const QByteArray& word : {QByteArray::number(one.server), one.recipe, one.name})
            wish.space += QByteArray::number(word.size()) + ':' + word;
        wish.name += (wish.name.isEmpty() ? "" : ",") + one.name;
    }
    return wish;
}

QByteArray spaceOf(const Client& client) {
    return client.number() == 0 ? QByteArray() : QByteArray::number(client.number());
}
} // namespace

Handle::Handle(const Client& client, std::string_view name, recipes::Mode mode, LockOptions options, int permits)
    : m_service(client.service()),
      m_entry(m_service->entry({spaceOf(client), bytes(name), mode, std::move(options), permits})) {
}

Handle::Handle(const Manager& manager, std::string_view space, std::string_view name, recipes::Mode mode, int permits)
    : m_service(manager.service()), m_entry(m_service->entry({bytes(space), bytes(name), mode, {}, permits})) {
}

Handle::Handle(const std::vector<LockPart>& parts, LockOptions options)
    : m_service(serviceOf(parts)), m_entry(m_service->entry(wishFor(parts, std::move(options)))) {
}

Handle::~Handle() {
    if (!m_service->ofThisProcess()) return; // nobody calls them, and the lock may be one of a thread that is not here
    const std::lock_guard held(m_entry->calling);
    m_entry->onEvent.erase(m_listener);
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
        const Service::Heard heard(*m_service, thread);
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
    if (m_onUnlockFailed)
        lockscope::detail::callListener(m_onUnlockFailed, problem);
    else
        qWarning("Lockscope: the lock “%s” could not be given back: %s", m_entry->name.constData(), problem.what());
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

std::vector<std::int64_t> Handle::tokens(recipes::Mode mode) const {
    using Tokens = std::vector<std::int64_t>;
    const QByteArray thread = threadNumber();
    return m_service->call<Tokens>([&](std::stop_token) -> recipes::Outcome<Tokens> {
        Tokens tokens;
        if (m_entry->lock) tokens = m_entry->lock->tokens(thread, mode);
        co_return tokens;
    });
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

namespace {
void replace(Entry& entry, Entry::Listeners& listeners, std::uint64_t& id, Entry::Listeners::mapped_type listener) {
    const std::lock_guard held(entry.calling);
    listeners.erase(id);
    id = ++entry.lastListener;
    if (listener) listeners.emplace(id, std::move(listener));
}

/// Of one kind of event: which, it knows.
Entry::Listeners::mapped_type ofReason(std::function<void(const std::string&)> listener) {
    if (!listener) return nullptr;
    return [listener = std::move(listener)](HoldEvent, const std::string& reason) { listener(reason); };
}
} // namespace

void Handle::onEvent(std::function<void(HoldEvent, const std::string&)> listener) {
    replace(*m_entry, m_entry->onEvent, m_listener, std::move(listener));
}

void Handle::onLost(std::function<void(const std::string&)> listener) {
    replace(*m_entry, m_entry->onLost, m_lostListener, ofReason(std::move(listener)));
}

void Handle::onSuspended(std::function<void(const std::string&)> listener) {
    replace(*m_entry, m_entry->onSuspended, m_suspendedListener, ofReason(std::move(listener)));
}

void Handle::onUnlockFailed(std::function<void(const LockException&)> handler) {
    m_onUnlockFailed = std::move(handler);
}

} // namespace lockscope::blocking::detail
