// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/sql/sql_session_holds.h"
#include "recipes/waiting.h"

namespace lockscope::recipes {

/// A contender of a recipe that holds by connections. A thread that holds the lock takes it once more over the
/// connection that it has; any other try is the recipe's own, over a connection of its own.
class SessionContender : public LockContender {
public:
    /// `holds`: of the lock in the request's mode; `take` and `work` are the recipe's steps.
    SessionContender(SessionHolds& holds, sql::Port& port, Request asked, StepNumber take, StepNumber work)
        : LockContender(port.runtime(), std::move(asked)),
          m_holds(holds),
          m_port(port),
          m_take(take),
          m_work(work),
          m_again(request.held > 0) {}
    Outcome<Tried<Grant>> attempt(std::stop_token stop) override;

protected:
    /// A connection that takes writes, for one try: an open one, or a new one.
    Outcome<sql::Owned<sql::Session>> obtain(std::stop_token stop);
    /// Asks the server for the lock over a connection that holds it already; false: it does not. Waits for nobody.
    virtual sql::Answer<bool> askAgain(sql::Session& session) = 0;
    /// A try over a connection that does not hold the lock yet.
    virtual Outcome<Tried<Grant>> take(std::stop_token stop) = 0;

private:
    Outcome<Tried<Grant>> takeAgain(SessionHolds::Shared hold, std::stop_token stop);

    SessionHolds& m_holds;
    sql::Port& m_port;
    const StepNumber m_take, m_work;
    bool m_again; ///< the thread has a connection that holds the lock, as far as is known
};

} // namespace lockscope::recipes
