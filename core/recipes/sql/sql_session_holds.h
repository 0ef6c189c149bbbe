// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/sql/sql_recipe.h"

#include <map>

namespace lockscope::recipes {

/// The connections by which one recipe's threads hold its lock. Each hold has one of its own from before it waits until
/// it is released, so that its release never waits for a connection that a waiter has.
class SessionHolds {
public:
    /// The connection of a thread that holds already and whose connection lives; nullptr: none.
    std::shared_ptr<sql::Session> of(const QByteArray& thread) const {
        const auto found = m_sessions.find(thread);
        const auto session = found == m_sessions.end() ? nullptr : found->second.lock();
        return session && !session->broken() ? session : nullptr;
    }
    /// A grant over a new connection.
    Grant enter(const Request& request, std::shared_ptr<sql::Session> session, Nanos askedAt);
    /// One more hold over the same.
    Grant again(const Request& request, std::shared_ptr<sql::Session> session, Nanos askedAt) const;
    void forget(const QByteArray& thread) { m_sessions.erase(thread); }

    /// A grant's own connection.
    static std::shared_ptr<sql::Session> sessionOf(const Grant& grant);
    /// Recipe::news() of both recipes.
    static Outcome<HoldNews> news(Grant grant, Nanos every, std::stop_token stop);

private:
    std::map<QByteArray, std::weak_ptr<sql::Session>> m_sessions; ///< by thread
};

} // namespace lockscope::recipes
