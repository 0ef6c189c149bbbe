// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/client.h"
#include "ports/sql/key_kind.h"
#include "sim/sql/pool.h"

namespace lockscope::sim {

/// A simulated client's way to a database, as the real driver is one. Statements sent before the client died still
/// arrive. May be destroyed at any time.
class SqlWire final : public sql::Client {
public:
    template <typename T>
    using Answer = sql::Answer<T>;

    /// Everything outlives it. `way`: to what the URL's address leads to.
    SqlWire(Grounds grounds, SqlPool::Way way, Runtime& runtime, ClientEnd client, const ConnectionUrl& url);
    ~SqlWire() override;

    Runtime& runtime() override { return m_pool->runtime; }
    sql::Abilities abilities() const override;
    std::optional<sql::Error> unusable() const override { return std::nullopt; }
    Answer<void> open(std::stop_token stop = {}) override;
    void closeIdle() override { m_pool->closeIdle(); }

    Answer<bool> insert(sql::RowKey key, QByteArray owner, std::stop_token stop = {}, Patience patience = {}) override;
    Answer<void> makeFree(sql::RowKey key, std::stop_token stop = {}, Patience patience = {}) override;
    Answer<sql::Row> look(QByteArray name, std::stop_token stop = {}, Patience patience = {}) override;
    Answer<std::int64_t> take(sql::RowKey key, QByteArray owner, Nanos lease, std::stop_token stop = {},
                              Patience patience = {}) override;
    Answer<bool> extend(sql::OwnedRow row, Nanos lease, std::stop_token stop = {}, Patience patience = {}) override;
    Answer<sql::Extended> extendAll(std::vector<sql::OwnedRow> rows, Nanos lease) override;
    Answer<bool> free(sql::OwnedRow row, std::stop_token stop = {}) override;
    Answer<bool> takeBack(sql::OwnedRow row, std::stop_token stop = {}, Patience patience = {}) override;
    Answer<bool> freeByForce(sql::RowKey key, std::stop_token stop = {}) override;
    Answer<bool> erase(sql::RowKey key, std::stop_token stop = {}) override;
    Answer<bool> eraseOwned(sql::OwnedRow row, std::stop_token stop = {}) override;
    Answer<bool> compareAndSet(sql::RowKey key, std::int64_t version, QByteArray owner,
                               std::stop_token stop = {}) override;
    Answer<bool> raise(sql::RowKey key, std::stop_token stop = {}) override;
    Answer<void> eraseOld(QByteArray recipe, Nanos age) override;

    Answer<sql::Owned<sql::Session>> session(std::stop_token stop = {}) override;
    std::shared_ptr<sql::Session> idleSession() override;
    Answer<RowLock> rowLock(QByteArray name, std::stop_token stop = {}) override;
    Answer<bool> endRowHolder(QByteArray name, std::stop_token stop = {}) override;
    std::expected<sql::NamedKey, sql::Error> namedKey(const QByteArray& name) const override;
    Answer<bool> namedLockHeld(sql::NamedKey key, std::stop_token stop = {}) override;
    Answer<bool> endNamedHolders(sql::NamedKey key, std::stop_token stop = {}) override;
    Answer<bool> takeAway(sql::SeenHold hold, std::stop_token stop = {}) override;
    QByteArrayList takeAwayText(const sql::SeenHold& hold) const override;

    Answer<sql::StoredRecord> readRecord(QByteArray name, std::stop_token stop = {}) override;
    Answer<bool> replaceRecord(QByteArray name, sql::StoredRecord seen, QByteArray value,
                               std::stop_token stop = {}) override;
    Answer<void> checkWritable(std::stop_token stop = {}) override;
    Answer<void> prepare(std::stop_token stop = {}) override;
    QString schema() const override { return QStringLiteral("CREATE TABLE lockscope_locks;"); }

    /// Runs any statement on a connection that it has to itself until that is done: for tests.
    const std::shared_ptr<SqlPool>& pool() const { return m_pool; }

private:
    using Asked = QCoro::Task<SqlPool::Answer>;
    Asked ask(SqlStatement statement, std::stop_token stop, Patience patience = {}) {
        return SqlPool::ask(m_pool, std::move(statement), patience, std::move(stop));
    }
    Answer<bool> change(SqlStatement::Kind kind, sql::RowKey key, QByteArray owner, std::int64_t number,
                        std::stop_token stop, Patience patience = {});
    Answer<bool> end(std::int64_t connection, std::stop_token stop);

    std::shared_ptr<SqlPool> m_pool;
    sql::KeyKind m_keys;
};

} // namespace lockscope::sim
