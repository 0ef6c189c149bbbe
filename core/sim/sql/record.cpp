// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/record.h"

#include "inspect/format_names.h"
#include "inspect/sql/seen_table.h"
#include "ports/sql/named_key.h"
#include "trace/digits.h"

namespace lockscope::sim {

using Kind = SqlStatement::Kind;
using inspect::LockRow;

namespace {

constexpr std::int64_t kUsInMs = 1000;
const QByteArray kPlace = QByteArrayLiteral("lockscope_locks");
constexpr std::size_t kMostDigits = 10'000; ///< more than a server has connections at a time

} // namespace

// A connection's number stands for its client; every other owner is one that clients wrote into rows.
SqlRecord::SqlRecord(Grounds grounds, SqlServer& server, trace::EntityId parent,
                     const inspect::TraceFeed::Resolver& owner)
    : m_grounds(grounds),
      m_server(&server),
      m_logical(parent == trace::kNoEntity),
      m_feed(
          grounds.recorder, parent,
          [this, owner](const inspect::Party& party) {
              bool isNumber = false;
              const auto id = SqlConnectionId(party.client.toULongLong(&isNumber));
              const trace::EntityId thread = isNumber ? m_server->threadOf(id) : trace::kNoEntity;
              return thread != trace::kNoEntity ? thread : owner(party);
          },
          Nanos(0)) {
    server.tell(*this);
}

SqlRecord::~SqlRecord() {
    m_server->tellNoMore(*this);
    for (const auto& [name, watched] : m_watched)
        if (watched.expiry) m_grounds.scheduler.cancel(watched.expiry);
}

void SqlRecord::copies(SqlRecord& logical) {
    m_feed.writeCopiesOf(logical.m_feed);
}

void SqlRecord::decidedBy(SqlServer& server) {
    if (m_server == &server) return;
    m_server->tellNoMore(*this);
    m_server = &server;
    server.tell(*this);
    for (const auto& [name, watched] : m_watched) {
        writeDecider(name);
        write(name, {.freedBy = trace::FreedBy::NodeLoss});
    }
}

void SqlRecord::writeDecider(const QByteArray& lockName) {
    if (!m_logical || !m_decides) return;
    const bool runs = m_server->engine(); // else nobody decides until it starts, or another takes its place
    m_grounds.recorder.emit(trace::EventKind::RecordDecider, runs ? m_server->entity() : trace::kNoEntity,
                            m_feed.lockEntity(lockName), runs ? 1 : 0);
}

void SqlRecord::booted() {
    for (const auto& [name, watched] : m_watched) {
        inspect::Sight loaded;
        writeDecider(name);
        loaded.clockMoved = true; // what is committed is there again, and nobody renewed it meanwhile
        const bool kept = m_server->engine() && m_server->engine()->row(name);
        loaded.freedBy = kept ? trace::FreedBy::Expiry : trace::FreedBy::NodeLoss; // nobody released it
        write(name, loaded);
    }
}

void SqlRecord::replaced() {
    for (const auto& [name, watched] : m_watched)
        write(name, {.freedBy = trace::FreedBy::NodeLoss});
}

void SqlRecord::lost() {
    // Rows outlive the process, and nobody can ask for them: write() says so.
    for (const auto& [name, watched] : m_watched) {
        writeDecider(name);
        write(name, {.freedBy = trace::FreedBy::NodeLoss});
    }
}

void SqlRecord::clockMoved() {
    for (const auto& [name, watched] : m_watched) {
        inspect::Sight moved;
        moved.clockMoved = true;
        moved.freedBy = trace::FreedBy::Expiry; // no clock releases anything
        write(name, moved);
    }
}

QByteArray SqlRecord::recipeOf(const QByteArray& lockName) const {
    const auto watched = m_watched.find(lockName);
    return watched == m_watched.end() ? QByteArray() : watched->second.recipe;
}

sql::NamedKey SqlRecord::keyOf(const QByteArray& lockName) const {
    if (!isPostgreSql()) return {lockName};
    std::optional<sql::NamedKey>& key = m_watched.at(lockName).key;
    if (!key) key = sql::advisoryKeyOf(lockName, sql::KeyKind::Usual).value(); // every name has a usual key
    return *key;
}

void SqlRecord::setDecides(bool decides) {
    if (decides == m_decides) return;
    // Its holds are lost with it; from here on it is silent.
    for (const auto& [name, watched] : m_watched)
        if (!decides) setKnown(name, true);
    for (const auto& [name, watched] : m_watched)
        if (!decides) m_feed.update(name, std::nullopt, {.freedBy = trace::FreedBy::NodeLoss});
    m_decides = decides;
    if (!decides) return;
    for (const auto& [name, watched] : m_watched) {
        writeDecider(name);
        write(name, {});
    }
}

void SqlRecord::watch(const QByteArray& lockName, const QByteArray& recipe) {
    m_feed.lockEntity(lockName);
    Watched& watched = m_watched[lockName];
    if (watched.recipe == recipe) return;
    if (watched.recipe.isEmpty()) writeDecider(lockName);
    watched.recipe = recipe;
    write(lockName, {});
}

void SqlRecord::rowChanged(const SqlRowId& id) {
    const auto watched = m_watched.find(id.second);
    if (id.first == SqlTable::Locks && watched != m_watched.end() && watched->second.recipe != "sql-advisory")
        write(id.second, m_server->isReplica() ? inspect::Sight() : sight());
}

void SqlRecord::namedChanged(const QByteArray& name) {
    for (const auto& [lockName, watched] : m_watched)
        if (watched.recipe == "sql-advisory" && m_server->engine()->nameOf(keyOf(lockName)) == name)
            write(lockName, sight());
}

/// By whose doing the record changes at this moment.
inspect::Sight SqlRecord::sight() const {
    inspect::Sight sight;
    const SqlEngine& engine = *m_server->engine();
    sight.cause = m_server->threadOf(engine.cause());
    const SqlStatement* const statement = engine.causingStatement();
    if (sight.cause == trace::kNoEntity) {
        sight.freedBy = trace::FreedBy::Force; // an operator's
    } else if (statement) {
        if (statement->kind == Kind::FreeByForce) sight.freedBy = trace::FreedBy::Force;
    } else {
        using EndedBy = SqlServer::EndedBy;
        const EndedBy by = m_server->endedBy();
        sight.freedBy = by == EndedBy::Client   ? trace::FreedBy::Release
                        : by == EndedBy::Server ? trace::FreedBy::Expiry
                                                : trace::FreedBy::Force;
    }
    return sight;
}

/// A queue of connections is told again at every change. The result is valid until the next call.
const QByteArray& SqlRecord::digitsOf(SqlConnectionId id) const {
    if (m_digits.size() >= kMostDigits && !m_digits.contains(id)) m_digits.clear(); // most of them are closed
    QByteArray& digits = m_digits[id];
    if (digits.isEmpty()) digits = trace::digitsOf(id, 10);
    return digits;
}

inspect::Party SqlRecord::partyOf(SqlConnectionId id, sql::Sharing sharing) const {
    inspect::Party party;
    party.client = digitsOf(id);
    if (sharing == sql::Sharing::Shared) party.mode = "shared";
    return party;
}

LockRow SqlRecord::sessionRow(const QByteArray& lockName, const char* format) const {
    LockRow row;
    row.name = lockName;
    row.format = format;
    row.backend = isPostgreSql() ? "postgresql" : "mariadb";
    row.waiters.emplace();
    return row;
}

namespace {
void addWaiter(LockRow& row, inspect::Party waiter) {
    waiter.position = int(row.waiters->size());
    row.waiters->push_back(std::move(waiter));
}

std::optional<LockRow> finished(LockRow row) {
    row.waiterCount = std::int64_t(row.waiters->size());
    if (!row.holders.empty())
        row.state = LockRow::State::Held;
    else if (!row.waiters->empty())
        row.state = LockRow::State::Queued;
    return row;
}
} // namespace

/// The transaction that has locked the lock's row.
std::optional<LockRow> SqlRecord::transactionOf(const QByteArray& lockName) const {
    const SqlEngine& engine = *m_server->engine();
    LockRow row = sessionRow(lockName, isPostgreSql() ? "pg-row" : "innodb-row");
    if (const SqlConnectionId holder = engine.rowHolder(lockName))
        row.holders.push_back(partyOf(holder, sql::Sharing::Exclusive));
    const auto queue = engine.rowQueue(lockName);
    row.waiters->reserve(queue.size());
    for (const SqlConnectionId waiter : queue)
        addWaiter(row, partyOf(waiter, sql::Sharing::Exclusive));
    if (const SqlRow* const locked = engine.row(lockName))
        row.raw.push_back({kPlace, "row", {}, QString::fromUtf8(lockName + ", " + locked->recipe)});
    return finished(std::move(row));
}

std::optional<LockRow> SqlRecord::namedLock(const QByteArray& lockName) const {
    const SqlEngine& engine = *m_server->engine();
    const sql::NamedKey key = keyOf(lockName);
    LockRow row = sessionRow(lockName, isPostgreSql() ? inspect::kAdvisoryLockFormat : inspect::kNamedLockFormat);
    for (const SqlEngine::NamedUser& user : engine.namedHolders(key)) {
        inspect::Party holder = partyOf(user.id, user.sharing);
        holder.holds = user.count;
        row.mode = holder.mode;
        row.holders.push_back(std::move(holder));
    }
    const auto queue = engine.namedQueue(key);
    row.waiters->reserve(queue.size());
    for (const SqlEngine::NamedUser& user : queue)
        addWaiter(row, partyOf(user.id, user.sharing));
    return finished(std::move(row));
}

/// The lock in its row, for recipes that write owners into rows.
std::optional<LockRow> SqlRecord::leaseIn(const QByteArray& lockName) const {
    const SqlRow* const row = m_server->engine()->row(lockName);
    if (!row) return std::nullopt;
    const std::int64_t nowUs = m_server->clockUs();
    const auto cell = [](std::int64_t number) { return QByteArray::number(qlonglong(number)); };
    const auto msOf = [&](std::optional<std::int64_t> us, std::int64_t up) {
        return us ? std::optional(cell((*us + up) / kUsInMs)) : std::nullopt;
    };
    // A lease of less than a millisecond is one, too.
    const std::int64_t roundUp = row->expiresUs && *row->expiresUs > nowUs ? kUsInMs - 1 : 0;
    sql::Table table;
    table.rows.push_back({lockName, row->recipe, row->owner, cell(row->version), msOf(row->expiresUs, roundUp),
                          msOf(row->acquiredUs, 0), cell(nowUs / kUsInMs)});
    std::optional<LockRow> lock = inspect::kLockscopeTable.read(table, 0, kPlace);
    if (lock) lock->backend = isPostgreSql() ? "postgresql" : "mariadb";
    if (lock && !row->owner) lock->state = LockRow::State::Free;
    if (lock && !row->owner) lock->holders.clear();
    return lock;
}

std::optional<LockRow> SqlRecord::rowOf(const QByteArray& lockName, const Watched& watched) const {
    if (!m_server->engine()) return std::nullopt;
    if (heldByTransaction(watched.recipe)) return transactionOf(lockName);
    if (watched.recipe == "sql-advisory") return namedLock(lockName);
    return leaseIn(lockName);
}

void SqlRecord::setKnown(const QByteArray& lockName, bool known) {
    if (std::exchange(m_watched[lockName].known, known) == known) return;
    m_grounds.recorder.emit(known ? trace::EventKind::RecordObserved : trace::EventKind::RecordUnobserved,
                            trace::kNoEntity, m_feed.lockEntity(lockName));
}

void SqlRecord::write(const QByteArray& lockName, inspect::Sight sight) {
    if (!m_decides) return;
    Watched& watched = m_watched[lockName];
    const bool known = m_server->engine() || watched.endsWithConnection();
    setKnown(lockName, known);
    if (!known) return;
    std::optional<LockRow> row = rowOf(lockName, watched);
    // A world of our own knows its locks; how sure a stranger could be is no part of it.
    if (row) row->certainty = inspect::Certainty::Certain;
    sight.exactDeadline = kNever; // what a connection holds, or a row without a lease, has no end of its own
    const bool leased = row && row->state == LockRow::State::Held && row->ttlMs;
    watched.expiresUs = leased ? m_server->engine()->row(lockName)->expiresUs.value_or(0) : 0;
    if (leased) {
        sight.exactDeadline = m_server->instantOf(watched.expiresUs);
        const Nanos left = std::max(*sight.exactDeadline - m_grounds.scheduler.now(), Nanos(0));
        row->ttlMs = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    }
    m_feed.update(lockName, row, sight);
    armExpiry(lockName, watched);
    m_contentLook.arm();
}

/// Nothing happens in a database when a lease ends: only the clock makes its row free.
void SqlRecord::armExpiry(const QByteArray& lockName, Watched& watched) {
    if (watched.expiry) m_grounds.scheduler.cancel(std::exchange(watched.expiry, 0));
    if (watched.expiresUs == 0) return;
    const Nanos due = m_server->instantOf(watched.expiresUs);
    if (due == kNever) return;
    watched.expiry = m_grounds.scheduler.at(std::max(due, m_grounds.scheduler.now()), [this, lockName] {
        m_watched[lockName].expiry = 0;
        inspect::Sight expired;
        expired.freedBy = trace::FreedBy::Expiry;
        if (m_server->engine()) write(lockName, expired);
    });
}

void SqlRecord::writeHeldBack() {
    for (const auto& [name, watched] : m_watched) // the same as before: only what was held back is written
        if (m_server->engine()) write(name, {});
}

} // namespace lockscope::sim
