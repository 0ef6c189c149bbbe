// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/zookeeper/message.h"

#include <map>

namespace lockscope::sim {

/// The state of a server in its ensemble.
enum class ZkRole : std::uint8_t { Looking, Following, Leading };

/// A candidate: the newest epoch and transaction win, among equals the greatest number of a server.
struct ZkVote {
    std::int64_t epoch = 0;
    ZkTransaction zxid = 0;
    int server = 0;
    friend auto operator<=>(const ZkVote&, const ZkVote&) = default;
};

/// A message between servers about whom they vote for.
struct ZkNotification {
    int from = 0;
    ZkVote vote;
    std::uint64_t round = 0;
    ZkRole role = ZkRole::Looking;
};

/// One server's part in ZooKeeper's election (FastLeaderElection), without messages and time.
class ZkElection {
public:
    ZkElection(int self, std::size_t quorum) : m_self(self), m_quorum(quorum) {}

    /// Begins another round, voting for itself.
    void begin(const ZkVote& own);
    /// Continues at the round and vote of an ensemble that has a leader.
    void settle(std::uint64_t round, const ZkVote& vote);

    struct Heard {
        bool changed = false; ///< everybody is to be told of our vote
        bool answer = false;  ///< the sender is to be told of our vote
        bool join = false;    ///< most servers have a leader already, whom our vote names now
    };
    Heard hear(const ZkNotification& notification);
    /// Whether most servers vote as we do.
    bool agreed() const;

    const ZkVote& vote() const { return m_vote; }
    std::uint64_t round() const { return m_round; }

private:
    int m_self;
    std::size_t m_quorum;
    std::uint64_t m_round = 0;
    ZkVote m_own, m_vote;
    std::map<int, ZkVote> m_votes;           ///< of this round, ours included
    std::map<int, ZkNotification> m_settled; ///< of servers that follow or lead
};

} // namespace lockscope::sim
