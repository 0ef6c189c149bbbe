// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/store.h"

#include <algorithm>

namespace lockscope::sim {

using etcd::KeyValue;
using etcd::Operation;
using Kind = EtcdRequest::Kind;

namespace {

constexpr std::int64_t kMostSeconds = 9'000'000'000;
constexpr std::size_t kMostSteps = 128;
/// Changes that are kept for watches of the past. Real servers keep all until they are compacted.
constexpr std::size_t kMostHistory = 20'000;

/// As the end of a range: there is none.
bool isEndless(const QByteArray& end) {
    return end.size() == 1 && end.front() == '\0';
}

/// Whether a branch of a transaction writes a key twice.
bool writesTwice(const std::vector<Operation>& steps) {
    std::set<QByteArray> puts;
    for (const Operation& step : steps)
        if (step.kind == Operation::Kind::Put && !puts.insert(step.range.key).second) return true;
    return std::ranges::any_of(steps, [&puts](const Operation& step) {
        return step.kind == Operation::Kind::Delete && std::ranges::any_of(puts, [&step](const QByteArray& key) {
                   return EtcdStore::isIn(key, step.range.key, step.range.end);
               });
    });
}

} // namespace

bool EtcdStore::isIn(const QByteArray& name, const QByteArray& key, const QByteArray& end) {
    if (end.isEmpty()) return name == key;
    return name >= key && (isEndless(end) || name < end);
}

std::optional<EtcdReply> EtcdStore::complaint(const EtcdRequest& request) {
    if (request.kind == Kind::Grant && request.seconds > kMostSeconds)
        return EtcdReply::refusal(400, 11, "etcdserver: too large lease TTL");
    if (request.kind != Kind::Txn) return std::nullopt;
    const etcd::Transaction& txn = request.txn;
    if (std::max({txn.ifAll.size(), txn.then.size(), txn.otherwise.size()}) > kMostSteps)
        return EtcdReply::refusal(400, 3, "etcdserver: too many operations in txn request");
    if (writesTwice(txn.then) || writesTwice(txn.otherwise))
        return EtcdReply::refusal(400, 3, "etcdserver: duplicate key given in txn request");
    return std::nullopt;
}

std::pair<EtcdStore::Keys::const_iterator, EtcdStore::Keys::const_iterator>
EtcdStore::keysIn(const QByteArray& key, const QByteArray& end) const {
    if (end.isEmpty()) return m_keys.equal_range(key);
    const auto first = m_keys.lower_bound(key);
    if (isEndless(end)) return {first, m_keys.end()};
    return {first, end > key ? m_keys.lower_bound(end) : first};
}

etcd::RangeResult EtcdStore::range(const etcd::Range& range) const {
    using Order = etcd::Range::Order;
    etcd::RangeResult result;
    result.revision = m_revision;
    std::vector<const KeyValue*> found; // only those that are told are copied: a waiter asks for one of a long queue
    const auto [first, last] = keysIn(range.key, range.end);
    for (auto it = first; it != last; ++it) {
        ++result.count;
        if (range.maxCreateRevision == 0 || it->second.createRevision <= range.maxCreateRevision)
            found.push_back(&it->second);
    }
    // Keys of one revision stay in their order.
    const auto created = [](const KeyValue* key) { return key->createRevision; };
    if (range.limit == 1 && found.size() > 1 && range.order != Order::ByKey) // a waiter's question: nothing to sort
        found = {range.order == Order::OldestFirst ? *std::ranges::min_element(found, {}, created)
                                                   : *std::ranges::max_element(found, {}, created)};
    else if (range.order == Order::OldestFirst)
        std::ranges::stable_sort(found, {}, created);
    else if (range.order == Order::NewestFirst)
        std::ranges::stable_sort(found, std::greater(), created);
    if (range.limit > 0 && found.size() > std::size_t(range.limit)) found.resize(std::size_t(range.limit));
    result.keys.reserve(found.size());
    for (const KeyValue* const key : found)
        result.keys.push_back(*key);
    if (range.keysOnly) {
        for (KeyValue& key : result.keys)
            key.value.clear();
    }
    return result;
}

EtcdReply EtcdStore::read(const EtcdRequest& request) const {
    EtcdReply reply;
    reply.revision = m_revision;
    if (request.kind == Kind::Range) reply.range = range(request.range);
    if (request.kind == Kind::Txn) reply.txn = outcome(request.txn);
    return reply;
}

bool EtcdStore::holds(const etcd::Transaction::Created& condition) const {
    bool any = false;
    const auto [first, last] = keysIn(condition.key, condition.end);
    for (auto it = first; it != last; ++it) {
        any = true;
        if (it->second.createRevision != condition.revision) return false;
    }
    return any || condition.revision == 0;
}

etcd::TransactionResult EtcdStore::outcome(const etcd::Transaction& txn) const {
    etcd::TransactionResult result;
    result.succeeded = std::ranges::all_of(txn.ifAll, [this](const auto& condition) { return holds(condition); });
    for (const Operation& step : result.succeeded ? txn.then : txn.otherwise)
        result.results.push_back(range(step.range));
    result.revision = m_revision;
    return result;
}

void EtcdStore::detach(const KeyValue& key) {
    const auto lease = m_leases.find(key.lease);
    if (lease != m_leases.end()) lease->second.keys.erase(key.key);
}

void EtcdStore::put(const QByteArray& key, const QByteArray& value, std::int64_t lease) {
    KeyValue& now = m_keys[key];
    detach(now);
    if (now.version == 0) now.createRevision = next();
    now.key = key;
    now.value = value;
    now.lease = lease;
    now.modRevision = next();
    ++now.version;
    if (lease != 0) m_leases.at(lease).keys.insert(key);
    m_history.push_back({next(), now, false});
    m_changed = true;
}

std::int64_t EtcdStore::remove(const QByteArray& key, const QByteArray& end) {
    std::int64_t count = 0;
    auto it = m_keys.lower_bound(key);
    while (it != m_keys.end() && isIn(it->first, key, end)) {
        detach(it->second);
        KeyValue gone;
        gone.key = it->first;
        gone.modRevision = next();
        m_history.push_back({next(), std::move(gone), true});
        it = m_keys.erase(it);
        ++count;
    }
    m_changed = m_changed || count > 0;
    return count;
}

void EtcdStore::settle() {
    if (std::exchange(m_changed, false)) ++m_revision;
    while (m_history.size() > kMostHistory) {
        m_compacted = m_history.front().revision + 1;
        while (!m_history.empty() && m_history.front().revision < m_compacted)
            m_history.pop_front();
    }
}

EtcdReply EtcdStore::transact(const etcd::Transaction& txn) {
    EtcdReply reply;
    etcd::TransactionResult& result = reply.txn;
    result.succeeded = std::ranges::all_of(txn.ifAll, [this](const auto& condition) { return holds(condition); });
    const std::vector<Operation>& steps = result.succeeded ? txn.then : txn.otherwise;
    const bool known = std::ranges::all_of(steps, [this](const Operation& step) {
        return step.kind != Operation::Kind::Put || step.lease == 0 || m_leases.contains(step.lease);
    });
    if (!known) return EtcdReply::leaseNotFound();
    for (const Operation& step : steps) {
        etcd::RangeResult& of = result.results.emplace_back();
        switch (step.kind) {
        case Operation::Kind::Read:
            of = range(step.range);
            break;
        case Operation::Kind::Put:
            put(step.range.key, step.value, step.lease);
            break;
        case Operation::Kind::Delete:
            of.count = remove(step.range.key, step.range.end);
            break;
        }
    }
    settle();
    for (etcd::RangeResult& of : result.results)
        of.revision = m_revision;
    result.revision = m_revision;
    return reply;
}

EtcdReply EtcdStore::compact(std::int64_t revision) {
    if (revision <= m_compacted)
        return EtcdReply::refusal(400, 11, "etcdserver: mvcc: required revision has been compacted");
    if (revision > m_revision)
        return EtcdReply::refusal(400, 11, "etcdserver: mvcc: required revision is a future revision");
    m_compacted = revision;
    while (!m_history.empty() && m_history.front().revision < revision)
        m_history.pop_front();
    return {};
}

EtcdReply EtcdStore::apply(const EtcdRequest& request) {
    EtcdReply reply;
    switch (request.kind) {
    case Kind::Put:
        if (request.lease != 0 && !m_leases.contains(request.lease)) return EtcdReply::leaseNotFound();
        put(request.range.key, request.value, request.lease);
        break;
    case Kind::DeleteRange:
        reply.deleted = remove(request.range.key, request.range.end);
        break;
    case Kind::Txn:
        reply = transact(request.txn);
        break;
    case Kind::Grant: {
        if (m_leases.contains(request.lease)) return EtcdReply::refusal(412, 9, "etcdserver: lease already exists");
        const std::int64_t seconds = std::max(request.seconds, kLeastSeconds);
        m_leases[request.lease].seconds = seconds;
        reply.lease.id = request.lease;
        reply.lease.ttl = std::chrono::seconds(seconds);
        break;
    }
    case Kind::Revoke: {
        const auto lease = m_leases.find(request.lease);
        if (lease == m_leases.end()) return EtcdReply::leaseNotFound();
        const std::set<QByteArray> keys = lease->second.keys;
        for (const QByteArray& key : keys)
            remove(key, {});
        m_leases.erase(request.lease);
        break;
    }
    case Kind::Compact:
        reply = compact(request.revision);
        break;
    default:
        Q_ASSERT(!request.writes());
    }
    settle();
    reply.revision = m_revision;
    return reply;
}

std::vector<EtcdStore::Change> EtcdStore::changesFrom(std::int64_t revision) const {
    const auto first = std::ranges::lower_bound(m_history, revision, {}, &Change::revision);
    return {first, m_history.end()};
}

} // namespace lockscope::sim
