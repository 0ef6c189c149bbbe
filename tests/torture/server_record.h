// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

#include <QByteArrayList>
#include <QString>
#include <vector>

namespace lockscope::torture {

/// A change of something that a server keeps for a lock.
struct ServerRecord {
    trace::Event event;      ///< RecordHeld, RecordRenewed or RecordFreed; without entities, times in ns since 1970
    QByteArray place;        ///< what it is: the lock's own name, or what is kept for one of those who have or want it
    QByteArray actor, owner; ///< "<client>:<thread>"; empty: nobody
};

/// A server's own report of what it did, word for word.
struct Testimony {
    enum class Kind : std::uint8_t {
        RedisKeys,      ///< MONITOR, of locks in strings and in hashes of holds
        RedisReadWrite, ///< MONITOR, of read/write locks
        RedisPermits,   ///< MONITOR, of semaphores
        Memcached,      ///< `watch fetchers mutations connevents`
        Etcd,           ///< "<ns since 1970> <answer of a watch over all locks>" a line
        ZooKeeper,      ///< transaction logs, a part each
        SqlRows,        ///< rows of the audit table: see sql_audit.h
        MariaDbLog,     ///< the general log
        KilledSessions, ///< how many sessions PostgreSQL's statistics count as killed, a part for each look
    };
    Kind kind = Kind::RedisKeys;
    QByteArray node; ///< which of several servers; empty: there is but one
    QByteArrayList parts;
    QString gap; ///< why something may be missing; empty: nothing is
};

struct Background;
/// The changes that a testimony tells of, in the server's own order.
std::vector<ServerRecord> readTestimony(const Testimony& testimony, const Background& background);

/// The "<client>:<thread>" that a word is, or begins with; empty when it is none. Clients' names are 36 characters.
QByteArray identityIn(const QByteArray& word);
/// "<client>:?": somebody of that client; nobody when there is no client.
QByteArray someoneOf(const QByteArray& client);
/// An identity that is none of the clients': an unknown client that is not the owner.
inline constexpr const char* kStranger = "somebody else:?";

/// A record of that kind.
ServerRecord serverRecord(trace::EventKind kind, std::int64_t at, QByteArray place, QByteArray actor, QByteArray owner);
/// The end of one.
ServerRecord freedRecord(std::int64_t at, QByteArray place, QByteArray actor, QByteArray owner, trace::FreedBy why);

} // namespace lockscope::torture
