// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/sessions.h"

#include "inspect/party_about.h"
#include "inspect/sql/statement_text.h"

#include <QDateTime>
#include <algorithm>

namespace lockscope::inspect {

namespace {

/// "ann, 127.0.0.1: SELECT …", without its missing parts, and without what stands in the session's name.
QByteArray aboutOf(const SeenSession& seen, sql::Language language) {
    QByteArrayList who;
    if (!seen.user.isEmpty() && (!seen.program.isEmpty() || seen.address.isEmpty())) who << seen.user;
    if (!seen.address.isEmpty()) who << seen.address;
    QByteArray text = who.join(", ");
    if (seen.transactionSinceMs) {
        const QDateTime began = QDateTime::fromMSecsSinceEpoch(*seen.transactionSinceMs, Qt::UTC);
        text += QByteArray(text.isEmpty() ? "" : ", ") + kTransactionSince +
                began.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")).toLatin1() + 'Z';
    }
    // Somebody must stand before a statement: it is left out where only they are told.
    return seen.statement.isEmpty() || text.isEmpty()
               ? text
               : text + ": " + withoutLiterals(seen.statement, language).simplified();
}

} // namespace

sql::Answer<sql::Table> askBounded(sql::Reader& reader, QByteArray query, SessionLocks& found, std::stop_token stop) {
    query += " LIMIT " + QByteArray::number(qulonglong(kMostSessions));
    auto answer = co_await reader.ask(std::move(query), std::move(stop));
    const WatchNote bounded{WatchNote::Kind::SessionsBounded, std::int64_t(kMostSessions), {}};
    if (answer && answer->rows.size() >= kMostSessions && std::ranges::find(found.notes, bounded) == found.notes.end())
        found.notes.push_back(bounded);
    co_return answer;
}

QByteArray SessionNames::of(const SeenSession& seen) {
    const auto [known, fresh] = m_known.try_emplace(seen.number);
    known->second.named = true;
    if (fresh) {
        const QByteArray& who = seen.program.isEmpty() ? seen.user : seen.program;
        known->second.name = who.isEmpty() ? kPid + seen.number : who + kBeforeNumber + seen.number;
    }
    return known->second.name;
}

void SessionNames::lookEnded() {
    std::erase_if(m_known, [](const auto& entry) { return !entry.second.named; });
    for (auto& [number, known] : m_known)
        known.named = false;
}

std::vector<LockRow> LastRows::notKnown(const QByteArray& table, const char* backend) const {
    std::vector<LockRow> rows;
    const auto known = m_known.find(table);
    if (known == m_known.end()) return rows;
    for (const Row& last : known->second) {
        LockRow& row = rows.emplace_back();
        row.name = last.name;
        row.format = last.format;
        row.backend = backend;
        row.state = LockRow::State::NotKnown;
    }
    return rows;
}

LockRow sessionLock(QByteArray name, const char* format, sql::Language language) {
    LockRow row;
    row.name = std::move(name);
    row.format = format;
    row.backend = backendOf(language);
    row.waiters.emplace();
    row.waiterCount = 0;
    return row;
}

void addWaiter(LockRow& row, Party waiter) {
    waiter.position = int(row.waiters->size());
    row.waiters->push_back(std::move(waiter));
    row.waiterCount = std::int64_t(row.waiters->size());
}

void shareAmongHolders(LockRow& row) {
    if (row.holders.size() < 2) return;
    row.mode = QByteArrayLiteral("shared");
    for (Party& holder : row.holders)
        holder.mode = row.mode;
}

Party sessionParty(SessionNames& names, const SeenSession& seen, const char* mode) {
    Party party;
    party.client = names.of(seen);
    party.mode = mode;
    party.about = aboutOf(seen, names.language());
    return party;
}

} // namespace lockscope::inspect
