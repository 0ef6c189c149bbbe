// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/memcached/socket.h"
#include "sim/memcached/store.h"

#include <random>

namespace lockscope::sim {

/// A simulated memcached. It keeps nothing over a restart, and knows of no other server.
class MemcachedServer final : public Server {
public:
    static constexpr int kPort = 11211;

    MemcachedServer(Grounds grounds, const QByteArray& id, std::uint64_t seed, MemcachedStore::Settings settings);

    /// Its own clock: whole seconds, which tick at instants of their own.
    MemcachedStore::Second clock() const { return m_lateClock.value_or(secondAt(now())); }
    /// The date by that clock, in seconds since 1970.
    std::int64_t date() const { return m_runBegan + clock() - MemcachedStore::kFirstSecond; }
    /// The instant at which that second begins.
    Nanos beginningOf(MemcachedStore::Second second) const;
    /// The item; nullptr: there is none.
    const MemcachedStore::Item* find(const QByteArray& key) const;
    std::uint64_t steps() const { return m_steps; }
    std::size_t connections() const { return m_connections.size(); }

    /// An item came, changed or went. `cause`: the client whose command did it; kNoEntity: the server's own work, or an
    /// operator's.
    std::function<void(MemcachedServer&, const QByteArray& key, MemcachedStore::Cause, trace::EntityId cause)> onChange;
    /// It lost all items with its process.
    std::function<void(MemcachedServer&)> onLost;

    /// A command that nobody waits for: an operator's.
    void command(const MemcachedCommand& command);
    /// Throws one item out, as for lack of memory.
    void evict(const QByteArray& key);

    // The ends of sockets.
    bool accept(const std::shared_ptr<MemcachedSocket>& socket);
    void receive(const MemcachedSocket& socket, const std::vector<MemcachedCommand>& commands);
    /// The client's end is closed.
    void leave(const MemcachedSocket& socket);
    /// The connection breaks at the server's end.
    void breakOff(const MemcachedSocket& socket);
    void hangUpOn(Party client) override;

private:
    struct Packet {
        std::vector<MemcachedCommand> commands;
        std::vector<MemcachedReply> replies{};
    };
    struct Connection {
        std::shared_ptr<MemcachedSocket> socket;
        std::deque<Packet> packets{}; ///< in the order of arrival, which is that of the answers
    };
    void paused() override { m_pausedAt = clock(); }
    void resumed() override;
    void died(Death death) override;
    void booted(Disk disk) override;
    MemcachedStore::Second secondAt(Nanos instant) const;
    void begin();
    void work(std::uint64_t connection);
    MemcachedReply run(const MemcachedCommand& command, trace::EntityId client);
    void dropDue();
    void drop(std::uint64_t connection, TcpConnection::Farewell farewell = TcpConnection::Farewell::Told);
    void dropAll(TcpConnection::Farewell farewell);
    Nanos draw(Nanos low, Nanos high);

    MemcachedStore::Settings m_settings;
    std::mt19937_64 m_random;
    std::unique_ptr<MemcachedStore> m_store; ///< of this run
    Nanos m_zero{};                          ///< the instant of its clock's first second
    std::int64_t m_runBegan = 0;             ///< by its wall clock, in seconds since 1970
    MemcachedStore::Second m_pausedAt = 0;
    std::optional<MemcachedStore::Second> m_lateClock; ///< it has not ticked yet since the end of a pause
    Nanos m_wakesAt = kNever;                          ///< for the next end of an item
    trace::EntityId m_cause = trace::kNoEntity;        ///< the client whose command runs
    std::map<std::uint64_t, Connection> m_connections;
    std::uint64_t m_lastConnection = 0;
    std::uint64_t m_steps = 0;
};

} // namespace lockscope::sim
