// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/dialect.h"
#include "runtime/completion.h"
#include "sim/call_alarm.h"
#include "sim/process_inbox.h"
#include "sim/sql/shared_pool.h"
#include "sim/sql/socket.h"

namespace lockscope::sim {

/// A simulated client's end of one connection to a database. Shared by its user and by what
/// is on its way.
class SqlLink final : public std::enable_shared_from_this<SqlLink> {
public:
    using Answer = std::expected<SqlReply, sql::Error>;
    using Ticket = Completion<Answer>;
    /// The address as people read it, and the language of errors.
    struct Place {
        QString where;
        sql::Dialect dialect = sql::Dialect::MySql;
    };

    /// Everything outlives it.
    SqlLink(Grounds grounds, SqlServer& server, Runtime& runtime, ClientEnd client, Place place);
    ~SqlLink();

    /// A connection of a pool that all clients share, as long as this lives.
    class Borrowed {
    public:
        explicit Borrowed(SqlSharedPool& pool) : m_pool(pool) {}
        ~Borrowed() { m_pool.giveBack(); }
        Borrowed(const Borrowed&) = delete;
        Borrowed& operator=(const Borrowed&) = delete;

    private:
        SqlSharedPool& m_pool;
    };
    /// Gives it back when the connection ends.
    void borrow(std::unique_ptr<Borrowed> borrowed) { m_borrowed = std::move(borrowed); }

    /// Connects and logs in; the ticket's answer is empty, or an error.
    Ticket open();
    /// Sends a statement, behind those that have no answer yet. One that may wait must be the last.
    Ticket send(SqlStatement statement);
    /// Whether a statement has no answer yet.
    bool isBusy() const { return !m_tickets.empty(); }
    /// Closes it at once, whatever is under way.
    void breakOff() { end(std::nullopt); }
    bool ended() const { return !m_socket; }
    /// The completion is done when the connection ends.
    void tellOfEnd(const Completion<bool>& told) { m_told.push_back(told); }
    /// The server's number of the connection; 0: not logged in.
    std::int64_t serverId() const { return m_serverId; }
    /// Whether the server took no writes when the connection was made.
    bool readOnly() const { return m_readOnly; }

private:
    void end(std::optional<sql::Error> why);
    void answered(const Answer& answer);
    void look();

    Grounds m_grounds;
    SqlServer& m_server;
    Runtime& m_runtime;
    ClientEnd m_client;
    Place m_place;
    std::shared_ptr<SqlSocket> m_socket; ///< nullptr: ended, or not open yet
    std::deque<Ticket> m_tickets;        ///< in the order of sending
    std::vector<Completion<bool>> m_told;
    std::int64_t m_serverId = 0;
    bool m_readOnly = false;
    std::unique_ptr<Borrowed> m_borrowed;
    Nanos m_heardAt{};
    ProcessInbox m_inbox;
    CallAlarm m_keepAlive;
};

} // namespace lockscope::sim
