// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sql/statement.h"
#include "sim/tcp_connection.h"

namespace lockscope::sim {

class SqlServer;

/// A connection of a client to a database.
class SqlSocket final : public TcpConnection {
public:
    /// How the client's end learns of what arrives. The calls come from the scheduler.
    struct End {
        std::function<void(std::int64_t connection, bool readOnly)> welcomed; ///< logged in
        std::function<void(const SqlFailure&)> refused;                       ///< the login; the connection ends
        std::function<void(const SqlReply&)> answered;
        std::function<void()> ended; ///< the server's end is closed; not after close()
    };
    /// Everything outlives it.
    SqlSocket(Grounds grounds, Network::Link& link, ClientEnd client, SqlServer& server, End end);
    trace::EntityId thread() const { return m_client.thread; }
    /// Whether the other machine acknowledges what this one sends.
    bool isHeard() const { return possible(); }

    // The client's end.
    void logIn();
    void ask(SqlStatement statement);

    // The server's end.
    void welcome(bool readOnly);
    void refuse(const SqlFailure& why);
    void answer(const SqlStatement& statement, const SqlReply& reply);

private:
    std::shared_ptr<SqlSocket> self() { return std::static_pointer_cast<SqlSocket>(shared_from_this()); }
    void serverLeft() override;
    void clientLeft() override;
    void broke() override;

    SqlServer& m_at;
    ClientEnd m_client;
    End m_end;
};

} // namespace lockscope::sim
