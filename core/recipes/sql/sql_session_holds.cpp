// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_session_holds.h"

namespace lockscope::recipes {

Grant SessionHolds::grantOf(const Request& request, const Shared& hold, Nanos askedAt) {
    Grant grant{request.thread, {}, askedAt, kNever, hold->count, 0, request.steps, request.mode};
    grant.own = hold;
    return grant;
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

QCoro::Task<> awaitEndOf(SqlLock lock, QByteArrayList connections, std::stop_token stop) {
    constexpr Nanos kLongest = 2s;
    constexpr Nanos kBetween = 5ms; // the server tells nobody of a connection's end: look again
    Runtime& runtime = lock.port.runtime();
    const Nanos giveUpAt = runtime.monotonic() + kLongest;
    const bool mySql = lock.tables.dialect == sql::Dialect::MySql;
    sql::Statement look;
    look.text = (mySql ? QByteArrayLiteral("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID IN (")
                       : QByteArrayLiteral("SELECT COUNT(*) FROM pg_stat_activity WHERE pid IN (")) +
                connections.join(',') + ')';
    for (;;) {
        const sql::Result there = co_await lock.port.execute(look, stop);
        if (!there || there->number() == 0 || runtime.monotonic() >= giveUpAt) co_return;
        co_await runtime.sleep(kBetween, stop);
    }
}

} // namespace lockscope::recipes
