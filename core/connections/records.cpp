// SPDX-License-Identifier: Apache-2.0
#include "connections/records.h"

#include "recipes/etcd/etcd_lease.h"
#include "recipes/redis/redis_recipe.h"
#include "recipes/redis/script.h"
#include "recipes/zookeeper/zk_recipe.h"

namespace lockscope {

using recipes::lockError;

namespace {
constexpr auto replaceScript = recipes::script<"record_replace">;
QByteArray redisKey(const QByteArray& name) {
    return "lockscope_record:" + recipes::hashTagged(name);
}

const QByteArray kZkFolder = "/lockscope-records";
QByteArray zkPath(const QByteArray& name) {
    return kZkFolder + '/' + name.toPercentEncoding();
}

QByteArray etcdPrefix(const QByteArray& name) {
    return "lockscope-records/" + name.toPercentEncoding() + '/';
}
QByteArray etcdKey(const QByteArray& name, qint64 number) {
    return etcdPrefix(name) + QByteArray::number(number).rightJustified(12, '0');
}
} // namespace

recipes::Outcome<Record> RedisRecords::read(QByteArray name, std::stop_token stop) {
    const redis::Result reply = co_await m_port.call(redis::argsOf("GET", redisKey(name)), stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), name));
    Record record;
    record.there = reply->type == redis::Reply::Type::Bulk;
    record.value = reply->text;
    co_return record;
}

recipes::Outcome<bool> RedisRecords::replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) {
    const QByteArray there = seen.there ? "1" : "0";
    const redis::Result reply = co_await m_port.eval(replaceScript(), redis::argsOf(redisKey(name)),
                                                     redis::argsOf(there, seen.value, value), stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), name));
    co_return reply->integer == 1;
}

recipes::Outcome<Record> ZooKeeperRecords::read(QByteArray name, std::stop_token stop) {
    const QByteArray path = zkPath(name);
    const auto synced = co_await m_port.sync(path, stop); // a follower may be behind
    if (!synced) co_return std::unexpected(lockError(synced.error()));
    const auto found = co_await m_port.get(path, {}, stop);
    if (!found && found.error().kind == zookeeper::Error::Kind::NoNode) co_return Record();
    if (!found) co_return std::unexpected(lockError(found.error()));
    Record record;
    record.there = true;
    record.value = found->data;
    record.version = QByteArray::number(found->stat.version);
    co_return record;
}

recipes::Outcome<bool> ZooKeeperRecords::replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) {
    using Kind = zookeeper::Error::Kind;
    const QByteArray path = zkPath(name);
    if (seen.there) {
        const auto set = co_await m_port.set(path, value, seen.version.toInt(), stop);
        if (set) co_return true;
        if (set.error().kind == Kind::BadVersion || set.error().kind == Kind::NoNode) co_return false;
        co_return std::unexpected(lockError(set.error()));
    }
    const auto folder = co_await m_port.makeContainers(kZkFolder, stop);
    if (!folder) co_return std::unexpected(lockError(folder.error()));
    const auto made = co_await m_port.create(path, value, zookeeper::NodeMode::Persistent, {}, stop);
    if (made) co_return true;
    if (made.error().kind == Kind::NodeExists) co_return false;
    co_return std::unexpected(lockError(made.error()));
}

recipes::Outcome<Record> EtcdRecords::read(QByteArray name, std::stop_token stop) {
    etcd::Range range;
    range.key = etcdPrefix(name);
    range.end = etcd::endOfPrefix(range.key);
    range.order = etcd::Range::Order::NewestFirst;
    range.limit = 1;
    const auto found = co_await m_port.range(range, stop);
    if (!found) co_return std::unexpected(lockError(found.error()));
    Record record;
    if (found->keys.empty()) co_return record;
    record.there = true;
    record.value = found->keys.front().value;
    record.version = found->keys.front().key + ' ' + QByteArray::number(qint64(found->keys.front().createRevision));
    co_return record;
}

recipes::Outcome<bool> EtcdRecords::replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) {
    const QByteArray seenKey = seen.version.left(seen.version.indexOf(' '));
    const qint64 seenRevision = seen.version.mid(seenKey.size() + 1).toLongLong();
    const qint64 number = seen.there ? seenKey.mid(etcdPrefix(name).size()).toLongLong() : 0;
    const QByteArray key = etcdKey(name, number + 1);
    // A process may make the next key only if it has seen the last one. A free next key does not prove that: it may
    // have come and gone. So no key at all may exist from there on.
    etcd::Transaction transaction;
    transaction.ifAll.push_back({key, 0, etcd::endOfPrefix(etcdPrefix(name))});
    if (seen.there) transaction.ifAll.push_back({seenKey, seenRevision});
    transaction.then.push_back(etcd::Operation::put(key, value, 0));
    if (seen.there) transaction.then.push_back(etcd::Operation::remove(seenKey));
    etcd::Range look;
    look.key = key;
    transaction.otherwise.push_back(etcd::Operation::read(look));
    const auto done = co_await m_port.run(transaction, stop);
    if (!done) co_return std::unexpected(lockError(done.error()));
    if (done->succeeded) co_return true;
    // If the driver sent the transaction twice, the second one finds the key that the first one made.
    const bool ours = !done->results.empty() && !done->results.front().keys.empty() &&
                      done->results.front().keys.front().value == value;
    co_return ours;
}

} // namespace lockscope
