// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QAbstractSocket>
#include <QString>

namespace lockscope::net {

/// Why a byte stream ended, or did not open.
struct Ending {
    enum class Kind : std::uint8_t {
        Unreachable, ///< the stream never opened: see `code` and `text`
        Tls,         ///< one side did not accept the other: see `text`
        Closed,      ///< the stream had been open
    };
    Kind kind = Kind::Closed;
    QAbstractSocket::SocketError code = QAbstractSocket::RemoteHostClosedError;
    QString text; ///< the system's own text
};

// Sentences that are equal for all kinds of servers. `where`: the endpoint as shown to people.

/// For Kind::Unreachable; for a refused connection, a sentence with the kind of server is better.
QString unreachable(const Ending& ending, const QString& where);
QString tlsFailed(const QString& reason, const QString& where);
QString connectTimeout(Nanos after, const QString& where);
QString closedOnPurpose(const QString& where);
QString tooManyPending(std::size_t limit, const QString& where);

} // namespace lockscope::net
