// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/ending.h"
#include "ports/redis/port.h"
#include "ports/url.h"
#include "ports/words.h"

namespace lockscope::redis {

/// Errors as sentences: what, where, what to do. None contains a password.
namespace errors {

/// A connection that ended; was not made in time; closed while it was being made; broke with commands in flight.
Error ended(const net::Ending& ending, const QString& where);
/// `tls`: the connection was to use TLS. The sentence then suspects a server without TLS: it waits for the end of a
/// command, and never answers.
Error connectTimeout(Nanos after, bool tls, const QString& where);
Error closedDuringGreeting(bool tls, const QString& where);
Error closed(const QString& where);
/// The command needed a connection that has ended: nothing was sent.
Error connectionGone(const QByteArray& command, const QString& where);
Error silent(Nanos after, const QString& where);
Error garbage(const QString& parserText, const QString& where);
Error commandTimeout(const QByteArray& command, Nanos after, const QString& where);
/// A subscription that was not confirmed in time; it has no effect.
Error notSubscribed(Nanos after, const QString& where);
/// The error as for a command that changes nothing, for which it does not matter whether it ran.
Error harmless(Error error);
/// No connection in time: nothing was sent. `last` is the cause, when known.
Error neverSent(const std::optional<Error>& last, Nanos after, bool tls, const QString& where);
Error tooManyPending(std::size_t limit, const QString& where);
Error driverGone(const QString& where);
/// The server's own "-CODE text"; refusedGreeting() is for those at the greeting.
Error refused(const QByteArray& reply, const QString& where);
/// As refused(), for a channel's shard that has moved to another server, where it will be found.
Error shardElsewhere(const QByteArray& reply, const QString& where);
/// Whether the server turned a new client away: it has no room for more clients, or is in protected mode. It says so
/// unasked, in place of the first command's reply, and then hangs up.
bool turnedAway(const QByteArray& reply);
Error refusedGreeting(const QByteArray& reply, const QByteArray& command, const QString& where);

} // namespace errors

} // namespace lockscope::redis
