// SPDX-License-Identifier: Apache-2.0
#include "inspect/lock_report.h"

#include "inspect/trace_feed.h"

#include <QDateTime>
#include <QJsonArray>

namespace lockscope::inspect {

namespace {

bool sameButForTime(LockRow a, LockRow b, Nanos passed, Nanos tolerance) {
    if (a.ttlMs && b.ttlMs) {
        const Nanos expected = std::chrono::milliseconds(*a.ttlMs) - passed;
        const Nanos moved = std::chrono::milliseconds(*b.ttlMs) - expected;
        if (std::chrono::abs(moved) > tolerance) return false;
        a.ttlMs = b.ttlMs;
    }
    // Raw keys repeat the TTL; their values are what the rest of the row was read from.
    for (LockRow* row : {&a, &b})
        for (RawKey& raw : row->raw)
            raw.ttlMs.reset();
    return a == b;
}

} // namespace

QJsonObject toJson(const LockReport& report, const QString& endpoint) {
    QJsonArray locks;
    for (const LockRow& row : report.locks)
        locks.append(toJson(row));
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(report.wallMs, Qt::UTC);
    return {{QStringLiteral("endpoint"), endpoint},
            {QStringLiteral("observed_at"), at.toString(Qt::ISODateWithMs)},
            {QStringLiteral("locks"), locks}};
}

std::vector<LockChange> changesBetween(const LockReport& before, const LockReport& after, Nanos tolerance) {
    using Kind = LockChange::Kind;
    std::vector<LockChange> changes;
    auto was = before.locks.begin();
    auto is = after.locks.begin();
    while (was != before.locks.end() || is != after.locks.end()) {
        if (is == after.locks.end() || (was != before.locks.end() && was->name < is->name)) {
            changes.push_back({Kind::Vanished, *was++});
        } else if (was == before.locks.end() || is->name < was->name) {
            changes.push_back({Kind::Appeared, *is++});
        } else {
            if (!sameButForTime(*was, *is, after.at - before.at, tolerance)) changes.push_back({Kind::Changed, *is});
            ++was;
            ++is;
        }
    }
    return changes;
}

void ReportFeed::write(const LockReport& report) {
    if (report.trouble) {
        m_feed.unobserved();
        return;
    }
    m_feed.observed();
    std::vector<QByteArray> names;
    for (const LockRow& row : report.locks) {
        names.push_back(row.name);
        m_feed.update(row.name, row);
    }
    for (const QByteArray& name : m_names)
        if (!std::binary_search(names.begin(), names.end(), name))
            m_feed.update(name, std::nullopt);
    m_names = std::move(names);
}

} // namespace lockscope::inspect
