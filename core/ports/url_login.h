// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QStringList>
#include <vector>

namespace lockscope {

/// The only option of a connection URL that is secret.
inline constexpr const char* kSecretOption = "sentinel-password";
/// The option that names the environment variable with the password, so that it stands in no command line.
inline constexpr const char* kPasswordOption = "password-env";

/// The end of the login in the part of a URL after "://": its last "@". So no part of a password is taken for a host, a
/// path or an option. -1 = no login.
qsizetype loginEnd(QStringView behindScheme);

/// A connection URL without its passwords, to be kept or shown; the rest as written. "redis://ann:secret@host?ca=x" →
/// "redis://ann@host?ca=x"; the sentinels' password is removed, too. From a text that is no connection URL, everything
/// that may be a login is removed, even the user.
QString withoutPassword(const QString& url);

/// Removes the passwords of connection URLs from a process's arguments, which every user of the machine can read by
/// `ps`. Stops at "--": the arguments after it are another program's command. Changes the arguments in place: read them
/// before.
void hideLogins(int argc, char** argv);

/// A part of a text, in UTF-16 units.
struct Stretch {
    qsizetype from = 0, length = 0;
    friend bool operator==(const Stretch&, const Stretch&) = default;
};
/// The parts of an address that the screen must cover while a user types it: the password, as soon as the text after
/// the user's ":" cannot be a port, and the value of a secret option.
std::vector<Stretch> secretsOf(const QString& url);

/// A word from the user, to be repeated in a message: what may be a login is left out. "redis://:secret@host" →
/// "redis://…@host", "--url=:secret@host" → "…@host".
QString shownWord(const QString& word);

/// A message that may repeat some of `words`, with each of them replaced by its shownWord().
QString withoutLogins(QString message, const QStringList& words);

} // namespace lockscope
