// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/sql/sql_recipe.h"

#include <map>

namespace lockscope::recipes {

/// A connection that holds the lock for one thread, and how often it does. One for all grants over it: what a grant
/// says of its holds was true when it was made, and several may be asked for and given back at once.
struct SessionHold {
    std::shared_ptr<sql::Session> session; ///< nullptr: given up
    int count = 1;                         ///< holds, by the server's answers; 0: it is being freed, or free
    bool spoiled = false;                  ///< the server may count more: not for anybody else afterwards

    /// As far as is known here: whoever asks the server next hears the rest.
    bool given() const { return count > 0 && session; }
    /// And the connection has not ended.
    bool lives() const { return given() && !session->broken(); }
};

/// The connections by which one recipe's threads hold its lock. Each hold has one of its own from before it waits until
/// it is released, so that its release never waits for a connection that a waiter has.
class SessionHolds {
public:
    using Shared = std::shared_ptr<SessionHold>;

    /// That of a thread that holds already and whose connection lives; nullptr: none.
    Shared of(const QByteArray& thread) const {
        const auto found = m_holds.find(thread);
        const Shared hold = found == m_holds.end() ? nullptr : found->second.lock();
        return hold && hold->lives() ? hold : nullptr;
    }
    /// A grant over a new connection.
    Grant enter(const Request& request, std::shared_ptr<sql::Session> session, Nanos askedAt);
    /// One more hold over the same.
    static Grant again(const Request& request, const Shared& hold, Nanos askedAt);
    /// Nobody re-enters this one any more; the thread may have another one by now, which stays.
    void forget(const QByteArray& thread, const Shared& hold);

    /// What a grant stands for.
    static Shared holdOf(const Grant& grant);
    /// Recipe::news() of both recipes.
    static Outcome<HoldNews> news(Grant grant, Nanos every, std::stop_token stop);

private:
    static Grant grantOf(const Request& request, const Shared& hold, Nanos askedAt);
    std::map<QByteArray, std::weak_ptr<SessionHold>> m_holds; ///< by thread
};

/// After connections were told to end, by their numbers on the server: returns when the server has none of them any
/// more, and what they held is free. After two seconds it goes on in any case.
QCoro::Task<> awaitEndOf(SqlLock lock, QByteArrayList connections, std::stop_token stop);

} // namespace lockscope::recipes
