// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/etcd/raft.h"
#include "sim/etcd/socket.h"
#include "sim/etcd/store.h"

namespace lockscope::sim {

/// The times of a cluster; the defaults are etcd's own.
struct EtcdSettings {
    Nanos tick = 100ms;                             ///< heartbeats; an election time-out is ten of them
    Nanos leaseLook = 500ms;                        ///< how often a leader looks for ended leases
    Nanos watchLook = 100ms;                        ///< how often watches of the past are served
    Nanos quickestDisk = 300us, slowestDisk = 2ms;  ///< how long an entry takes to the disk
    Nanos quickestTurn = 20us, slowestTurn = 200us; ///< how long a request waits for its turn

    Nanos election() const { return tick * EtcdRaft::kElectionTicks; }
    /// After which a request is given up.
    Nanos patience() const { return 5s + 2 * election(); }
};

/// A simulated etcd member: alone, or one of a cluster, whose members agree upon a log by Raft. The leader ends leases;
/// every member answers clients.
class EtcdServer final : public Server {
public:
    static constexpr int kPort = 2379;

    /// `number`: in its cluster of `members`, from 1.
    EtcdServer(Grounds grounds, const QByteArray& id, int number, int members, std::uint64_t seed,
               const EtcdSettings& settings);

    /// All members, itself included, in the order of their numbers. Everything outlives it.
    void meet(std::vector<EtcdServer*> all) { m_all = std::move(all); }
    /// Stands for election at once.
    void campaign() {
        step([this] { m_raft.campaign(); });
    }
    /// Hands the leadership over to the member that has most of the log. False: it does not lead, or is alone.
    bool handOver();

    int number() const { return m_number; }
    const EtcdRaft& raft() const { return m_raft; }
    bool leads() const { return life() != Life::Dead && m_raft.role() == EtcdRaft::Role::Leader; }
    /// The keys and leases by the entries that it has carried out, and the number of the last one.
    const EtcdStore& store() const { return m_store; }
    std::int64_t applied() const { return m_applied; }
    /// When it ends that lease, as the leader; nullopt: it does not lead, or knows none.
    std::optional<Nanos> endOf(std::int64_t lease) const;
    /// How often it has begun to lead. While it leads on, ends of leases move only by keep-alives (onKept).
    std::uint64_t timesLed() const { return m_timesLed; }
    std::uint64_t steps() const { return m_steps; }
    std::size_t connections() const { return m_connections.size(); }
    std::size_t watches() const;

    /// Its role, or the leader that it knows of, has changed; or it has started or died.
    std::function<void(EtcdServer&)> onRole;
    /// It has carried out an entry of its log.
    std::function<void(EtcdServer&, const EtcdEntry&)> onApplied;
    /// As the leader it has moved the end of a lease: that one, by its client; 0: all, as it leads from now on.
    std::function<void(EtcdServer&, std::int64_t lease)> onKept;
    /// A client asks for a lease of that number.
    std::function<void(std::int64_t lease, trace::EntityId client)> onGrant;
    /// It has lost its keys with its disk.
    std::function<void(EtcdServer&)> onReplaced;
    /// A request that nobody waits for: an operator's.
    void command(const EtcdRequest& request);

    // The ends of sockets.
    bool accept(const std::shared_ptr<EtcdSocket>& socket);
    void receive(const EtcdSocket& socket, std::uint64_t asked, std::shared_ptr<const EtcdRequest> request);
    void leave(const EtcdSocket& socket);
    void breakOff(const EtcdSocket& socket);
    void hangUpOn(Party client) override;

private:
    using ConnectionId = std::uint64_t;
    using Request = std::shared_ptr<const EtcdRequest>;
    struct Watching {
        QByteArray key, end;
        bool deletionsOnly = false;
        std::int64_t next = 0; ///< the first revision that was not told yet
        bool behind = false;   ///< it began in the past, and is served by a loop of its own
    };
    struct Connection {
        std::shared_ptr<EtcdSocket> socket;
        std::map<std::uint64_t, Watching> watches{};
    };
    /// A request that waits for its answer.
    struct Pending {
        ConnectionId connection = 0;
        std::uint64_t asked = 0;
        Request request;
        trace::EntityId client = trace::kNoEntity; ///< that asked
        bool sent = false;                         ///< to the leader
        std::optional<std::int64_t> ready{};       ///< of reads: the entry that must be carried out first
    };

    // Life (server.cpp)
    void died(Death death) override;
    void booted(Disk disk) override;
    void diskStalled() override { m_savedTerm = m_raft.term(); }
    void begin();
    void tick();
    /// Everything that happens to the log goes through here: what is agreed upon afterwards is carried out.
    void step(const Work& work);
    void apply();
    void leaderChanged(bool isNew);

    // Raft's log and its messages, and the disk before both (server_disk.cpp)
    void diskFreed() override;
    void write(std::int64_t term, std::int64_t index);
    void deliver(int to, const EtcdRaft::Sent& message);
    void take(const EtcdRaft::Sent& message);
    void letOut();
    /// `what`: as in tellMessage(); nullptr, it is not worth a row.
    void post(int to, std::function<void(EtcdServer&)> work, const char* what = nullptr);

    // Clients (server_clients.cpp)
    void handle(ConnectionId id, std::uint64_t asked, const Request& request);
    void answer(const Pending& pending, EtcdReply reply);
    void finish(std::uint64_t id, EtcdReply reply);
    void giveUp(std::uint64_t id);
    void proposeAgain();
    void answerReads();
    void watch(ConnectionId id, const EtcdRequest& request);
    void tellWatches();
    void serveLate();
    static EtcdNews newsOf(const Watching& watching, const std::vector<EtcdStore::Change>& changes);
    void drop(ConnectionId id, TcpConnection::Farewell farewell = TcpConnection::Farewell::Told);

    // Leases (server_leases.cpp)
    void askLeases();
    void leaseAsked(int from, std::uint64_t id, EtcdRequest::Kind kind, std::int64_t lease);
    void leaseAnswered(int to, std::uint64_t id, std::int64_t lease, bool restart);
    void beginLeases();
    void endLeases();
    void leasesAfter(const EtcdEntry& entry, const EtcdReply& reply);

    Nanos draw(Nanos low, Nanos high);

    int m_number;
    EtcdSettings m_settings;
    std::mt19937_64 m_random;
    std::vector<EtcdServer*> m_all;
    EtcdRaft m_raft;
    EtcdStore m_store;
    std::int64_t m_applied = 0;
    std::uint64_t m_run = 1; ///< counts the starts of its process
    std::uint64_t m_steps = 0;

    std::map<ConnectionId, Connection> m_connections;
    ConnectionId m_lastConnection = 0;
    std::map<std::uint64_t, Pending> m_pending;
    std::uint64_t m_lastPending = 0;
    bool m_servesLate = false;   ///< the loop for watches of the past runs
    std::int64_t m_toldUpTo = 1; ///< the revision that watches know

    // While the disk stalls. Raft's loop stands before it from the first thing on that it has to save.
    bool m_loopStands = false;
    std::int64_t m_savedTerm = 0;
    std::vector<std::pair<int, EtcdRaft::Sent>> m_unsent;
    std::optional<std::pair<std::int64_t, std::int64_t>> m_unsaved; ///< the log up to there: term and index

    std::uint64_t m_timesLed = 0;

    // While leading:
    std::map<std::int64_t, Nanos> m_ends;     ///< of leases
    std::map<std::int64_t, Nanos> m_revoking; ///< when it was asked for
    struct LeaseQuestion {
        int from = 0;
        std::uint64_t id = 0;
    };
    std::multimap<std::int64_t, LeaseQuestion> m_afterEnd; ///< keep-alives of leases whose time is over
};

} // namespace lockscope::sim
