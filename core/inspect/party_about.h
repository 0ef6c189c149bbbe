// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <algorithm>

namespace lockscope::inspect {

inline constexpr char kPid[] = "pid ";
inline constexpr char kBeforeNumber[] = " \u00b7 ";

/// Whether a client is a database's session, as SessionNames calls it: "batch-02 · 8812", "pid 8812". Its number means
/// something on its own server only.
inline bool isSessionName(const QByteArray& client) {
    if (client.startsWith(kPid)) return true;
    const qsizetype dot = client.lastIndexOf(kBeforeNumber);
    if (dot <= 0) return false;
    const QByteArray number = client.sliced(dot + qsizetype(sizeof kBeforeNumber - 1));
    return !number.isEmpty() && std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
}

/// Words in Party::about that this program writes, in English, as recordings keep them: aboutText() translates them.
inline constexpr char kTransactionSince[] = "transaction open since ";
inline constexpr char kAskedToGiveUp[] = "asked to give up the lock";

/// Party::about for people, with this program's own words in their language.
QString aboutText(QString about);

/// Party::about, of a database's session without its statement: which is long, and may contain a password.
inline QByteArray aboutWithoutStatement(const Party& party) {
    const qsizetype statement = isSessionName(party.client) ? party.about.indexOf(": ") : -1;
    return statement < 0 ? party.about : party.about.first(statement);
}

} // namespace lockscope::inspect
