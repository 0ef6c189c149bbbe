// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/port.h"

namespace lockscope::sim {

/// A statement as a simulated database gets it: what the driver's texts say, without their words.
struct SqlStatement {
    enum class Kind : std::uint8_t {
        // Rows of the table of locks.
        Look,
        Insert,
        MakeFree,
        Take,
        Extend, ///< of all `rows`
        StillOwned,
        Free,
        TakeBack,
        FreeByForce,
        Erase,
        EraseOwned,
        CompareAndSet,
        Raise,
        FindOld,
        EraseOld,
        LockRow,    ///< SELECT … FOR UPDATE
        LockRowNow, ///< … NOWAIT
        // Rows of the table of records.
        ReadRecord,
        InsertRecord,
        UpdateRecord,
        CreateRecords,
        // Transactions.
        Commit,
        Rollback,
        // Named locks.
        TakeNamed,
        TryNamed,
        ReleaseNamed,
        ReleaseAllNamed,
        NamedHolders,
        // About connections and the server.
        RowLocker,
        EndConnection, ///< KILL, pg_terminate_backend()
        EndStatement,  ///< KILL QUERY, pg_cancel_backend()
        Connections,
        ReadOnly,
        Ping,
        Prepare, ///< creates the tables
    };
    Kind kind = Kind::Ping;
    bool begin = false; ///< it begins a transaction, in the same round trip
    QByteArray recipe{}, name{}, owner{};
    std::int64_t number = 0; ///< the lease or age in ms, a version, a connection
    std::vector<sql::OwnedRow> rows{};
    sql::NamedKey key{};
    sql::Sharing sharing = sql::Sharing::Exclusive;
    std::vector<std::int64_t> connections{};
    /// The longest wait for each lock that it has to wait for; nullopt: the server's own limit.
    std::optional<Nanos> limit{};

    /// Whether it can change a row, or what a connection holds.
    bool changes() const;
    /// Whether it needs the table of locks.
    bool usesLocks() const { return kind <= Kind::LockRowNow; }
    /// Whether a database that takes no writes refuses it: it changes or locks rows.
    bool writes() const;
    bool ends() const { return kind == Kind::Commit || kind == Kind::Rollback; }
    /// The statement in a trace: "UPDATE orders: take for 5s".
    QByteArray text() const;
};

/// An error as the server says it: a number (MariaDB, SQLite) or an SQLSTATE, and its words.
struct SqlFailure {
    QByteArray code;
    QString text;
};

struct SqlReply {
    std::optional<SqlFailure> failure{};
    std::int64_t number = 0; ///< rows affected, a version, a count, a connection
    bool isNull = false;     ///< the number is NULL
    struct SeenRow {
        QByteArray name{}, recipe{}, owner{};
        std::int64_t version = 0;
        std::int64_t leftMs = 0; ///< until expires_at
        std::optional<std::int64_t> acquiredMs{};
    };
    std::vector<SeenRow> rows{};
    std::vector<std::int64_t> connections{};
    bool aborted = false; ///< it ended the transaction, which only a rollback can follow (PostgreSQL), or none

    static SqlReply of(std::int64_t number) { return {.number = number}; }
    static SqlReply failed(const char* code, const QString& text) { return {.failure = SqlFailure{code, text}}; }
};

} // namespace lockscope::sim
