// SPDX-License-Identifier: Apache-2.0
#include "ports/etcd/errors.h"

#include "ports/words.h"

#include <QCoreApplication>

namespace lockscope::etcd::errors {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(EtcdError)
};

using Kind = Error::Kind;

// The gRPC status numbers that mean something to a caller here.
enum Grpc {
    Canceled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    PermissionDenied = 7,
    FailedPrecondition = 9,
    OutOfRange = 11,
    Unavailable = 14,
    Unauthenticated = 16
};

} // namespace

Error ended(const net::Ending& ending, const QString& where) {
    switch (ending.kind) {
    case net::Ending::Kind::Tls:
        if (ending.code == QAbstractSocket::RemoteHostClosedError)
            return {Kind::TlsFailed, 0,
                    Text::tr("%1 closed the connection during the TLS handshake. If it does not speak TLS, write "
                             "etcd:// instead of etcds://; if it wants a client certificate, name one (cert=, key=).")
                        .arg(where)};
        return {Kind::TlsFailed, 0, net::tlsFailed(ending.text, where)};
    case net::Ending::Kind::Closed:
        return closed(where);
    case net::Ending::Kind::Unreachable:
        break;
    }
    if (ending.code == QAbstractSocket::ConnectionRefusedError)
        return {Kind::Unreachable, 0,
                Text::tr("%1 refused the connection. Is etcd running there, and is this its client port?").arg(where)};
    const bool late = ending.code == QAbstractSocket::SocketTimeoutError;
    return {late ? Kind::ConnectTimeout : Kind::Unreachable, 0, net::unreachable(ending, where)};
}

Error connectTimeout(Nanos after, const QString& where) {
    return {Kind::ConnectTimeout, 0, net::connectTimeout(after, where)};
}

Error closed(const QString& where) {
    return {Kind::Disconnected, 0,
            Text::tr("The connection to %1 broke; whether the last request ran is not known.").arg(where)};
}

Error requestTimeout(Nanos after, const QString& where) {
    return {Kind::RequestTimeout, 0,
            Text::tr("%1 did not answer within %2; whether the request ran is not known.").arg(where, inWords(after))};
}

Error notReached(const Error& why, const QString& where) {
    if (!why.outcomeUnknown()) return why;
    switch (why.kind) {
    case Kind::Disconnected:
        return {Kind::Unreachable, 0,
                Text::tr("%1 closed the connection. Is it an etcd, and is this its client port? If it wants TLS, write "
                         "etcds://.")
                    .arg(where)};
    case Kind::RequestTimeout:
        return {Kind::Unreachable, 0,
                Text::tr("%1 did not answer in time. Check address, port and firewall.").arg(where)};
    default:
        return {Kind::Unreachable, why.code, why.message};
    }
}

Error garbage(const QString& what, const QString& where) {
    return {Kind::Protocol, 0,
            Text::tr("What %1 sends is not the answer of an etcd (%2). Is it an etcd 3.4 or newer, and is this its "
                     "client port?")
                .arg(where, what)};
}

Error driverGone(const QString& where) {
    return {Kind::Disconnected, 0, net::closedOnPurpose(where)};
}

Error refused(int status, int code, const QString& text, const QString& where) {
    const auto says = [&](const char* word) { return text.contains(QLatin1String(word)); };
    // A token that says of which users it was made (JWT) is old as soon as any of them is changed.
    if (code == Unauthenticated || says("invalid auth token") || says("revision of auth store is old"))
        return {Kind::AuthFailed, Unauthenticated, Text::tr("%1 no longer accepts this login: %2.").arg(where, text)};
    if (says("user name is empty"))
        return {Kind::AuthFailed, code, Text::tr("%1 wants a login. In a URL: etcd://user:password@host.").arg(where)};
    if (says("authentication failed"))
        return {Kind::AuthFailed, code,
                Text::tr("%1 refused the login. Check user and password in the URL.").arg(where)};
    if (code == PermissionDenied)
        return {Kind::Denied, code,
                Text::tr("%1 does not allow this user to do that with this key (%2). Ask for a role that does.")
                    .arg(where, text)};
    if (says("requested lease not found")) return {Kind::LeaseNotFound, code, Text::tr("%1 says: %2").arg(where, text)};
    if (says("lease already exists")) return {Kind::LeaseExists, code, Text::tr("%1 says: %2").arg(where, text)};
    if (code == OutOfRange && says("compacted"))
        return {Kind::Compacted, code, Text::tr("%1 says: %2").arg(where, text)};
    // Canceled: the member ends, and its gateway has hung up on it. Without a number it is not the etcd's own word.
    // A member without a leader lets a request's time run out, and says so as an unknown error: what it has proposed
    // may still be agreed upon when the quorum is back.
    const bool timeRanOut = says("context deadline exceeded") || says("context canceled");
    const bool unserved =
        code == Unavailable || code == DeadlineExceeded || code == Canceled || (code == Unknown && timeRanOut);
    if (unserved || status == 503 || (status >= 500 && code == 0))
        return {Kind::Unavailable, code,
                Text::tr("%1 can not serve requests now (%2); whether this one ran is not known. Has the cluster a "
                         "quorum?")
                    .arg(where, text)};
    if (status == 404 && code == 0) return garbage(Text::tr("it has no JSON gateway at /v3/"), where);
    return {Kind::Refused, code, Text::tr("%1 says: %2").arg(where, text)};
}

} // namespace lockscope::etcd::errors
