// SPDX-License-Identifier: Apache-2.0
// Statements and transactions.
#include "sim/sql/engine.h"

#include <utility>

namespace lockscope::sim {

using Kind = SqlStatement::Kind;

SqlEngine::SqlEngine(SqlHost& host, SqlRows::Disk& disk, Settings settings)
    : m_host(host), m_settings(std::move(settings)), m_rows(disk) {
}

void SqlEngine::open(SqlConnectionId id) {
    Q_ASSERT(id != 0 && !m_sessions.contains(id));
    m_sessions[id];
}

void SqlEngine::close(SqlConnectionId id) {
    if (!m_sessions.contains(id)) return;
    const As as(*this, id, true);
    Session& session = m_sessions[id];
    session.done = nullptr;
    const bool logged = session.waitsFor == WaitsFor::Replica; // nothing can undo it any more
    stopWaiting(id);
    endTransaction(id, logged);
    releaseAllNamed(id);
    m_sessions.erase(id);
}

SqlEngine::WaitsFor SqlEngine::waitsFor(SqlConnectionId id) const {
    const auto found = m_sessions.find(id);
    return found == m_sessions.end() ? WaitsFor::Nothing : found->second.waitsFor;
}

bool SqlEngine::inTransaction(SqlConnectionId id) const {
    const auto found = m_sessions.find(id);
    return found != m_sessions.end() && found->second.inTransaction && !found->second.aborted;
}

const SqlStatement* SqlEngine::causingStatement() const {
    const auto found = m_sessions.find(m_cause);
    return m_causeEnds || found == m_sessions.end() || !found->second.statement ? nullptr : &*found->second.statement;
}

void SqlEngine::tell(const SqlRowId& id) const {
    if (onRow) onRow(id);
}

void SqlEngine::execute(SqlConnectionId id, SqlStatement statement, Done done) {
    const auto found = m_sessions.find(id);
    if (found == m_sessions.end()) return;
    Session& session = found->second;
    Q_ASSERT(!session.statement);
    session.done = std::move(done);
    session.targets = targetsOf(statement);
    session.at = 0;
    session.reply = {};
    session.beganUs = m_host.clockUs();
    session.statementUndo = session.undo.size();
    if (statement.begin && !session.aborted) session.inTransaction = true;
    session.statement = std::move(statement);
    run(id);
}

/// Goes on with a connection's statement until it is done, or waits.
void SqlEngine::run(Id id) {
    const As as(*this, id);
    Session& session = m_sessions[id];
    if (std::optional<SqlReply> refused = refusal(session)) {
        fail(id, *std::move(refused), Scope::Statement);
        return;
    }
    switch (goOn(id)) {
    case Step::Done:
        finish(id);
        break;
    case Step::Waits:
        if (isMySql()) endCircle(id);
        break;
    case Step::Failed:
        break;
    }
}

/// Why the statement cannot run at all.
std::optional<SqlReply> SqlEngine::refusal(const Session& session) const {
    const SqlStatement& statement = *session.statement;
    if (session.aborted && !statement.ends())
        return SqlReply::failed("25P02", QStringLiteral("current transaction is aborted, commands ignored until end of "
                                                        "transaction block"));
    const bool records = statement.kind == Kind::ReadRecord || statement.kind == Kind::InsertRecord ||
                         statement.kind == Kind::UpdateRecord;
    const bool missing = (statement.usesLocks() && !m_settings.tables.contains(SqlTable::Locks)) ||
                         (records && !m_settings.tables.contains(SqlTable::Records));
    if (missing) {
        const char* const code = isMySql() ? "1146" : isPostgreSql() ? "42P01" : "1";
        return SqlReply::failed(code, QStringLiteral("no such table"));
    }
    if (m_settings.readOnly && statement.writes())
        return isPostgreSql()
                   ? SqlReply::failed("25006", QStringLiteral("cannot execute it in a read-only transaction"))
                   : SqlReply::failed("1290", QStringLiteral("The server is running with --read-only"));
    if (m_settings.dialect == sql::Dialect::Sqlite && statement.changes() && m_fileWriter != 0 && !statement.ends() &&
        m_fileWriter != m_cause)
        return SqlReply::failed("5", QStringLiteral("database is locked"));
    return std::nullopt;
}

SqlEngine::Step SqlEngine::goOn(Id id) {
    Session& session = m_sessions[id];
    if (session.targets.empty()) return atOnce(id);
    while (session.at < session.targets.size()) {
        const Step step = touch(id, session.targets[session.at]);
        if (step != Step::Done) return step;
        ++session.at;
    }
    return Step::Done;
}

/// A statement that is not about rows to be locked.
SqlEngine::Step SqlEngine::atOnce(Id id) {
    Session& session = m_sessions[id];
    const SqlStatement& statement = *session.statement;
    SqlReply& reply = session.reply;
    switch (statement.kind) {
    case Kind::TakeNamed:
    case Kind::TryNamed:
        return takeNamed(id);
    case Kind::ReleaseNamed:
        releaseNamed(id);
        break;
    case Kind::ReleaseAllNamed:
        releaseAllNamed(id);
        break;
    case Kind::NamedHolders:
        for (const NamedUser& user : namedHolders(statement.key))
            reply.connections.push_back(std::int64_t(user.id));
        break;
    case Kind::RowLocker: {
        look(id);
        reply.number = std::int64_t(lockerOf({SqlTable::Locks, statement.name}));
        break;
    }
    case Kind::EndConnection: {
        const Id other = Id(statement.number);
        const bool there = m_sessions.contains(other);
        if (there && other != id) m_host.endConnection(other);
        reply.number = there;
        if (!there && isMySql()) reply = SqlReply::failed("1094", QStringLiteral("Unknown thread id"));
        break;
    }
    case Kind::EndStatement:
        reply.number = m_sessions.contains(Id(statement.number));
        if (reply.number != 0) endStatement(Id(statement.number));
        break;
    case Kind::Connections:
        for (const std::int64_t other : statement.connections)
            reply.number += m_sessions.contains(Id(other));
        break;
    case Kind::CreateRecords:
        m_settings.tables.insert(SqlTable::Records);
        break;
    case Kind::ReadOnly:
        reply.number = m_settings.readOnly;
        break;
    case Kind::Prepare:
        m_settings.tables.insert({SqlTable::Locks, SqlTable::Records});
        break;
    case Kind::Commit:
    case Kind::Rollback:
        reply.aborted = session.aborted;
        // A commit's rows go through the log first: see commits().
        session.committing = session.inTransaction && statement.kind == Kind::Commit && !session.aborted;
        if (session.committing) break;
        endTransaction(id, false);
        session.inTransaction = session.aborted = false;
        break;
    default:
        look(id);
        break;
    }
    return Step::Done;
}

void SqlEngine::finish(Id id) {
    const Session& session = m_sessions[id];
    const bool goesOn = session.inTransaction && !session.committing;
    if (goesOn || commits(id)) conclude(id);
}

/// Writes the changes of a transaction that ends into the log. False: its answer waits for a replica. On MariaDB
/// (AFTER_COMMIT, its default) others see them already, and what was locked is free; on PostgreSQL neither.
bool SqlEngine::commits(Id id) {
    Session& session = m_sessions[id];
    std::vector<SqlCommit::Change> changes = changesOf(session);
    if (changes.empty()) return true;
    const std::uint64_t wait = session.wait + 1;
    if (m_host.logStalls()) { // nobody sees it, and what was locked stays so, until it is on the disk
        session.wait = wait;
        session.waitsFor = WaitsFor::Disk;
        m_host.whenLogGoesOn([this, id, wait] { flushed(id, wait); });
        return false;
    }
    const bool answered = m_host.log(std::move(changes), [this, id, wait] { replicated(id, wait); });
    if (isMySql()) endTransaction(id, true); // after the log: whoever gets a row now comes later there, too
    if (answered) return true;
    session.wait = wait;
    session.waitsFor = WaitsFor::Replica;
    return false;
}

std::vector<SqlCommit::Change> SqlEngine::changesOf(const Session& session) const {
    std::set<SqlRowId> changed;
    for (const SqlRows::Change& change : session.undo)
        changed.insert(change.id);
    std::vector<SqlCommit::Change> changes;
    for (const SqlRowId& id : changed) {
        const SqlRow* const row = m_rows.newest(id);
        changes.push_back({id, row ? std::optional(*row) : std::nullopt});
    }
    return changes;
}

void SqlEngine::flushed(Id id, std::uint64_t wait) {
    const auto found = m_sessions.find(id);
    if (found == m_sessions.end() || found->second.wait != wait) return;
    found->second.waitsFor = WaitsFor::Nothing;
    const As as(*this, id);
    finish(id);
}

void SqlEngine::replicated(Id id, std::uint64_t wait) {
    const auto found = m_sessions.find(id);
    if (found == m_sessions.end() || found->second.wait != wait) return;
    found->second.waitsFor = WaitsFor::Nothing;
    const As as(*this, id);
    conclude(id);
}

void SqlEngine::conclude(Id id) {
    Session& session = m_sessions[id];
    const SqlReply reply = std::move(session.reply);
    if (!session.inTransaction || session.committing) endTransaction(id, true);
    if (std::exchange(session.committing, false)) session.inTransaction = false;
    session.statement.reset();
    if (const Done done = std::exchange(session.done, nullptr)) done(reply);
}

/// The statement has failed. MariaDB and SQLite undo it alone, or, to end a deadlock, the whole transaction, which is
/// over then. PostgreSQL aborts the transaction: everything is undone and free, and it waits for its end to be said.
void SqlEngine::fail(Id id, SqlReply failure, Scope scope) {
    Session& session = m_sessions[id];
    stopWaiting(id);
    if (isPostgreSql() && session.inTransaction) {
        endTransaction(id, false);
        session.aborted = true;
    } else if (!session.inTransaction || scope == Scope::Transaction) {
        endTransaction(id, false);
        session.inTransaction = false;
    } else {
        undoTo(id, session.statementUndo);
    }
    session.statement.reset();
    if (const Done done = std::exchange(session.done, nullptr)) done(failure);
}

void SqlEngine::undoTo(Id id, std::size_t changes) {
    Session& session = m_sessions[id];
    while (session.undo.size() > changes) {
        m_rows.undo(session.undo.back());
        session.undo.pop_back();
    }
}

/// Commits or undoes what the transaction has changed, then frees what it had locked.
void SqlEngine::endTransaction(Id id, bool keep) {
    Session& session = m_sessions[id];
    std::set<SqlRowId> changed;
    if (!keep) undoTo(id, 0);
    for (const SqlRows::Change& change : session.undo)
        if (m_rows.commit(change.id, id)) changed.insert(change.id);
    session.undo.clear();
    session.statementUndo = 0;
    if (m_fileWriter == id) m_fileWriter = 0;
    for (const SqlRowId& row : changed) {
        tell(row);
        shuffle(row);
    }
    for (const SqlRowId& row : std::exchange(session.locked, {}))
        release(row, id);
}

} // namespace lockscope::sim
