// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QStringList>
#include <vector>

namespace lockscope {

/// The only option of a connection URL that is secret.
inline constexpr const char* kSecretOption = "sentinel-password";

/// The end of the login in the part of a URL after "://": its last "@". So no part of a password is taken for a host, a
/// path or an option. -1 = no login.
qsizetype loginEnd(QStringView behindScheme);

/// A connection URL without its passwords, to be kept or shown; the rest as written. "redis://ann:secret@host?ca=x" →
/// "redis://ann@host?ca=x"; the sentinels' password is removed, too. From a text that is no connection URL, everything
/// that may be a login is removed, even the user.
QString withoutPassword(const QString& url);

/// Takes the passwords of connection URLs out of a process's words, which everybody may read in `ps`; up to a "--",
/// since what follows is somebody else's command. Read the words first: they change in place.
void hideLogins(int argc, char** argv);

/// A stretch of a text, in UTF-16 units.
struct Stretch {
    qsizetype from = 0, length = 0;
    friend bool operator==(const Stretch&, const Stretch&) = default;
};
/// What of an address must not be read over somebody's shoulder while it is typed: its password, from the moment when
/// the text behind the user's ":" can be no port, and the value of a secret option.
std::vector<Stretch> secretsOf(const QString& url);

/// A word that somebody typed, to be repeated in a complaint: what may be a login in it is left out.
/// "redis://:secret@host" → "redis://…@host", "--url=:secret@host" → "…@host".
QString shownWord(const QString& word);

/// A message that may repeat some of `words`, with each of them replaced by its shownWord().
QString withoutLogins(QString message, const QStringList& words);

} // namespace lockscope
