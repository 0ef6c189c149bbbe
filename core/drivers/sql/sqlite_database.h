// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/command.h"

#include <map>
#include <mutex>

struct sqlite3;
struct sqlite3_stmt;

namespace lockscope::sql {

/// A connection to a SQLite file, by SQLite's own calls. They block: it is used on one thread.
class SqliteDatabase {
public:
    /// `where`: the file's name in messages. `makesFile`: if there is none.
    SqliteDatabase(const QString& file, QString where, bool makesFile = true)
        : m_file(file.toUtf8()), m_where(std::move(where)), m_makesFile(makesFile) {}
    ~SqliteDatabase();
    SqliteDatabase(const SqliteDatabase&) = delete;
    SqliteDatabase& operator=(const SqliteDatabase&) = delete;

    /// Opens the file. Once, before all else.
    Result open();
    /// Runs a command. While another program has locked the file it waits for some milliseconds, then WaitExceeded.
    Result run(const Command& command);

private:
    Result step(sqlite3_stmt* prepared, const Values& values);
    Result execute(const Statement& statement, bool takesTurn);
    sqlite3_stmt* prepare(const QByteArray& text);
    bool bind(sqlite3_stmt* statement, const Values& values);
    Error error() const;

    const QByteArray m_file;
    const QString m_where;
    const bool m_makesFile;
    sqlite3* m_connection = nullptr;
    std::map<QByteArray, sqlite3_stmt*> m_prepared; ///< those with values, by text
    std::shared_ptr<std::mutex> m_turns;            ///< turns of this program's writers of the file
    bool m_inTransaction = false;
};

} // namespace lockscope::sql
