// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/port.h"

class QSqlDriver;

namespace lockscope::sql {

/// The calls of a client library on an open connection that never block: hand a text to the socket, and take what has
/// arrived. One text at a time, on one thread at a time.
class ClientCalls {
public:
    virtual ~ClientCalls() = default;
    enum class Now : std::uint8_t {
        Reads,  ///< continue when there is something to read
        Writes, ///< continue when there is room to write, or something to read
        Done,   ///< finished: see answer()
    };
    /// Starts a text of one or more statements. Precondition: the previous one is Done.
    virtual Now begin(QByteArray text) = 0;
    /// Starts to prepare a statement under a unique name.
    virtual Now beginPreparing(const QByteArray& name, QByteArray text) = 0;
    /// Starts a prepared statement, with values apart from the text.
    virtual Now beginPrepared(const QByteArray& name, const Values& values) = 0;
    /// Continues: the socket can be read or written.
    virtual Now goOn(bool readable, bool writable) = 0;
    /// The last statement's result, or the first error.
    virtual Result answer() = 0;

    /// For a connection that QtSql has opened. From then on, the driver must only close it, and only after this object
    /// is destroyed. nullptr: its client library has no such calls.
    static std::unique_ptr<ClientCalls> on(const QSqlDriver& driver, Dialect dialect, const QString& where);
};

/// As on(), for a connection structure of the client library; nullptr: it has no such calls.
std::unique_ptr<ClientCalls> mySqlCalls(void* connection, const QString& where);
std::unique_ptr<ClientCalls> postgreSqlCalls(void* connection, const QString& where);

} // namespace lockscope::sql
