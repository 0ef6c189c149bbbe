// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/dialect.h"
#include "sim/sql/rows.h"
#include "sim/sql/statement.h"

#include <deque>
#include <functional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

namespace lockscope::sim {

/// The process that an engine runs in, as far as the engine needs it.
class SqlHost {
public:
    virtual ~SqlHost() = default;
    /// The server's wall clock, µs since 1970.
    virtual std::int64_t clockUs() const = 0;
    /// Calls back after a time of the server's monotonic clock, unless the process dies before.
    virtual void callAfter(Nanos delay, std::function<void()> work) = 0;
    /// A random time in [low, high], and a random number below `bound`.
    virtual Nanos draw(Nanos low, Nanos high) = 0;
    virtual std::size_t drawBelow(std::size_t bound) = 0;
    /// One connection has asked to end another one, which must be closed now.
    virtual void endConnection(SqlConnectionId id) = 0;
    /// A transaction with changes ends, and is in the log. True: it may be answered at once; false: `replicated` is
    /// called when a replica has it, unless the process dies before.
    virtual bool log(std::vector<SqlCommit::Change> changes, std::function<void()> replicated) = 0;
    /// Whether nothing reaches the disk that the log lies on, and what is done when something does again.
    virtual bool logStalls() const = 0;
    virtual void whenLogGoesOn(std::function<void()> work) = 0;
};

/// The rows, transactions and locks of one run of a simulated database, by connections that run one statement at a
/// time. It knows of no network.
///
/// Row locks are InnoDB's or PostgreSQL's. InnoDB hands a lock on in the order of asking, judges conditions after it
/// has locked, and ends a deadlock at once. PostgreSQL lets a newcomer in between, judges conditions first, and looks
/// for a deadlock when somebody has waited for a second. SQLite has one lock, on the whole file, and no queue.
class SqlEngine {
public:
    struct Settings {
        sql::Dialect dialect = sql::Dialect::MySql;
        bool repeatableRead = true; ///< MariaDB: a search for a missing row locks its gap
        bool uniqueIndex = true;    ///< false, on MariaDB: a search reads, and locks, all rows
        Nanos lockWait = 50s;       ///< innodb_lock_wait_timeout, lock_timeout; kNever: none
        Nanos deadlockTimeout = 1s; ///< PostgreSQL's
        bool readOnly = false;      ///< a replica: rows cannot be changed or locked; named locks can
        std::set<SqlTable> tables{SqlTable::Locks};
    };
    using Done = std::function<void(const SqlReply&)>;

    /// The disk and the host outlive it.
    SqlEngine(SqlHost& host, SqlRows::Disk& disk, Settings settings);

    void open(SqlConnectionId id);
    /// Ends a connection: its transaction is rolled back, and what it held is free. Nobody waits for its statement.
    void close(SqlConnectionId id);
    /// Runs a statement; `done` is called once, from inside or later, unless the connection is closed before.
    /// Precondition: the connection's last statement is done.
    void execute(SqlConnectionId id, SqlStatement statement, Done done);

    /// The kinds of locks that a statement may wait for.
    enum class WaitsFor : std::uint8_t { Nothing, Row, Named, Replica, Disk };
    WaitsFor waitsFor(SqlConnectionId id) const;
    void setReadOnly(bool readOnly) { m_settings.readOnly = readOnly; }
    bool isReadOnly() const { return m_settings.readOnly; }
    bool isOpen(SqlConnectionId id) const { return m_sessions.contains(id); }
    /// Whether a transaction is open that has not failed.
    bool inTransaction(SqlConnectionId id) const;

    // --- for the record ---
    /// The row that others read; nullptr: none.
    const SqlRow* row(const QByteArray& lockName) const { return m_rows.committed({SqlTable::Locks, lockName}); }
    /// The connection whose transaction has locked the row; 0: none.
    SqlConnectionId rowHolder(const QByteArray& lockName) const;
    /// The connections whose SELECT … FOR UPDATE waits for it, in their order.
    std::vector<SqlConnectionId> rowQueue(const QByteArray& lockName) const;
    struct NamedUser {
        SqlConnectionId id = 0;
        sql::Sharing sharing = sql::Sharing::Exclusive;
        int count = 1; ///< of a holder
    };
    std::vector<NamedUser> namedHolders(const sql::NamedKey& key) const;
    std::vector<NamedUser> namedQueue(const sql::NamedKey& key) const;
    /// The connection whose statement, or end, changes things now; 0: none.
    SqlConnectionId cause() const { return m_cause; }
    /// The statement that does so; nullptr: a connection's end.
    const SqlStatement* causingStatement() const;
    /// The content of a row, its lock or its queue has changed.
    std::function<void(const SqlRowId&)> onRow;
    std::function<void(const QByteArray& namedLock)> onNamed;
    /// A named lock as onNamed calls it.
    QByteArray nameOf(const sql::NamedKey& key) const;
    const SqlRows& rows() const { return m_rows; }

private:
    enum class Mode : std::uint8_t { Shared, Exclusive, WritersEnd };
    struct User {
        SqlConnectionId id;
        Mode mode;
    };
    struct RowLock {
        std::vector<User> granted{};
        std::deque<User> waiting{};
        std::set<SqlConnectionId> gaps{}; ///< InnoDB: those that have looked for the missing row
        bool handingOver = false;         ///< PostgreSQL: the first waiter is being woken
        bool empty() const { return granted.empty() && waiting.empty() && gaps.empty(); }
    };
    struct NamedLock {
        std::vector<NamedUser> granted{};
        std::deque<NamedUser> waiting{};
    };
    struct Session {
        std::optional<SqlStatement> statement{};
        Done done{};
        std::vector<SqlRowId> targets{}; ///< of the statement, in the order of the key
        std::size_t at = 0;              ///< the next one
        SqlReply reply{};
        std::int64_t beganUs = 0;      ///< the statement, by the server's clock
        std::size_t statementUndo = 0; ///< changes before the statement
        bool inTransaction = false, aborted = false;
        bool committing = false;             ///< the transaction ends with this statement, and is kept
        std::vector<SqlRows::Change> undo{}; ///< of the transaction
        std::set<SqlRowId> locked{};
        std::set<QByteArray> named{};
        WaitsFor waitsFor = WaitsFor::Nothing;
        SqlRowId row{};         ///< that it waits for
        QByteArray namedLock{}; ///< that it waits for
        std::uint64_t wait = 0; ///< which wait it is: timers of earlier ones do nothing
    };
    enum class Step : std::uint8_t { Done, Waits, Failed };
    enum class Scope : std::uint8_t { Statement, Transaction };
    using Id = SqlConnectionId;

    bool isMySql() const { return m_settings.dialect == sql::Dialect::MySql; }
    bool isPostgreSql() const { return m_settings.dialect == sql::Dialect::PostgreSql; }
    /// Names the connection by whose doing things change, as long as it lives.
    class As {
    public:
        As(SqlEngine& engine, Id id, bool ends = false)
            : m_engine(engine),
              m_cause(std::exchange(engine.m_cause, id)),
              m_ends(std::exchange(engine.m_causeEnds, ends)) {}
        ~As() {
            m_engine.m_cause = m_cause;
            m_engine.m_causeEnds = m_ends;
        }
        As(const As&) = delete;
        As& operator=(const As&) = delete;

    private:
        SqlEngine& m_engine;
        Id m_cause;
        bool m_ends;
    };

    // engine.cpp: statements and transactions
    void run(Id id);
    Step goOn(Id id);
    Step atOnce(Id id);
    std::optional<SqlReply> refusal(const Session& session) const;
    void finish(Id id);
    void conclude(Id id);
    bool commits(Id id);
    void flushed(Id id, std::uint64_t wait);
    void replicated(Id id, std::uint64_t wait);
    std::vector<SqlCommit::Change> changesOf(const Session& session) const;
    void fail(Id id, SqlReply failure, Scope scope);
    void undoTo(Id id, std::size_t changes);
    void endTransaction(Id id, bool keep);
    void tell(const SqlRowId& id) const;

    // engine_rows.cpp: what statements do to rows
    std::vector<SqlRowId> targetsOf(const SqlStatement& statement) const;
    bool scans(SqlStatement::Kind kind) const;
    std::int64_t clockOf(const Session& session) const;
    Step touch(Id id, const SqlRowId& row);
    Step touchMissing(Id id, const SqlRowId& row);
    Step insert(Id id, const SqlRowId& row);
    Step change(Id id, const SqlRowId& row);
    void write(Id id, const SqlRowId& row, std::optional<SqlRow> content);
    void look(Id id);

    // engine_waits.cpp: row locks
    static bool excludes(Mode one, Mode other) { return one == Mode::Exclusive || other == Mode::Exclusive; }
    Id lockerOf(const SqlRowId& row) const;
    bool isFree(const SqlRowId& row, Id id, Mode mode) const;
    bool holds(const SqlRowId& row, Id id, Mode mode) const;
    Step acquire(Id id, const SqlRowId& row, Mode mode);
    void grant(const SqlRowId& row, User user);
    void release(const SqlRowId& row, Id id);
    void wake(const SqlRowId& row);
    void handOver(const SqlRowId& row);
    void insertersMeet(const std::vector<Id>& inserters);
    void shuffle(const SqlRowId& row);
    void beginWait(Id id, WaitsFor what);
    bool isQueueing(Id id) const;
    void stopWaiting(Id id);
    void resume(Id id, Nanos delay);
    void limitReached(Id id);
    void endStatement(Id id);
    void endWait(Id id, SqlReply reply);
    std::vector<Id> blockersOf(Id id) const;
    void addRowBlockers(Id id, const Session& session, std::vector<Id>& blockers) const;
    void addNamedBlockers(Id id, const Session& session, std::vector<Id>& blockers) const;
    bool mayBlock(Id id) const;
    std::vector<Id> circleOf(Id id) const;
    bool findWay(Id from, Id to, std::unordered_set<Id>& seen, std::vector<Id>& way) const;
    void endCircle(Id id);

    // engine_named.cpp
    bool namedConflict(const NamedLock& lock, Id id, sql::Sharing sharing) const;
    Step takeNamed(Id id);
    void releaseNamed(Id id);
    void dropNamed(const QByteArray& name, Id id);
    void wakeNamed(const QByteArray& name);
    void releaseAllNamed(Id id);

    SqlHost& m_host;
    Settings m_settings;
    SqlRows m_rows;
    std::map<Id, Session> m_sessions;
    std::map<SqlRowId, RowLock> m_locks;
    std::map<QByteArray, NamedLock> m_named;
    Id m_fileWriter = 0; ///< SQLite: the connection whose transaction has the file
    Id m_cause = 0;
    bool m_causeEnds = false; ///< its connection's end is the cause
};

} // namespace lockscope::sim
