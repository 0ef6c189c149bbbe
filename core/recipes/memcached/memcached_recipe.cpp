// SPDX-License-Identifier: Apache-2.0
#include "recipes/memcached/memcached_recipe.h"

#include "recipes/memcached/memcached_add.h"
#include "recipes/memcached/memcached_lease.h"

#include <QCoreApplication>

namespace lockscope::recipes {

std::unique_ptr<Recipe> makeMemcachedRecipe(const QByteArray& id, MemcachedLock lock) {
    if (id == "memcached-add") return std::make_unique<MemcachedAdd>(std::move(lock));
    if (id == "memcached-lease") return std::make_unique<MemcachedLease>(std::move(lock));
    return nullptr;
}

LockError lockError(const memcached::Error& error) {
    if (error.kind == memcached::Error::Kind::Refused) return {LockError::Kind::Refused, error.message};
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
