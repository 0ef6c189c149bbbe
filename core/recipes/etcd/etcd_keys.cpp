// SPDX-License-Identifier: Apache-2.0
#include "recipes/etcd/etcd_keys.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::recipes {

using etcd::KeyValue;
using etcd::Operation;
using etcd::Range;
using etcd::Transaction;
using etcd::TransactionResult;

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(LockError)
};

bool allDigits(const QByteArray& text) {
    return !text.isEmpty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

QByteArray hex(std::int64_t lease) {
    return QByteArray::number(qlonglong(lease), 16);
}

} // namespace

Range EtcdKeys::underPrefix(Range::Order order) const {
    Range range;
    range.key = m_prefix;
    range.end = etcd::endOfPrefix(m_prefix);
    range.order = order;
    range.limit = 1;
    return range;
}

Operation EtcdKeys::oldest() const {
    return Operation::read(underPrefix(Range::Order::OldestFirst));
}

Operation EtcdKeys::before(std::int64_t revision) const {
    Range range = underPrefix(Range::Order::NewestFirst);
    range.maxCreateRevision = revision - 1;
    return Operation::read(std::move(range));
}

Outcome<TransactionResult> EtcdKeys::run(Transaction transaction, std::shared_ptr<EtcdStand> stand,
                                         std::stop_token stop) {
    bool sees = m_seesName;
    if (sees) transaction.ifAll.push_back({m_name, 0});
    for (;;) {
        const auto result = co_await m_port.run(transaction, stop);
        // Sent more than once, or without an answer, it may yet put the key when it is too late.
        const bool unknown = result ? result->repeated : result.error().outcomeUnknown();
        if (stand) stand->doubtful = stand->doubtful || unknown;
        if (!result) {
            if (stand && result.error().kind == etcd::Error::Kind::LeaseNotFound) stand->term->ended = true;
            if (!sees || result.error().kind != etcd::Error::Kind::Denied)
                co_return std::unexpected(lockError(result.error()));
            sees = false;
            transaction.ifAll.pop_back();
            continue;
        }
        if (!sees) m_seesName = false; // this user may use the lock's keys alone, as etcd's own mutex does
        if (!sees || result->succeeded) co_return *result;
        if (!result->results.empty() && !result->results.front().keys.empty()) co_return *result; // that is why
        Range name;
        name.key = m_name;
        const auto there = co_await m_port.range(name, stop);
        if (!there) co_return std::unexpected(lockError(there.error()));
        if (there->keys.empty()) continue; // no longer
        const KeyValue& key = there->keys.front();
        const bool shedLock = key.value.startsWith("ADDED:");
        co_return std::unexpected(foreign(key, shedLock ? Text::tr("ShedLock's lock") : Text::tr("other data")));
    }
}

Outcome<std::optional<KeyValue>> EtcdKeys::holder(std::stop_token stop) {
    Transaction look;
    look.then.push_back(oldest());
    const auto found = co_await run(std::move(look), nullptr, std::move(stop));
    if (!found) co_return std::unexpected(found.error());
    if (found->results.empty() || found->results.front().keys.empty()) co_return std::nullopt;
    const KeyValue first = found->results.front().keys.front();
    if (const auto refused = complaint(first)) co_return std::unexpected(*refused);
    if (first.key != m_prefix + hex(first.lease)) co_return std::nullopt; // a lock below this one
    co_return first;
}

std::optional<LockError> EtcdKeys::complaint(const KeyValue& key) const {
    const QByteArray rest = key.key.mid(m_prefix.size());
    const bool ofLock = key.lease != 0 && rest == hex(key.lease);
    if (ofLock && key.value.isEmpty()) return std::nullopt;
    if (ofLock) return foreign(key, Text::tr("an election's candidate"));
    if ((rest.startsWith("read/") || rest.startsWith("write/")) && allDigits(rest.mid(rest.indexOf('/') + 1)))
        return foreign(key, Text::tr("a read/write lock"));
    if (!rest.contains('/') || key.lease == 0) return foreign(key, Text::tr("other data"));
    return std::nullopt; // a lock below this one: we wait behind it, as etcd's own would
}

LockError EtcdKeys::foreign(const KeyValue& key, const QString& what) const {
    return {LockError::Kind::ForeignFormat,
            Text::tr("The key “%1” is %2, not a lock of this kind: it was left alone. Use another lock name than "
                     "“%3”.")
                .arg(QString::fromUtf8(key.key), what, QString::fromUtf8(m_name))};
}

} // namespace lockscope::recipes
