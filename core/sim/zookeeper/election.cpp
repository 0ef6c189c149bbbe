// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/election.h"

#include <algorithm>

namespace lockscope::sim {

void ZkElection::begin(const ZkVote& own) {
    ++m_round;
    m_own = m_vote = own;
    m_votes = {{m_self, own}};
    m_settled.clear();
}

void ZkElection::settle(std::uint64_t round, const ZkVote& vote) {
    m_round = round;
    m_vote = vote;
}

ZkElection::Heard ZkElection::hear(const ZkNotification& heard) {
    Heard result;
    if (heard.role != ZkRole::Looking) {
        m_settled[heard.from] = heard;
        const auto same = std::ranges::count_if(
            m_settled, [&](const auto& entry) { return entry.second.vote.server == heard.vote.server; });
        const auto leader = m_settled.find(heard.vote.server);
        const bool leads = leader != m_settled.end() && leader->second.role == ZkRole::Leading;
        if (std::size_t(same) >= m_quorum && leads && heard.vote.server != m_self) {
            settle(heard.round, heard.vote);
            result.join = true;
        }
        return result;
    }
    if (heard.round < m_round) {
        result.answer = true;
        return result;
    }
    m_settled.erase(heard.from);
    if (heard.round > m_round) {
        m_round = heard.round;
        m_votes.clear();
        m_vote = std::max(m_own, heard.vote);
        result.changed = true;
    } else if (heard.vote > m_vote) {
        m_vote = heard.vote;
        result.changed = true;
    } else if (heard.vote < m_vote) {
        result.answer = true;
    }
    m_votes[heard.from] = heard.vote;
    m_votes[m_self] = m_vote;
    return result;
}

bool ZkElection::agreed() const {
    const auto same = std::ranges::count_if(m_votes, [&](const auto& entry) { return entry.second == m_vote; });
    return std::size_t(same) >= m_quorum;
}

} // namespace lockscope::sim
