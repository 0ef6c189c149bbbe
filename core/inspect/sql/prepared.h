// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/sql/seen_table.h"

namespace lockscope::inspect {

/// Transactions of a PostgreSQL that were prepared (PREPARE TRANSACTION), and neither committed nor rolled back since:
/// they hold their locks without a session, also across a restart. PostgreSQL gives "0" for each of them where it tells
/// the numbers of sessions.
class PreparedTransactions {
public:
    /// The question whose answer the constructor reads.
    static const char* query();
    PreparedTransactions() = default;
    explicit PreparedTransactions(const sql::Table& answer);

    /// The prepared transactions that hold up a waiter for the transaction of that number, or for that table.
    std::vector<Party> holdersOf(const QByteArray& transaction, const QByteArray& table) const;
    /// A prepared transaction as a holder, by the name that was given to it.
    static Party party(const QByteArray& name);

private:
    struct Seen {
        QByteArray transaction, table;
        Party party;
    };
    std::vector<Seen> m_all; ///< once for each table that it has locked
};

} // namespace lockscope::inspect
