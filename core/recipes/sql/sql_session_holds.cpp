// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_session_holds.h"

namespace lockscope::recipes {

Grant SessionHolds::enter(const Request& request, std::shared_ptr<sql::Session> session, Nanos askedAt) {
    m_sessions[request.thread] = session;
    Grant grant{request.thread, {}, askedAt, kNever, 1, 0, request.steps, request.mode};
    grant.own = std::move(session);
    return grant;
}

Grant SessionHolds::again(const Request& request, std::shared_ptr<sql::Session> session, Nanos askedAt) const {
    Grant grant{request.thread, {}, askedAt, kNever, request.held + 1, 0, request.steps, request.mode};
    grant.own = std::move(session);
    return grant;
}

std::shared_ptr<sql::Session> SessionHolds::sessionOf(const Grant& grant) {
    // A grant is a value that many may copy and nobody changes; what it stands for does change.
    return std::const_pointer_cast<sql::Session>(std::static_pointer_cast<const sql::Session>(grant.own));
}

Outcome<HoldNews> SessionHolds::news(Grant grant, Nanos every, std::stop_token stop) {
    const std::shared_ptr<sql::Session> session = sessionOf(grant);
    HoldNews news;
    sql::Sign sign = sql::Sign::Broken;
    if (session) sign = co_await session->nextSign(every, stop);
    switch (sign) {
    case sql::Sign::Alive:
        break;
    case sql::Sign::Silent:
        news.kind = HoldNews::Kind::Suspended;
        news.reason = QT_TRANSLATE_NOOP("Lock", "the database does not answer on the connection that holds the lock");
        break;
    case sql::Sign::Broken:
        news.kind = HoldNews::Kind::Lost;
        news.reason = QT_TRANSLATE_NOOP("Lock", "the connection that held the lock is gone");
        break;
    }
    co_return news;
}

} // namespace lockscope::recipes
