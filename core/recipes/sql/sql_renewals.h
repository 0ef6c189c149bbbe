// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/sql/sql_recipe.h"
#include "runtime/completion.h"

namespace lockscope::recipes {

/// The renewals of all `sql-lease` locks of one connection: those that come at the same time go in one statement, and
/// each learns what became of its own row. An error that leaves open what became of them is told to all: nobody is told
/// a loss or a renewal that the server did not confirm.
///
/// Of one thread, its runtime's. Keeps its port for as long as something is under way.
class SqlRenewals final : public std::enable_shared_from_this<SqlRenewals> {
public:
    SqlRenewals(std::shared_ptr<sql::Port> port, sql::Tables tables)
        : m_port(std::move(port)), m_tables(std::move(tables)) {}

    /// A full lease again for the row that has this owner; false = it has not, or its time is over. Stopped: Cancelled,
    /// and whether it was carried out is not told.
    Outcome<bool> renew(QByteArray name, QByteArray owner, Nanos lease, std::stop_token stop);
    /// Recipe::listen(): calls `ask` now, and each time that the database answers again after a connection to it broke.
    /// While anybody listens, one idle connection is kept to notice that by.
    Outcome<void> listen(CallList::Callback ask, std::stop_token stop);
    /// Deletes, in the background, rows of `sql-lease` that have been free for kTokenCounterLife, some hundred at a
    /// time; at most once an hour. Whoever takes such a lock later makes its row again, with greater tokens.
    void tidy();

private:
    struct Answer {
        std::optional<LockError> error;
        bool held = false;
    };
    struct Renewal {
        QByteArray name, owner;
        std::int64_t leaseMs = 0;
        Completion<Answer> answer;
    };
    using Batch = std::vector<Renewal>; ///< of one lease, by name
    /// For each of a batch: it is ours.
    struct Held {
        std::vector<bool> each;
    };
    using Self = std::shared_ptr<SqlRenewals>;

    struct Listener;
    static QCoro::Task<> lookOut(Self self, std::stop_token stop);
    static QCoro::Task<> deleteOldRows(Runtime& runtime, std::weak_ptr<SqlRenewals> later);
    static QCoro::Task<> gather(Self self);
    static QCoro::Task<> renewBatch(Self self, std::shared_ptr<const Batch> batch);
    Outcome<Held> extend(std::shared_ptr<const Batch> batch);
    sql::Statement statementFor(const Batch& batch, QByteArray text, bool withLease) const;

    const std::shared_ptr<sql::Port> m_port;
    const sql::Tables m_tables;
    Batch m_waiting; ///< for others to go with
    bool m_gathering = false;
    CallList m_reconnects;
    std::optional<Nanos> m_tidiedAt;
    int m_listeners = 0;
    std::stop_source m_lookOut; ///< of the connection that is watched for them
};

} // namespace lockscope::recipes
