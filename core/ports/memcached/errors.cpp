// SPDX-License-Identifier: Apache-2.0
#include "ports/memcached/errors.h"

#include "ports/words.h"

#include <QCoreApplication>

namespace lockscope::memcached::errors {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(MemcachedError)
};
using Kind = Error::Kind;

} // namespace

Error ended(const net::Ending& ending, const QString& where) {
    switch (ending.kind) {
    case net::Ending::Kind::Tls:
        return {Kind::TlsFailed, net::tlsFailed(ending.text, where)};
    case net::Ending::Kind::Closed:
        return closed(where);
    case net::Ending::Kind::Unreachable:
        break;
    }
    if (ending.code == QAbstractSocket::ConnectionRefusedError)
        return {Kind::Unreachable,
                Text::tr("%1 refused the connection. Is memcached running there, and on this port?").arg(where)};
    const bool late = ending.code == QAbstractSocket::SocketTimeoutError;
    return {late ? Kind::ConnectTimeout : Kind::Unreachable, net::unreachable(ending, where)};
}

Error connectTimeout(Nanos after, const QString& where) {
    return {Kind::ConnectTimeout, net::connectTimeout(after, where)};
}

Error closed(const QString& where) {
    return {Kind::Disconnected,
            Text::tr("The connection to %1 broke; whether the last commands ran is not known.").arg(where)};
}

Error closedDuringGreeting(bool tls, const QString& where) {
    if (tls)
        return {Kind::TlsFailed, Text::tr("%1 ended the TLS connection without a word. Does it want a certificate of "
                                          "ours? Name it by cert= and key= in the URL.")
                                     .arg(where)};
    return {Kind::Unreachable,
            Text::tr("%1 ended the connection without a word. If it wants TLS, begin the URL with memcacheds://.")
                .arg(where)};
}

Error late(Nanos after, const QString& where) {
    return {Kind::CommandTimeout,
            Text::tr("%1 did not answer within %2; whether the command ran is not known.").arg(where, inWords(after))};
}

Error garbage(const QString& what, const QString& where) {
    return {
        Kind::Protocol,
        Text::tr("What %1 sends is not memcached's protocol (%2). Is it a memcached, without TLS?").arg(where, what)};
}

Error driverGone(const QString& where) {
    return {Kind::Disconnected, net::closedOnPurpose(where)};
}

Error tooManyPending(std::size_t limit, const QString& where) {
    return {Kind::Refused, net::tooManyPending(limit, where)};
}

Error loginWanted(const QString& where) {
    return {Kind::AuthFailed, Text::tr("%1 wants a login. In a URL: memcached://user:password@host.").arg(where)};
}

Error loginRefused(const QString& where) {
    return {Kind::AuthFailed,
            Text::tr("%1 refused the login. Check user and password in the URL, and what memcached knows of them: its "
                     "file of logins (-Y), or SASL's database (-S).")
                .arg(where)};
}

Error loginOtherwise(const QByteArray& ways, const QString& where) {
    return {Kind::AuthFailed, Text::tr("%1 takes logins by SASL's %2 only; allow PLAIN there, best with TLS.")
                                  .arg(where, QString::fromUtf8(ways))};
}

Error loginUnfit() {
    return {Kind::WrongUrl, Text::tr("A login at memcached has a user and a password, both without spaces and control "
                                     "characters: write memcached://user:password@host.")};
}

Error listsNothing() {
    return {Kind::Refused, Text::tr("The keys of this server cannot be listed.")};
}

Error tellsNoEnds() {
    return {Kind::Refused, Text::tr("This server does not tell when its items end.")};
}

Error refused(const QByteArray& line, const QString& where) {
    // The server says this to a new connection and hangs up: there may be room soon.
    const Kind kind = line.contains("Too many open connections") ? Kind::Unreachable : Kind::Refused;
    return {kind, Text::tr("%1 says: %2").arg(where, QString::fromUtf8(line))};
}

} // namespace lockscope::memcached::errors
