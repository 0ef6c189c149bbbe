// SPDX-License-Identifier: Apache-2.0
#include "recipes/redlock/ballot.h"

#include "recipes/backoff.h"
#include "recipes/redis/redis_recipe.h"
#include "runtime/waits_here.h"

namespace lockscope::recipes {

void Ballot::cast(std::size_t node, Vote vote) {
    if (m_votes[node] != Vote::Pending && m_votes[node] != Vote::Failed) return;
    m_votes[node] = vote;
    wakeIfDue();
}

void Ballot::fail(std::size_t node, const redis::Error& error) {
    if (m_votes[node] != Vote::Pending) return;
    if (error.outcomeUnknown()) m_doubtful += node;
    if (!passes(lockError(error, QByteArray()))) ++m_lasting;
    fail(node, error.message);
}

void Ballot::fail(std::size_t node, const QString& complaint) {
    if (m_votes[node] != Vote::Pending) return;
    m_complaints += complaint;
    cast(node, Vote::Failed);
}

std::size_t Ballot::count(Vote vote) const {
    return static_cast<std::size_t>(std::ranges::count(m_votes, vote));
}

bool Ballot::decided() const {
    const std::size_t yes = count(Vote::Yes), no = count(Vote::No), pending = count(Vote::Pending);
    if (pending == 0 || yes >= m_quorum || no >= m_quorum) return true;
    // Lost, and known to be lost to others rather than to silence.
    return yes + pending < m_quorum && yes + no >= m_quorum;
}

void Ballot::wakeIfDue() {
    if (m_waiter && m_condition(*this)) m_waiter->wake();
}

QCoro::Task<> Ballot::wait(std::shared_ptr<Ballot> ballot, Runtime& runtime, Condition condition, Nanos timeout,
                           std::stop_token stop) {
    Waiter waiter(runtime, timeout, std::move(stop));
    ballot->m_condition = std::move(condition);
    const WaitsHere here(ballot->m_waiter, waiter);
    ballot->wakeIfDue();
    co_await waiter.end();
}

} // namespace lockscope::recipes
