// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/options.h"

class QSqlError;

namespace lockscope::sql::errors {

// Errors as sentences: what, where, what to do. None contains a password.

/// A client library's error when it could not connect.
Error ofConnecting(Dialect dialect, const QSqlError& error, const QString& where);
/// An error of a server or a client library about a statement.
Error ofStatement(Dialect dialect, const QSqlError& error, const QString& where);
Error noPlugin(const QString& plugin);
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
