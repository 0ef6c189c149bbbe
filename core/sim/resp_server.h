// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/redis/engine.h"
#include "sim/server.h"

namespace lockscope::sim {

/// A simulated process that speaks Redis' protocol: its clients' connections, and the way of their commands to the code
/// that answers them.
class RespServer : public Server {
public:
    using SessionId = RedisEngine::SessionId; ///< 0 = nobody
    using Answer = std::function<void(redis::Reply)>;
    /// The client's end of a connection. `thread`: the thread behind it, in the trace.
    struct ClientEnd {
        trace::EntityId thread = trace::kNoEntity;
        std::function<void(const RedisEngine::Push&)> push = nullptr;
        std::function<void()> broken = nullptr; ///< the server, or its death, ended the connection
        bool byServer = false;                  ///< another server is the client: spared when clients are cut off
    };

    RespServer(Grounds grounds, const QByteArray& id, std::uint64_t seed);

    /// RedisEngine::steps()
    std::uint64_t steps() const { return m_engine.steps(); }
    /// A connection is made by the machine, also to a paused process. 0: the process is dead.
    SessionId connect(ClientEnd end);
    /// The client's end is gone. Commands that arrived before are still run, when the process is paused: later.
    void disconnect(SessionId session);
    /// A command arrives; `answer` is called when it has run (later, if the process is paused). False: nobody is there.
    bool deliver(SessionId session, redis::Args args, Answer answer);
    void hangUpOn(Party client) override;
    /// Dead, and its machine has no power: it does not even refuse.
    bool isSilent() const { return life() == Life::Dead && m_crashed; }

protected:
    /// Runs one command. Its session exists.
    virtual void serve(SessionId session, const redis::Args& args, Answer answer) = 0;
    /// A session has ended, from either side.
    virtual void left(SessionId) {}
    void died(Death death) override;
    /// Ends the connections of all clients that are no servers, as CLIENT KILL does.
    void cutClients();
    void cut(SessionId session);
    const ClientEnd* clientOf(SessionId session) const;

    RedisEngine m_engine;

private:
    std::map<SessionId, ClientEnd> m_sessions;
    bool m_crashed = false; ///< how it died last
};

} // namespace lockscope::sim
