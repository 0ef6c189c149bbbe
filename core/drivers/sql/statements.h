// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/schema.h"

namespace lockscope::sql {

/// The SQL text of the port's verbs, in one dialect. Each `?` stands for a value; their order is the same in all
/// dialects. An empty text: the dialect has nothing of the kind.
struct Statements {
    // The table of locks.
    QByteArray insert;        ///< name, recipe, owner; MySQL: DuplicateKey where the others insert 0 rows
    QByteArray makeFree;      ///< name, recipe
    QByteArray look;          ///< name → recipe, owner, version, milliseconds left
    QByteArray take;          ///< owner, ms, name, recipe → the new version, as a row or as Reply::insertId
    QByteArray extend;        ///< ms, name, owner
    QByteArray extendAll;     ///< ms, names, owners; with {marks} for as many question marks as rows
    QByteArray stillOwned;    ///< names, owners → name, owner of the rows still owned; with {marks}
    QByteArray free;          ///< name, owner
    QByteArray takeBack;      ///< name, owner
    QByteArray freeByForce;   ///< name, recipe
    QByteArray erase;         ///< name, recipe
    QByteArray eraseOwned;    ///< name, owner
    QByteArray compareAndSet; ///< owner, name, recipe, version
    QByteArray raise;         ///< name, recipe
    QByteArray findOld;       ///< recipe, ms → names
    QByteArray eraseOld;      ///< name, recipe, ms
    // Row locks, and their holders.
    QByteArray lockRow;      ///< name → recipe
    QByteArray lockRowNow;   ///< name → recipe
    QByteArray rowLocker;    ///< name → recipe, connection or NULL; not MySQL
    QByteArray endRowLocker; ///< name → done, connection; not MySQL
    QByteArray rowBlocker;   ///< own connection → the one that it waits for; MySQL
    QByteArray rowBlocker8;  ///< the same for MySQL from 8 on
    // Connections.
    QByteArray end;         ///< connection: ends it; MySQL
    QByteArray connections; ///< → how many of {connections} there are
    QByteArray readOnly;    ///< → 1: the server takes no writes
    // Records.
    QByteArray readRecord;   ///< name → value, version
    QByteArray updateRecord; ///< value, name, version
    QByteArray insertRecord; ///< name, value
};

/// The statements about these tables, in the tables' dialect.
Statements statementsOf(const Tables& tables);

} // namespace lockscope::sql
