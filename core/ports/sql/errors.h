// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/dialect.h"
#include "ports/sql/port.h"

namespace lockscope::sql::errors {

// Errors as sentences: what, where, what to do. None contains a password.

/// The message of a server or of its client library.
struct Said {
    QByteArray code; ///< the error number, or SQLSTATE; PostgreSQL: none when the library itself speaks
    QString text;
};
/// A client library's error when it could not connect.
Error ofConnecting(Dialect dialect, const Said& said, const QString& where);
/// An error of a server or a client library about a statement.
Error ofStatement(Dialect dialect, const Said& said, const QString& where);
/// The system's resolver has no address for the host's name.
Error unknownHost(const QString& host, const QString& reason, const QString& where);
Error connectTimeout(Nanos after, const QString& where);
Error statementTimeout(Nanos after, const QString& where);
Error waitExceeded(Nanos after, const QString& where);
Error driverGone(const QString& where);
Error lost(const QString& where);
/// TLS was requested, and the server has none.
Error notEncrypted(const QString& where);
/// The server is a replica or read-only: a lock there does not exclude clients of its master.
Error takesNoWrites(const QString& where);

/// SQLite found its file locked by another process: nothing was changed; only trying again helps.
bool isBusy(const Error& error);

} // namespace lockscope::sql::errors
