// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/ending.h"
#include "ports/memcached/port.h"

namespace lockscope::memcached::errors {

/// Errors as translated sentences; `where` is "host:port". None contains a password.
Error ended(const net::Ending& ending, const QString& where);
Error connectTimeout(Nanos after, const QString& where);
/// The connection ended with commands in flight.
Error closed(const QString& where);
/// The connection ended before the server said anything: only the greeting was sent.
Error closedDuringGreeting(bool tls, const QString& where);
Error late(Nanos after, const QString& where);
Error garbage(const QString& what, const QString& where);
Error driverGone(const QString& where);
Error tooManyPending(std::size_t limit, const QString& where);
/// The server requires a login, and the URL has none.
Error loginWanted(const QString& where);
Error loginRefused(const QString& where);
/// The server's SASL mechanisms `ways` do not include PLAIN.
Error loginOtherwise(const QByteArray& ways, const QString& where);
/// User or password is missing, or contains spaces or control characters.
Error loginUnfit();
/// There is no way here to list a server's keys.
Error listsNothing();
/// There is no way here to ask when an item ends.
Error tellsNoEnds();
/// The server's own error instead of a result.
Error refused(const QByteArray& line, const QString& where);

} // namespace lockscope::memcached::errors
