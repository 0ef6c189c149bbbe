// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/alert_watch.h"

namespace lockscope::test {

using namespace inspect;

inline constexpr std::int64_t kWall = 1'700'000'000'000; // at the runtime's 0

inline LockRow held(const QByteArray& name, const QByteArray& client) {
    LockRow row;
    row.name = name;
    row.format = "redisson";
    row.state = LockRow::State::Held;
    Party holder;
    holder.client = client;
    row.holders = {holder};
    row.entries = {{name, client}};
    row.waiters.emplace();
    row.waiterCount = 0;
    return row;
}

inline void waits(LockRow& row, const QByteArray& client) {
    Party waiter;
    waiter.client = client;
    waiter.position = int(row.waiters->size());
    row.waiters->push_back(waiter);
    row.waiterCount = std::int64_t(row.waiters->size());
}

/// A report of a server that tells of each change: while it says nothing, all is as it was.
inline LockReport report(Nanos at, std::vector<LockRow> rows) {
    LockReport all;
    all.locks = std::move(rows);
    all.complete = all.hearsOfChanges = true;
    all.at = at;
    all.wallMs = kWall + at / 1ms;
    return all;
}

/// "held>5s orders; …" of the alerts that begin, "over held>5s orders" of those that end.
inline QString told(const std::vector<Alert>& alerts) {
    QStringList all;
    for (const Alert& alert : alerts)
        all << (alert.state == Alert::State::Over ? QStringLiteral("over ") : QString()) + alert.rule.text + u' ' +
                   QString::fromUtf8(alert.lock);
    return all.join(QStringLiteral("; "));
}

inline AlertWatch watching(const char* rule) {
    return AlertWatch({*parseAlertRule(QString::fromLatin1(rule))});
}

} // namespace lockscope::test
