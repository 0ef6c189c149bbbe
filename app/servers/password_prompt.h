// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace lockscope::cli {

/// The user of a connection URL that has one without a password, and does not say where the password is; empty: nothing
/// is missing. "redis://ann@host" → "ann"; "ann:@host" says that there is none.
QString userWithoutPassword(const QString& url);

/// The URL with a password for its user. Precondition: userWithoutPassword(url) is not empty.
QString withPassword(const QString& url, const QString& password);

/// The URL as it is to be used: where its user's password is missing, the person at the terminal is asked for it, and
/// what is typed does not show. Unchanged where standard input is no terminal, and where nothing is typed. A signal
/// that ends the program ends the question first, and the terminal shows again what is typed.
QString withAskedPassword(const QString& url);

} // namespace lockscope::cli
