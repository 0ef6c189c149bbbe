// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/cluster_keys.h"
#include "sim/server.h"

#include <array>
#include <random>

namespace lockscope::sim {

class RedisServer;

/// A server's part in a Redis Cluster: which node owns which slot as far as it knows, which nodes are down, votes, and
/// its answers about keys that are not its own. Source: the Redis Cluster specification, and cluster.c of Redis 7.0.
class ClusterNode {
public:
    struct Settings {
        Nanos nodeTimeout = 15s;
    };
    ClusterNode(RedisServer& self, Grounds grounds, Settings settings, std::uint64_t seed);

    /// All nodes know each other from the start. The first `masters` of them share the slots; the others are their
    /// replicas in turn.
    void meet(const std::vector<RedisServer*>& nodes, std::size_t masters);

    /// The number of the node that owns a slot, as far as this one knows; negative: none.
    int ownerOf(int slot) const { return m_owners[std::size_t(slot)]; }
    /// Why a command with these keys is not answered here; empty: it is. `asking` and `readOnly` as the session said.
    QByteArray elsewhere(const redis::Args& keys, bool asking, bool readOnly, bool writes) const;
    /// CLUSTER and its subcommands, by the name in upper case; nullopt: not one of them.
    std::optional<redis::Reply> answer(const QByteArray& command, const redis::Args& args);
    /// A message was published here: all other nodes' subscribers hear it, too.
    void spread(const redis::Args& publish);

    /// The process has started again, with the map that it had.
    void booted();
    /// Whether it is the slot's master as far as it knows itself; of several that think so, the highest configuration
    /// epoch is right.
    bool owns(int slot) const { return m_owners[std::size_t(slot)] == m_me && isMaster(m_me); }
    std::int64_t configEpoch() const { return m_peers[std::size_t(m_me)].configEpoch; }
    std::function<void()> onMap; ///< it may own other slots now

private:
    static constexpr int kNobody = -1;
    /// Another node, or this one, as this one sees it.
    struct Peer {
        RedisServer* server = nullptr;
        int master = kNobody; ///< whose replica it is; kNobody: it is a master
        std::int64_t configEpoch = 0;
        Nanos pongAt{};
        std::optional<Nanos> pingedAt = {}; ///< the first ping without a pong
        bool mayBeDown = false;             ///< PFAIL
        bool down = false;                  ///< FAIL
        std::map<int, Nanos> reports = {};  ///< by masters that cannot reach it
    };
    struct News { ///< what a ping or pong carries
        int from = 0;
        std::int64_t epoch = 0, configEpoch = 0;
        int master = kNobody;
        std::vector<int> slotsFrom; ///< first slots of ranges, and one past their ends, in turn
        std::vector<int> suspects, down;
    };
    void tick();
    /// `what`: as in tellMessage(); nullptr, it is not worth a row.
    void send(int to, std::function<void(ClusterNode&)> work, const char* what = nullptr);
    News news() const;
    void hear(const News& news);
    void pong(int from);
    void suspect();
    void markDown(int node, bool tellOthers);
    /// Writes what it thinks of another node.
    void writeDoubt(int node, trace::Doubt doubt, int agree = 0) const;
    void mapChanged() const {
        if (onMap) onMap();
    }
    void updateState();
    void standForElection();
    void askForVotes();
    void onVoteAsked(int candidate, std::int64_t epoch, std::int64_t configEpoch);
    void onVote(std::int64_t epoch);
    void takeOver();
    void setMaster(int master);
    bool isMaster(int node) const { return m_peers[std::size_t(node)].master == kNobody; }
    bool ownsSlots(int node) const;
    int votingMasters() const;
    QByteArray addressOf(int node) const;
    redis::Reply slots() const;
    redis::Reply setSlot(const redis::Args& args);
    int byId(const QByteArray& id) const;

    RedisServer& m_self;
    Grounds m_grounds;
    Settings m_settings;
    std::mt19937_64 m_random;
    int m_me = 0;
    std::vector<Peer> m_peers;
    std::array<std::int8_t, redis::kClusterSlots> m_owners{};
    std::map<int, int> m_migrating, m_importing; ///< to and from which node, by slot
    std::int64_t m_epoch = 0, m_votedEpoch = 0;
    bool m_ok = true;
    std::optional<Nanos> m_okFrom; ///< it serves again only from then on
    std::optional<Nanos> m_electionAt;
    std::int64_t m_electionEpoch = 0;
    int m_votes = 0;
};

} // namespace lockscope::sim
