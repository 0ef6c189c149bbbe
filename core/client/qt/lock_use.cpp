// SPDX-License-Identifier: Apache-2.0
#include "client/qt/lock_use.h"

#include "client/hold_log.h"
#include "client/qt/translated.h"
#include "lock/warning.h"

#include <QCoreApplication>

namespace lockscope::qt {

using recipes::Mode;

namespace {
void oneFewer(std::map<QByteArray, int>& counts, const QByteArray& thread) {
    const auto found = counts.find(thread);
    if (found != counts.end() && --found->second == 0) counts.erase(found);
}
} // namespace

LockUse::LockUse(std::vector<std::shared_ptr<Backing>> backings, QByteArray place, QByteArray name,
                 std::unique_ptr<LazyLock> lock)
    : m_backings(std::move(backings)), m_place(std::move(place)), m_name(std::move(name)), m_lock(std::move(lock)) {
    if (!m_backings.empty()) backing().uses.insert(this); // a MultiLock without parts cannot be taken
    m_lock->listen(
        [this](HoldEvent event, const Thread& thread, const QString& reason) { hear(event, thread, reason); });
}

LockUse::~LockUse() {
    if (!m_backings.empty()) backing().uses.erase(this);
    // Nobody will hear how a release ends that is still under way.
    for (const auto& [thread, holds] : std::map(m_since))
        ended(Kind::Released, thread);
}

Outcome<Hold> LockUse::take(LockRequest request, std::stop_token stop) {
    if (auto refusal = wouldShare(request)) return failed<Hold>(*std::move(refusal));
    Thread thread = request.thread;
    ++m_waiting[thread];
    const Nanos begun = m_backings.empty() ? Nanos(0) : backing().now();
    auto taking = m_lock->take(std::move(request), std::move(stop));
    return taken(weak_from_this(), std::move(thread), begun, std::move(taking));
}

/// A coroutine that waits keeps neither the lock nor its connection: it ends when these go.
Outcome<Hold> LockUse::taken(std::weak_ptr<LockUse> use, Thread thread, Nanos begun,
                             recipes::Outcome<LockGuard> taking) {
    auto guard = co_await told(std::move(taking));
    const std::shared_ptr<LockUse> self = use.lock();
    if (self) oneFewer(self->m_waiting, thread);
    const bool stopped = !guard && guard.error().kind == ErrorKind::Interrupted;
    const auto got = guard && *guard ? Kind::Acquired : Kind::TimedOut;
    if (self && !self->m_backings.empty() && !stopped)
        self->measure(guard ? got : Kind::Failed, self->backing().now() - begun);
    if (!guard) co_return std::unexpected(guard.error());
    co_return Hold(*std::move(guard), use, thread);
}

Outcome<int> LockUse::awaited(std::weak_ptr<LockUse> use, QByteArray thread,
                              const std::function<recipes::Outcome<int>()>& release) {
    if (const auto self = use.lock()) ++self->m_awaited[thread];
    return ended(std::move(use), std::move(thread), release());
}

Outcome<int> LockUse::ended(std::weak_ptr<LockUse> use, Thread thread, recipes::Outcome<int> release) {
    auto left = co_await told(std::move(release));
    if (const auto self = use.lock()) oneFewer(self->m_awaited, thread);
    co_return left;
}

std::size_t LockUse::holdsOf(const Thread& thread) const {
    const auto made = m_lock->lockObject();
    if (!made) return 0;
    const auto one = [&](Mode mode) { return std::size_t((*made)->holdCount(thread, mode) > 0 ? 1 : 0); };
    return one(Mode::Exclusive) + one(Mode::Shared) + std::size_t((*made)->holdCount(thread, Mode::Permit));
}

bool LockUse::uses(const Thread& thread) const {
    return m_waiting.contains(thread) || (m_since.contains(thread) && holdsOf(thread) > 0);
}

std::optional<Error> LockUse::wouldShare(const LockRequest& request) const {
    if (m_backings.empty() || request.mode == Mode::Permit) return std::nullopt; // each permit is one of its own
    for (const LockUse* const other : backing().uses) {
        if (other == this || other->m_place != m_place || !other->uses(request.thread)) continue;
        const auto mine = m_lock->lockObject(), theirs = other->m_lock->lockObject();
        if (!mine || !theirs) continue;
        const auto* const one = dynamic_cast<const DistributedLock*>(*mine);
        const auto* const two = dynamic_cast<const DistributedLock*>(*theirs);
        const bool waits = one && two && (one->recipe().id != two->recipe().id || !one->recipe().reentrant);
        if (waits) continue;
        return Error{ErrorKind::Refused,
                     QCoreApplication::translate(
                         "LockError", "Another object of this connection uses the lock “%1” for thread %2: to the "
                                      "servers both are one holder. Share one object, or give each coroutine that "
                                      "locks a thread number of its own.")
                         .arg(QString::fromUtf8(m_name), QString::fromUtf8(request.thread))};
    }
    return std::nullopt;
}

void LockUse::hear(HoldEvent event, const Thread& thread, const QString& reason) {
    if (event == HoldEvent::Acquired) m_since[thread].push_back(backing().now());
    if (event == HoldEvent::Renewed) measure(Kind::Renewed);
    if (event == HoldEvent::Suspended) measure(Kind::Suspended);
    if (event == HoldEvent::Released) ended(Kind::Released, thread);
    if (event == HoldEvent::Lost || event == HoldEvent::ReleaseFailed) ended(Kind::Lost, thread);
    lockscope::detail::writeDown(event, m_name, reason);
    if (event == HoldEvent::ReleaseFailed && !m_listener && !m_awaited.contains(thread))
        lockscope::detail::warn(lockscope::detail::notGivenBack(m_name, reason));
    const auto listener = m_listener; // it may set another one, or destroy the lock
    if (listener) listener(event, reason);
}

/// The thread has fewer holds than it had: which one of several permits ended does not change the sums.
void LockUse::ended(Kind how, const Thread& thread) {
    const auto found = m_since.find(thread);
    if (found == m_since.end()) return;
    std::vector<Nanos>& holds = found->second;
    for (std::size_t left = holdsOf(thread); holds.size() > left; holds.erase(holds.begin()))
        measure(how, backing().now() - holds.front());
    if (holds.empty()) m_since.erase(found);
}

} // namespace lockscope::qt
