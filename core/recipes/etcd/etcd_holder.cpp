// SPDX-License-Identifier: Apache-2.0
#include "recipes/backoff.h"
#include "recipes/etcd/etcd_lease.h"

namespace lockscope::recipes {

// The parts of `etcd-lease` that look at the holder, which the source does not have.

CallList::Registration EtcdLease::onReconnect(CallList::Callback ask) {
    return m_leases->reconnects().add(std::move(ask));
}

Outcome<void> EtcdLease::listen(Grant grant, CallList::Callback ask, std::stop_token stop) {
    constexpr Nanos kShortestPause = 50ms, kLongestPause = 150ms;
    Runtime& runtime = m_lock.port.runtime();
    const std::shared_ptr<EtcdLeases> leases = m_leases;
    const EtcdLeases::Listener listener(*leases);
    if (!listener.allowed()) co_return {};
    for (bool again = false;; again = true) {
        auto watch = co_await m_lock.port.watch(grant.value, true, stop);
        if (!watch && !passes(lockError(watch.error()))) co_return std::unexpected(lockError(watch.error()));
        // Members that were away may have forgotten what hangs on this connection's leases.
        if (watch && again) leases->back();
        bool stands = watch.has_value();
        while (stands) {
            ask();
            const std::optional<etcd::WatchEvent> event = co_await (*watch)->next(kNever, stop);
            stands = event && event->kind != etcd::WatchEvent::Kind::Gap;
        }
        // The watch could not be set, or broke: a member that is away tells nobody when it is back.
        co_await runtime.sleep(runtime.random(kShortestPause, kLongestPause), stop);
    }
}

Outcome<bool> EtcdLease::forceRelease(std::stop_token stop) {
    for (;;) {
        const auto holder = co_await m_keys.holder(stop);
        if (!holder) co_return std::unexpected(holder.error());
        if (!*holder) co_return false;
        etcd::Transaction remove;
        remove.ifAll.push_back({(*holder)->key, (*holder)->createRevision});
        remove.then.push_back(etcd::Operation::remove((*holder)->key));
        const auto removed = co_await m_lock.port.run(std::move(remove), stop);
        if (!removed) co_return std::unexpected(lockError(removed.error()));
        if (removed->succeeded || removed->repeated) co_return true;
        // Released just now: the next one in the queue is the holder.
    }
}

Outcome<bool> EtcdLease::isLocked(std::stop_token stop) {
    const auto holder = co_await m_keys.holder(std::move(stop));
    if (!holder) co_return std::unexpected(holder.error());
    co_return holder->has_value();
}

Outcome<std::vector<HolderInfo>> EtcdLease::holders(std::stop_token stop) {
    const auto found = co_await m_keys.holder(std::move(stop));
    if (!found) co_return std::unexpected(found.error());
    std::vector<HolderInfo> all;
    if (*found) {
        HolderInfo& holder = all.emplace_back();
        holder.client = QByteArray::number(qlonglong((*found)->lease), 16);
        holder.token = (*found)->createRevision;
    }
    co_return all;
}

} // namespace lockscope::recipes
