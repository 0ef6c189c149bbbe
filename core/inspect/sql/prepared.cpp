// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/prepared.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

enum Column : std::size_t { Transaction, Name, Owner, Since, LockedTable };

} // namespace

const char* PreparedTransactions::query() {
    return "SELECT p.transaction::text, p.gid, p.owner::text, (extract(epoch FROM p.prepared) * 1000)::bigint, "
           "COALESCE(l.relation::regclass::text, '') FROM pg_prepared_xacts p LEFT JOIN pg_locks x ON x.pid IS NULL "
           "AND x.granted AND x.transactionid = p.transaction LEFT JOIN pg_locks l ON l.pid IS NULL "
           "AND l.granted AND l.locktype = 'relation' AND l.virtualtransaction = x.virtualtransaction "
           "WHERE p.database = current_database() ORDER BY p.prepared, p.gid";
}

PreparedTransactions::PreparedTransactions(const sql::Table& answer) {
    for (std::size_t at = 0; at < answer.rows.size(); ++at) {
        Seen seen{answer.text(at, Transaction), answer.text(at, LockedTable), party(answer.text(at, Name))};
        seen.party.about = answer.text(at, Owner);
        seen.party.sinceWallMs = answer.number(at, Since);
        m_all.push_back(std::move(seen));
    }
}

std::vector<Party> PreparedTransactions::holdersOf(const QByteArray& transaction, const QByteArray& table) const {
    std::vector<Party> holders;
    for (const Seen& seen : m_all) {
        const bool blocks = transaction.isEmpty() ? seen.table == table : seen.transaction == transaction;
        if (blocks && std::ranges::find(holders, seen.party) == holders.end()) holders.push_back(seen.party);
    }
    return holders;
}

Party PreparedTransactions::party(const QByteArray& name) {
    Party party;
    party.client = "prepared transaction " + name;
    return party;
}

} // namespace lockscope::inspect
