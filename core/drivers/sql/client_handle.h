// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/port.h"

class QSqlDriver;

namespace lockscope::sql {

// Facts about a connection that QtSql hides and the client library below it tells. The library's functions are looked
// up in the library that Qt's plugin has loaded, so this program does not link it.

/// A function of a loaded library; nullptr when there is none. Never unloaded, because one of Qt's plugins uses it.
void* loadedFunction(std::initializer_list<const char*> libraries, const char* name);

/// The functions of one such library, each looked up where it is declared: `decltype(&PQflush) flush =
/// library.find("PQflush");`.
class LoadedLibrary {
public:
    explicit LoadedLibrary(const char* name) : m_name(name) {}
    /// A function; converts to the type of its declaration.
    struct Found {
        void* at;
        /// The function, as the type it is assigned to.
        template <typename Function>
        operator Function*() const {
            return reinterpret_cast<Function*>(at);
        }
    };
    /// Finds a function by name; if there is none, it is null and complete() is false.
    Found find(const char* name) {
        const Found found{loadedFunction({m_name}, name)};
        m_complete = m_complete && found.at;
        return found;
    }
    /// Whether all functions were found.
    bool complete() const { return m_complete; }

private:
    const char* m_name;
    bool m_complete = true;
};

/// The client library's structure for a connection; nullptr when the connection is not of this dialect.
void* handleOf(const QSqlDriver& driver, Dialect dialect);

/// The cipher of a connection to MySQL or MariaDB; empty: not encrypted. nullopt: the client library does not tell.
std::optional<QByteArray> cipherOf(const QSqlDriver& driver);

/// A duplicate of a database connection's socket, which the caller must close; -1 when there is none or the client
/// library does not tell.
///
/// Why: QtSql cannot end a request whose server has stopped answering. shutdown(2) on a duplicate ends it from any
/// thread, and the descriptor cannot meanwhile be reused for another socket. The descriptor also shows at once when the
/// server ends an idle connection.
///
/// The function also makes the kernel detect a vanished peer: keep-alive probes, and a limit on unacknowledged data.
int duplicateSocket(const QSqlDriver& driver, Dialect dialect);

/// The number that a PostgreSQL connection got in its greeting: the server process's own, unless a pooler invented it.
/// nullopt: the client library does not tell.
std::optional<std::int64_t> numberFromGreeting(const QSqlDriver& driver, Dialect dialect);

} // namespace lockscope::sql
