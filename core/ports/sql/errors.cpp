// SPDX-License-Identifier: Apache-2.0
#include "ports/sql/errors.h"

#include "ports/words.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace lockscope::sql::errors {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(SqlError)
};

using Kind = Error::Kind;

/// The first line of what was said, without its full stop.
QString firstLine(const Said& said) {
    QString text = said.text.section(u'\n', 0, 0).trimmed();
    while (text.endsWith(u'.'))
        text.chop(1);
    return text;
}

/// ETIMEDOUT, "… on '10.110.0.5' (110)" or "… system error: 110", in whatever language the rest is.
bool isTimeout(const QString& text) {
    static const auto& code = *new QRegularExpression(QStringLiteral("\\(110\\)|: 110\\b")); // used at exit, too
    return text.contains(code);
}

Kind kindOfMySql(int code, bool connecting) {
    switch (code) {
    case 2002: // no socket
    case 2003: // refused
    case 2005: // host name unknown
        return Kind::Unreachable;
    case 2006: // gone away
    case 2013: // lost during the query
    case 2055:
    case 1053: // server is shutting down
    case 1927: // connection was killed
    case 4031: // idle for too long
        return connecting ? Kind::Unreachable : Kind::Disconnected;
    case 2026:
        return Kind::TlsFailed;
    case 1045: // access denied
    case 1044: // to this database
    case 1130: // from this host
    case 1251:
    case 1698:
    case 2059: // authentication method
    case 2061:
        return Kind::AuthFailed;
    case 1049:
        return Kind::NoDatabase;
    case 1040:
    case 1203:
    case 1226: // of this account
        return Kind::TooMany;
    case 1146: // no such table
    case 1054: // no such column
        return Kind::MissingTable;
    case 1062:
        return Kind::DuplicateKey;
    case 1213:
    case 3058: // of user-level locks
        return Kind::Deadlock;
    case 1205:
    case 3572: // NOWAIT
        return Kind::WaitExceeded;
    case 1317: // KILL QUERY
    case 1969: // max_statement_time
    case 3024: // max_execution_time
        return Kind::Interrupted;
    default:
        return Kind::Refused;
    }
}

Kind kindOfPostgreSql(const QByteArray& state) {
    // Without a state the error is the client library's, not the server's: the connection is gone.
    if (state.isEmpty() || state.startsWith("08") || state.startsWith("57P")) return Kind::Disconnected;
    if (state == "42P01" || state == "42703" || state == "3F000") return Kind::MissingTable;
    if (state == "23505") return Kind::DuplicateKey;
    if (state == "40P01" || state == "40001") return Kind::Deadlock;
    if (state == "55P03") return Kind::WaitExceeded;
    if (state == "57014") return Kind::Interrupted;
    if (state == "25P03" || state == "25P04") return Kind::Disconnected; // idle in the transaction for too long
    if (state == "53300") return Kind::TooMany;
    return Kind::Refused;
}

/// libpq hands no SQLSTATE over for a connection that was not made: there are only its words, in English. Hosts, users
/// and databases stand among them in quotes, and may be called anything.
Kind kindOfPostgreSqlWords(QString text) {
    static const auto& name = *new QRegularExpression(QStringLiteral("\"[^\"]*\"")); // used at exit, too
    text.replace(name, QStringLiteral("\"\""));
    const auto has = [&](const char* words) { return text.contains(QLatin1String(words), Qt::CaseInsensitive); };
    if (has("timeout expired")) return Kind::ConnectTimeout;
    if (has("database \"\" does not exist")) return Kind::NoDatabase;
    // Asked before the next line: the sentence about a role's own limit names the role, too.
    if (has("too many") || has("remaining connection slots")) return Kind::TooMany;
    if (has("password") || has("authentication failed") || has("pg_hba.conf") || has("role \"") ||
        has("permission denied"))
        return Kind::AuthFailed;
    if (has("SSL") || has("certificate")) return Kind::TlsFailed;
    return Kind::Unreachable;
}

Kind kindOfSqlite(int code, const QString& text) {
    switch (code & 0xff) {
    case 5: // busy
    case 6: // locked
        return Kind::WaitExceeded;
    case 14: // cannot open
        return Kind::Unreachable;
    case 19:
        return (code == 1555 || code == 2067 || code == 19) ? Kind::DuplicateKey : Kind::Refused;
    case 1:
        return text.contains(QLatin1String("no such table")) || text.contains(QLatin1String("no such column")) ||
                       text.contains(QLatin1String("has no column named"))
                   ? Kind::MissingTable
                   : Kind::Refused;
    default:
        return Kind::Refused;
    }
}

Kind kindOf(Dialect dialect, const Said& said, bool connecting) {
    switch (dialect) {
    case Dialect::MySql:
        if (connecting && said.code.startsWith("20") && isTimeout(said.text)) return Kind::ConnectTimeout;
        return kindOfMySql(said.code.toInt(), connecting);
    case Dialect::PostgreSql:
        return connecting ? kindOfPostgreSqlWords(said.text) : kindOfPostgreSql(said.code);
    case Dialect::Sqlite:
        return kindOfSqlite(said.code.toInt(), said.text);
    }
    return Kind::Refused;
}

QString sentence(Kind kind, const QString& where, const QString& text) {
    switch (kind) {
    case Kind::Unreachable:
        return Text::tr("No connection to %1: %2. Is the server running there, and on this port?").arg(where, text);
    case Kind::ConnectTimeout:
        return Text::tr("%1 did not answer in time. Check address, port and firewall.").arg(where);
    case Kind::TlsFailed:
        return Text::tr("No TLS connection to %1: %2. Check ca=, cert= and key= in the URL.").arg(where, text);
    case Kind::AuthFailed:
        return Text::tr("%1 refused the login: %2. Check user and password, and whether it wants ?tls=on.")
            .arg(where, text);
    case Kind::NoDatabase:
        return Text::tr("%1 has no such database: %2. Create it, or name another one in the URL.").arg(where, text);
    case Kind::TooMany:
        return Text::tr("%1 takes no more connections: %2. Raise its limit, or use fewer locks at once.")
            .arg(where, text);
    case Kind::MissingTable:
        return Text::tr("The tables of the locks are not on %1, or are of an older version: %2. Prepare the database "
                        "first: ClientOptions::prepare, or prepare() of the client, creates them; for an account that "
                        "may not, have another one do it.")
            .arg(where, text);
    case Kind::DuplicateKey:
        return Text::tr("%1 has such a row already: %2.").arg(where, text);
    case Kind::Deadlock:
        return Text::tr("%1 ended this request to end a deadlock; nothing was changed. Release what you hold and try "
                        "again, and take locks in the same order everywhere.")
            .arg(where);
    case Kind::WaitExceeded:
        return Text::tr("%1 ended the wait for a lock by its own limit: %2. Nothing was changed.").arg(where, text);
    case Kind::Interrupted:
        return Text::tr("The request was ended on %1: %2. Nothing was changed.").arg(where, text);
    case Kind::Disconnected:
        return Text::tr("The connection to %1 broke during a request: %2. Whether it was carried out is not known.")
            .arg(where, text);
    case Kind::StatementTimeout:
    case Kind::WrongUrl:
    case Kind::Refused:
        break;
    }
    return Text::tr("%1 refused the request: %2.").arg(where, text);
}

} // namespace

Error ofConnecting(Dialect dialect, const Said& said, const QString& where) {
    const Kind kind = kindOf(dialect, said, true);
    if (dialect == Dialect::Sqlite && kind == Kind::Unreachable)
        return {kind, said.code,
                Text::tr("The file %1 cannot be opened. Is the path right, and may this user read and write there?")
                    .arg(where)};
    return {kind, said.code, sentence(kind, where, firstLine(said))};
}

Error ofStatement(Dialect dialect, const Said& said, const QString& where) {
    const Kind kind = kindOf(dialect, said, false);
    return {kind, said.code, sentence(kind, where, firstLine(said))};
}

Error unknownHost(const QString& host, const QString& reason, const QString& where) {
    const QString text = QStringLiteral("could not translate host name \"%1\" to address: %2").arg(host, reason);
    return {Kind::Unreachable, {}, sentence(Kind::Unreachable, where, text)};
}

Error connectTimeout(Nanos after, const QString& where) {
    return {Kind::ConnectTimeout,
            {},
            Text::tr("%1 did not answer within %2. Check address, port and firewall, and whether it is a database that "
                     "listens there.")
                .arg(where, inWords(after))};
}

Error statementTimeout(Nanos after, const QString& where) {
    return {Kind::StatementTimeout,
            {},
            Text::tr("%1 did not answer a request within %2. Whether it was carried out is not known.")
                .arg(where, inWords(after))};
}

Error waitExceeded(Nanos after, const QString& where) {
    return {Kind::WaitExceeded,
            {},
            Text::tr("The lock on %1 was not free within %2. Nothing was changed.").arg(where, inWords(after))};
}

Error driverGone(const QString& where) {
    return {
        Kind::Disconnected, {}, Text::tr("The connection to %1 was closed while a request was under way.").arg(where)};
}

Error lost(const QString& where) {
    return {Kind::Disconnected,
            {},
            Text::tr("The connection to %1 is gone, and with it what was locked by it.").arg(where)};
}

Error notEncrypted(const QString& where) {
    return {
        Kind::TlsFailed,
        {},
        Text::tr("%1 offers no TLS, which tls=on in the URL asks for. Give the server a certificate, or take tls=on "
                 "out of the URL.")
            .arg(where)};
}

Error takesNoWrites(const QString& where) {
    return {Kind::Refused, {}, Text::tr("%1 takes no writes: it is a replica or read-only.").arg(where)};
}

bool isBusy(const Error& error) {
    const int code = error.code.toInt() & 0xff;
    return error.kind == Kind::WaitExceeded && (code == 5 || code == 6);
}

} // namespace lockscope::sql::errors
