// SPDX-License-Identifier: Apache-2.0
#include "connections/memcached/memcached_records.h"

#include "recipes/memcached/memcached_recipe.h"

namespace lockscope {

using memcached::Change;
using recipes::lockError;

namespace {
constexpr memcached::Expiry kNoEnd = 0;

QByteArray keyOf(const QByteArray& name) {
    return "lockscope_record:" + name.toPercentEncoding();
}

QByteArray textOf(const memcached::Mark& mark) {
    return QByteArray::number(qulonglong(mark.unique)) + ' ' + QByteArray::number(qulonglong(mark.connection));
}
memcached::Mark markOf(const QByteArray& text) {
    const qsizetype space = text.indexOf(' ');
    return {text.left(space).toULongLong(), text.mid(space + 1).toULongLong()};
}
} // namespace

recipes::Outcome<Record> MemcachedRecords::read(QByteArray name, std::stop_token stop) {
    const std::shared_ptr<memcached::Port> port = m_port;
    const std::shared_ptr<Values> all = m_known;
    const QByteArray key = keyOf(name);
    if (const auto wrong = recipes::memcachedNameError(key)) co_return std::unexpected(*wrong);
    const auto found = co_await port->get(key, stop);
    if (!found) co_return std::unexpected(lockError(found.error()));
    std::optional<memcached::Item> item = *found;
    if (const auto known = all->find(key); !item && known != all->end()) {
        const QByteArray value = known->second;
        const auto put = co_await port->add(key, value, kNoEnd, true, stop);
        if (!put) co_return std::unexpected(lockError(put.error()));
        item = put->item; // ours, or that of somebody who was quicker
    }
    Record record;
    if (!item) co_return record;
    (*all)[key] = item->value;
    record.there = true;
    record.value = item->value;
    if (item->mark.unique == 0) co_return std::unexpected(recipes::memcachedWithoutCas());
    record.version = textOf(item->mark);
    co_return record;
}

recipes::Outcome<bool> MemcachedRecords::replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) {
    const std::shared_ptr<memcached::Port> port = m_port;
    const std::shared_ptr<Values> all = m_known;
    const QByteArray key = keyOf(name);
    if (const auto wrong = recipes::memcachedNameError(key)) co_return std::unexpected(*wrong);
    std::expected<Change, memcached::Error> done;
    if (seen.there)
        done = co_await port->compareAndSet(key, value, kNoEnd, markOf(seen.version), false, stop);
    else
        done = co_await port->add(key, value, kNoEnd, false, stop);
    if (!done) co_return std::unexpected(lockError(done.error()));
    const bool stored = done->outcome == Change::Outcome::Stored;
    if (stored) (*all)[key] = value;
    co_return stored;
}

} // namespace lockscope
