// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/campaign.h"
#include "client/election_rules.h"
#include "lock/lock_exception.h"

#include <lockscope/leader_election.h>

namespace lockscope::blocking {

using detail::Campaign;

namespace {
std::shared_ptr<Campaign> candidate(const Client& client, std::string_view name, LockOptions options) {
    if (const auto wrong = wrongForElections(options)) throwLockError(*wrong);
    return std::make_shared<Campaign>(client, name, std::move(options));
}
} // namespace

LockOptions LeaderElection::defaults() {
    return electionOptions();
}

LeaderElection::LeaderElection(const Client& client, std::string_view name, LockOptions options)
    : m_campaign(candidate(client, name, std::move(options))) {
}

LeaderElection::~LeaderElection() {
    if (m_campaign->ofThisProcess())
        m_campaign->resign();
    else
        (void)new std::shared_ptr(std::move(m_campaign)); // never destroyed
}

void LeaderElection::onElected(std::function<void(std::int64_t term)> listener) {
    m_campaign->listen([&](Campaign::Listeners& listeners) { listeners.elected = std::move(listener); });
}

void LeaderElection::onDeposed(std::function<void(const std::string& reason)> listener) {
    m_campaign->listen([&](Campaign::Listeners& listeners) { listeners.deposed = std::move(listener); });
}

void LeaderElection::onFailed(std::function<void(const std::string& reason)> listener) {
    m_campaign->listen([&](Campaign::Listeners& listeners) { listeners.failed = std::move(listener); });
}

void LeaderElection::campaign() {
    m_campaign->begin();
}

void LeaderElection::resign() {
    m_campaign->resign();
}

bool LeaderElection::waitUntilLeader(std::chrono::nanoseconds wait, std::stop_token stop) const {
    return m_campaign->waitUntilLeader(wait, std::move(stop));
}

bool LeaderElection::isLeader() const {
    return m_campaign->leads();
}

std::int64_t LeaderElection::term() const {
    return m_campaign->term();
}

std::stop_token LeaderElection::leadership() const {
    return m_campaign->leadership();
}

std::optional<Holder> LeaderElection::leader() {
    return m_campaign->leader();
}

} // namespace lockscope::blocking
