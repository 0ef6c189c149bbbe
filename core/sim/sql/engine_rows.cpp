// SPDX-License-Identifier: Apache-2.0
// Statements, row by row. Each visit of a row is made anew after a wait: it looks at the row as it is then.
#include "recipes/token_start.h"
#include "sim/sql/engine.h"

#include <algorithm>

namespace lockscope::sim {

using Kind = SqlStatement::Kind;

namespace {

constexpr std::int64_t kUsInMs = 1000;

bool inserts(Kind kind) {
    return kind == Kind::Insert || kind == Kind::MakeFree || kind == Kind::InsertRecord;
}

bool locksOnly(Kind kind) {
    return kind == Kind::LockRow || kind == Kind::LockRowNow;
}

/// The first version of a row that is made now: see recipes/token_start.h.
std::int64_t startAt(std::int64_t nowUs) {
    constexpr std::int64_t kUsInSecond = 1'000'000, kUsInToken = kUsInSecond / recipes::kTokensInSecond;
    return std::max<std::int64_t>((nowUs - recipes::kTokenEpoch * kUsInSecond) / kUsInToken, 0);
}

bool lives(const SqlRow& row, std::int64_t nowUs) {
    return row.expiresUs && *row.expiresUs > nowUs;
}

/// A row after a statement. `met`: its conditions hold.
struct Changed {
    bool met = false;
    std::optional<SqlRow> row{}; ///< nullopt: deleted
};

Changed changedBy(const SqlStatement& statement, const QByteArray& owner, const SqlRow& row, std::int64_t nowUs,
                  std::int64_t leaseUs) {
    const bool keyed = row.recipe == statement.recipe, owned = row.owner == owner;
    Changed changed{false, row};
    SqlRow& to = *changed.row;
    const auto free = [&] {
        to.owner.reset();
        to.expiresUs = nowUs;
    };
    switch (statement.kind) {
    case Kind::Take:
        changed.met = keyed && (!row.owner || (row.expiresUs && *row.expiresUs <= nowUs));
        to.owner = owner;
        ++to.version;
        to.acquiredUs = nowUs;
        to.expiresUs = nowUs + leaseUs;
        break;
    case Kind::Extend:
        changed.met = owned && lives(row, nowUs);
        to.expiresUs = nowUs + leaseUs;
        break;
    case Kind::Free:
        changed.met = owned && lives(row, nowUs);
        free();
        break;
    case Kind::TakeBack:
        changed.met = owned;
        free();
        break;
    case Kind::FreeByForce:
        changed.met = keyed && row.owner && lives(row, nowUs);
        free();
        break;
    case Kind::Erase:
        return {keyed, std::nullopt};
    case Kind::EraseOwned:
        return {owned, std::nullopt};
    case Kind::EraseOld:
        return {keyed && !row.owner && row.expiresUs && *row.expiresUs <= nowUs - statement.number * kUsInMs,
                std::nullopt};
    case Kind::CompareAndSet:
        changed.met = keyed && row.version == statement.number;
        ++to.version;
        to.owner = owner;
        to.acquiredUs = nowUs;
        break;
    case Kind::Raise:
        changed.met = keyed;
        ++to.version;
        to.owner.reset();
        break;
    case Kind::UpdateRecord:
        changed.met = row.version == statement.number;
        ++to.version;
        to.owner = owner;
        break;
    case Kind::LockRow:
    case Kind::LockRowNow:
        changed.met = true;
        break;
    default:
        break;
    }
    return changed;
}

SqlReply::SeenRow seenRow(const QByteArray& name, const SqlRow& row, std::int64_t nowUs) {
    const std::int64_t left = row.expiresUs ? (*row.expiresUs - nowUs) / kUsInMs : 0;
    std::optional<std::int64_t> acquiredMs;
    if (row.acquiredUs) acquiredMs = *row.acquiredUs / kUsInMs;
    return {name, row.recipe, row.owner.value_or(QByteArray()), row.version, left, acquiredMs};
}

} // namespace

std::vector<SqlRowId> SqlEngine::targetsOf(const SqlStatement& statement) const {
    if (scans(statement.kind)) {
        std::vector<SqlRowId> all;
        for (const auto& [id, row] : m_rows.disk())
            if (id.first == SqlTable::Locks) all.push_back(id);
        const SqlRowId missing{SqlTable::Locks, statement.name};
        if (!m_rows.committed(missing)) all.push_back(missing);
        return all;
    }
    switch (statement.kind) {
    case Kind::Insert:
    case Kind::MakeFree:
    case Kind::Take:
    case Kind::Free:
    case Kind::TakeBack:
    case Kind::FreeByForce:
    case Kind::Erase:
    case Kind::EraseOwned:
    case Kind::CompareAndSet:
    case Kind::Raise:
    case Kind::EraseOld:
    case Kind::LockRow:
    case Kind::LockRowNow:
        return {{SqlTable::Locks, statement.name}};
    case Kind::InsertRecord:
    case Kind::UpdateRecord:
        return {{SqlTable::Records, statement.name}};
    case Kind::Extend: {
        std::vector<SqlRowId> all;
        for (const sql::OwnedRow& row : statement.rows)
            all.emplace_back(SqlTable::Locks, row.name);
        std::ranges::sort(all);
        all.erase(std::ranges::unique(all).begin(), all.end());
        return all;
    }
    default:
        return {};
    }
}

/// The statement's present: MariaDB and SQLite freeze it at the statement's beginning, PostgreSQL's clock_timestamp()
/// goes on.
std::int64_t SqlEngine::clockOf(const Session& session) const {
    return isPostgreSql() ? m_host.clockUs() : session.beganUs;
}

/// Whether InnoDB reads all rows to find the one that the statement is about.
bool SqlEngine::scans(Kind kind) const {
    const bool byName = (kind >= Kind::Take && kind <= Kind::Raise) || locksOnly(kind);
    return isMySql() && !m_settings.uniqueIndex && byName && kind != Kind::StillOwned;
}

SqlEngine::Step SqlEngine::touch(Id id, const SqlRowId& row) {
    const Kind kind = m_sessions[id].statement->kind;
    if (inserts(kind)) return insert(id, row);
    return m_rows.exists(row) ? change(id, row) : touchMissing(id, row);
}

SqlEngine::Step SqlEngine::touchMissing(Id id, const SqlRowId& row) {
    Session& session = m_sessions[id];
    // Also a waiter that gets the lock of a row that was deleted meanwhile.
    if (isMySql() && m_settings.repeatableRead && session.inTransaction) {
        m_locks[row].gaps.insert(id);
        session.locked.insert(row);
    }
    // PostgreSQL's locks are marks in a row's versions: of a row that was deleted meanwhile none is left.
    if (isPostgreSql() && m_rows.writer(row) != id && session.locked.erase(row) > 0) release(row, id);
    return Step::Done;
}

SqlEngine::Step SqlEngine::insert(Id id, const SqlRowId& row) {
    Session& session = m_sessions[id];
    const SqlStatement& statement = *session.statement;
    const SqlConnectionId writer = m_rows.writer(row);
    const bool others = writer != 0 && writer != id;
    if (m_rows.exists(row)) {
        // PostgreSQL waits for a transaction that has changed the row, and not for one that has only locked it.
        if (isPostgreSql() && others) return acquire(id, row, Mode::WritersEnd);
        if (isMySql()) {
            const Step had = acquire(id, row, statement.kind == Kind::MakeFree ? Mode::Exclusive : Mode::Shared);
            if (had != Step::Done) return had;
        }
        const bool saysSo = isMySql() && statement.kind != Kind::MakeFree; // the others leave it out
        if (!saysSo) return Step::Done;
        fail(id, SqlReply::failed("1062", QStringLiteral("Duplicate entry for key 'PRIMARY'")), Scope::Statement);
        return Step::Failed;
    }
    const Step had = acquire(id, row, Mode::Exclusive);
    if (had != Step::Done) return had;
    const std::int64_t now = clockOf(session);
    SqlRow fresh;
    fresh.recipe = statement.recipe;
    if (statement.kind == Kind::MakeFree)
        fresh.version = startAt(now);
    else
        fresh.owner = statement.owner;
    if (statement.kind == Kind::Insert) fresh.acquiredUs = now;
    if (statement.kind == Kind::InsertRecord) fresh.version = 1;
    write(id, row, fresh);
    ++session.reply.number;
    return Step::Done;
}

SqlEngine::Step SqlEngine::change(Id id, const SqlRowId& row) {
    Session& session = m_sessions[id];
    const SqlStatement& statement = *session.statement;
    QByteArray owner = statement.owner;
    for (const sql::OwnedRow& one : statement.rows)
        if (one.name == row.second) owner = one.owner;
    std::int64_t leaseUs = statement.number * kUsInMs;
    // SQLite's clock is cut to whole milliseconds, so the statement adds one.
    if (m_settings.dialect == sql::Dialect::Sqlite) leaseUs += kUsInMs;
    const auto now = clockOf(session);
    const SqlRow* seen = m_rows.newest(row);
    if (isPostgreSql()) {
        // A row that the statement's snapshot does not show is none to it, and is not waited for.
        if (m_rows.writer(row) != id) seen = m_rows.committed(row);
        if (!seen || !changedBy(statement, owner, *seen, now, leaseUs).met) return Step::Done;
    }
    if (const Step had = acquire(id, row, Mode::Exclusive); had != Step::Done) {
        if (had == Step::Waits) return had;
        SqlReply refused = SqlReply::failed("55P03", QStringLiteral("could not obtain lock on row"));
        if (isMySql()) refused = SqlReply::failed("1205", QStringLiteral("Lock wait timeout exceeded"));
        fail(id, std::move(refused), Scope::Statement);
        return Step::Failed;
    }
    if (scans(statement.kind) && row.second != statement.name && statement.kind != Kind::Extend) return Step::Done;
    seen = m_rows.newest(row); // others may have changed it before they let go
    if (!seen) return touchMissing(id, row);
    const Changed to = changedBy(statement, owner, *seen, now, leaseUs);
    if (!to.met) return Step::Done;
    ++session.reply.number;
    if (locksOnly(statement.kind)) {
        session.reply.rows.push_back(seenRow(row.second, *seen, now));
        return Step::Done;
    }
    if (statement.kind == Kind::Take) session.reply.number = to.row->version;
    write(id, row, to.row);
    return Step::Done;
}

void SqlEngine::write(Id id, const SqlRowId& row, std::optional<SqlRow> content) {
    Session& session = m_sessions[id];
    session.undo.push_back(m_rows.write(row, id, std::move(content)));
    if (m_settings.dialect == sql::Dialect::Sqlite && session.inTransaction) m_fileWriter = id;
}

/// Reads what is committed, or its own changes; waits for nobody.
void SqlEngine::look(Id id) {
    Session& session = m_sessions[id];
    const SqlStatement& statement = *session.statement;
    const std::int64_t now = clockOf(session);
    const auto visible = [&](const SqlRowId& row) {
        return m_rows.writer(row) == id ? m_rows.newest(row) : m_rows.committed(row);
    };
    std::vector<SqlReply::SeenRow>& rows = session.reply.rows;
    switch (statement.kind) {
    case Kind::Look:
    case Kind::RowLocker:
        if (const SqlRow* const row = visible({SqlTable::Locks, statement.name}))
            rows.push_back(seenRow(statement.name, *row, now));
        break;
    case Kind::ReadRecord:
        if (const SqlRow* const row = visible({SqlTable::Records, statement.name}))
            rows.push_back(seenRow(statement.name, *row, now));
        break;
    case Kind::StillOwned:
        for (const sql::OwnedRow& one : statement.rows) {
            const SqlRow* const row = visible({SqlTable::Locks, one.name});
            if (row && row->owner == one.owner && lives(*row, now)) rows.push_back(seenRow(one.name, *row, now));
        }
        break;
    case Kind::FindOld:
        for (const auto& [at, row] : m_rows.disk()) {
            constexpr std::size_t kLimit = 200;
            SqlStatement old = statement;
            old.kind = Kind::EraseOld;
            if (at.first == SqlTable::Locks && rows.size() < kLimit && changedBy(old, {}, row, now, 0).met)
                rows.push_back(seenRow(at.second, row, now));
        }
        break;
    default:
        break;
    }
}

} // namespace lockscope::sim
