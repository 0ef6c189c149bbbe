// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/session_contender.h"

namespace lockscope::recipes {

Outcome<Tried<Grant>> SessionContender::attempt(std::stop_token stop) {
    const SessionHolds::Shared hold = m_again ? m_holds.of(request.thread) : nullptr;
    if (hold) {
        auto more = co_await takeAgain(hold, stop);
        if (!more) co_return std::unexpected(more.error());
        if (more->granted) co_return *std::move(more);
        m_holds.forget(request.thread, hold); // lost, or given up meanwhile
    }
    m_again = false;
    auto tried = co_await take(std::move(stop));
    co_return tried;
}

/// Not to be stopped, which it need not be, since it waits for nobody: a server that counts would have counted one hold
/// too many, and PostgreSQL would end the transaction with the statement, and with it the hold that there is.
Outcome<Tried<Grant>> SessionContender::takeAgain(SessionHolds::Shared hold, std::stop_token stop) {
    if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
    request.steps.at(m_take);
    const Nanos askedAt = runtime.monotonic();
    const std::shared_ptr<sql::Session> session = hold->session; // also if the hold is given up meanwhile
    const auto taken = co_await askAgain(*session);
    if (!taken && hold->lives()) co_return std::unexpected(lockError(taken.error()));
    Tried<Grant> tried;
    if (taken && *taken && hold->lives()) {
        request.steps.at(m_work);
        tried.granted = SessionHolds::again(request, hold, askedAt);
    }
    co_return tried;
}

Outcome<sql::Owned<sql::Session>> SessionContender::obtain(std::stop_token stop) {
    std::shared_ptr<sql::Session> session = SessionHolds::idle(m_port);
    if (session) co_return sql::Owned(std::move(session));
    auto opened = co_await SessionHolds::connect(m_port, std::move(stop));
    co_return opened;
}

} // namespace lockscope::recipes
