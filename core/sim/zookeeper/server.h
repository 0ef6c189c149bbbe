// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/stream.h"
#include "sim/zookeeper/election.h"
#include "sim/zookeeper/expiry.h"
#include "sim/zookeeper/socket.h"
#include "sim/zookeeper/transaction.h"
#include "sim/zookeeper/watches.h"

#include <random>

namespace lockscope::sim {

/// The times of an ensemble; the defaults are ZooKeeper's own.
struct ZkSettings {
    Nanos tick = 2s;
    int syncLimit = 5;      ///< ticks of silence after which a leader and its follower part
    int initLimit = 10;     ///< ticks that a new leader and its followers have to find each other
    int shortest = 2;       ///< ticks that a session lasts at least
    int longest = 20;       ///< and at most
    Nanos longestSession{}; ///< instead of `longest`, if above 0
    Nanos lag = 5ms;        ///< a follower carries out what was committed up to so much later
    Nanos containerCheck = 60s;
    bool extendedTypes = false;               ///< whether nodes with a time-to-live may be made
    Nanos leadsAfter = 150ms, atMost = 350ms; ///< how long an elected leader takes before followers can join

    Nanos silence() const { return tick * syncLimit; }
};

/// A simulated ZooKeeper server: alone, or one of an ensemble, whose members elect a leader. The leader makes
/// transactions of requests, has most servers log them, and ends sessions; every server answers looks by itself.
class ZkServer final : public Server {
public:
    static constexpr int kPort = 2181;

    /// `number`: in its ensemble, from 1.
    ZkServer(Grounds grounds, const QByteArray& id, int number, std::uint64_t seed, const ZkSettings& settings);
    ~ZkServer() override;

    /// All servers of the ensemble, itself included, in the order of their numbers. Everything outlives it.
    void meet(const std::vector<ZkServer*>& all);
    /// Makes all of them an ensemble that has been there for a while: this one leads.
    void leadFromTheStart();

    int number() const { return m_number; }
    ZkRole role() const { return m_role; }
    /// Whether clients are served.
    bool serves() const { return m_serves; }
    /// The server that it follows, while it does.
    int leaderNumber() const { return m_leaderNumber; }
    std::int64_t epoch() const { return m_epoch; }
    /// The result of all transactions that it has carried out.
    const ZkState& state() const { return m_state; }
    /// As if a node had had so many children, on a server that is alone.
    void presetCreations(const QByteArray& path, std::int32_t count);
    std::uint64_t steps() const { return m_steps; }
    std::size_t connections() const { return m_connections.size(); }
    /// Its role, or whether it serves, has changed; or it has started or died.
    std::function<void(ZkServer&)> onRole;
    /// It stands still from now on, or goes on, and has not done anything since.
    std::function<void(ZkServer&)> onStanding;
    /// It has carried out a transaction.
    std::function<void(ZkServer&, const ZkTxn&)> onTransaction;
    /// It took over a leader's state, or lost its own.
    std::function<void(ZkServer&)> onReplaced;
    /// A session has a connection of that client here.
    std::function<void(ZkSessionId session, trace::EntityId client)> onWelcome;
    /// A request that nobody waits for: an operator's. False: it does not lead.
    bool command(const ZkRequest& request);

    // The ends of sockets.
    bool accept(const std::shared_ptr<ZkSocket>& socket, const ZkGreeting& greeting);
    void receive(const std::shared_ptr<ZkSocket>& socket, std::uint64_t asked,
                 std::shared_ptr<const ZkRequest> request);
    /// The client's end is closed.
    void leave(const ZkSocket& socket);
    /// The connection breaks at the server's end.
    void breakOff(const ZkSocket& socket);
    void hangUpOn(Party client) override;
    /// The last one of its log, carried out or not.
    ZkTransaction newest() const { return m_log.empty() ? m_state.zxid : m_log.back().txn.zxid; }

private:
    using ConnectionId = std::uint64_t;
    using Request = std::shared_ptr<const ZkRequest>;
    struct Pending {
        std::uint64_t asked;
        Request request;
        bool done = false; ///< of changes and sync
        ZkReply reply{};
        /// Whether the leader has a say in the answer.
        bool waits() const { return request->changes() || request->kind == ZkRequest::Kind::Sync; }
    };
    struct Connection {
        std::shared_ptr<ZkSocket> socket;
        ZkGreeting greeting;
        ZkSessionId session = 0; ///< 0: not welcomed yet
        std::int64_t timeoutMs = 0;
        ZkLogins logins;
        std::deque<Pending> pending; ///< in the order of arrival, which is that of the answers
    };
    /// The connection of a follower to its leader.
    struct Peering {
        Peering(Grounds grounds, ZkServer& l, ZkServer& f)
            : leader(l), follower(f), down(grounds, l, f), up(grounds, f, l) {}
        ZkServer& leader;
        ZkServer& follower;
        Stream down, up;
    };
    using Peer = std::shared_ptr<Peering>;
    struct Follower {
        Peer peer;
        Nanos heard{};
        std::int64_t acceptedEpoch = 0;
        bool told = false;   ///< was sent the leader's state, and gets what is proposed since
        bool synced = false; ///< has it
    };
    struct Logged {
        ZkTxn txn;
        std::set<int> acks; ///< at the leader
    };

    // Life (server.cpp)
    void paused() override {
        if (onStanding) onStanding(*this);
    }
    void resumed() override;
    void died(Death death) override;
    void booted(Disk disk) override;
    void become(ZkRole role);
    void serve(bool serves);
    void finish(ZkTxn txn);

    // Election (server_election.cpp)
    void lookForLeader();
    void hear(const ZkNotification& notification);
    void tell(ZkServer& other);
    void broadcast();
    void writeVote();
    void repeatVote(std::uint64_t reign, Nanos pause);
    void considerVotes();
    void decide();
    std::size_t quorum() const { return m_all.size() / 2 + 1; }

    // Clients (server_clients.cpp)
    void open(ConnectionId id);
    void welcome(ConnectionId id, ZkSessionId session);
    void refuse(ConnectionId id);
    void drop(ConnectionId id, ZkSocket::Farewell farewell = ZkSocket::Farewell::Told);
    void dropAll(ZkSocket::Farewell farewell);
    void handle(ConnectionId id, std::uint64_t asked, const Request& request);
    void answerDue(ConnectionId id);
    /// Whether looks stand behind changes that are not on the disk yet.
    bool looksWait() const { return m_all.size() == 1 && !m_log.empty(); }
    ZkReply look(ConnectionId id, const ZkRequest& request);
    void rewatch(ConnectionId id, const ZkRewatch& rewatch);
    void synced(const ZkOrigin& origin);
    void answerTo(const ZkTxn& txn);
    /// Tells only clients that may read the node; the watches of other clients are over, too.
    void tellWatchers(const ZkEvent& event, ZkTree::Concerns watches, const ZkAcl& acl);
    Pending* waiting(const ZkOrigin& origin);
    Nanos clamped(std::int64_t wantedMs) const;
    void touch(ZkSessionId session, std::int64_t timeoutMs);
    void submit(const ZkOrigin& origin, ZkSessionId session, const Request& request, const ZkLogins& logins);

    // Leading (server_leading.cpp)
    void lead();
    void joined(const Peer& peer, std::int64_t acceptedEpoch);
    void beginEpoch();
    void bringUpToDate(Follower& follower);
    void acknowledged(const Peer& peer, ZkTransaction zxid);
    void startServing();
    void letServe(const Peer& peer);
    void process(const ZkOrigin& origin, ZkSessionId session, const ZkRequest& request, const ZkLogins& logins);
    void processSync(const ZkOrigin& origin);
    void processSession(const ZkOrigin& origin, ZkSessionId session, std::int64_t timeoutMs);
    bool revalidate(int server, ZkSessionId session, std::int64_t timeoutMs);
    void propose(ZkTxn proposed);
    /// That server has it on its disk.
    void logged(ZkTransaction zxid, int server);
    void commit();
    void reply(const ZkOrigin& origin);
    void halfTick();
    void endSessions();
    void removeDue();
    void lost(const Peer& peer);
    void heardTouches(const Peer& peer, const std::map<ZkSessionId, std::int64_t>& touched);
    Follower* followerOf(const Peer& peer);

    // Following (server_following.cpp)
    void follow(int leader);
    void join();
    void synchronise(const Peer& peer, const ZkState& state, const std::deque<Logged>& log, std::int64_t epoch);
    void upToDate(ZkTransaction zxid);
    void watchLeader();
    /// Does the work if the peer is its leader, which is heard by that.
    template <typename LeadersWork>
    void heardLeader(const Peer& peer, const LeadersWork& work) {
        if (m_role != ZkRole::Following || m_leader != peer) return;
        m_heardLeader = now();
        work();
    }
    void committed(ZkTransaction zxid);
    /// A sync is over once all that was committed before is carried out here.
    void caughtUp(const ZkOrigin& origin);
    void part();

    /// As after(), unless the role has changed meanwhile.
    void inThisRole(Nanos delay, Work work);
    Nanos draw(Nanos low, Nanos high);
    Nanos monotonic() const { return now() + m_clockPhase; }
    std::int64_t wallMs() const { return clockUs() / 1000; }

    int m_number;
    ZkSettings m_settings;
    std::mt19937_64 m_random;
    Nanos m_clockPhase; ///< of its monotonic clock
    std::vector<ZkServer*> m_all;
    std::uint64_t m_steps = 0;

    ZkRole m_role = ZkRole::Looking;
    bool m_serves = false;
    std::uint64_t m_reign = 0; ///< counts changes of role
    // On its disk:
    ZkState m_state;
    std::deque<Logged> m_log; ///< not carried out yet
    std::int64_t m_epoch = 0, m_acceptedEpoch = 0;

    std::map<ConnectionId, Connection> m_connections;
    std::map<ZkSessionId, ConnectionId> m_bySession;
    ConnectionId m_lastConnection = 0;
    std::uint64_t m_lastSession = 0;
    ZkWatches m_watches;

    std::unique_ptr<ZkElection> m_election;
    bool m_finalising = false;

    // While leading:
    std::map<int, Follower> m_followers;
    bool m_accepts = false;
    bool m_begun = false;       ///< the epoch has begun
    bool m_checksQuorum = true; ///< at every other half tick
    ZkPreparer m_preparer;
    ZkExpiry m_expiry;
    ZkTransaction m_zxid = 0; ///< the newest one proposed
    std::map<ZkSessionId, int> m_owners;
    std::multimap<ZkTransaction, ZkOrigin> m_syncs; ///< that wait for a commit

    // While following:
    Peer m_leader;
    int m_leaderNumber = 0;
    Nanos m_heardLeader{};
    Nanos m_appliesAt{};
    std::map<ZkSessionId, std::int64_t> m_touched; ///< since the leader was told last
};

} // namespace lockscope::sim
