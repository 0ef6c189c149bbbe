// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <cstdint>
#include <expected>

namespace lockscope::zookeeper {

/// Each way in which talking to a ZooKeeper fails, told apart because a caller can act on it.
struct Error {
    enum class Kind : std::uint8_t {
        Unreachable,    ///< no server gave a session in time; nothing was sent
        AuthFailed,     ///< the login was refused, for good
        ConnectionLoss, ///< the connection broke before the answer: whether it ran is unknown
        SessionLost,    ///< the session ended before the answer: its ephemeral nodes are gone, or soon will be
        NoNode,
        NodeExists,
        NotEmpty,
        BadVersion,
        NoAuth,          ///< the node's ACL does not let this login do it
        EphemeralParent, ///< an ephemeral node can not have children
        BadArguments,
        NotSupported, ///< this server does not have it (containers before 3.5, TTL unless switched on)
        Protocol,     ///< bytes that are not ZooKeeper's
        Refused,      ///< any other answer of the server; `code` is its number
        WrongUrl,
    };
    Kind kind = Kind::Unreachable;
    int code = 0;    ///< ZooKeeper's own number, 0 = none
    QString message; ///< one sentence: what, where, what to do; never a password

    /// True when the request may or may not have run on the server.
    bool outcomeUnknown() const { return kind == Kind::ConnectionLoss || kind == Kind::SessionLost; }
};

template <typename T>
using Result = std::expected<T, Error>;

namespace errors {

/// A result code of the C client as an error. `what`: "create", …; `path`: of the node, empty = none.
Error of(int code, const char* what, const QByteArray& path, const QString& where);
Error unreachable(const QString& where);
Error unresolved(const QString& host);
Error sessionLost(const QString& where);
Error garbage(const QString& where);
Error authFailed(const QString& where);
Error goneAway(const QString& where);
Error badPath(const QByteArray& path);

} // namespace errors
} // namespace lockscope::zookeeper
