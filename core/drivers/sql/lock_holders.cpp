// SPDX-License-Identifier: Apache-2.0
// The verbs about connections that hold a lock: find them, and end them.
#include "drivers/sql/driver.h"
#include "drivers/sql/driver_session.h"
#include "drivers/sql/named_lock.h"

#include <QCoreApplication>

namespace lockscope::sql {

namespace {

using Kind = Error::Kind;

/// InnoDB's tables of lock waits are refreshed only when nobody has read them for a tenth of a second.
constexpr auto kTableRests = 120ms;
/// How long the row's queue is stood in to see who is in front, and how long the tables are read meanwhile.
constexpr Nanos kInQueue = 2s, kLook = 1500ms;
/// MySQL: there is no such connection, no such table.
constexpr const char *kNoConnection = "1094", *kNoInformation = "1109";

Error holderUntold(const QByteArray& name) {
    return {Kind::Refused,
            {},
            QCoreApplication::translate("LockError",
                                        "Somebody holds the lock “%1”, and the database did not tell who: its tables "
                                        "of waiting transactions are old while others keep reading them. Nothing was "
                                        "changed; try again.")
                .arg(QString::fromUtf8(name))};
}

} // namespace

/// Waits until the server has none of these connections, so that what they held is free; for at most two seconds.
QCoro::Task<> SqlDriver::awaitEndOf(QByteArrayList connections, std::stop_token stop) {
    constexpr Nanos kLongest = 2s;
    constexpr Nanos kBetween = 5ms; // the server tells nobody of a connection's end: look again
    const Nanos giveUpAt = runtime().monotonic() + kLongest;
    const QByteArray look = QByteArray(m_pool->statements.connections).replace("{connections}", connections.join(','));
    for (;;) {
        const Result there = co_await ask(look, Values(), stop);
        if (!there || there->number() == 0 || runtime().monotonic() >= giveUpAt) co_return;
        co_await runtime().sleep(kBetween, stop);
    }
}

/// Success also when it was gone already.
Answer<bool> SqlDriver::endConnection(std::int64_t connection) {
    const Result done = co_await ask(m_pool->statements.end, valuesOf(connection), {});
    if (!done && done.error().code != kNoConnection) co_return std::unexpected(done.error());
    co_return true;
}

Answer<Port::RowLock> SqlDriver::rowLock(QByteArray name, std::stop_token stop) {
    const bool mySql = m_pool->tables.dialect == Dialect::MySql;
    // On MySQL outside of a transaction, so that what it locks is free again before the answer is on its way.
    const Result row =
        co_await ask(mySql ? m_pool->statements.lockRowNow : m_pool->statements.rowLocker, valuesOf(name), stop);
    RowLock lock;
    lock.locked = mySql && !row && row.error().kind == Kind::WaitExceeded;
    if (lock.locked) co_return lock;
    if (!row) co_return std::unexpected(row.error());
    lock.row.there = !row->rows.empty();
    lock.row.recipe = row->text();
    lock.locked = !mySql && !row->isNull(0, 1);
    co_return lock;
}

Answer<bool> SqlDriver::endRowHolder(QByteArray name, std::stop_token stop) {
    if (m_pool->tables.dialect == Dialect::MySql) {
        const auto ended = co_await endRowHolderOfMySql(name, stop);
        co_return ended;
    }
    const Result done = co_await ask(m_pool->statements.endRowLocker, valuesOf(name), stop);
    if (!done) co_return std::unexpected(done.error());
    if (done->number() != 1) co_return false;
    QByteArrayList ended;
    ended << done->text(0, 1);
    co_await awaitEndOf(ended, stop);
    co_return true;
}

/// InnoDB tells who stands in whose way, so somebody has to stand there: ourselves, on a connection and in a
/// transaction of its own, rolled back afterwards.
Answer<bool> SqlDriver::endRowHolderOfMySql(QByteArray name, std::stop_token stop) {
    auto opened = co_await textSession(stop);
    if (!opened) co_return std::unexpected(opened.error());
    const std::shared_ptr<DriverSession> session = std::move(*opened).share();
    const std::int64_t me = session->serverId();
    session->begin();
    const Statement inQueue{m_pool->statements.lockRow, valuesOf(name)};
    const QCoro::Task<Result> waiting = session->execute(inQueue, kInQueue, {});
    std::int64_t holder = 0;
    std::optional<Error> refused;
    const Nanos until = runtime().monotonic() + kLook;
    while (holder == 0 && !refused && !waiting.isReady() && runtime().monotonic() < until) {
        co_await runtime().sleep(kTableRests);
        if (waiting.isReady()) break; // nobody holds it: what the tables say is of before, perhaps of this connection's
        Result seen = co_await ask(m_pool->statements.rowBlocker, valuesOf(me), {});
        if (!seen && seen.error().code == kNoInformation)
            seen = co_await ask(m_pool->statements.rowBlocker8, valuesOf(me), {});
        if (!seen) refused = seen.error();
        if (seen && !waiting.isReady()) holder = seen->number();
    }
    if (holder != 0) {
        const auto ended = co_await endConnection(holder);
        if (!ended) refused = ended.error();
    }
    const Result waited = co_await waiting;
    (void)co_await session->rollback();
    session->giveBack();
    const bool held = !waited && waited.error().kind == Kind::WaitExceeded;
    if (holder == 0 && !refused && held) refused = holderUntold(name);
    if (refused) co_return std::unexpected(*refused);
    co_return holder != 0;
}

std::expected<NamedKey, Error> SqlDriver::namedKey(const QByteArray& name) const {
    if (m_pool->tables.dialect == Dialect::PostgreSql) return advisoryKeyOf(name, m_pool->keys);
    return NamedKey{name};
}

Answer<bool> SqlDriver::namedLockHeld(NamedKey key, std::stop_token stop) {
    const Result holder = co_await execute(namedHolders(m_pool->tables.dialect, key), stop);
    if (!holder) co_return std::unexpected(holder.error());
    co_return holder->number() != 0;
}

Answer<bool> SqlDriver::endNamedHolders(NamedKey key, std::stop_token stop) {
    const bool mySql = m_pool->tables.dialect == Dialect::MySql;
    // Chosen before the await: GCC 12 destroys what a conditional in one makes twice.
    Statement look = namedHolders(m_pool->tables.dialect, key);
    if (!mySql) look = sql::endNamedHolders(key);
    const Result holders = co_await execute(std::move(look), stop);
    if (!holders) co_return std::unexpected(holders.error());
    if (holders->number() == 0) co_return false;
    QByteArrayList ended; // readers are several
    for (std::size_t row = 0; row < holders->rows.size(); ++row)
        ended << holders->text(row, mySql ? 0 : 1);
    if (mySql) {
        const auto done = co_await endConnection(holders->number());
        if (!done) co_return std::unexpected(done.error());
    }
    co_await awaitEndOf(ended, stop);
    co_return true;
}

} // namespace lockscope::sql
