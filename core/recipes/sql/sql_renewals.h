// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/sql/sql_recipe.h"
#include "runtime/completion.h"

namespace lockscope::recipes {

/// Renewals for all `sql-lease` locks of one connection: simultaneous ones share one statement, and each gets the
/// result for its own row. An error with an unknown outcome goes to all of them; no loss or renewal is reported that
/// the server did not confirm.
///
/// Single-threaded, on its runtime's thread. Keeps its port while requests are in flight.
class SqlRenewals final : public std::enable_shared_from_this<SqlRenewals> {
public:
    explicit SqlRenewals(std::shared_ptr<sql::Port> port) : m_port(std::move(port)) {}

    /// Restarts the full lease of the row with this owner; false = the row has another owner, or its lease has ended.
    /// When stopped: Cancelled, and it is not known whether it was carried out.
    Outcome<bool> renew(QByteArray name, QByteArray owner, Nanos lease, std::stop_token stop);
    /// Recipe::listen(): calls `ask` now, and each time that the database answers again after a connection to it broke.
    /// While any hold listens, one idle connection is kept, which breaks when the database ends.
    Outcome<void> listen(CallList::Callback ask, std::stop_token stop);
    /// Deletes, in the background, rows of `sql-lease` that have been free for kTokenCounterLife: some hundred at a
    /// time, at most once an hour. The next client to take such a lock creates its row again, with greater tokens.
    void tidy();

private:
    struct Answer {
        std::optional<LockError> error;
        bool held = false;
    };
    struct Renewal {
        sql::OwnedRow row;
        Nanos lease{};
        Completion<Answer> answer;
    };
    using Batch = std::vector<Renewal>; ///< with equal leases, ordered by name
    using Self = std::shared_ptr<SqlRenewals>;

    struct Listener;
    static QCoro::Task<> lookOut(Self self, std::stop_token stop);
    static QCoro::Task<> deleteOldRows(Runtime& runtime, std::weak_ptr<SqlRenewals> later);
    static QCoro::Task<> gather(Self self);
    static QCoro::Task<> renewBatch(Self self, std::shared_ptr<const Batch> batch);

    const std::shared_ptr<sql::Port> m_port;
    Batch m_waiting; ///< waiting to be sent together
    bool m_gathering = false;
    CallList m_reconnects;
    std::optional<Nanos> m_tidiedAt;
    int m_listeners = 0;
    std::stop_source m_lookOut; ///< ends the idle connection of listen()
};

} // namespace lockscope::recipes
