// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/tcp_connection.h"
#include "sim/zookeeper/message.h"

namespace lockscope::sim {

class ZkServer;

/// A connection of a client to one ZooKeeper server.
class ZkSocket final : public TcpConnection {
public:
    /// How the client's end learns of what arrives. The calls come from the scheduler.
    struct ClientEnd {
        std::function<void(const ZkWelcome&)> welcomed;
        std::function<void(std::uint64_t number, const ZkReply&)> answered;
        std::function<void(const ZkEvent&)> told;
        std::function<void()> ended; ///< the server's end is closed; not after close()
    };
    /// Everything outlives it. `client`: its entity in the trace.
    ZkSocket(Grounds grounds, Network::Link& link, trace::EntityId client, ZkServer& server, ClientEnd end);

    // The client's end.
    void greet(const ZkGreeting& greeting);
    /// `asked`: comes back with the answer, 0 for what has none.
    void ask(std::uint64_t asked, ZkRequest request) {
        askShared(asked, std::make_shared<const ZkRequest>(std::move(request)));
    }
    /// As ask(), with a request that is sent again and again.
    void askShared(std::uint64_t asked, std::shared_ptr<const ZkRequest> request);

    // The server's end.
    void welcome(const ZkWelcome& welcome);
    /// `request`: what it answers.
    void answer(std::uint64_t number, const ZkRequest& request, ZkReply reply);
    void tell(const ZkEvent& event);

private:
    std::shared_ptr<ZkSocket> self() { return std::static_pointer_cast<ZkSocket>(shared_from_this()); }
    void serverLeft() override;
    void clientLeft() override;
    void broke() override;

    ZkServer& m_at;
    ClientEnd m_end;
};

} // namespace lockscope::sim
