// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/etcd/port.h"

/// etcd's messages as its JSON gateway writes them: keys and values in base64, 64-bit numbers as strings; zero and
/// empty fields are omitted.
namespace lockscope::etcd::codec {

/// Encode the bodies of requests.
QByteArray grant(std::int64_t id, std::chrono::seconds ttl);
QByteArray lease(std::int64_t id); ///< for keepalive, revoke and timetolive
QByteArray range(const Range& range);
QByteArray transaction(const Transaction& transaction);
QByteArray deleteRange(const QByteArray& key, const QByteArray& end);
QByteArray put(const QByteArray& key, const QByteArray& value, std::int64_t lease);
/// `end` empty: one key; else all in [key, end).
QByteArray watch(const QByteArray& key, const QByteArray& end, bool deletionsOnly);
QByteArray login(const QString& user, const QString& password);

// Decode the bodies of replies; the error says what is unexpected in one.
template <typename T>
using Read = std::expected<T, QString>;
Read<LeaseState> leaseState(const QByteArray& body);
Read<RangeResult> rangeResult(const QByteArray& body);
/// A member's word of itself.
struct MemberState {
    QByteArray version;
    std::uint64_t id = 0;      ///< its own; 0 when it does not say
    std::uint64_t leader = 0;  ///< the leader's id; 0 when it does not say
    std::int64_t applied = -1; ///< entries of the log that it has applied; -1 when it does not say
    std::int64_t term = 0;     ///< the number of its leader's election; 0 when it does not say
};
/// Reads a member's state from the answer to /v3/maintenance/status.
Read<MemberState> memberState(const QByteArray& body);
/// The members by their ids; none of them leads yet.
Read<std::vector<std::pair<std::uint64_t, Member>>> memberList(const QByteArray& body);
Read<TransactionResult> transactionResult(const QByteArray& body);
Read<Removal> removal(const QByteArray& body);
Read<std::int64_t> deleted(const QByteArray& body);
Read<std::int64_t> revision(const QByteArray& body);
Read<QByteArray> token(const QByteArray& body);

/// One line of a watch's stream, decoded.
struct WatchLine {
    bool created = false;
    std::int64_t revision = 0;      ///< the store's revision
    std::vector<WatchEvent> events; ///< ends with a Gap when the server ended the watch
};
/// Decodes such a line; `where` is for the error.
Read<WatchLine> watchLine(const QByteArray& line, const QString& where);

/// The error for a reply whose status is not 200.
Error refusal(int status, const QByteArray& body, const QString& where);

} // namespace lockscope::etcd::codec
