// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/options.h"
#include "ports/sql/client.h"

namespace lockscope::sql {

class DriverSession;
class Pool;
struct Tables;

/// The port to a real database: each verb is a statement of the database's dialect. Never blocks the event loop:
/// connections to servers work by non-blocking calls of the client libraries, one to a SQLite file on a thread of its
/// own. Statements that commit by themselves share a few connections; each session has its own; unused connections stay
/// open for the next user. Connects when needed, and again when a connection broke.
///
/// Lives on its runtime's thread, which needs a Qt event loop. May be destroyed at any time when no verb is in flight;
/// statements in flight then end with Disconnected. The runtime must outlive it.
class SqlDriver final : public Client {
public:
    /// The URL's time-outs override those of `options`; it names the table, and says how named locks' keys are made.
    SqlDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options = {});
    ~SqlDriver() override;
    SqlDriver(const SqlDriver&) = delete;
    SqlDriver& operator=(const SqlDriver&) = delete;

    Runtime& runtime() override;
    Abilities abilities() const override;
    Answer<bool> insert(RowKey key, QByteArray owner, std::stop_token stop = {}, Patience patience = {}) override;
    Answer<void> makeFree(RowKey key, std::stop_token stop = {}, Patience patience = {}) override;
    Answer<Row> look(QByteArray name, std::stop_token stop = {}, Patience patience = {}) override;
    Answer<std::int64_t> take(RowKey key, QByteArray owner, Nanos lease, std::stop_token stop = {},
                              Patience patience = {}) override;
    Answer<bool> extend(OwnedRow row, Nanos lease, std::stop_token stop = {}, Patience patience = {}) override;
    Answer<Extended> extendAll(std::vector<OwnedRow> rows, Nanos lease) override;
    Answer<bool> free(OwnedRow row, std::stop_token stop = {}) override;
    Answer<bool> takeBack(OwnedRow row, std::stop_token stop = {}, Patience patience = {}) override;
    Answer<bool> freeByForce(RowKey key, std::stop_token stop = {}) override;
    Answer<bool> erase(RowKey key, std::stop_token stop = {}) override;
    Answer<bool> eraseOwned(OwnedRow row, std::stop_token stop = {}) override;
    Answer<bool> compareAndSet(RowKey key, std::int64_t version, QByteArray owner, std::stop_token stop = {}) override;
    Answer<bool> raise(RowKey key, std::stop_token stop = {}) override;
    Answer<void> eraseOld(QByteArray recipe, Nanos age) override;

    Answer<Owned<Session>> session(std::stop_token stop = {}) override;
    std::shared_ptr<Session> idleSession() override;
    Answer<RowLock> rowLock(QByteArray name, std::stop_token stop = {}) override;
    Answer<bool> endRowHolder(QByteArray name, std::stop_token stop = {}) override;
    std::expected<NamedKey, Error> namedKey(const QByteArray& name) const override;
    Answer<bool> namedLockHeld(NamedKey key, std::stop_token stop = {}) override;
    Answer<bool> endNamedHolders(NamedKey key, std::stop_token stop = {}) override;
    Answer<bool> takeAway(SeenHold hold, std::stop_token stop = {}) override;
    QByteArrayList takeAwayText(const SeenHold& hold) const override;

    Answer<StoredRecord> readRecord(QByteArray name, std::stop_token stop = {}) override;
    Answer<bool> replaceRecord(QByteArray name, StoredRecord seen, QByteArray value,
                               std::stop_token stop = {}) override;

    std::optional<Error> unusable() const override;
    Answer<void> open(std::stop_token stop = {}) override;
    void closeIdle() override;
    Answer<void> checkWritable(std::stop_token stop = {}) override;
    Answer<void> prepare(std::stop_token stop = {}) override;
    QString schema() const override;

    // --- below the verbs ---
    Dialect dialect() const;
    /// "host:port/database".
    QString where() const;
    const Tables& tables() const;
    /// Runs one statement that commits by itself, on any connection. Stopping and `patience` are as Port promises.
    QCoro::Task<Result> execute(Statement statement, std::stop_token stop = {}, Patience patience = {});
    /// As session() and idleSession(), for statements as texts.
    Answer<Owned<DriverSession>> textSession(std::stop_token stop = {});
    std::shared_ptr<DriverSession> idleTextSession();

private:
    QCoro::Task<Result> ask(const QByteArray& text, Values values, std::stop_token stop, Patience patience = {});
    Answer<bool> endConnection(std::int64_t connection);
    QCoro::Task<> awaitEndOf(QByteArrayList connections, std::stop_token stop);
    std::vector<Statement> takingAway(const SeenHold& hold) const;
    Answer<bool> endRowHolderOfMySql(QByteArray name, std::stop_token stop);

    const std::shared_ptr<Pool> m_pool;
};

} // namespace lockscope::sql
