// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/etcd/port.h"
#include "runtime/signal_count.h"

#include <algorithm>
#include <map>
#include <set>

namespace lockscope::tests {

/// An etcd of the test's own, reached in a millisecond of whatever time its runtime has. Its transactions can be
/// answered late, twice or by somebody else.
class PretendEtcd final : public etcd::Port {
public:
    explicit PretendEtcd(Runtime& runtime) : m_runtime(runtime) {}

    /// How long the answer to a transaction takes that has run; unset: a millisecond.
    std::function<Nanos(const etcd::Transaction&)> answersAfter;
    std::function<void()> onCall; ///< each time that something is asked of it
    bool garbles = false;         ///< transactions that put something run, and what comes back is no answer of an etcd
    bool away = false;            ///< leases can not be given back
    bool repeats = false;         ///< the first answers to transactions get lost, and they are sent again
    std::vector<etcd::Transaction> sentTwice;
    bool overtakesWatches = false; ///< somebody writes while a watch is taken on: it is told of nothing for a tick

    /// Runs a transaction at once, as a copy of it that was long on its way would.
    std::expected<etcd::TransactionResult, etcd::Error> apply(const etcd::Transaction& transaction) {
        endLeases();
        const bool holds = std::ranges::all_of(transaction.ifAll, [&](const auto& one) { return isSo(one); });
        etcd::TransactionResult result;
        result.succeeded = holds;
        const std::vector<etcd::Operation>& all = holds ? transaction.then : transaction.otherwise;
        for (const etcd::Operation& one : all)
            if (one.lease && !m_leases.contains(one.lease)) return std::unexpected(noLease());
        if (std::ranges::any_of(all, [](const auto& one) { return one.kind != etcd::Operation::Kind::Read; }))
            ++m_revision;
        for (const etcd::Operation& one : all)
            result.results.push_back(apply(one));
        result.revision = m_revision;
        return result;
    }
    std::vector<etcd::KeyValue> keysUnder(const QByteArray& prefix) {
        endLeases();
        etcd::Range range;
        range.key = prefix;
        range.end = etcd::endOfPrefix(prefix);
        range.order = etcd::Range::Order::OldestFirst;
        return found(range).keys;
    }
    std::size_t leaseCount() {
        endLeases();
        return m_leases.size();
    }

    Runtime& runtime() override { return m_runtime; }
    etcd::Result<etcd::LeaseState> grantLease(std::int64_t id, std::chrono::seconds ttl,
                                              std::stop_token stop) override {
        co_await arrive(stop);
        endLeases();
        m_leases[id] = {ttl, m_runtime.monotonic() + ttl};
        const etcd::LeaseState state = stateOf(id);
        co_await m_runtime.sleep(kWay, stop);
        co_return state;
    }
    etcd::Result<etcd::LeaseState> keepAlive(std::int64_t id, std::stop_token stop) override {
        co_await arrive(stop);
        endLeases();
        if (m_leases.contains(id)) m_leases[id].until = m_runtime.monotonic() + m_leases[id].ttl;
        const etcd::LeaseState state = stateOf(id);
        co_await m_runtime.sleep(kWay, stop);
        co_return state;
    }
    etcd::Result<bool> revokeLease(std::int64_t id, std::stop_token stop) override {
        co_await arrive(stop);
        endLeases();
        if (away) co_return std::unexpected(cutOff());
        const bool there = m_leases.contains(id);
        if (there) end(id);
        co_await m_runtime.sleep(kWay, stop);
        co_return there;
    }
    etcd::Result<etcd::LeaseState> timeToLive(std::int64_t id, std::stop_token stop) override {
        co_await arrive(stop);
        endLeases();
        co_return stateOf(id);
    }
    etcd::Result<etcd::RangeResult> range(etcd::Range range, std::stop_token stop) override {
        co_await arrive(stop);
        endLeases();
        const etcd::RangeResult result = found(range);
        co_await m_runtime.sleep(kWay, stop);
        co_return result;
    }
    etcd::Result<etcd::TransactionResult> run(etcd::Transaction transaction, std::stop_token stop) override {
        co_await arrive(stop);
        auto result = apply(transaction);
        if (repeats && result) {
            sentTwice.push_back(transaction);
            result = apply(transaction);
            if (result) result->repeated = true;
        }
        const Nanos back = answersAfter ? answersAfter(transaction) : kWay;
        co_await m_runtime.sleep(back, stop);
        if (garbles && puts(transaction)) co_return std::unexpected(garbled());
        co_return result;
    }
    etcd::Result<etcd::Removal> remove(QByteArray key, std::stop_token stop) override {
        const auto deleted = co_await deleteRange(key, {}, stop);
        etcd::Removal removal;
        removal.removed = deleted && *deleted > 0;
        co_return removal;
    }
    etcd::Result<std::int64_t> deleteRange(QByteArray key, QByteArray end, std::stop_token stop) override {
        co_await arrive(stop);
        etcd::Transaction all;
        all.then.push_back(etcd::Operation::remove(key));
        all.then.back().range.end = end;
        const auto result = apply(all);
        co_await m_runtime.sleep(kWay, stop);
        co_return result->results.front().count;
    }
    etcd::Result<std::int64_t> put(QByteArray key, QByteArray value, std::int64_t lease,
                                   std::stop_token stop) override {
        co_await arrive(stop);
        etcd::Transaction all;
        all.then.push_back(etcd::Operation::put(key, value, lease));
        const auto result = apply(all);
        co_await m_runtime.sleep(kWay, stop);
        if (!result) co_return std::unexpected(result.error());
        co_return result->revision;
    }
    etcd::Result<etcd::OwnedWatch> watch(QByteArray key, bool, std::stop_token stop) override {
        co_await arrive(stop);
        auto watching = std::make_unique<Watching>(*this, key, m_revision);
        if (overtakesWatches) {
            ++m_revision;
            watching->silentUntil = m_runtime.monotonic() + kTick;
        }
        co_return etcd::OwnedWatch(std::move(watching));
    }

private:
    static constexpr Nanos kWay = 1ms, kTick = 100ms;
    QCoro::Task<> arrive(std::stop_token stop) {
        if (onCall) onCall();
        co_await m_runtime.sleep(kWay, stop);
    }
    struct Lease {
        Nanos ttl{}, until{};
    };
    /// Sees deletions alone.
    class Watching final : public etcd::Watch {
    public:
        Watching(PretendEtcd& server, QByteArray watched, std::int64_t revision)
            : key(std::move(watched)), m_server(server), m_revision(revision) {
            m_server.m_watches.insert(this);
        }
        ~Watching() override { m_server.m_watches.erase(this); }
        Watching(const Watching&) = delete;
        Watching& operator=(const Watching&) = delete;
        std::int64_t revision() const override { return m_revision; }
        QCoro::Task<std::optional<etcd::WatchEvent>> next(Nanos timeout, std::stop_token stop) override {
            const Nanos silence = std::max(silentUntil - m_server.m_runtime.monotonic(), Nanos(0));
            const Nanos nap = std::min(silence, timeout);
            co_await m_server.m_runtime.sleep(nap, stop);
            if (timeout != kNever) timeout -= nap;
            const bool told = co_await deletions.acquire(m_server.m_runtime, timeout, stop);
            if (!told) co_return std::nullopt;
            etcd::WatchEvent event;
            event.kind = etcd::WatchEvent::Kind::Deleted;
            co_return event;
        }
        QByteArray key;
        SignalCount deletions;
        Nanos silentUntil{};

    private:
        PretendEtcd& m_server;
        std::int64_t m_revision;
    };

    static bool within(const QByteArray& key, const QByteArray& begin, const QByteArray& end) {
        return end.isEmpty() ? key == begin : key >= begin && key < end;
    }
    bool isSo(const etcd::Transaction::Created& one) const {
        bool any = false;
        for (const auto& [key, value] : m_keys) {
            if (!within(key, one.key, one.end)) continue;
            any = true;
            if (value.createRevision != one.revision) return false;
        }
        return any || one.revision == 0;
    }
    static bool puts(const etcd::Transaction& transaction) {
        return std::ranges::any_of(transaction.then,
                                   [](const auto& one) { return one.kind == etcd::Operation::Kind::Put; });
    }
    etcd::RangeResult apply(const etcd::Operation& one) {
        etcd::RangeResult result;
        switch (one.kind) {
        case etcd::Operation::Kind::Read:
            return found(one.range);
        case etcd::Operation::Kind::Put: {
            etcd::KeyValue& key = m_keys[one.range.key];
            key.key = one.range.key;
            key.value = one.value;
            key.lease = one.lease;
            key.modRevision = m_revision;
            if (++key.version == 1) key.createRevision = m_revision;
            break;
        }
        case etcd::Operation::Kind::Delete:
            std::erase_if(m_keys, [&](const auto& key) {
                const bool over = within(key.first, one.range.key, one.range.end);
                if (over) tell(key.first);
                result.count += over;
                return over;
            });
        }
        return result;
    }
    etcd::RangeResult found(const etcd::Range& range) const {
        etcd::RangeResult result;
        for (const auto& [key, value] : m_keys) {
            const bool old = range.maxCreateRevision == 0 || value.createRevision <= range.maxCreateRevision;
            if (old && within(key, range.key, range.end)) result.keys.push_back(value);
        }
        if (range.order != etcd::Range::Order::ByKey)
            std::ranges::stable_sort(result.keys, {}, &etcd::KeyValue::createRevision);
        if (range.order == etcd::Range::Order::NewestFirst) std::ranges::reverse(result.keys);
        result.count = std::int64_t(result.keys.size());
        if (range.limit > 0 && result.keys.size() > std::size_t(range.limit))
            result.keys.resize(std::size_t(range.limit));
        result.revision = m_revision;
        return result;
    }
    etcd::LeaseState stateOf(std::int64_t id) const {
        etcd::LeaseState state;
        state.id = id;
        const auto lease = m_leases.find(id);
        if (lease == m_leases.end()) return state;
        state.ttl = lease->second.until - m_runtime.monotonic();
        state.granted = lease->second.ttl;
        return state;
    }
    void endLeases() {
        std::vector<std::int64_t> over;
        for (const auto& [id, lease] : m_leases)
            if (lease.until <= m_runtime.monotonic()) over.push_back(id);
        for (const std::int64_t id : over)
            end(id);
    }
    void end(std::int64_t id) {
        m_leases.erase(id);
        ++m_revision;
        std::erase_if(m_keys, [&](const auto& key) {
            if (key.second.lease == id) tell(key.first);
            return key.second.lease == id;
        });
    }
    void tell(const QByteArray& deleted) {
        for (Watching* const watch : m_watches)
            if (watch->key == deleted) watch->deletions.release();
    }
    static etcd::Error noLease() {
        return {etcd::Error::Kind::LeaseNotFound, 5, QStringLiteral("requested lease not found")};
    }
    static etcd::Error cutOff() { return {etcd::Error::Kind::Unreachable, 0, QStringLiteral("cut off")}; }
    static etcd::Error garbled() {
        etcd::Error error{etcd::Error::Kind::Protocol, 0, QStringLiteral("502 Bad Gateway")};
        error.sent = true;
        return error;
    }

    Runtime& m_runtime;
    std::map<QByteArray, etcd::KeyValue> m_keys;
    std::map<std::int64_t, Lease> m_leases;
    std::set<Watching*> m_watches;
    std::int64_t m_revision = 1;
};

} // namespace lockscope::tests
