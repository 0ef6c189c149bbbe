// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <cstdint>
#include <expected>

namespace lockscope::zookeeper {

/// Why a call to a ZooKeeper failed. Kinds differ where a caller can react differently.
struct Error {
    enum class Kind : std::uint8_t {
        Unreachable,    ///< no server gave a session in time; nothing was sent
        AuthFailed,     ///< the login was refused, permanently
        ConnectionLoss, ///< the connection broke before the answer: whether it ran is unknown
        SessionLost,    ///< the session ended before the answer: its ephemeral nodes are gone, or soon will be
        NoNode,
        NodeExists,
        NotEmpty,
        BadVersion,
        NoAuth,          ///< the node's ACL does not allow this login to do it
        EphemeralParent, ///< an ephemeral node cannot have children
        BadArguments,
        NotSupported, ///< this server does not support it (containers before 3.5, TTL unless enabled)
        Protocol,     ///< bytes that are not ZooKeeper's
        Refused,      ///< any other answer of the server; `code` is its number
        WrongUrl,
    };
    Kind kind = Kind::Unreachable;
    int code = 0;    ///< ZooKeeper's own number, 0 = none
    QString message; ///< one sentence: what, where, what to do; never a password

    /// Whether the request may or may not have run on the server.
    bool outcomeUnknown() const { return kind == Kind::ConnectionLoss || kind == Kind::SessionLost; }
};

template <typename T>
using Result = std::expected<T, Error>;

namespace errors {

/// A result code of the C client as an error. `what`: "create", …; `path`: the node's, empty = none.
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
