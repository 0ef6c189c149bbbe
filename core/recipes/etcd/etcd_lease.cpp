// SPDX-License-Identifier: Apache-2.0
#include "recipes/etcd/etcd_lease.h"

#include <QCoreApplication>

namespace lockscope::recipes {

using etcd::KeyValue;
using etcd::Operation;
using etcd::Range;
using etcd::Transaction;
using etcd::WatchEvent;

namespace {

constexpr Nanos kFirstPause = 50ms, kLongestPause = 500ms; ///< between looks while no member can be reached

std::chrono::seconds wholeSeconds(Nanos lease) {
    return std::max(std::chrono::ceil<std::chrono::seconds>(lease), std::chrono::seconds(1));
}

bool allDigits(const QByteArray& text) {
    return !text.isEmpty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Range under(const QByteArray& prefix, Range::Order order, int limit) {
    Range range;
    range.key = prefix;
    range.end = etcd::endOfPrefix(prefix);
    range.order = order;
    range.limit = limit;
    return range;
}

Range only(QByteArray key) {
    Range range;
    range.key = std::move(key);
    return range;
}

QString shown(const QByteArray& bytes) {
    return QString::fromUtf8(bytes);
}

} // namespace

struct EtcdLease::Queue {
    bool there = false; ///< our own key is
    std::optional<KeyValue> older;
};

LockError lockError(const etcd::Error& error) {
    using Kind = etcd::Error::Kind;
    if (error.outcomeUnknown()) return {LockError::Kind::OutcomeUnknown, error.message};
    switch (error.kind) {
    case Kind::Unreachable:
    case Kind::ConnectTimeout:
    case Kind::TlsFailed:
    case Kind::AuthFailed:
    case Kind::WrongUrl:
    case Kind::Protocol:
        return {LockError::Kind::Unreachable, error.message};
    default:
        return {LockError::Kind::Refused, error.message};
    }
}

std::unique_ptr<Recipe> makeEtcdRecipe(const QByteArray& id, EtcdLock lock) {
    if (id == "etcd-lease") return std::make_unique<EtcdLease>(std::move(lock));
    return nullptr;
}

EtcdLease::EtcdLease(EtcdLock lock) : m_lock(std::move(lock)), m_prefix(m_lock.name + '/') {
}

const RecipeInfo& EtcdLease::info() const {
    return *findRecipe("etcd-lease");
}

QByteArray EtcdLease::keyOf(std::int64_t lease) const {
    return m_prefix + QByteArray::number(qlonglong(lease), 16);
}

std::optional<LockError> EtcdLease::complaint(const KeyValue& key) const {
    const QByteArray rest = key.key.mid(m_prefix.size());
    const bool direct = !rest.contains('/');
    const bool ofLock = key.lease != 0 && rest == QByteArray::number(qlonglong(key.lease), 16);
    QString what;
    if (ofLock && key.value.isEmpty()) return std::nullopt;
    if (ofLock)
        what = QCoreApplication::translate("LockError", "an election's candidate");
    else if ((rest.startsWith("read/") || rest.startsWith("write/")) && allDigits(rest.mid(rest.indexOf('/') + 1)))
        what = QCoreApplication::translate("LockError", "a read/write lock");
    else if (direct || key.lease == 0)
        what = QCoreApplication::translate("LockError", "other data");
    else
        return std::nullopt; // a lock below this one: we wait behind it, as etcd's own would
    return LockError{LockError::Kind::ForeignFormat,
                     QCoreApplication::translate("LockError",
                                                 "The key “%1” is %2, not a lock of this kind: it was left "
                                                 "alone. Use another lock name than “%3”.")
                         .arg(shown(key.key), what, shown(m_lock.name))};
}

Outcome<std::optional<KeyValue>> EtcdLease::oldest(std::stop_token stop) {
    const auto found = co_await m_lock.port.range(under(m_prefix, Range::Order::OldestFirst, 1), stop);
    if (!found) co_return std::unexpected(lockError(found.error()));
    if (found->keys.empty()) co_return std::nullopt;
    if (const auto foreign = complaint(found->keys.front())) co_return std::unexpected(*foreign);
    co_return found->keys.front();
}

QCoro::Task<> EtcdLease::withdraw(std::int64_t lease) {
    // Key and lease in one; an error here leaves what ends by itself with the lease.
    co_await m_lock.port.revokeLease(lease);
}

Outcome<EtcdLease::Place> EtcdLease::enter(Nanos lease) {
    Runtime& runtime = m_lock.port.runtime();
    Place place;
    place.lease = static_cast<std::int64_t>(runtime.random() >> 1) | 1; // positive, never 0
    place.keptAt = runtime.monotonic();
    const auto granted = co_await m_lock.port.grantLease(place.lease, wholeSeconds(lease));
    if (!granted) {
        if (granted.error().outcomeUnknown()) co_await withdraw(place.lease);
        co_return std::unexpected(lockError(granted.error()));
    }
    place.ttl = granted->granted;

    Transaction join;
    const QByteArray key = keyOf(place.lease);
    const Operation first = Operation::read(under(m_prefix, Range::Order::OldestFirst, 1));
    join.ifAll.push_back({key, 0});
    join.then = {Operation::put(key, {}, place.lease), first};
    join.otherwise = {Operation::read(only(key)), first};
    const auto joined = co_await m_lock.port.run(std::move(join));
    if (!joined || joined->results.size() != 2 || (!joined->succeeded && joined->results[0].keys.empty())) {
        co_await withdraw(place.lease);
        if (!joined) co_return std::unexpected(lockError(joined.error()));
        co_return std::unexpected(
            LockError{LockError::Kind::Refused, QStringLiteral("unexpected reply to the transaction")});
    }
    // An earlier try whose answer was lost has made the key; then it says when.
    place.revision = joined->succeeded ? joined->revision : joined->results[0].keys.front().createRevision;
    const std::vector<KeyValue>& oldestNow = joined->results[1].keys;
    place.first = !oldestNow.empty() && oldestNow.front().createRevision == place.revision;
    co_return place;
}

Outcome<EtcdLease::Queue> EtcdLease::look(std::shared_ptr<Place> place, std::stop_token stop) {
    Range older = under(m_prefix, Range::Order::NewestFirst, 1);
    older.maxCreateRevision = place->revision - 1;
    Transaction both;
    both.then = {Operation::read(only(keyOf(place->lease))), Operation::read(older)};
    const auto read = co_await m_lock.port.run(std::move(both), stop);
    if (!read) co_return std::unexpected(lockError(read.error()));
    Queue queue;
    if (read->results.size() != 2) co_return queue;
    const std::vector<KeyValue>& own = read->results[0].keys;
    queue.there = !own.empty() && own.front().createRevision == place->revision;
    if (!read->results[1].keys.empty()) queue.older = read->results[1].keys.front();
    co_return queue;
}

Outcome<bool> EtcdLease::keep(std::shared_ptr<Place> place, std::stop_token stop) {
    const Nanos askedAt = m_lock.port.runtime().monotonic();
    const auto kept = co_await m_lock.port.keepAlive(place->lease, stop);
    if (!kept) co_return std::unexpected(lockError(kept.error()));
    if (kept->ttl == Nanos(0)) co_return false;
    place->keptAt = askedAt;
    co_return true;
}

Outcome<EtcdLease::Waited> EtcdLease::waitInLine(std::shared_ptr<Place> place, Nanos giveUpAt, Steps steps,
                                                 std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    std::optional<etcd::OwnedWatch> watch;
    QByteArray watched;
    Nanos pause = kFirstPause;
    for (;;) {
        std::optional<LockError> trouble;
        const std::expected<Queue, LockError> queue = co_await look(place, stop);
        if (!queue) {
            trouble = queue.error();
        } else if (!queue->there) {
            co_return Waited::PlaceLost; // our lease ended while we slept, or somebody freed the lock by force
        } else if (!queue->older) {
            // What is left of the lease after the wait may be little.
            if (runtime.monotonic() - place->keptAt < place->ttl / 8) co_return Waited::Held;
            const std::expected<bool, LockError> kept = co_await keep(place, stop);
            if (kept) co_return *kept ? Waited::Held : Waited::PlaceLost;
            trouble = kept.error();
        } else if (const auto foreign = complaint(*queue->older)) {
            co_return std::unexpected(*foreign);
        } else if (runtime.monotonic() >= giveUpAt) {
            co_return Waited::TimedOut;
        } else if (!watch || watched != queue->older->key) {
            // From now on, not from the revision of the look: the server serves a watch of the past by a slow tick.
            // What happens between the look and the watch is found by the next look.
            steps.at(4);
            watched = queue->older->key;
            watch.reset();
            auto started = co_await m_lock.port.watch(watched, true, stop);
            if (started) {
                watch.emplace(*std::move(started));
                continue;
            }
            trouble = lockError(started.error());
        } else {
            const Nanos now = runtime.monotonic();
            const Nanos due = place->keptAt + place->ttl / 3;
            const Nanos patience = std::min(giveUpAt, due) - now;
            const std::optional<WatchEvent> event = co_await (*watch)->next(std::max(patience, Nanos(0)), stop);
            if (event && event->kind == WatchEvent::Kind::Gap) watch.reset();
            if (event || runtime.monotonic() < due) continue;
            const std::expected<bool, LockError> kept = co_await keep(place, stop);
            if (kept && !*kept) co_return Waited::PlaceLost;
            if (!kept) trouble = kept.error();
        }
        if (!trouble) {
            pause = kFirstPause;
            continue;
        }
        const bool passing =
            trouble->kind == LockError::Kind::Unreachable || trouble->kind == LockError::Kind::OutcomeUnknown;
        const Nanos now = runtime.monotonic();
        if (!passing || now >= giveUpAt || now >= place->keptAt + place->ttl) co_return std::unexpected(*trouble);
        co_await runtime.sleep(pause, stop);
        pause = std::min(pause * 2, kLongestPause);
    }
}

Outcome<std::optional<Grant>> EtcdLease::acquire(Request request, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const Nanos giveUpAt = laterBy(runtime.monotonic(), request.wait);
    for (;;) {
        // A look that writes nothing: a try that comes in vain leaves no trace, and foreign data no key of ours.
        request.steps.at(1);
        const auto before = co_await oldest(stop);
        if (!before) co_return std::unexpected(before.error());
        if (*before && runtime.monotonic() >= giveUpAt) {
            request.steps.at(0);
            co_return std::nullopt;
        }
        request.steps.at(2);
        const auto entered = co_await enter(request.lease);
        if (!entered) co_return std::unexpected(entered.error());
        const auto place = std::make_shared<Place>(*entered);

        std::expected<Waited, LockError> waited = Waited::Held;
        bool stopped = stop.stop_requested();
        if (!stopped && !place->first) {
            request.steps.at(3);
            try {
                waited = co_await waitInLine(place, giveUpAt, request.steps, stop);
            } catch (const Cancelled& cancelled) {
                if (cancelled.why() == Cancelled::Why::Killed) throw;
                stopped = true;
            }
        }
        if (!stopped && waited && *waited == Waited::Held) {
            Grant grant{request.thread,  keyOf(place->lease), place->keptAt, place->ttl, 1,
                        place->revision, request.steps};
            grant.own = std::make_shared<std::int64_t>(place->lease);
            grant.steps.at(5);
            co_return grant;
        }
        co_await withdraw(place->lease);
        if (stopped || !waited || *waited == Waited::TimedOut) request.steps.at(0);
        if (stopped) throw Cancelled(Cancelled::Why::Stopped);
        if (!waited) co_return std::unexpected(waited.error());
        if (*waited == Waited::TimedOut) co_return std::nullopt;
        // The place is lost: to the end of the queue.
    }
}

Outcome<bool> EtcdLease::renew(Grant grant, std::stop_token stop) {
    const std::int64_t lease = *static_cast<const std::int64_t*>(grant.own.get());
    const auto kept = co_await m_lock.port.keepAlive(lease, stop);
    if (!kept) co_return std::unexpected(lockError(kept.error()));
    if (kept->ttl == Nanos(0)) co_return false;
    // The lease outlives a key that somebody has deleted by force.
    Transaction check;
    check.ifAll.push_back({grant.value, grant.token});
    const auto checked = co_await m_lock.port.run(std::move(check), stop);
    if (!checked) co_return std::unexpected(lockError(checked.error()));
    if (!checked->succeeded) co_await withdraw(lease);
    co_return checked->succeeded;
}

Outcome<int> EtcdLease::release(Grant grant, std::stop_token stop) {
    grant.steps.at(6);
    Transaction leave;
    leave.ifAll.push_back({grant.value, grant.token});
    leave.then.push_back(Operation::remove(grant.value));
    const auto left = co_await m_lock.port.run(std::move(leave), stop);
    grant.steps.at(0);
    if (!left) co_return std::unexpected(lockError(left.error()));
    co_await withdraw(*static_cast<const std::int64_t*>(grant.own.get()));
    // After a lost answer the key may be gone by our own first try.
    if (left->succeeded || left->repeated) co_return 0;
    co_return std::unexpected(
        LockError{LockError::Kind::NotOwner,
                  QCoreApplication::translate("LockError",
                                              "The lock “%1” is no longer ours: its lease ended or somebody freed it.")
                      .arg(shown(m_lock.name))});
}

QCoro::Task<> EtcdLease::revokeLater(etcd::Port& port, std::int64_t lease) {
    co_await port.revokeLease(lease);
}

void EtcdLease::abandoned(const Grant& grant) {
    // By its own clock over: whatever the server still keeps of it only makes others wait.
    etcd::Port& port = m_lock.port;
    const std::int64_t lease = *static_cast<const std::int64_t*>(grant.own.get());
    port.runtime().spawn([&port, lease] { return revokeLater(port, lease); });
}

Outcome<bool> EtcdLease::forceRelease(std::stop_token stop) {
    for (;;) {
        const auto holder = co_await oldest(stop);
        if (!holder) co_return std::unexpected(holder.error());
        // A lock below this one is not this one.
        if (!*holder || (*holder)->key != keyOf((*holder)->lease)) co_return false;
        Transaction remove;
        remove.ifAll.push_back({(*holder)->key, (*holder)->createRevision});
        remove.then.push_back(Operation::remove((*holder)->key));
        const auto removed = co_await m_lock.port.run(std::move(remove), stop);
        if (!removed) co_return std::unexpected(lockError(removed.error()));
        if (removed->succeeded || removed->repeated) co_return true;
        // Released just now: whoever came next is the holder.
    }
}

} // namespace lockscope::recipes
