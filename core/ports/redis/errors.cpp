// SPDX-License-Identifier: Apache-2.0
#include "ports/redis/errors.h"

#include "ports/redis/options.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace lockscope::redis {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(RedisError)
};

using Kind = Error::Kind;

QByteArray firstWord(const QByteArray& reply) {
    const qsizetype space = reply.indexOf(' ');
    return space < 0 ? reply : reply.left(space);
}

/// The code of an error, also of one inside a script: before version 7 servers wrap the error of a command that a
/// script ran, as "ERR Error running script (call to f_…): @user_script:3: WRONGTYPE …", some with a "-" before the
/// word.
QByteArray codeOf(const QByteArray& reply) {
    static const auto& wrapped = *new QRegularExpression( // used at exit, too
        QStringLiteral("^ERR Error running script .*@user_script: ?\\d+: -?([A-Z]{3,}) "));
    if (!reply.startsWith("ERR Error running script")) return firstWord(reply);
    const auto match = wrapped.match(QString::fromUtf8(reply));
    return match.hasMatch() ? match.captured(1).toLatin1() : firstWord(reply);
}

} // namespace

namespace errors {

Error ended(const net::Ending& ending, const QString& where) {
    switch (ending.kind) {
    case net::Ending::Kind::Tls:
        return {Kind::TlsFailed, {}, net::tlsFailed(ending.text, where)};
    case net::Ending::Kind::Closed:
        return closed(where);
    case net::Ending::Kind::Unreachable:
        break;
    }
    if (ending.code == QAbstractSocket::ConnectionRefusedError)
        return {Kind::Unreachable,
                {},
                Text::tr("%1 refused the connection. Is Redis running there, and on this port?").arg(where)};
    const bool late = ending.code == QAbstractSocket::SocketTimeoutError;
    return {late ? Kind::ConnectTimeout : Kind::Unreachable, {}, net::unreachable(ending, where)};
}

Error connectTimeout(Nanos after, bool tls, const QString& where) {
    if (!tls) return {Kind::ConnectTimeout, {}, net::connectTimeout(after, where)};
    return {Kind::ConnectTimeout,
            {},
            Text::tr("%1 did not answer within %2. If it does not speak TLS, write redis:// instead of rediss://; else "
                     "check address, port and firewall.")
                .arg(where, inWords(after))};
}

Error closedDuringGreeting(bool tls, const QString& where) {
    return {
        Kind::Unreachable,
        {},
        tls ? Text::tr("%1 closed the connection during the greeting. Does it want a client certificate?").arg(where)
            : Text::tr("%1 closed the connection during the greeting. If it wants TLS, write rediss://.").arg(where)};
}

Error closed(const QString& where) {
    return {Kind::Disconnected,
            {},
            Text::tr("The connection to %1 broke; whether the last commands ran is not known.").arg(where)};
}

Error connectionGone(const QByteArray& command, const QString& where) {
    return {Kind::Disconnected,
            {},
            Text::tr("The connection to %1 broke before %2, which has to go over the same one: it was not sent.")
                .arg(where, QString::fromUtf8(command))};
}

Error silent(Nanos after, const QString& where) {
    return {Kind::Disconnected,
            {},
            Text::tr("%1 has said nothing for %2; the connection was given up.").arg(where, inWords(after))};
}

Error garbage(const QString& parserText, const QString& where) {
    return {Kind::Protocol,
            {},
            Text::tr("What %1 sends is not the Redis protocol (%2). Is it a Redis?").arg(where, parserText)};
}

Error commandTimeout(const QByteArray& command, Nanos after, const QString& where) {
    return {Kind::CommandTimeout,
            {},
            Text::tr("%1 did not answer %2 within %3; whether it ran is not known.")
                .arg(where, QString::fromUtf8(command), inWords(after))};
}

Error notSubscribed(Nanos after, const QString& where) {
    return {
        Kind::Unreachable, {}, Text::tr("%1 did not confirm the subscription within %2.").arg(where, inWords(after))};
}

Error harmless(Error error) {
    if (error.outcomeUnknown()) error.kind = Kind::Unreachable;
    return error;
}

Error neverSent(const std::optional<Error>& last, Nanos after, bool tls, const QString& where) {
    return last ? *last : connectTimeout(after, tls, where);
}

Error tooManyPending(std::size_t limit, const QString& where) {
    return {Kind::Refused, "BUSY", net::tooManyPending(limit, where)};
}

Error driverGone(const QString& where) {
    return {Kind::Disconnected, {}, net::closedOnPurpose(where)};
}

Error refused(const QByteArray& reply, const QString& where) {
    return {Kind::Refused, codeOf(reply), Text::tr("%1 says: %2").arg(where, QString::fromUtf8(reply))};
}

Error shardElsewhere(const QByteArray& reply, const QString& where) {
    Error error = refused(reply, where);
    error.kind = Kind::Unreachable;
    return error;
}

bool turnedAway(const QByteArray& reply) {
    return reply.startsWith("ERR max number of clients") || reply.startsWith("DENIED");
}

Error refusedGreeting(const QByteArray& reply, const QByteArray& command, const QString& where) {
    const QByteArray code = firstWord(reply);
    const bool wrong = code == "ERR" && !turnedAway(reply); // else it speaks of the server, not of what was asked
    if (command == "AUTH" && (reply.contains("without any password") || reply.contains("no password is set")))
        return {Kind::AuthFailed, code,
                Text::tr("%1 has no password, but the URL gives one: take it out of the URL.").arg(where)};
    // Redis without a password answers AUTH by ERR; one with ACLs by NOPERM where a command is not allowed.
    if (code == "NOAUTH" || code == "WRONGPASS" || (command == "AUTH" && (wrong || code == "NOPERM"))) {
        return {Kind::AuthFailed, code,
                code == "NOAUTH" ? Text::tr("%1 wants a password. In a URL: redis://:password@host.").arg(where)
                                 : Text::tr("%1 refused the login (%2). Check user and password in the URL.")
                                       .arg(where, QString::fromUtf8(code))};
    }
    if (code == "NOPERM")
        return {Kind::AuthFailed, code,
                Text::tr("%1 does not allow this user to run %2. Ask for an ACL that does.")
                    .arg(where, QString::fromUtf8(command))};
    if (command == "SELECT" && wrong)
        return {Kind::WrongUrl, code,
                Text::tr("%1 has no such database (%2). Check the number at the end of the URL.")
                    .arg(where, QString::fromUtf8(reply))};
    // LOADING, BUSY, MASTERDOWN, "max number of clients reached": passes, so it counts as not reachable yet.
    return {Kind::Unreachable, code, Text::tr("%1 is not ready: %2").arg(where, QString::fromUtf8(reply))};
}

} // namespace errors

QString Status::describe(const QString& where) const {
    switch (state) {
    case State::Idle:
        return Text::tr("%1 · not connected").arg(where);
    case State::Connecting:
        return Text::tr("%1 · connecting").arg(where);
    case State::Connected:
        return Text::tr("%1 · connected").arg(where);
    case State::Retrying:
        return Text::tr("%1 · lost: %2 Trying again in %3.").arg(where, error.message, inWords(retryIn));
    case State::Failed:
        return Text::tr("%1 · failed: %2").arg(where, error.message);
    }
    return {};
}

} // namespace lockscope::redis
