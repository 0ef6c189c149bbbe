// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QStringList>

namespace lockscope::sandbox {

// PostgreSQL and PgBouncer refuse to run as root: then they run as the user "postgres".

/// A command as the account that such a server runs as: the program, then its arguments.
QStringList asServerAccount(const QString& program, const QStringList& arguments);

/// Makes files and directories that account's own, and lets it through the directory that they are in; nothing to do
/// when it is ours. False when that is not allowed.
bool giveToServerAccount(const QString& directory, const QStringList& files);

} // namespace lockscope::sandbox
