// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/etcd/message.h"

#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace lockscope::sim {

/// Where a request entered the cluster: its member answers it.
struct EtcdOrigin {
    int member = 0;        ///< 0: it is the cluster's own
    std::uint64_t run = 0; ///< of the member's process
    std::uint64_t request = 0;
    std::uint32_t client = 0; ///< its entity in the trace
};

/// One entry of the log.
struct EtcdEntry {
    std::int64_t term = 0;
    std::shared_ptr<const EtcdRequest> request; ///< nullptr: a new leader's first one, which changes nothing
    EtcdOrigin origin;
};

/// A message between members.
struct EtcdRaftMessage {
    enum class Kind : std::uint8_t {
        Vote,
        VoteAnswer,
        Append,
        AppendAnswer,
        Heartbeat,
        HeartbeatAnswer,
        Propose,   ///< a follower's request for the log
        ReadIndex, ///< a follower asks how far the log is agreed upon now
        ReadAnswer,
        CampaignNow, ///< the leader hands its office over
    };
    Kind kind = Kind::Heartbeat;
    int from = 0;
    std::int64_t term = 0; ///< 0 of Propose, ReadIndex and ReadAnswer: those hold in any
    std::int64_t index = 0, indexTerm = 0;
    std::int64_t commit = 0;
    std::uint64_t read = 0; ///< of heartbeats: the read that waits for answers; of ReadIndex and its answer: its number
    bool rejected = false;
    bool forced = false; ///< of Vote: the leader itself has asked for it
    std::vector<EtcdEntry> entries{};
};

/// One member's part in Raft as etcd has it (no pre-vote, leaders step down without a quorum), without a network and
/// without time: it is told when 100 ms have passed. Members are numbered from 1.
class EtcdRaft {
public:
    enum class Role : std::uint8_t { Follower, Candidate, Leader };
    /// Ticks after which a follower may campaign, and in which a leader has to hear of a quorum.
    static constexpr int kElectionTicks = 10;

    EtcdRaft(int number, int members, std::uint64_t seed) : m_number(number), m_members(members), m_random(seed) {
        restart();
    }

    using Sent = std::shared_ptr<const EtcdRaftMessage>;

    // The member supplies these.
    std::function<void(int to, EtcdRaftMessage)> send;
    /// The log reaches the disk up to that entry: call flushed() when it is there.
    std::function<void(std::int64_t index)> write;
    /// The role, or the leader that it knows of, has changed.
    std::function<void(bool newLeader)> onLeader;
    /// It votes for that member, maybe itself, in the present term.
    std::function<void(int candidate)> onVote;
    /// That read may be answered once the entry is carried out.
    std::function<void(std::uint64_t read, std::int64_t index)> onRead;

    void tick();
    void take(const EtcdRaftMessage& message);
    void flushed(std::int64_t term, std::int64_t index);
    /// Adds a request to the log, or has the leader do so. False: no leader is known.
    bool propose(const EtcdEntry& entry);
    /// Asks how far the log is agreed upon. Nothing comes of it without a leader and a quorum.
    void readIndex(std::uint64_t read);
    /// A member that has just started: it keeps term, vote and log.
    void restart();
    /// The members elect at once, as they have been there for a while.
    void campaign(bool forced = false);
    /// Hands the office over. Precondition: it leads.
    void transferTo(int member);
    /// It has lost its disk.
    void forget();

    Role role() const { return m_role; }
    std::int64_t term() const { return m_term; }
    int leader() const { return m_leader; } ///< 0: none is known
    std::int64_t committed() const { return m_commit; }
    const EtcdEntry& entry(std::int64_t index) const { return m_log[std::size_t(index - 1)]; }
    /// The term of that entry; 0: its log has none of that number.
    std::int64_t termAt(std::int64_t index) const { return index == 0 || index > last() ? 0 : entry(index).term; }
    /// The member, besides this one, that has most of the log; 0: there is none. Precondition: it leads.
    int nextBest() const;

private:
    using Kind = EtcdRaftMessage::Kind;
    struct Progress {
        std::int64_t match = 0, next = 1;
        bool active = false; ///< was heard of since the last check
    };
    struct Read {
        int from = 0; ///< the member that asks
        std::uint64_t number = 0;
        std::int64_t index = 0;
        std::set<int> answers;
    };
    std::int64_t last() const { return std::int64_t(m_log.size()); }
    int quorum() const { return m_members / 2 + 1; }
    void become(Role role, std::int64_t term, int leader);
    void lead();
    void post(int to, EtcdRaftMessage message);
    void sendAppend(int to);
    void sendAppends();
    void heartbeat(std::uint64_t read);
    void append(EtcdEntry entry);
    void advance();
    void takeVote(const EtcdRaftMessage& message);
    void takeVoteAnswer(const EtcdRaftMessage& message);
    void takeAppend(const EtcdRaftMessage& message);
    void takeAppendAnswer(const EtcdRaftMessage& message);
    void takeHeartbeat(const EtcdRaftMessage& message);
    void takeHeartbeatAnswer(const EtcdRaftMessage& message);
    void takeRead(int from, std::uint64_t number);
    void answerReads();
    void setCommit(std::int64_t index);

    int m_number, m_members;
    std::mt19937_64 m_random;
    // On the disk:
    std::int64_t m_term = 0;
    int m_vote = 0;
    std::vector<EtcdEntry> m_log; ///< from entry 1 on
    std::int64_t m_commit = 0;

    Role m_role = Role::Follower;
    int m_leader = 0;
    int m_elapsed = 0, m_patience = kElectionTicks; ///< ticks
    std::map<int, bool> m_votes;
    std::map<int, Progress> m_progress;
    std::int64_t m_flushed = 0; ///< of the own log, while leading
    std::map<std::uint64_t, Read> m_reads;
    std::uint64_t m_lastRead = 0;
    std::vector<std::pair<int, std::uint64_t>> m_earlyReads; ///< asked before an entry of this term was agreed upon
};

} // namespace lockscope::sim
