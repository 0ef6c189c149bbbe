// SPDX-License-Identifier: Apache-2.0
#include "recipes/memcached/memcached_recipe.h"

#include "recipes/memcached/memcached_add.h"
#include "recipes/memcached/memcached_lease.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::recipes {

std::unique_ptr<Recipe> makeMemcachedRecipe(const QByteArray& id, MemcachedLock lock) {
    if (id == "memcached-add") return std::make_unique<MemcachedAdd>(std::move(lock));
    if (id == "memcached-lease") return std::make_unique<MemcachedLease>(std::move(lock));
    return nullptr;
}

LockError lockError(const memcached::Error& error) {
    using Kind = memcached::Error::Kind;
    if (error.kind == Kind::WrongUrl) return {LockError::Kind::InvalidArgument, error.message};
    if (error.kind == Kind::Refused || error.kind == Kind::AuthFailed) return {LockError::Kind::Refused, error.message};
    return {error.outcomeUnknown() ? LockError::Kind::OutcomeUnknown : LockError::Kind::Unreachable, error.message};
}

std::optional<LockError> memcachedNameError(const QByteArray& name) {
    if (memcached::validKey(name)) return std::nullopt;
    return LockError{LockError::Kind::Refused,
                     QCoreApplication::translate("LockError",
                                                 "“%1” can not be a lock's name on memcached: its keys have 1 "
                                                 "to 250 bytes, without spaces and control characters.")
                         .arg(QString::fromUtf8(name.left(60)))};
}

bool isMemcachedOwner(QByteArrayView value) {
    const qsizetype colon = value.lastIndexOf(':');
    const QByteArrayView thread = value.sliced(colon + 1);
    return colon > 0 && !thread.isEmpty() && std::ranges::all_of(thread, [](char c) { return c >= '0' && c <= '9'; });
}

Outcome<bool> forceMemcachedLock(MemcachedLock lock, MemcachedFormat ours, std::stop_token stop) {
    using memcached::Change;
    for (int look = 0; look < kMemcachedLooks; ++look) {
        const auto item = co_await lock.port.get(lock.name, stop);
        if (!item) co_return std::unexpected(lockError(item.error()));
        if (!item->has_value()) co_return false;
        if (!ours((*item)->value)) co_return std::unexpected(memcachedForeign(lock.name));
        if ((*item)->mark.unique == 0) { // nothing to compare with
            const auto removed = co_await lock.port.remove(lock.name, stop);
            if (!removed) co_return std::unexpected(lockError(removed.error()));
            co_return *removed;
        }
        const QByteArray value = (*item)->value;
        const memcached::Mark meant = (*item)->mark;
        const auto done = co_await lock.port.compareAndSet(lock.name, value, kMemcachedAtOnce, meant, false, stop);
        if (!done) co_return std::unexpected(lockError(done.error()));
        if (done->outcome == Change::Outcome::Stored) co_return true;
        if (done->outcome == Change::Outcome::Gone) co_return false;
    }
    co_return std::unexpected(memcachedUnsteady(lock.name));
}

LockError memcachedForeign(const QByteArray& name) {
    const QString text = QCoreApplication::translate(
        "LockError", "The key “%1” carries %2, which this recipe does not write: it was left alone. Use another lock "
                     "name, or the recipe that wrote it.");
    return {LockError::Kind::ForeignFormat,
            text.arg(QString::fromUtf8(name), QCoreApplication::translate("LockError", "data of another kind"))};
}

LockError memcachedUnsteady(const QByteArray& name) {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockError", "The lock “%1” is being changed all the time.")
                .arg(QString::fromUtf8(name))};
}

LockError memcachedWithoutCas() {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockError", "This memcached runs without cas (-C), which is what tells one "
                                                     "holder's item from another's. Start it without -C.")};
}

std::optional<LockError> memcachedLeaseError(Nanos lease) {
    if (lease <= std::chrono::seconds(memcached::kLongestExpiry - 2)) return std::nullopt;
    return LockError{LockError::Kind::Refused,
                     QCoreApplication::translate("LockError",
                                                 "memcached takes a lease of 30 days or more for a date. Ask "
                                                 "for a shorter one, and let it be renewed.")};
}

} // namespace lockscope::recipes
