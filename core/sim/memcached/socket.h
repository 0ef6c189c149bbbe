// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/memcached/command.h"
#include "sim/tcp_connection.h"

namespace lockscope::sim {

class MemcachedServer;

/// A connection of a client to one memcached.
class MemcachedSocket final : public TcpConnection {
public:
    /// How the client's end learns of what arrives. The calls come from the scheduler.
    struct ClientEnd {
        std::function<void()> greeted; ///< the server answers
        /// The answers to one packet.
        std::function<void(const std::vector<MemcachedReply>&)> answered;
        std::function<void()> ended; ///< the server's end is closed; not after close()
    };
    /// Everything outlives it. `client`: its entity in the trace.
    MemcachedSocket(Grounds grounds, Network::Link& link, trace::EntityId client, MemcachedServer& server,
                    ClientEnd end);

    // The client's end.
    void greet();
    /// Commands in one packet; their answers come together, in the order of packets.
    void ask(const std::vector<MemcachedCommand>& commands);

    // The server's end.
    void welcome();
    /// `commands`: those that the replies answer.
    void answer(const std::vector<MemcachedCommand>& commands, const std::vector<MemcachedReply>& replies);

private:
    std::shared_ptr<MemcachedSocket> self() { return std::static_pointer_cast<MemcachedSocket>(shared_from_this()); }
    void serverLeft() override;
    void clientLeft() override;
    void broke() override;

    MemcachedServer& m_at;
    ClientEnd m_end;
};

} // namespace lockscope::sim
