// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/options.h"

class QSqlError;

namespace lockscope::sql::errors {

// Errors as sentences: what, where, what to do. None contains a password.

/// What a client library said when it could not connect.
Error ofConnecting(Dialect dialect, const QSqlError& error, const QString& where);
/// What a server or a client library said to a statement.
Error ofStatement(Dialect dialect, const QSqlError& error, const QString& where);
Error noPlugin(const QString& plugin);
Error connectTimeout(Nanos after, const QString& where);
Error statementTimeout(Nanos after, const QString& where);
Error waitExceeded(Nanos after, const QString& where);
Error driverGone(const QString& where);
Error lost(const QString& where);
/// The server has no TLS, which was asked for.
Error notEncrypted(const QString& where);
/// What is locked on a replica keeps out nobody who asks its master.
Error takesNoWrites(const QString& where);

/// SQLite found its file locked by another process: nothing was changed, and asking again is all there is to do.
bool isBusy(const Error& error);

} // namespace lockscope::sql::errors
