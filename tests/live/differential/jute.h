// SPDX-License-Identifier: Apache-2.0
// ZooKeeper's protocol as far as the simulated server's messages go: requests as bytes, bytes as answers and events.
#pragma once
#include "sim/zookeeper/message.h"

#include <QtEndian>
#include <algorithm>
#include <array>

namespace lockscope::differential {

class JuteWriter {
public:
    JuteWriter& number(qint32 value) { return raw(value); }
    JuteWriter& wide(qint64 value) { return raw(value); }
    JuteWriter& flag(bool value) {
        m_bytes.append(value ? '\1' : '\0');
        return *this;
    }
    JuteWriter& text(const QByteArray& value) {
        number(qint32(value.size()));
        m_bytes.append(value);
        return *this;
    }
    JuteWriter& texts(const std::vector<QByteArray>& values) {
        number(qint32(values.size()));
        for (const QByteArray& value : values)
            text(value);
        return *this;
    }
    /// With its length in front.
    QByteArray packet() const {
        QByteArray all(4, '\0');
        qToBigEndian(qint32(m_bytes.size()), all.data());
        return all + m_bytes;
    }

private:
    template <typename T>
    JuteWriter& raw(T value) {
        QByteArray bytes(qsizetype(sizeof value), '\0');
        qToBigEndian(value, bytes.data());
        m_bytes.append(bytes);
        return *this;
    }
    QByteArray m_bytes;
};

class JuteReader {
public:
    explicit JuteReader(QByteArray bytes) : m_bytes(std::move(bytes)) {}
    qint32 number() { return raw<qint32>(); }
    qint64 wide() { return raw<qint64>(); }
    bool flag() { return take(1) == QByteArray(1, '\1'); }
    QByteArray text() { return take(std::max(number(), 0)); }
    QByteArrayList texts() {
        QByteArrayList values(std::max(number(), 0));
        for (QByteArray& value : values)
            value = text();
        return values;
    }
    zookeeper::NodeStat stat() {
        zookeeper::NodeStat stat;
        stat.czxid = wide();
        stat.mzxid = wide();
        stat.ctime = wide();
        stat.mtime = wide();
        stat.version = number();
        stat.cversion = number();
        stat.aversion = number();
        stat.ephemeralOwner = wide();
        stat.dataLength = number();
        stat.children = number();
        stat.pzxid = wide();
        return stat;
    }
    bool atEnd() const { return m_at >= m_bytes.size(); }

private:
    QByteArray take(qsizetype size) {
        const QByteArray part = m_bytes.mid(m_at, size);
        m_at += size;
        return part;
    }
    template <typename T>
    T raw() {
        const QByteArray bytes = take(sizeof(T));
        return bytes.size() == qsizetype(sizeof(T)) ? qFromBigEndian<T>(bytes.constData()) : T(0);
    }
    QByteArray m_bytes;
    qsizetype m_at = 0;
};

namespace jute {

using Kind = sim::ZkRequest::Kind;
using Step = zookeeper::Op::Kind;
using zookeeper::NodeMode;

inline constexpr qint32 kEvent = -1, kPing = -2, kLogin = -4, kRewatch = -8; ///< numbers of what is no usual request
enum Type : qint32 {
    CreateInMulti = 1, ///< its result has no stat
    Remove = 2,
    Exists = 3,
    Get = 4,
    Set = 5,
    Sync = 9,
    Ping = 11,
    Children = 12,
    Check = 13,
    Multi = 14,
    Create = 15,
    CreateContainer = 19,
    CreateTtl = 21,
    Login = 100,
    Rewatch = 101,
    EndSession = -11,
    Failure = -1,
};

inline Type typeOf(const sim::ZkOp& op) {
    switch (op.kind) {
    case Step::Remove:
        return Remove;
    case Step::Set:
        return Set;
    case Step::Check:
        return Check;
    case Step::Create:
        break;
    }
    if (op.mode == NodeMode::Container) return CreateContainer;
    return op.mode == NodeMode::Ttl || op.mode == NodeMode::SequentialTtl ? CreateTtl : Create;
}

inline void write(JuteWriter& to, const sim::ZkOp& op) {
    to.text(op.path);
    if (op.kind == Step::Create) {
        to.text(op.data).number(qint32(op.acl.size()));
        for (const sim::ZkAclLine& line : op.acl)
            to.number(line.permissions).text(line.scheme).text(line.id);
        static constexpr std::array kOrder = {
            NodeMode::Persistent, NodeMode::Ephemeral, NodeMode::PersistentSequential, NodeMode::EphemeralSequential,
            NodeMode::Container,  NodeMode::Ttl,       NodeMode::SequentialTtl};
        to.number(qint32(std::ranges::find(kOrder, op.mode) - kOrder.begin())); // ZooKeeper's own numbers
        if (typeOf(op) == CreateTtl) to.wide(op.ttlMs);
        return;
    }
    if (op.kind == Step::Set) to.text(op.data);
    to.number(op.version);
}

inline QByteArray greeting(const sim::ZkGreeting& greeting, const QByteArray& password) {
    JuteWriter out;
    out.number(0).wide(greeting.seen).number(qint32(greeting.timeoutMs)).wide(greeting.session);
    out.text(password.isEmpty() ? QByteArray(16, '\0') : password).flag(false);
    return out.packet();
}

/// A request's number on the wire.
inline qint32 numberOf(qint32 number, const sim::ZkRequest& request) {
    if (request.kind == Kind::Ping) return kPing;
    if (request.kind == Kind::Login) return kLogin;
    return request.kind == Kind::Rewatch ? kRewatch : number;
}

inline QByteArray request(qint32 number, const sim::ZkRequest& request) {
    JuteWriter out;
    out.number(numberOf(number, request));
    switch (request.kind) {
    case Kind::Create:
    case Kind::Remove:
    case Kind::Set:
        out.number(typeOf(request.ops.front()));
        write(out, request.ops.front());
        break;
    case Kind::Multi:
        out.number(Multi);
        for (const sim::ZkOp& op : request.ops) {
            out.number(op.kind == Step::Create ? CreateInMulti : typeOf(op)).flag(false).number(-1);
            write(out, op);
        }
        out.number(-1).flag(true).number(-1);
        break;
    case Kind::Get:
        out.number(Get).text(request.path).flag(request.watch);
        break;
    case Kind::Exists:
        out.number(Exists).text(request.path).flag(request.watch);
        break;
    case Kind::Children:
        out.number(Children).text(request.path).flag(request.watch);
        break;
    case Kind::Sync:
        out.number(Sync).text(request.path);
        break;
    case Kind::Ping:
        out.number(Ping);
        break;
    case Kind::Login:
        out.number(Login).number(0).text(request.scheme).text(request.path);
        break;
    case Kind::Rewatch:
        out.number(Rewatch).wide(request.rewatch.seen).texts(request.rewatch.data);
        out.texts(request.rewatch.existence).texts(request.rewatch.children);
        break;
    case Kind::EndSession:
        out.number(EndSession);
        break;
    }
    return out.packet();
}

/// Reads the part of an answer behind its head.
inline void read(JuteReader& from, const sim::ZkRequest& request, sim::ZkReply& reply) {
    if (reply.code != 0) {
        // A single change that failed has one result: its code.
        if (request.kind <= Kind::Set) reply.results = {{reply.code, {}, {}}};
        return;
    }
    switch (request.kind) {
    case Kind::Create:
        reply.results.resize(1);
        reply.results.front().path = from.text();
        reply.results.front().stat = from.stat();
        break;
    case Kind::Remove:
        reply.results.resize(1);
        break;
    case Kind::Set:
        reply.results.resize(1);
        reply.results.front().stat = from.stat();
        break;
    case Kind::Multi:
        for (;;) {
            const qint32 type = from.number();
            const bool done = from.flag();
            from.number();
            if (done || from.atEnd()) break;
            sim::ZkOpResult& result = reply.results.emplace_back();
            if (type == Failure) result.code = from.number();
            if (type == CreateInMulti) result.path = from.text();
            if (type == Set) result.stat = from.stat();
        }
        break;
    case Kind::Get:
        reply.data = from.text();
        reply.stat = from.stat();
        break;
    case Kind::Exists:
        reply.stat = from.stat();
        break;
    case Kind::Children:
        reply.names = from.texts();
        reply.stat = from.stat();
        break;
    default:
        break;
    }
}

} // namespace jute
} // namespace lockscope::differential
