// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/net/ending.h"
#include "backends/redis/port.h"
#include "backends/url.h"
#include "backends/words.h"

namespace lockscope::redis {

/// Errors as sentences: what, where, what to do. None contains a password.
namespace errors {

/// Of connections: ended, not made in time, closed while they were made, broken with commands under
/// way.
Error ended(const net::Ending& ending, const QString& where);
/// `tls`: it was to be spoken; a server without it waits for the end of a command that never comes.
Error connectTimeout(Nanos after, bool tls, const QString& where);
Error closedDuringGreeting(bool tls, const QString& where);
Error closed(const QString& where);
/// Wanted a connection that has ended meanwhile: nothing was sent.
Error connectionGone(const QByteArray& command, const QString& where);
Error silent(Nanos after, const QString& where);
Error garbage(const QString& parserText, const QString& where);
Error commandTimeout(const QByteArray& command, Nanos after, const QString& where);
/// A subscription that was not confirmed in time; nothing comes of it.
Error notSubscribed(Nanos after, const QString& where);
/// The error as that of something that changes nothing on the server: it makes no difference whether it ran.
Error harmless(Error error);
/// Not sent: no connection in time. `last` is why, when known.
Error neverSent(const std::optional<Error>& last, Nanos after, bool tls, const QString& where);
Error tooManyPending(std::size_t limit, const QString& where);
Error driverGone(const QString& where);
/// The server's own "-CODE text", told apart at the greeting.
Error refused(const QByteArray& reply, const QString& where);
/// As refused(), for a channel's shard that is another server's by now: it will be found there.
Error shardElsewhere(const QByteArray& reply, const QString& where);
/// Said to whoever connects, before anything was asked, and then the server hangs up: it has no room for more clients,
/// or is in protected mode. It stands where the first command's answer is expected.
bool turnedAway(const QByteArray& reply);
Error refusedGreeting(const QByteArray& reply, const QByteArray& command, const QString& where);

} // namespace errors

} // namespace lockscope::redis
