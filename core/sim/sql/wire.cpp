// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/wire.h"

#include "ports/sql/errors.h"
#include "ports/sql/named_key.h"
#include "sim/sql/wire_session.h"

#include <set>

namespace lockscope::sim {

using sql::Error;
using sql::OwnedRow;
using sql::RowKey;
using ErrorKind = Error::Kind;
using Kind = SqlStatement::Kind;

namespace {

template <typename T>
using Answer = sql::Answer<T>;
using Asked = QCoro::Task<SqlPool::Answer>;

/// How long a statement for many waits for a row that somebody else has locked, as the driver's.
constexpr Nanos kRowWait = 2s;
/// The longest name that GET_LOCK takes on MariaDB, in bytes.
constexpr qsizetype kLongestUserLock = 192;

std::int64_t wholeMs(Nanos lease) {
    return std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(lease).count(), 1);
}

SqlStatement about(Kind kind, const QByteArray& name) {
    SqlStatement statement;
    statement.kind = kind;
    statement.name = name;
    return statement;
}

SqlStatement aboutKey(Kind kind, const sql::NamedKey& key) {
    SqlStatement statement;
    statement.kind = kind;
    statement.key = key;
    return statement;
}

Answer<bool> changed(Asked asked) {
    const auto done = co_await std::move(asked);
    if (!done) co_return std::unexpected(done.error());
    co_return done->number > 0;
}

Answer<void> success(Asked asked) {
    const auto done = co_await std::move(asked);
    if (!done) co_return std::unexpected(done.error());
    co_return {};
}

Answer<bool> inserted(Asked asked) {
    const auto done = co_await std::move(asked);
    if (done) co_return done->number == 1;
    const bool beaten = done.error().kind == ErrorKind::DuplicateKey || done.error().kind == ErrorKind::Deadlock;
    if (!beaten) co_return std::unexpected(done.error());
    co_return false;
}

} // namespace

SqlWire::SqlWire(Grounds grounds, SqlPool::Way way, Runtime& runtime, ClientEnd client, const ConnectionUrl& url)
    : m_keys(sql::keyKindOf(url.option("key")).value_or(sql::KeyKind::Usual)) {
    SqlLink::Place place{url.endpoints.front().display(), sql::Dialect::MySql};
    if (url.service == lockscope::Service::PostgreSql) place.dialect = sql::Dialect::PostgreSql;
    m_pool = std::make_shared<SqlPool>(grounds, std::move(way), runtime, client, std::move(place),
                                       SqlPool::Settings::of(url));
}

SqlWire::~SqlWire() {
    m_pool->close();
}

sql::Abilities SqlWire::abilities() const {
    sql::Abilities can;
    can.sharedNamedLocks = m_pool->place.dialect == sql::Dialect::PostgreSql;
    can.longestNamedLock = m_pool->place.dialect == sql::Dialect::MySql ? kLongestUserLock : 0;
    return can;
}

Answer<void> SqlWire::open(std::stop_token stop) {
    const std::shared_ptr<SqlPool> pool = m_pool;
    const Nanos within = pool->settings.connectTimeout;
    const SqlPool::Obtained obtained = co_await SqlPool::obtain(pool, within, std::move(stop));
    if (!obtained.link) co_return std::unexpected(obtained.error);
    pool->keep(obtained.link);
    co_return {};
}

// --- rows ---

Answer<bool> SqlWire::change(Kind kind, RowKey key, QByteArray owner, std::int64_t number, std::stop_token stop,
                             Patience patience) {
    SqlStatement statement = about(kind, key.name);
    statement.recipe = std::move(key.recipe);
    statement.owner = std::move(owner);
    statement.number = number;
    return changed(ask(std::move(statement), std::move(stop), patience));
}

Answer<bool> SqlWire::insert(RowKey key, QByteArray owner, std::stop_token stop, Patience patience) {
    SqlStatement statement = about(Kind::Insert, key.name);
    statement.recipe = std::move(key.recipe);
    statement.owner = std::move(owner);
    return inserted(ask(std::move(statement), std::move(stop), patience));
}

Answer<void> SqlWire::makeFree(RowKey key, std::stop_token stop, Patience patience) {
    SqlStatement statement = about(Kind::MakeFree, key.name);
    statement.recipe = std::move(key.recipe);
    return success(ask(std::move(statement), std::move(stop), patience));
}

Answer<sql::Row> SqlWire::look(QByteArray name, std::stop_token stop, Patience patience) {
    const auto found = co_await ask(about(Kind::Look, name), std::move(stop), patience);
    if (!found) co_return std::unexpected(found.error());
    sql::Row row;
    if (found->rows.empty()) co_return row;
    const SqlReply::SeenRow& seen = found->rows.front();
    row.there = true;
    row.recipe = seen.recipe;
    row.owner = seen.owner;
    row.version = seen.version;
    if (row.owner.isEmpty()) co_return row;
    row.left = std::chrono::milliseconds(std::max<std::int64_t>(seen.leftMs, 0));
    row.sinceWallMs = seen.acquiredMs;
    co_return row;
}

Answer<std::int64_t> SqlWire::take(RowKey key, QByteArray owner, Nanos lease, std::stop_token stop, Patience patience) {
    SqlStatement statement = about(Kind::Take, key.name);
    statement.recipe = std::move(key.recipe);
    statement.owner = std::move(owner);
    statement.number = wholeMs(lease);
    const auto done = co_await ask(std::move(statement), std::move(stop), patience);
    if (!done) co_return std::unexpected(done.error());
    co_return done->number;
}

Answer<bool> SqlWire::extend(OwnedRow row, Nanos lease, std::stop_token stop, Patience patience) {
    SqlStatement statement = about(Kind::Extend, {});
    statement.rows.push_back(std::move(row));
    statement.number = wholeMs(lease);
    return changed(ask(std::move(statement), std::move(stop), patience));
}

Answer<sql::Extended> SqlWire::extendAll(std::vector<OwnedRow> rows, Nanos lease) {
    const std::shared_ptr<SqlPool> pool = m_pool; // this object may go
    const Patience patience = rows.size() > 1 ? Patience(kRowWait) : std::nullopt;
    SqlStatement statement = about(Kind::Extend, {});
    statement.rows = rows;
    statement.number = wholeMs(lease);
    const auto done = co_await SqlPool::ask(pool, std::move(statement), patience, {});
    if (!done) co_return std::unexpected(done.error());
    sql::Extended held;
    held.each.assign(rows.size(), done->number > 0);
    if (done->number == 0 || done->number >= std::int64_t(rows.size())) co_return held;
    SqlStatement which = about(Kind::StillOwned, {});
    which.rows = rows;
    const auto left = co_await SqlPool::ask(pool, std::move(which), patience, {});
    if (!left) co_return std::unexpected(left.error());
    std::set<std::pair<QByteArray, QByteArray>> ours;
    for (const SqlReply::SeenRow& row : left->rows)
        ours.emplace(row.name, row.owner);
    for (std::size_t i = 0; i < rows.size(); ++i)
        held.each[i] = ours.contains(std::pair(rows[i].name, rows[i].owner));
    co_return held;
}

Answer<bool> SqlWire::free(OwnedRow row, std::stop_token stop) {
    return change(Kind::Free, {{}, row.name}, row.owner, 0, std::move(stop));
}

Answer<bool> SqlWire::takeBack(OwnedRow row, std::stop_token stop, Patience patience) {
    return change(Kind::TakeBack, {{}, row.name}, row.owner, 0, std::move(stop), patience);
}

Answer<bool> SqlWire::freeByForce(RowKey key, std::stop_token stop) {
    return change(Kind::FreeByForce, std::move(key), {}, 0, std::move(stop));
}

Answer<bool> SqlWire::erase(RowKey key, std::stop_token stop) {
    return change(Kind::Erase, std::move(key), {}, 0, std::move(stop));
}

Answer<bool> SqlWire::eraseOwned(OwnedRow row, std::stop_token stop) {
    return change(Kind::EraseOwned, {{}, row.name}, row.owner, 0, std::move(stop));
}

Answer<bool> SqlWire::compareAndSet(RowKey key, std::int64_t version, QByteArray owner, std::stop_token stop) {
    return change(Kind::CompareAndSet, std::move(key), std::move(owner), version, std::move(stop));
}

Answer<bool> SqlWire::raise(RowKey key, std::stop_token stop) {
    return change(Kind::Raise, std::move(key), {}, 0, std::move(stop));
}

Answer<void> SqlWire::eraseOld(QByteArray recipe, Nanos age) {
    const std::shared_ptr<SqlPool> pool = m_pool;
    SqlStatement old = about(Kind::FindOld, {});
    old.recipe = recipe;
    old.number = wholeMs(age);
    const auto found = co_await SqlPool::ask(pool, old, {}, {});
    if (!found) co_return std::unexpected(found.error());
    for (const SqlReply::SeenRow& row : found->rows) {
        SqlStatement erase = old;
        erase.kind = Kind::EraseOld;
        erase.name = row.name;
        const auto deleted = co_await SqlPool::ask(pool, std::move(erase), kRowWait, {});
        if (!deleted) co_return std::unexpected(deleted.error());
    }
    co_return {};
}

// --- locks that connections hold ---

Answer<sql::Owned<sql::Session>> SqlWire::session(std::stop_token stop) {
    const std::shared_ptr<SqlPool> pool = m_pool;
    const Nanos within = pool->settings.connectTimeout;
    const SqlPool::Obtained obtained = co_await SqlPool::obtain(pool, within, std::move(stop));
    if (!obtained.link) co_return std::unexpected(obtained.error);
    sql::Owned<sql::Session> session(std::make_shared<SqlWireSession>(pool, obtained.link));
    co_return session;
}

std::shared_ptr<sql::Session> SqlWire::idleSession() {
    SqlPool::Link link = m_pool->takeIdle();
    return link ? std::make_shared<SqlWireSession>(m_pool, std::move(link)) : nullptr;
}

Answer<sql::Port::RowLock> SqlWire::rowLock(QByteArray name, std::stop_token stop) {
    const bool mySql = m_pool->place.dialect == sql::Dialect::MySql;
    const Kind kind = mySql ? Kind::LockRowNow : Kind::RowLocker;
    const auto seen = co_await ask(about(kind, name), std::move(stop));
    RowLock lock;
    lock.locked = mySql && !seen && seen.error().kind == ErrorKind::WaitExceeded;
    if (lock.locked) co_return lock;
    if (!seen) co_return std::unexpected(seen.error());
    lock.row.there = !seen->rows.empty();
    if (lock.row.there) lock.row.recipe = seen->rows.front().recipe;
    lock.locked = !mySql && seen->number != 0;
    co_return lock;
}

/// Success also when it was gone already.
Answer<bool> SqlWire::end(std::int64_t connection, std::stop_token stop) {
    SqlStatement kill = about(Kind::EndConnection, {});
    kill.number = connection;
    const auto done = co_await ask(std::move(kill), std::move(stop));
    constexpr const char* kNoConnection = "1094";
    if (!done && done.error().code != kNoConnection) co_return std::unexpected(done.error());
    co_return true;
}

Answer<bool> SqlWire::endRowHolder(QByteArray name, std::stop_token stop) {
    const auto seen = co_await ask(about(Kind::RowLocker, name), stop);
    if (!seen) co_return std::unexpected(seen.error());
    if (seen->number == 0) co_return false;
    const auto ended = co_await end(seen->number, std::move(stop));
    co_return ended;
}

std::expected<sql::NamedKey, Error> SqlWire::namedKey(const QByteArray& name) const {
    if (m_pool->place.dialect == sql::Dialect::PostgreSql) return sql::advisoryKeyOf(name, m_keys);
    return sql::NamedKey{name};
}

Answer<bool> SqlWire::namedLockHeld(sql::NamedKey key, std::stop_token stop) {
    const auto holders = co_await ask(aboutKey(Kind::NamedHolders, key), std::move(stop));
    if (!holders) co_return std::unexpected(holders.error());
    co_return !holders->connections.empty();
}

Answer<bool> SqlWire::endNamedHolders(sql::NamedKey key, std::stop_token stop) {
    const auto holders = co_await ask(aboutKey(Kind::NamedHolders, key), stop);
    if (!holders) co_return std::unexpected(holders.error());
    for (const std::int64_t holder : holders->connections) {
        const auto ended = co_await end(holder, stop);
        if (!ended) co_return std::unexpected(ended.error());
    }
    co_return !holders->connections.empty();
}

Answer<bool> SqlWire::takeAway(sql::SeenHold hold, std::stop_token stop) {
    using By = sql::SeenHold::By;
    if (hold.by == By::Lease || hold.by == By::Row) {
        const Kind kind = hold.by == By::Lease ? Kind::TakeBack : Kind::EraseOwned;
        const RowKey key{{}, hold.name};
        const auto done = co_await change(kind, key, hold.owner, 0, std::move(stop));
        co_return done;
    }
    if (hold.by == By::Foreign) co_return false; // no other library's table is simulated
    const auto ended = co_await end(hold.session, std::move(stop));
    co_return ended;
}

QByteArrayList SqlWire::takeAwayText(const sql::SeenHold& hold) const {
    using By = sql::SeenHold::By;
    if (hold.by == By::Foreign) return {hold.statement};
    if (hold.by == By::NamedLock || hold.by == By::Transaction)
        return {"KILL " + QByteArray::number(qlonglong(hold.session))};
    return {about(hold.by == By::Lease ? Kind::TakeBack : Kind::EraseOwned, hold.name).text()};
}

// --- records, and the database ---

Answer<sql::StoredRecord> SqlWire::readRecord(QByteArray name, std::stop_token stop) {
    const auto found = co_await ask(about(Kind::ReadRecord, name), std::move(stop));
    sql::StoredRecord record;
    if (!found && found.error().kind == ErrorKind::MissingTable) co_return record; // nobody has written one yet
    if (!found) co_return std::unexpected(found.error());
    if (found->rows.empty()) co_return record;
    record.there = true;
    record.value = found->rows.front().owner;
    record.version = found->rows.front().version;
    co_return record;
}

Answer<bool> SqlWire::replaceRecord(QByteArray name, sql::StoredRecord seen, QByteArray value, std::stop_token stop) {
    const std::shared_ptr<SqlPool> pool = m_pool;
    SqlStatement write = about(seen.there ? Kind::UpdateRecord : Kind::InsertRecord, name);
    write.owner = std::move(value);
    write.number = seen.version;
    SqlPool::Answer done = co_await SqlPool::ask(pool, write, {}, stop);
    if (!done && done.error().kind == ErrorKind::MissingTable) {
        const auto made = co_await SqlPool::ask(pool, about(Kind::CreateRecords, {}), {}, stop);
        if (!made) co_return std::unexpected(made.error());
        done = co_await SqlPool::ask(pool, write, {}, stop);
    }
    if (!done && done.error().kind == ErrorKind::DuplicateKey) co_return false;
    if (!done) co_return std::unexpected(done.error());
    co_return done->number == 1;
}

Answer<void> SqlWire::checkWritable(std::stop_token stop) {
    const auto seen = co_await ask(about(Kind::ReadOnly, {}), std::move(stop));
    if (!seen) co_return std::unexpected(seen.error());
    if (seen->number == 1) co_return std::unexpected(sql::errors::takesNoWrites(m_pool->place.where));
    co_return {};
}

Answer<void> SqlWire::prepare(std::stop_token stop) {
    return success(ask(about(Kind::Prepare, {}), std::move(stop)));
}

} // namespace lockscope::sim
