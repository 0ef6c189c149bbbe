// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace lockscope::fuzz {

/// The first thing that is wrong with a recognised row, from any server; nullopt: nothing is.
inline std::optional<QString> wrongIn(const inspect::LockRow& row) {
    using inspect::LockRow;
    if (row.name.isEmpty() && row.raw.empty()) return QStringLiteral("a row without a name and a key");
    if (row.format.isEmpty() || row.mode.isEmpty()) return QStringLiteral("a row without a format or a mode");
    if (row.ttlMs && *row.ttlMs < 0) return QStringLiteral("%1 ms are left").arg(*row.ttlMs);
    if (row.ttlMs && row.neverExpires) return QStringLiteral("it expires, and never does");
    if (row.moreHolders < 0 || row.waiterCount.value_or(0) < 0) return QStringLiteral("less than none");
    if (row.state == LockRow::State::Free && !row.holders.empty()) return QStringLiteral("free, and held");
    if (row.waiters && row.waiterCount) {
        const auto live = std::ranges::count(*row.waiters, false, &inspect::Party::dead);
        if (*row.waiterCount < live)
            return QStringLiteral("%1 waiters that live are named, %2 counted").arg(live).arg(*row.waiterCount);
    }
    // Numbers beyond 2^53 may come back in another form.
    const QJsonObject json = toJson(row), back = QJsonDocument::fromJson(QJsonDocument(json).toJson()).object();
    if (json.isEmpty() || back.keys() != json.keys() || back[u"name"] != json[u"name"] ||
        back[u"holders"] != json[u"holders"])
        return QStringLiteral("its JSON is not read as it was written");
    return std::nullopt;
}

} // namespace lockscope::fuzz
