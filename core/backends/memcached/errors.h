// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/memcached/port.h"
#include "backends/net/ending.h"

namespace lockscope::memcached::errors {

/// Error sentences, in the user's language; `where` is "host:port". None repeats a password.
Error ended(const net::Ending& ending, const QString& where);
Error connectTimeout(Nanos after, const QString& where);
/// It ended in the middle of things.
Error closed(const QString& where);
/// It ended before the server had said anything: nothing but the greeting was sent.
Error closedDuringGreeting(bool tls, const QString& where);
Error late(Nanos after, const QString& where);
Error garbage(const QString& what, const QString& where);
Error driverGone(const QString& where);
Error tooManyPending(std::size_t limit, const QString& where);
/// It wants a login, and the URL has none.
Error loginWanted(const QString& where);
Error loginRefused(const QString& where);
/// User or password are such as can not be sent.
/// `ways`: SASL mechanisms, of which none is PLAIN.
Error loginOtherwise(const QByteArray& ways, const QString& where);
Error loginUnfit();
/// What the server says instead of doing it.
Error refused(const QByteArray& line, const QString& where);

} // namespace lockscope::memcached::errors
