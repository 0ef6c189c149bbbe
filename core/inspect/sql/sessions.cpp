// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/sessions.h"

#include "inspect/party_about.h"

namespace lockscope::inspect {

namespace {

/// "(ann) 127.0.0.1: SELECT …", without its missing parts, and without what stands in the session's name.
QByteArray aboutOf(const SeenSession& seen) {
    QByteArrayList who;
    if (!seen.user.isEmpty() && !seen.program.isEmpty())
        who << '(' + seen.user + ')';
    else if (!seen.user.isEmpty() && seen.address.isEmpty())
        who << seen.user;
    if (!seen.address.isEmpty()) who << seen.address;
    const QByteArray text = who.join(' ');
    // Somebody must stand before a statement: it is left out where only they are told.
    return seen.statement.isEmpty() || text.isEmpty() ? text : text + ": " + seen.statement.simplified();
}

} // namespace

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

Party sessionParty(SessionNames& names, const SeenSession& seen, const char* mode) {
    Party party;
    party.client = names.of(seen);
    party.mode = mode;
    party.about = aboutOf(seen);
    return party;
}

} // namespace lockscope::inspect
