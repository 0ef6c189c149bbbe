// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/sql/sql_recipe.h"

#include <map>

namespace lockscope::recipes {

/// A connection that holds the lock for one thread, and its hold count. All grants over the connection share it: a
/// grant's own count was true only when it was made, and several requests and releases may be in flight.
struct SessionHold {
    std::shared_ptr<sql::Session> session; ///< nullptr: given up
    int count = 1;                         ///< holds, by the server's answers; 0: being freed, or free
    bool rowless = false;                  ///< of sql-for-update-late: its row is not inserted yet
    bool spoiled = false;                  ///< the server may count more: nobody else may use the connection afterwards

    /// Whether the lock is held, as far as is known here; the next request learns the rest.
    bool given() const { return count > 0 && session; }
    /// given(), and the connection has not ended.
    bool lives() const { return given() && !session->broken(); }
};

/// The connections by which one recipe's threads hold its lock. Each hold has its own connection from before it waits
/// until it is released; so a release never waits for a connection that a waiter uses.
class SessionHolds {
public:
    using Shared = std::shared_ptr<SessionHold>;

    /// The connection of a thread that holds already, if it is alive; nullptr: none.
    Shared of(const QByteArray& thread) const {
        const auto found = m_holds.find(thread);
        const Shared hold = found == m_holds.end() ? nullptr : found->second.lock();
        return hold && hold->lives() ? hold : nullptr;
    }
    /// A connection that takes writes: an open one at once, nullptr when none is free; or a new one.
    static std::shared_ptr<sql::Session> idle(sql::Port& port);
    static Outcome<sql::Owned<sql::Session>> connect(sql::Port& port, std::stop_token stop);

    /// A grant over a new connection.
    Grant enter(const Request& request, std::shared_ptr<sql::Session> session, Nanos askedAt);
    /// One more hold over the same connection.
    static Grant again(const Request& request, const Shared& hold, Nanos askedAt);
    /// Ends re-entry over this connection; if the thread has another one by now, that stays.
    void forget(const QByteArray& thread, const Shared& hold);

    /// The connection behind a grant.
    static Shared holdOf(const Grant& grant);
    /// Implements Recipe::news() of both recipes.
    static Outcome<HoldNews> news(Grant grant, Nanos every, std::stop_token stop);

private:
    static Grant grantOf(const Request& request, const Shared& hold, Nanos askedAt);
    std::map<QByteArray, std::weak_ptr<SessionHold>> m_holds; ///< by thread
};

} // namespace lockscope::recipes
