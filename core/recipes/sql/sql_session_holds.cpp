// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_session_holds.h"

namespace lockscope::recipes {

Grant SessionHolds::grantOf(const Request& request, const Shared& hold, Nanos askedAt) {
    Grant grant{request.thread, {}, askedAt, kNever, hold->count, 0, request.steps, request.mode};
    grant.own = hold;
    return grant;
}

std::shared_ptr<sql::Session> SessionHolds::idle(sql::Port& port) {
    std::shared_ptr<sql::Session> session = port.idleSession();
    if (session && session->takesNoWrites()) session.reset(); // its server may have become the master since
    return session;
}

Outcome<sql::Owned<sql::Session>> SessionHolds::connect(sql::Port& port, std::stop_token stop) {
    auto opened = co_await port.session(stop);
    if (!opened) co_return std::unexpected(lockError(opened.error()));
    // Also of a replica of MariaDB, which locks rows, too.
    if (const auto refusal = (*opened)->takesNoWrites()) co_return std::unexpected(lockError(*refusal));
    co_return *opened;
}

Grant SessionHolds::enter(const Request& request, std::shared_ptr<sql::Session> session, Nanos askedAt) {
    const auto hold = std::make_shared<SessionHold>();
    hold->session = std::move(session);
    m_holds[request.thread] = hold;
    return grantOf(request, hold, askedAt);
}

Grant SessionHolds::again(const Request& request, const Shared& hold, Nanos askedAt) {
    ++hold->count;
    return grantOf(request, hold, askedAt);
}

void SessionHolds::forget(const QByteArray& thread, const Shared& hold) {
    const auto found = m_holds.find(thread);
    if (found == m_holds.end()) return;
    const Shared present = found->second.lock();
    if (!present || present == hold) m_holds.erase(found);
}

SessionHolds::Shared SessionHolds::holdOf(const Grant& grant) {
    // A grant is a value that many may copy and nobody changes; what it stands for does change.
    return ownOf<SessionHold>(grant);
}

Outcome<HoldNews> SessionHolds::news(Grant grant, Nanos every, std::stop_token stop) {
    const Shared hold = holdOf(grant);
    const std::shared_ptr<sql::Session> session = hold ? hold->session : nullptr;
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
