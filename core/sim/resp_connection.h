// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/channel.h"
#include "sim/resp_server.h"

namespace lockscope::sim {

/// One connection to a simulated server that speaks Redis' protocol, from a client or from another server. Made by the
/// first command, which carries the handshake: connecting takes no round trip of its own, but it fails when one
/// direction of the link is severed. A connection that has ended does not come back; its owner makes another one.
class RespConnection {
public:
    using Wire = Channel<RespServer, redis::Reply>;
    using Result = Wire::Result;
    struct Handlers {
        std::function<void(const RedisEngine::Push&)> push = nullptr; ///< a message has arrived
        std::function<void()> ended = nullptr;                        ///< its end is known; not after close()
    };
    /// Everything outlives it. `end`: how the server sees this side; its functions are not used. `probe`: how often
    /// this side tries to send over a connection whose end it has not been told of.
    RespConnection(Grounds grounds, Network::Link& link, Party asker, RespServer& server, RespServer::ClientEnd end,
                   Nanos probe, Handlers handlers);
    ~RespConnection();

    /// As Channel::send().
    std::uint64_t send(std::uint32_t text, redis::Args args, Wire::Done done);
    void forget(std::uint64_t number) { m_socket->wire.forget(number); }
    /// As Channel::Asking.
    struct Asking : Wire::Asking {
        Asking(RespConnection& connection, Runtime& runtime, std::uint32_t text, redis::Args args, Nanos timeout,
               std::stop_token stop);
    };
    /// Whether the server has answered over it: before that, what got no answer was not done.
    bool established() const { return m_socket->established; }
    /// Whether a command sent now can reach the server: a new connection needs both directions for its handshake.
    bool possible() const;
    /// Whether a heartbeat sent now would be answered.
    bool beats() const;
    /// Closes the connection; the server sees that after the network's delay. Open calls end with Reset.
    void close();
    RespServer& server() const { return m_socket->wire.server(); }

private:
    /// Shared with messages that are on their way.
    struct Socket {
        Socket(Grounds g, Network::Link& link, Party asker, RespServer& server, RespServer::ClientEnd e, Nanos p,
               Handlers h)
            : grounds(g),
              end(std::move(e)),
              probe(p),
              handlers(std::move(h)),
              wire(g, link, asker, server, [this](Result& result) { look(result); }) {}
        void look(Result& result);
        Grounds grounds;
        RespServer::ClientEnd end;
        Nanos probe;
        Handlers handlers;
        Wire wire;
        RespServer::SessionId session = 0; ///< at the server
        bool over = false;                 ///< the server's end is closed
        bool closed = false;               ///< this end is
        bool established = false;
        bool used = false; ///< something has left over it
    };
    static bool reaches(const Socket& socket);
    /// The server's part of a command, for Channel::send().
    static auto work(const std::shared_ptr<Socket>& socket, redis::Args args);
    static void open(const std::shared_ptr<Socket>& socket, RespServer& server);
    std::shared_ptr<Socket> m_socket;
};

} // namespace lockscope::sim
