// SPDX-License-Identifier: Apache-2.0
// Connections to a real etcd, and random requests that both a real and a simulated one get.
#pragma once
#include "ports/etcd/codec.h"
#include "ports/etcd/http_reader.h"
#include "sim/etcd/message.h"
#include "two_sides.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace lockscope::differential {

using EtcdKind = sim::EtcdRequest::Kind;

/// A connection to a real etcd's gateway: one request at a time, or a watch. Blocks.
class RealEtcd {
public:
    explicit RealEtcd(std::uint16_t port) : m_socket(port) {}
    sim::EtcdReply ask(const sim::EtcdRequest& request) {
        m_reader.begin();
        send(request);
        bool done = false;
        while (!done) {
            const QByteArray bytes = m_socket.read();
            if (bytes.isEmpty()) break;
            done = m_reader.feed(bytes).value_or(true);
        }
        return read(request, m_reader.status(), m_reader.body());
    }
    void watch(const sim::EtcdRequest& request) {
        m_reader.begin();
        send(request);
    }
    /// The next message of the watch.
    etcd::codec::WatchLine next() {
        for (;;) {
            QByteArray& body = m_reader.body();
            const qsizetype end = body.indexOf('\n');
            if (end >= 0) {
                const QByteArray line = body.first(end);
                body.remove(0, end + 1);
                return etcd::codec::watchLine(line, {}).value_or(etcd::codec::WatchLine());
            }
            const QByteArray bytes = m_socket.read();
            if (bytes.isEmpty()) return {};
            (void)m_reader.feed(bytes);
        }
    }

private:
    void send(const sim::EtcdRequest& request) {
        const auto [path, body] = encoded(request);
        m_socket.write("POST " + path + " HTTP/1.1\r\nHost: etcd\r\nContent-Length: " +
                       QByteArray::number(body.size()) + "\r\n\r\n" + body);
    }
    static std::pair<QByteArray, QByteArray> encoded(const sim::EtcdRequest& request) {
        namespace codec = etcd::codec;
        const etcd::Range& range = request.range;
        switch (request.kind) {
        case EtcdKind::Range:
            return {"/v3/kv/range", codec::range(range)};
        case EtcdKind::Put:
            return {"/v3/kv/put", codec::put(range.key, request.value, request.lease)};
        case EtcdKind::DeleteRange:
            return {"/v3/kv/deleterange", codec::deleteRange(range.key, range.end)};
        case EtcdKind::Txn:
            return {"/v3/kv/txn", codec::transaction(request.txn)};
        case EtcdKind::Grant:
            return {"/v3/lease/grant", codec::grant(request.lease, std::chrono::seconds(request.seconds))};
        case EtcdKind::KeepAlive:
            return {"/v3/lease/keepalive", codec::lease(request.lease)};
        case EtcdKind::Revoke:
            return {"/v3/lease/revoke", codec::lease(request.lease)};
        case EtcdKind::TimeToLive:
            return {"/v3/lease/timetolive", codec::lease(request.lease)};
        case EtcdKind::Compact:
            return {"/v3/kv/compaction", "{\"revision\": " + QByteArray::number(qint64(request.revision)) + '}'};
        case EtcdKind::Watch:
            return {"/v3/watch", codec::watch(range.key, range.end, request.deletionsOnly)};
        case EtcdKind::CancelWatch:
            break;
        }
        return {};
    }
    static sim::EtcdReply read(const sim::EtcdRequest& request, int status, const QByteArray& body) {
        namespace codec = etcd::codec;
        sim::EtcdReply reply;
        reply.status = status;
        if (status != 200) {
            const QJsonObject object = QJsonDocument::fromJson(body).object();
            reply.code = object[QStringLiteral("code")].toInt();
            reply.error = object[QStringLiteral("message")].toString().toUtf8();
            return reply;
        }
        reply.revision = codec::revision(body).value_or(-1);
        switch (request.kind) {
        case EtcdKind::Range:
            reply.range = codec::rangeResult(body).value_or(etcd::RangeResult());
            break;
        case EtcdKind::DeleteRange:
            reply.deleted = codec::deleted(body).value_or(-1);
            break;
        case EtcdKind::Txn:
            reply.txn = codec::transactionResult(body).value_or(etcd::TransactionResult());
            break;
        case EtcdKind::Grant:
        case EtcdKind::KeepAlive:
        case EtcdKind::TimeToLive:
            reply.lease = codec::leaseState(body).value_or(etcd::LeaseState());
            break;
        default:
            break;
        }
        return reply;
    }
    BlockingSocket m_socket;
    etcd::HttpReader m_reader;
};

inline QByteArray shown(const etcd::KeyValue& key) {
    const auto n = [](std::int64_t value) { return ' ' + QByteArray::number(qint64(value)); };
    return key.key + '=' + key.value + n(key.createRevision) + n(key.modRevision) + n(key.version) + n(key.lease);
}

inline QByteArray shown(const etcd::RangeResult& range) {
    QByteArrayList keys;
    for (const etcd::KeyValue& key : range.keys)
        keys += shown(key);
    return '[' + keys.join(", ") + "] of " + QByteArray::number(qint64(range.count));
}

/// Everything that both servers must agree on: the time that a lease has left is not part of it.
inline QByteArray shown(const sim::EtcdRequest& request, const sim::EtcdReply& reply) {
    if (!reply.ok()) return QByteArray::number(reply.status) + '/' + QByteArray::number(reply.code) + ' ' + reply.error;
    QByteArray text = "at " + QByteArray::number(qint64(reply.revision));
    switch (request.kind) {
    case EtcdKind::Range:
        return text + ' ' + shown(reply.range);
    case EtcdKind::DeleteRange:
        return text + " deleted " + QByteArray::number(qint64(reply.deleted));
    case EtcdKind::Txn:
        text += reply.txn.succeeded ? " succeeded" : " failed";
        for (const etcd::RangeResult& result : reply.txn.results)
            text += ' ' + shown(result);
        return text;
    case EtcdKind::Grant:
    case EtcdKind::KeepAlive:
        return text + " ttl " + QByteArray::number(qint64(reply.lease.ttl / 1s));
    case EtcdKind::TimeToLive: {
        QByteArrayList keys(reply.lease.keys.begin(), reply.lease.keys.end());
        std::ranges::sort(keys); // a real server tells them in no order
        return text + " granted " + QByteArray::number(qint64(reply.lease.granted / 1s)) + " keys " + keys.join(',');
    }
    default:
        return text;
    }
}

inline QByteArray shown(std::int64_t revision, const std::vector<etcd::WatchEvent>& events) {
    QByteArrayList all;
    for (const etcd::WatchEvent& event : events) {
        const bool gone = event.kind == etcd::WatchEvent::Kind::Deleted;
        all += (gone ? "deleted " : "put ") + shown(event.key);
    }
    return "at " + QByteArray::number(qint64(revision)) + ": " + all.join(", ");
}

/// Random requests over few keys and leases, so that they meet.
class RandomKeys : public Dice {
public:
    using Dice::Dice;
    /// The store's revision, as far as is known.
    void reached(std::int64_t revision) { m_revision = std::max(m_revision, revision); }

    sim::EtcdRequest next() {
        sim::EtcdRequest request;
        const std::uint64_t what = below(1000);
        request.kind = what < 230   ? EtcdKind::Range
                       : what < 430 ? EtcdKind::Put
                       : what < 530 ? EtcdKind::DeleteRange
                       : what < 780 ? EtcdKind::Txn
                       : what < 850 ? EtcdKind::Grant
                       : what < 900 ? EtcdKind::KeepAlive
                       : what < 940 ? EtcdKind::Revoke
                       : what < 998 ? EtcdKind::TimeToLive
                                    : EtcdKind::Compact;
        request.lease = lease();
        request.seconds = chance(8) ? std::int64_t(below(3)) + 100'000 : 100'000;
        if (chance(200)) request.seconds = 9'000'000'001;
        request.range = range();
        if (request.kind == EtcdKind::Put) {
            request.range = {};
            request.range.key = key();
            request.value = value();
            if (chance(3)) request.lease = 0;
        }
        if (request.kind == EtcdKind::Txn) request.txn = transaction();
        if (request.kind == EtcdKind::Compact) request.revision = m_revision - std::int64_t(below(6)) + 1;
        return request;
    }

private:
    QByteArray key() {
        static constexpr std::array kKeys = {"l/1", "l/2", "l/3", "l/4", "l", "m", "a"};
        return kKeys[below(kKeys.size())];
    }
    QByteArray value() { return QByteArray(qsizetype(below(6)), char('a' + below(26))); }
    std::int64_t lease() { return 0x10 + std::int64_t(below(5)); }
    etcd::Range range() {
        using Order = etcd::Range::Order;
        etcd::Range range;
        range.key = key();
        if (chance(2)) {
            range.key = chance(2) ? "l/" : "a";
            range.end = chance(6) ? QByteArray(1, '\0') : QByteArray(chance(2) ? "l0" : "n");
        }
        static constexpr std::array kOrders = {Order::ByKey, Order::OldestFirst, Order::NewestFirst};
        range.order = kOrders[below(3)];
        if (chance(2)) range.limit = 1 + int(below(3));
        if (chance(3)) range.maxCreateRevision = std::max<std::int64_t>(1, m_revision - std::int64_t(below(20)));
        range.keysOnly = chance(6);
        return range;
    }
    etcd::Operation step() {
        const std::uint64_t what = below(10);
        if (what < 4) return etcd::Operation::read(range());
        if (what < 8) return etcd::Operation::put(key(), value(), chance(2) ? lease() : 0);
        return etcd::Operation::remove(key());
    }
    etcd::Transaction transaction() {
        etcd::Transaction txn;
        for (std::uint64_t conditions = below(3); conditions > 0; --conditions) {
            etcd::Transaction::Created condition;
            condition.key = key();
            if (chance(3)) {
                condition.key = "l/";
                condition.end = "l0";
            }
            condition.revision = chance(2) ? 0 : std::max<std::int64_t>(0, m_revision - std::int64_t(below(8)));
            txn.ifAll.push_back(std::move(condition));
        }
        for (std::uint64_t steps = 1 + below(3); steps > 0; --steps)
            txn.then.push_back(step());
        for (std::uint64_t steps = below(3); steps > 0; --steps)
            txn.otherwise.push_back(step());
        return txn;
    }
    std::int64_t m_revision = 1;
};

} // namespace lockscope::differential
