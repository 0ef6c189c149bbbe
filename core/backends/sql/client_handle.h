// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/port.h"

class QSqlDriver;

namespace lockscope::sql {

// What QtSql does not tell of a connection, and the client library below it does. Its functions are looked up in the
// library that Qt's plugin has loaded, so that this program needs neither library itself.

/// A function of a library that is loaded already, nullptr when there is none. Never unloaded: a plugin of Qt's has it.
void* loadedFunction(std::initializer_list<const char*> libraries, const char* name);

/// The functions of one such library: what is declared as one of them is found where it is declared,
/// `decltype(&PQflush) flush = library.find("PQflush");`.
class LoadedLibrary {
public:
    explicit LoadedLibrary(const char* name) : m_name(name) {}
    /// A function of whatever type the name stands for.
    struct Found {
        void* at;
        /// As whatever it is declared to be.
        template <typename Function>
        operator Function*() const {
            return reinterpret_cast<Function*>(at);
        }
    };
    /// A function by its name; when there is none, nothing to call, and complete() is false.
    Found find(const char* name) {
        const Found found{loadedFunction({m_name}, name)};
        m_complete = m_complete && found.at;
        return found;
    }
    /// All that were looked for have been found.
    bool complete() const { return m_complete; }

private:
    const char* m_name;
    bool m_complete = true;
};

/// The library's own structure of a connection; nullptr when it is not of this dialect.
void* handleOf(const QSqlDriver& driver, Dialect dialect);

/// How a connection to MySQL or MariaDB is encrypted, empty: it is not. nullopt: the client library does not tell.
std::optional<QByteArray> cipherOf(const QSqlDriver& driver);

/// A duplicate of the socket below a database connection, for the caller to close; -1 when there is none or the client
/// library does not tell.
///
/// Why: QtSql has no way to end a request whose server has stopped answering. shutdown(2) on a duplicate ends it from
/// any thread, and the number cannot meanwhile become somebody else's socket. The same descriptor shows at once when
/// the server ends an idle connection.
///
/// Also has the kernel notice a peer that is gone: keep-alive probes, and a limit on unacknowledged data.
int duplicateSocket(const QSqlDriver& driver, Dialect dialect);

/// The number that a PostgreSQL connection got when it was made: the server process's own, unless somebody in between
/// made it up. nullopt: the client library does not tell.
std::optional<std::int64_t> numberFromGreeting(const QSqlDriver& driver, Dialect dialect);

} // namespace lockscope::sql
