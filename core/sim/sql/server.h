// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sql/engine.h"
#include "sim/sql/replication.h"
#include "sim/sql/socket.h"

#include <random>

namespace lockscope::sim {

/// How a database's machine notices that a client's machine is gone: it asks after `idle` of silence, again every
/// `interval`, and gives up after `count` questions. The defaults are Linux's.
struct SqlKeepAlive {
    Nanos idle = 7200s, interval = 75s;
    int count = 9;
    Nanos silence() const { return idle + count * interval; }
};

class SqlServer;

/// Hears what changes in a database.
class SqlWatcher {
public:
    virtual ~SqlWatcher() = default;
    /// A new engine is there.
    virtual void booted() = 0;
    /// All data are others: a replica's, from its primary.
    virtual void replaced() = 0;
    /// Everything that connections held is gone, with its process.
    virtual void lost() = 0;
    virtual void clockMoved() = 0;
    /// The content of a row, its lock or its queue has changed.
    virtual void rowChanged(const SqlRowId& id) = 0;
    virtual void namedChanged(const QByteArray& namedLock) = 0;
};

/// A simulated database server: its connections, and one engine per run. Committed rows outlive the process;
/// everything that connections hold does not.
class SqlServer final : public Server, public SqlHost {
public:
    struct Settings {
        SqlEngine::Settings engine = {};
        std::size_t maxConnections = 100;
        SqlKeepAlive keepAlive = {};
        Nanos idleInTransaction{}; ///< after so long it ends a connection that has a transaction and says nothing; 0:
                                   ///< never
        std::optional<SqlReplicationSettings> replication{}; ///< nullopt: it is alone
        static int port(sql::Dialect dialect) { return dialect == sql::Dialect::PostgreSql ? 5432 : 3306; }
    };
    SqlServer(Grounds grounds, const QByteArray& id, std::uint64_t seed, Settings settings);

    const Settings& settings() const { return m_settings; }
    std::int64_t clockUs() const override { return Server::clockUs(); }
    int port() const { return Settings::port(m_settings.engine.dialect); }
    /// nullptr: the process is dead.
    SqlEngine* engine() const { return m_engine.get(); }
    std::uint64_t steps() const { return m_steps; }
    /// Precondition: Settings::replication.
    SqlReplication& replication() const { return *m_replication; }
    bool isReplica() const { return m_replication && m_replication->isReplica(); }
    /// The one that is the primary now, which a process asks for when it starts; empty: it is alone.
    std::function<SqlServer*()> primaryNow;
    /// Begins as a replica with the data of `primary`.
    void beginAsReplica(SqlServer& primary);
    /// Takes writes from now on; its connections stay, with what they hold.
    void promote(std::uint64_t reign);
    /// Follows `primary` from now on, and ends all connections.
    void demote(SqlServer& primary);
    void later(Nanos delay, std::function<void()> work) { after(delay, std::move(work)); }
    void whenOnDisk(std::function<void()> work) { onDisk(std::move(work)); }
    const SqlRows::Disk& disk() const { return m_disk; }
    /// A replica's part: all data are these; a primary's commit.
    void load(const SqlRows::Disk& data);
    void apply(const SqlCommit& commit);
    std::size_t connections() const { return m_connections.size(); }
    /// The client's thread that a connection belongs to; kNoEntity: there is no such connection.
    trace::EntityId threadOf(SqlConnectionId id) const;
    /// The server's number for the connection with which that thread logged in last; 0: none. For tests.
    SqlConnectionId connectionOf(trace::EntityId thread) const;

    /// Why a connection is being closed.
    enum class EndedBy : std::uint8_t {
        Client, ///< it closed its end, or its process died
        Server, ///< it was silent, or idle, for too long
        Force,  ///< another connection, or an operator, ended it
    };
    EndedBy endedBy() const { return m_endedBy; }
    void tell(SqlWatcher& watcher) { m_watchers.push_back(&watcher); }
    void tellNoMore(SqlWatcher& watcher) { std::erase(m_watchers, &watcher); }

    /// Ends a connection, as an operator would.
    void end(SqlConnectionId id) {
        arrive([this, id] { drop(id, EndedBy::Force); });
    }
    /// Runs a statement of nobody's connection: an operator's.
    void command(const SqlStatement& statement);

    // The ends of sockets.
    bool accept(const std::shared_ptr<SqlSocket>& socket);
    void receive(const SqlSocket& socket, std::shared_ptr<const SqlStatement> statement);
    /// The client's end is closed.
    void leave(const SqlSocket& socket);
    /// The connection breaks at the server's end.
    void breakOff(const SqlSocket& socket);
    void hangUpOn(Party client) override;

private:
    struct Connection {
        std::shared_ptr<SqlSocket> socket;
        Nanos heardAt{};
        bool clientGone = false; ///< its statement waits, and it has not been noticed
        std::uint64_t statements = 0;
    };
    void died(Death death) override;
    void booted(Disk disk) override;
    void clockSet() override {
        for (SqlWatcher* const watcher : m_watchers)
            watcher->clockMoved();
    }
    // SqlHost
    void callAfter(Nanos delay, std::function<void()> work) override { after(delay, std::move(work)); }
    Nanos draw(Nanos low, Nanos high) override;
    std::size_t drawBelow(std::size_t bound) override { return std::size_t(m_random() % bound); }
    void endConnection(SqlConnectionId id) override { drop(id, EndedBy::Force); }
    bool log(std::vector<SqlCommit::Change> changes, std::function<void()> replicated) override {
        return !m_replication || m_replication->log(std::move(changes), std::move(replicated));
    }
    bool logStalls() const override { return diskStalls(); }
    void whenLogGoesOn(std::function<void()> work) override { onDisk(std::move(work)); }

    void begin();
    void answered(SqlConnectionId id, const SqlStatement& statement, const SqlReply& reply);
    void hangUp(SqlConnectionId id);
    void watchIdle(SqlConnectionId id);
    void probe();
    void drop(SqlConnectionId id, EndedBy by);

    Settings m_settings;
    std::mt19937_64 m_random;
    SqlRows::Disk m_disk;
    std::unique_ptr<SqlEngine> m_engine;
    std::unique_ptr<SqlReplication> m_replication;
    std::vector<SqlWatcher*> m_watchers;
    std::map<SqlConnectionId, Connection> m_connections;
    SqlConnectionId m_lastConnection = 0;
    EndedBy m_endedBy = EndedBy::Client;
    bool m_listens = true; ///< false: it reads its log
    bool m_probes = false;
    std::uint64_t m_steps = 0;
};

} // namespace lockscope::sim
