// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/port.h"

class QSqlDriver;

namespace lockscope::sql {

/// What a client library can do with an open connection without ever waiting: hand a text to the socket, and take what
/// has come. One text at a time, on one thread at a time.
class ClientCalls {
public:
    virtual ~ClientCalls() = default;
    enum class Now : std::uint8_t {
        Reads,  ///< it goes on when there is something to read
        Writes, ///< when there is room to write, or something to read
        Done,   ///< answer() has it
    };
    /// Begins with a text of one or more statements. Precondition: the one before is Done.
    virtual Now begin(QByteArray text) = 0;
    /// Begins to prepare a statement under a name that no other has.
    virtual Now beginPreparing(const QByteArray& name, QByteArray text) = 0;
    /// Begins with what was prepared under a name, with values beside it.
    virtual Now beginPrepared(const QByteArray& name, const Values& values) = 0;
    /// The socket can be read or written.
    virtual Now goOn(bool readable, bool writable) = 0;
    /// What the last statement brought, or the first error.
    virtual Result answer() = 0;

    /// For a connection that QtSql has opened. The driver must not use it from then on except to close it, and not
    /// before these calls are gone. nullptr: its client library has no such calls.
    static std::unique_ptr<ClientCalls> on(const QSqlDriver& driver, Dialect dialect, const QString& where);
};

/// The same for a structure of the client library; nullptr: it has no such calls.
std::unique_ptr<ClientCalls> mySqlCalls(void* connection, const QString& where);
std::unique_ptr<ClientCalls> postgreSqlCalls(void* connection, const QString& where);

} // namespace lockscope::sql
