// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/server.h"

#include "sim/probe.h"

namespace lockscope::sim {

namespace {

using Farewell = TcpConnection::Farewell;
using WaitsFor = SqlEngine::WaitsFor;

/// An operator's connection has a number that no client's gets.
constexpr SqlConnectionId kOperator = ~SqlConnectionId(0);
/// Until a started process takes connections: it reads its log first.
constexpr std::pair<Nanos, Nanos> kMySqlStart{400ms, 600ms}, kPostgreSqlStart{700ms, 900ms};
/// GET_LOCK looks this often whether its client is there.
constexpr Nanos kNamedLook = 500ms;
/// The driver sets client_connection_check_interval to it.
constexpr Nanos kConnectionCheck = 2s;

SqlFailure tooMany(bool postgreSql) {
    return postgreSql ? SqlFailure{"53300", QStringLiteral("sorry, too many clients already")}
                      : SqlFailure{"1040", QStringLiteral("Too many connections")};
}

} // namespace

SqlServer::SqlServer(Grounds grounds, const QByteArray& id, std::uint64_t seed, Settings settings)
    : Server(grounds, id), m_settings(std::move(settings)), m_random(seed) {
    if (m_settings.replication)
        m_replication = std::make_unique<SqlReplication>(*this, grounds, *m_settings.replication);
    begin();
    grounds.recorder.emit(trace::EventKind::NodeStarted, entity());
}

Nanos SqlServer::draw(Nanos low, Nanos high) {
    return low + Nanos(std::int64_t(m_random() % (std::uint64_t((high - low).count()) + 1)));
}

void SqlServer::begin() {
    m_engine = std::make_unique<SqlEngine>(*this, m_disk, m_settings.engine);
    m_engine->open(kOperator);
    m_engine->onRow = [this](const SqlRowId& id) {
        for (SqlWatcher* const watcher : m_watchers)
            watcher->rowChanged(id);
    };
    m_engine->onNamed = [this](const QByteArray& name) {
        for (SqlWatcher* const watcher : m_watchers)
            watcher->namedChanged(name);
    };
    for (SqlWatcher* const watcher : m_watchers)
        watcher->booted();
}

// --- replication ---

void SqlServer::beginAsReplica(SqlServer& primary) {
    m_engine->setReadOnly(true);
    m_replication->beginWith(primary);
}

void SqlServer::promote(std::uint64_t reign) {
    m_engine->setReadOnly(false);
    m_replication->lead(reign);
}

void SqlServer::demote(SqlServer& primary) {
    if (m_replication->primary() == &primary || &primary == this) return;
    if (!isReplica()) reached(Probe::SqlOldPrimaryFollows);
    m_engine->setReadOnly(true);
    std::vector<SqlConnectionId> all;
    for (const auto& [id, connection] : m_connections)
        all.push_back(id);
    if (!isReplica()) // a replica's clients only read, and read on
        for (const SqlConnectionId id : all)
            drop(id, EndedBy::Force);
    m_replication->follow(primary);
}

void SqlServer::load(const SqlRows::Disk& data) {
    m_disk = data;
    for (SqlWatcher* const watcher : m_watchers)
        watcher->replaced();
}

void SqlServer::apply(const SqlCommit& commit) {
    for (const SqlCommit::Change& change : commit.changes) {
        change.applyTo(m_disk);
        for (SqlWatcher* const watcher : m_watchers)
            watcher->rowChanged(change.id);
    }
}

trace::EntityId SqlServer::threadOf(SqlConnectionId id) const {
    const auto found = m_connections.find(id);
    return found == m_connections.end() ? trace::kNoEntity : found->second.socket->thread();
}

SqlConnectionId SqlServer::connectionOf(trace::EntityId thread) const {
    for (auto at = m_connections.rbegin(); at != m_connections.rend(); ++at)
        if (at->second.socket->thread() == thread) return at->first;
    return 0;
}

// --- life ---

void SqlServer::died(Death death) {
    m_engine.reset();
    const Farewell farewell = death == Death::Killed ? Farewell::Told : Farewell::Silent;
    for (const auto& [id, connection] : std::exchange(m_connections, {}))
        connection.socket->closeAtServer(farewell);
    m_probes = false;
    if (m_replication) m_replication->died(death == Death::Crashed, m_disk);
    for (SqlWatcher* const watcher : m_watchers)
        watcher->lost();
}

void SqlServer::booted(Disk disk) {
    if (disk == Disk::Empty) m_disk.clear();
    const bool postgreSql = m_settings.engine.dialect == sql::Dialect::PostgreSql;
    if (!postgreSql) m_lastConnection = 0;
    SqlServer* const primary = primaryNow ? primaryNow() : nullptr;
    const bool follows = primary && primary != this;
    m_settings.engine.readOnly = follows;
    begin();
    if (m_replication) m_replication->booted(follows ? primary : nullptr, disk != Disk::Empty);
    m_listens = false;
    const auto [low, high] = postgreSql ? kPostgreSqlStart : kMySqlStart;
    after(draw(low, high), [this] { m_listens = true; });
}

// --- connections ---

bool SqlServer::accept(const std::shared_ptr<SqlSocket>& socket) {
    if (life() == Life::Dead || !m_listens) return false;
    socket->number = ++m_lastConnection;
    m_connections[m_lastConnection] = {socket, now()};
    return arrive([this, socket] {
        const SqlConnectionId id = socket->number;
        if (!m_connections.contains(id)) return;
        if (m_connections.size() > m_settings.maxConnections) {
            m_connections.erase(id);
            socket->refuse(tooMany(m_settings.engine.dialect == sql::Dialect::PostgreSql));
            return;
        }
        m_engine->open(id);
        socket->welcome(m_engine->isReadOnly());
        if (!std::exchange(m_probes, true)) probe();
    });
}

void SqlServer::receive(const SqlSocket& socket, std::shared_ptr<const SqlStatement> statement) {
    arrive([this, id = socket.number, statement = std::move(statement)] {
        const auto connection = m_connections.find(id);
        if (connection == m_connections.end()) return;
        connection->second.heardAt = now();
        ++connection->second.statements;
        ++m_steps;
        m_engine->execute(id, *statement,
                          [this, id, statement](const SqlReply& reply) { answered(id, *statement, reply); });
    });
}

void SqlServer::answered(SqlConnectionId id, const SqlStatement& statement, const SqlReply& reply) {
    const auto connection = m_connections.find(id);
    if (connection == m_connections.end()) return;
    if (connection->second.clientGone) {
        // Not from inside of the engine's work on it.
        reached(Probe::SqlDeadWaiter);
        after(Nanos(0), [this, id] { drop(id, EndedBy::Client); });
        return;
    }
    const std::shared_ptr<SqlSocket> socket = connection->second.socket;
    watchIdle(id);
    socket->answer(statement, reply); // may break the connection
}

void SqlServer::command(const SqlStatement& statement) {
    arrive([this, statement] {
        if (m_engine->waitsFor(kOperator) != WaitsFor::Nothing) return; // the last one still does
        ++m_steps;
        m_engine->execute(kOperator, statement, [](const SqlReply&) {});
    });
}

/// A transaction whose client says nothing is ended after a while, if the server is set so.
void SqlServer::watchIdle(SqlConnectionId id) {
    if (m_settings.idleInTransaction == Nanos(0) || !m_engine->inTransaction(id)) return;
    after(m_settings.idleInTransaction, [this, id, statements = m_connections[id].statements] {
        const auto connection = m_connections.find(id);
        if (connection != m_connections.end() && connection->second.statements == statements) drop(id, EndedBy::Server);
    });
}

void SqlServer::leave(const SqlSocket& socket) {
    arrive([this, id = socket.number] { hangUp(id); });
}

/// The client's end is closed. A server that waits for a lock for it does not read what it sends.
void SqlServer::hangUp(SqlConnectionId id) {
    const auto connection = m_connections.find(id);
    if (connection == m_connections.end()) return;
    const WaitsFor what = m_engine->waitsFor(id);
    if (what == WaitsFor::Nothing) {
        drop(id, EndedBy::Client);
        return;
    }
    connection->second.clientGone = true;
    const bool postgreSql = m_settings.engine.dialect == sql::Dialect::PostgreSql;
    const Nanos look = postgreSql ? draw(Nanos(1), kConnectionCheck) : kNamedLook;
    const bool looks = postgreSql && what != WaitsFor::Disk; // a process that flushes does not look around
    if (looks || what == WaitsFor::Named)
        after(look, [this, id] {
            if (m_connections.contains(id)) reached(Probe::SqlDeadWaiter);
            drop(id, EndedBy::Client);
        });
}

void SqlServer::breakOff(const SqlSocket& socket) {
    drop(socket.number, EndedBy::Client);
}

void SqlServer::hangUpOn(Party client) {
    std::vector<SqlConnectionId> ids;
    for (const auto& [id, connection] : m_connections)
        if (connection.socket->client() == client) ids.push_back(id);
    for (const SqlConnectionId id : ids)
        drop(id, EndedBy::Client);
}

void SqlServer::drop(SqlConnectionId id, EndedBy by) {
    const auto gone = m_connections.find(id);
    if (gone == m_connections.end()) return;
    const std::shared_ptr<SqlSocket> socket = gone->second.socket;
    const EndedBy before = std::exchange(m_endedBy, by);
    m_engine->close(id); // the record still knows its thread
    m_endedBy = before;
    m_connections.erase(id);
    socket->closeAtServer();
}

/// Looks for clients whose machines do not answer any more.
void SqlServer::probe() {
    const SqlKeepAlive& keepAlive = m_settings.keepAlive;
    std::vector<SqlConnectionId> silent;
    for (auto& [id, connection] : m_connections) {
        if (connection.socket->isHeard())
            connection.heardAt = now();
        else if (now() - connection.heardAt >= keepAlive.silence())
            silent.push_back(id);
    }
    for (const SqlConnectionId id : silent) {
        reached(Probe::SqlHalfOpen);
        drop(id, EndedBy::Server);
    }
    m_probes = !m_connections.empty();
    constexpr int kLooksPerInterval = 5;
    if (m_probes) after(keepAlive.interval / kLooksPerInterval, [this] { probe(); });
}

} // namespace lockscope::sim
