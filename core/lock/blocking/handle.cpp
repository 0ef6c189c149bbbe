// SPDX-License-Identifier: Apache-2.0
#include "lock/blocking/handle.h"

#include "lock/blocking/manager.h"
#include "lock/blocking/multi_lock.h"
#include "lock/blocking/service.h"
#include "lock/listener_call.h"
#include "lock/warning.h"

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
    const std::shared_ptr<const std::atomic<bool>> mark = threadEnd();
    return m_service->call<bool>(
        [&](std::stop_token stopped) -> recipes::Outcome<bool> {
            if (!m_entry->lock) co_return std::unexpected(closedError());
            LockRequest request;
            request.mode = mode;
            request.wait = wait;
            request.thread = thread;
            request.lease = lease;
            const Nanos begun = m_service->runtime().monotonic();
            const auto taken = co_await m_entry->lock->take(request, stopped);
            if (!taken && endedInOutage(taken.error(), request, begun)) {
                m_service->hear(*m_entry, HoldEvent::WaitFailed, thread, taken.error().message.toStdString());
                co_return false;
            }
            if (taken && *taken) {
                const std::lock_guard held(m_entry->guard);
                m_entry->views[{thread, mode}] = {m_entry->lock->view(thread, mode), mark};
            }
            // Only a source that closes meanwhile gives up without an end: no caller of lock() looks at what it gets.
            if (taken && !*taken && wait == kNever) throw Cancelled(Cancelled::Why::Stopped);
            co_return taken;
        },
        std::move(stop));
}

Hold Handle::acquire(recipes::Mode mode, Nanos wait, std::stop_token stop, std::optional<Nanos> lease, int permits) {
    // Permits are never re-entered: so theirs is the thread's number, which a history shows.
    const QByteArray thread = mode == recipes::Mode::Permit ? threadNumber() : ownNumber();
    Hold hold;
    m_service->call<bool>(
        [&](std::stop_token stopped) -> recipes::Outcome<bool> {
            if (!m_entry->lock) co_return std::unexpected(closedError());
            LockRequest request;
            request.mode = mode;
            request.permits = permits;
            request.wait = wait;
            request.thread = thread;
            request.lease = lease;
            const Nanos begun = m_service->runtime().monotonic();
            auto guard = co_await m_entry->lock->acquire(request, stopped);
            if (!guard && endedInOutage(guard.error(), request, begun)) {
                m_service->hear(*m_entry, HoldEvent::WaitFailed, thread, guard.error().message.toStdString());
                co_return false;
            }
            if (!guard) co_return std::unexpected(guard.error());
            if (!*guard && wait == kNever) throw Cancelled(Cancelled::Why::Stopped); // as take()
            if (!*guard) co_return false;
            auto view = guard->view();
            hold.m_box = m_service->box(*std::move(guard), std::move(view), thread, m_entry->name);
            hold.m_service = m_service;
            hold.m_entry = m_entry;
            co_return true;
        },
        std::move(stop));
    return hold;
}

/// A wait that was to end, and has, while the server could not be asked: not in time, as far as the caller can tell.
bool Handle::endedInOutage(const LockError& error, const LockRequest& request, Nanos begun) const {
    if (request.wait <= Nanos(0) || request.wait == kNever) return false;
    if (error.kind != LockError::Kind::Unreachable && error.kind != LockError::Kind::OutcomeUnknown) return false;
    return m_service->runtime().monotonic() - begun >= request.wait;
}

bool Handle::heldByAnother(const QByteArray& thread) const {
    const std::lock_guard held(m_entry->guard);
    return std::ranges::any_of(m_entry->views, [&](const auto& one) {
        return one.first.first != thread && one.second.view && one.second.view->mine;
    });
}

int Handle::giveBack(HoldsOf whose) {
    using Key = std::pair<QByteArray, recipes::Mode>;
    return m_service->call<int>([&](std::stop_token) -> recipes::Outcome<int> {
        std::vector<Key> theirs;
        {
            const std::lock_guard held(m_entry->guard);
            for (const auto& [key, one] : m_entry->views)
                if (whose == HoldsOf::AllThreads || one.threadEnded->load()) theirs.push_back(key);
        }
        int given = 0;
        std::optional<LockError> failure;
        for (const Key& key : theirs) {
            for (;;) {
                if (!m_entry->lock) co_return std::unexpected(closedError());
                if (m_entry->lock->holdCount(key.first, key.second) == 0) break;
                const Service::Heard heard(*m_service, key.first);
                const auto left = co_await m_entry->lock->unlock(key.first, key.second);
                if (left) ++given;
                if (!left && left.error().kind != LockError::Kind::NotOwner) failure = left.error();
                if (!left) break;
            }
            const std::lock_guard held(m_entry->guard);
            if (m_entry->lock && m_entry->lock->holdCount(key.first, key.second) == 0) m_entry->views.erase(key);
        }
        if (failure) co_return std::unexpected(*failure);
        co_return given;
    });
}

int Handle::giveUp(recipes::Mode mode) {
    const QByteArray thread = threadNumber();
    return m_service->call<int>([&](std::stop_token) -> recipes::Outcome<int> {
        if (!m_entry->lock) co_return std::unexpected(closedError());
        const Service::Heard heard(*m_service, thread);
        const bool never = m_entry->lock->holdCount(thread, mode) == 0 && !view(thread, mode);
        auto left = co_await m_entry->lock->unlock(thread, mode);
        if (m_entry->lock && m_entry->lock->holdCount(thread, mode) == 0) {
            const std::lock_guard held(m_entry->guard);
            m_entry->views.erase({thread, mode});
        }
        if (!left && never && left.error().kind == LockError::Kind::NotOwner && heldByAnother(thread)) {
            left.error().message += QLatin1Char(' ');
            left.error().message += QCoreApplication::translate(
                "LockError", "Another thread of this program does. Take what is to change threads by acquire(); "
                             "giveBack() frees what was left behind.");
        }
        co_return left;
    });
}

void Handle::giveUpQuietly(recipes::Mode mode) noexcept {
    try {
        giveUp(mode);
    } catch (const InterruptedException&) {
        // The client is being closed: what was held ends with its lease, session or connection, as close() says.
    } catch (const LockException& problem) {
        report(problem);
    } catch (const std::exception& defect) {
        report(LockException({LockError::Kind::OutcomeUnknown, QString::fromUtf8(defect.what())}));
    }
}

void Handle::report(const LockException& problem) const noexcept {
    if (m_onUnlockFailed)
        lockscope::detail::callListener(m_onUnlockFailed, problem);
    else
        lockscope::detail::warn(QCoreApplication::translate("Lock", "the lock “%1” could not be given back: %2")
                                    .arg(QString::fromUtf8(m_entry->name), QString::fromUtf8(problem.what())));
}

std::shared_ptr<const HoldView> Handle::view(recipes::Mode mode) const {
    return view(threadNumber(), mode);
}

std::shared_ptr<const HoldView> Handle::view(const QByteArray& thread, recipes::Mode mode) const {
    if (!m_service->ofThisProcess()) return nullptr; // it is the other process that holds
    const std::lock_guard held(m_entry->guard);
    const auto found = m_entry->views.find({thread, mode});
    return found == m_entry->views.end() ? nullptr : found->second.view;
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
