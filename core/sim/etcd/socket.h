// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/etcd/message.h"
#include "sim/tcp_connection.h"

namespace lockscope::sim {

class EtcdServer;

/// A connection of a client to one etcd member.
class EtcdSocket final : public TcpConnection {
public:
    /// How the client's end learns of what arrives. The calls come from the scheduler.
    struct ClientEnd {
        std::function<void()> accepted; ///< by the machine: its process may be paused
        std::function<void(std::uint64_t number, const EtcdReply&)> answered;
        std::function<void(const EtcdNews&)> told;
        std::function<void()> ended; ///< the server's end is closed; not after close()
    };
    /// Everything outlives it. `client`: its entity in the trace.
    EtcdSocket(Grounds grounds, Network::Link& link, trace::EntityId client, EtcdServer& server, ClientEnd end);

    // The client's end.
    void connect();
    /// `number`: comes back with the answer.
    void ask(std::uint64_t number, EtcdRequest request);

    // The server's end.
    /// `request`: what it answers.
    void answer(std::uint64_t number, const EtcdRequest& request, EtcdReply reply);
    void tell(EtcdNews news);

private:
    std::shared_ptr<EtcdSocket> self() { return std::static_pointer_cast<EtcdSocket>(shared_from_this()); }
    void serverLeft() override;
    void clientLeft() override;
    void broke() override;

    EtcdServer& m_at;
    ClientEnd m_end;
};

} // namespace lockscope::sim
