// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/access.h"
#include "client/blocking/holder_told.h"
#include "client/blocking/service.h"
#include "client/hold_log.h"
#include "lock/listener_call.h"
#include "lock/warning.h"

#include <QCoreApplication>
#include <lockscope/detail/handle.h>
#include <lockscope/multi_lock.h>

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
    const std::shared_ptr<Service>& first = Access::service(parts.front().client);
    for (const LockPart& part : parts) {
        if (Access::service(part.client) == first) continue;
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
        wish.parts.push_back({Access::number(part.client), bytes(part.name), bytes(part.recipe)});
        const LockWish::Part& one = wish.parts.back();
        for (const QByteArray& word : {QByteArray::number(one.server), one.recipe, one.name})
            wish.space += QByteArray::number(word.size()) + ':' + word;
        wish.name += (wish.name.isEmpty() ? "" : ",") + one.name;
    }
    return wish;
}

QByteArray spaceOf(const Client& client) {
    return Access::number(client) == 0 ? QByteArray() : QByteArray::number(Access::number(client));
}
} // namespace

Handle::Handle(const Client& client, std::string_view name, LockMode mode, LockOptions options, int permits)
    : m_service(Access::service(client)),
      m_entry(m_service->entry({spaceOf(client), bytes(name), modeOf(mode), std::move(options), permits})) {
}

Handle::Handle(const Manager& manager, std::string_view space, std::string_view name, LockMode mode, int permits)
    : m_service(Access::service(manager)),
      m_entry(m_service->entry({bytes(space), bytes(name), modeOf(mode), {}, permits})) {
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

namespace {
/// A wait that was to end, and has, while the server could not be asked: not in time, as far as the caller can tell.
bool endedInOutage(const LockError& error, const LockRequest& request, Nanos waited) {
    if (request.wait <= Nanos(0) || request.wait == kNever) return false;
    if (error.kind != LockError::Kind::Unreachable && error.kind != LockError::Kind::OutcomeUnknown) return false;
    return waited >= request.wait;
}

/// One request for a lock, and what it comes to: measured, and told to the lock's listeners if nobody else hears of it.
class Asking {
public:
    Asking(Service& service, Entry& entry, LockRequest request)
        : m_service(service), m_entry(entry), m_request(std::move(request)), m_begun(service.now()) {}
    const LockRequest& request() const { return m_request; }
    /// The lock; nullptr when the client is closed.
    AnyLock* lock() const { return m_entry.lock.get(); }
    /// Whether it was taken; an error for the caller. T: bool or LockGuard.
    template <typename T>
    std::expected<bool, LockError> ended(const std::expected<T, LockError>& taken) const {
        const Nanos waited = m_service.now() - m_begun;
        const bool outage = !taken && endedInOutage(taken.error(), m_request, waited);
        if (!taken && !outage) {
            m_service.measure(LockMeasure::Kind::Failed, m_entry.name, waited);
            return std::unexpected(taken.error());
        }
        const bool got = taken && static_cast<bool>(*taken);
        m_service.measure(got ? LockMeasure::Kind::Acquired : LockMeasure::Kind::TimedOut, m_entry.name, waited);
        if (outage)
            m_service.hear(m_entry, HoldEvent::WaitFailed, m_request.thread, taken.error().message.toStdString());
        // Only a source that closes meanwhile gives up without an end: no caller of lock() looks at what it gets.
        if (taken && !got && m_request.wait == kNever) throw Cancelled(Cancelled::Why::Stopped);
        return got;
    }

private:
    Service& m_service;
    Entry& m_entry;
    LockRequest m_request;
    Nanos m_begun;
};
} // namespace

bool Handle::take(LockMode mode, Nanos wait, std::stop_token stop, std::optional<Nanos> lease) {
    const QByteArray thread = threadNumber();
    const std::shared_ptr<const std::atomic<bool>> mark = threadEnd();
    return m_service->call<bool>(
        [&](std::stop_token stopped) -> recipes::Outcome<bool> {
            if (!m_entry->lock) co_return std::unexpected(closedError());
            const Asking asking(*m_service, *m_entry, {modeOf(mode), 1, wait, thread, lease});
            const auto taken = co_await m_entry->lock->take(asking.request(), stopped);
            const auto got = asking.ended(taken);
            if (got && *got) {
                auto view = m_entry->lock->view(thread, modeOf(mode));
                const std::lock_guard held(m_entry->guard);
                Entry::Seen& seen = m_entry->views[{thread, modeOf(mode)}];
                if (seen.view != view) seen = {std::move(view), mark, m_service->now()};
            }
            co_return got;
        },
        std::move(stop));
}

Hold Handle::acquire(LockMode mode, Nanos wait, std::stop_token stop, std::optional<Nanos> lease, int permits) {
    const QByteArray thread = mode == LockMode::Permit ? threadNumber() : ownNumber();
    Hold hold;
    m_service->call<bool>(
        [&](std::stop_token stopped) -> recipes::Outcome<bool> {
            if (!m_entry->lock) co_return std::unexpected(closedError());
            const Asking asking(*m_service, *m_entry, {modeOf(mode), permits, wait, thread, lease});
            auto guard = co_await m_entry->lock->acquire(asking.request(), stopped);
            const auto got = asking.ended(guard);
            if (!got || !*got) co_return got;
            hold.m_box = m_service->box(*std::move(guard), thread, *m_entry);
            hold.m_service = m_service;
            hold.m_entry = m_entry;
            co_return true;
        },
        std::move(stop));
    return hold;
}

namespace {
/// Whether a thread of this program other than that one holds it.
bool heldByAnother(Entry& entry, const QByteArray& thread) {
    const std::lock_guard held(entry.guard);
    return std::ranges::any_of(entry.views, [&](const auto& one) {
        return one.first.first != thread && one.second.view && one.second.view->mine;
    });
}

/// The thread's hold in that mode, as other threads may see it; nullptr when it has none.
std::shared_ptr<const HoldView> viewOf(const Service& service, Entry& entry, const QByteArray& thread, LockMode mode) {
    if (!service.ofThisProcess()) return nullptr; // it is the other process that holds
    const std::lock_guard held(entry.guard);
    const auto found = entry.views.find({thread, modeOf(mode)});
    return found == entry.views.end() ? nullptr : found->second.view;
}

/// The thread has no hold any more in that mode. `given`: it was given back; false: the server would not, or could not.
void forgetView(Service& service, Entry& entry, const std::pair<QByteArray, recipes::Mode>& key, bool given) {
    const std::lock_guard held(entry.guard);
    const auto found = entry.views.find(key);
    if (found == entry.views.end()) return;
    if (!found->second.counted) service.measure(endOf(given), entry.name, service.now() - found->second.since);
    entry.views.erase(found);
}
} // namespace

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
            bool all = true;
            for (;;) {
                if (!m_entry->lock) co_return std::unexpected(closedError());
                if (m_entry->lock->holdCount(key.first, key.second) == 0) break;
                const Service::Heard heard(*m_service, key.first);
                const auto left = co_await m_entry->lock->unlock(key.first, key.second);
                if (left) ++given;
                if (!left && left.error().kind != LockError::Kind::NotOwner) failure = left.error();
                all = left.has_value();
                if (!left) break;
            }
            if (m_entry->lock && m_entry->lock->holdCount(key.first, key.second) == 0)
                forgetView(*m_service, *m_entry, key, all);
        }
        if (failure) co_return std::unexpected(*failure);
        co_return given;
    });
}

int Handle::giveUp(LockMode mode) {
    const QByteArray thread = threadNumber();
    return m_service->call<int>([&](std::stop_token) -> recipes::Outcome<int> {
        if (!m_entry->lock) co_return std::unexpected(closedError());
        const Service::Heard heard(*m_service, thread);
        const bool never =
            m_entry->lock->holdCount(thread, modeOf(mode)) == 0 && !viewOf(*m_service, *m_entry, thread, mode);
        auto left = co_await m_entry->lock->unlock(thread, modeOf(mode));
        if (m_entry->lock && m_entry->lock->holdCount(thread, modeOf(mode)) == 0)
            forgetView(*m_service, *m_entry, {thread, modeOf(mode)}, left.has_value());
        if (!left && never && left.error().kind == LockError::Kind::NotOwner && heldByAnother(*m_entry, thread)) {
            left.error().message += QLatin1Char(' ');
            left.error().message += QCoreApplication::translate(
                "LockError", "Another thread of this program does. Take what is to change threads by acquire(); "
                             "giveBack() frees what was left behind.");
        }
        co_return left;
    });
}

void Handle::giveUpQuietly(LockMode mode) noexcept {
    try {
        giveUp(mode);
    } catch (const InterruptedException&) {
        // The client is being closed: what was held ends with its lease, session or connection, as close() says.
    } catch (const LockException& problem) {
        report(problem);
    } catch (const std::exception& defect) {
        report(LockException(ErrorKind::OutcomeUnknown, defect.what()));
    }
}

void Handle::report(const LockException& problem) const noexcept {
    if (m_onUnlockFailed)
        lockscope::detail::callListener(m_onUnlockFailed, problem);
    else
        lockscope::detail::warn(lockscope::detail::notGivenBack(m_entry->name, QString::fromUtf8(problem.what())));
}

std::shared_ptr<const HoldView> Handle::view(LockMode mode) const {
    return viewOf(*m_service, *m_entry, threadNumber(), mode);
}

void Handle::extend(LockMode mode, Nanos lease) {
    const QByteArray thread = threadNumber();
    callFor(*m_service, [&](std::stop_token) -> recipes::Outcome<void> {
        if (!m_entry->lock) co_return std::unexpected(closedError());
        const auto extended = co_await m_entry->lock->extend(thread, modeOf(mode), lease);
        co_return extended;
    });
}

std::stop_token Handle::lost(LockMode mode) const {
    if (!m_service->ofThisProcess()) return {};
    const std::lock_guard held(m_entry->guard);
    const auto found = m_entry->views.find({threadNumber(), modeOf(mode)});
    if (found == m_entry->views.end()) return {};
    Entry::Seen& seen = found->second;
    return seen.loss.token(!seen.view || seen.view->lost); // without a view: lost as soon as it was granted
}

bool Handle::stillMine(LockMode mode) const {
    const auto hold = view(mode);
    return hold && hold->stillMineAt(m_service->now());
}

std::int64_t Handle::token(LockMode mode) const {
    const auto hold = view(mode);
    return hold ? hold->token.load() : 0;
}

std::vector<std::int64_t> Handle::tokens(LockMode mode) const {
    using Tokens = std::vector<std::int64_t>;
    const QByteArray thread = threadNumber();
    return m_service->call<Tokens>([&](std::stop_token) -> recipes::Outcome<Tokens> {
        Tokens tokens;
        if (m_entry->lock) tokens = m_entry->lock->tokens(thread, modeOf(mode));
        co_return tokens;
    });
}

Nanos Handle::remaining(LockMode mode) const {
    const auto hold = view(mode);
    return hold ? m_service->remaining(*hold) : Nanos(0);
}

int Handle::holdCount(LockMode mode) const {
    const QByteArray thread = threadNumber();
    return m_service->call<int>([&](std::stop_token) -> recipes::Outcome<int> {
        co_return m_entry->lock ? m_entry->lock->holdCount(thread, modeOf(mode)) : 0;
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

std::vector<Holder> Handle::holders() {
    return m_service->call<std::vector<Holder>>([&](std::stop_token stop) -> recipes::Outcome<std::vector<Holder>> {
        if (!m_entry->lock) co_return std::unexpected(closedError());
        const auto there = co_await m_entry->lock->holders(std::move(stop));
        if (!there) co_return std::unexpected(there.error());
        std::vector<Holder> holders;
        for (const recipes::HolderInfo& info : *there)
            holders.push_back(holderOf(info));
        co_return holders;
    });
}

std::optional<int> Handle::permitsFree() {
    return m_service->call<std::optional<int>>([&](std::stop_token stop) -> recipes::Outcome<std::optional<int>> {
        if (!m_entry->lock) co_return std::unexpected(closedError());
        co_return co_await m_entry->lock->permitsFree(std::move(stop));
    });
}

std::optional<int> Handle::queueLength() {
    return m_service->call<std::optional<int>>([&](std::stop_token stop) -> recipes::Outcome<std::optional<int>> {
        if (!m_entry->lock) co_return std::unexpected(closedError());
        co_return co_await m_entry->lock->queueLength(std::move(stop));
    });
}

std::optional<Holder> Handle::holder() {
    const std::vector<Holder> all = holders();
    if (all.empty()) return std::nullopt;
    return all.front();
}

namespace {
void replace(Entry& entry, Entry::Listeners& listeners, std::uint64_t& id, Entry::Listeners::mapped_type listener) {
    const std::lock_guard held(entry.calling);
    listeners.erase(id);
    id = ++entry.lastListener;
    if (listener) listeners.emplace(id, std::move(listener));
}

/// A listener for one kind of event, which needs the reason only.
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
