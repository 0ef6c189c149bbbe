// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QAbstractSocket>
#include <QString>

namespace lockscope::net {

/// Why a stream of bytes ended, or did not begin.
struct Ending {
    enum class Kind : std::uint8_t {
        Unreachable, ///< it never opened: `code` and `text` say why
        Tls,         ///< one side does not accept the other: `text` says why
        Closed,      ///< it was open
    };
    Kind kind = Kind::Closed;
    QAbstractSocket::SocketError code = QAbstractSocket::RemoteHostClosedError;
    QString text; ///< the system's own words
};

// What is said alike of every kind of server. `where`: the endpoint as it is shown to people.

/// Of an ending of kind Unreachable; that a server refused the connection is better said with the server's name.
QString unreachable(const Ending& ending, const QString& where);
QString tlsFailed(const QString& reason, const QString& where);
QString connectTimeout(Nanos after, const QString& where);
QString closedOnPurpose(const QString& where);
QString tooManyPending(std::size_t limit, const QString& where);

} // namespace lockscope::net
