// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/server.h"
#include "sim/zookeeper/message.h"

namespace lockscope::sim {

class ZkServer;

/// A TCP connection of a client to one server: messages arrive in order and whole, or, while the link is severed,
/// later, until one end closes it. Shared by its ends and by what is on its way.
class ZkSocket : public std::enable_shared_from_this<ZkSocket> {
public:
    /// How the client's end learns of what arrives. The calls come from the scheduler.
    struct ClientEnd {
        std::function<void(const ZkWelcome&)> welcomed;
        std::function<void(std::uint64_t number, const ZkReply&)> answered;
        std::function<void(const ZkEvent&)> told;
        std::function<void()> ended; ///< the server's end is closed; not after close()
    };
    /// Everything outlives it. `thread`: the client's thread in the trace.
    ZkSocket(Grounds grounds, Network::Link& link, trace::EntityId client, ZkServer& server, ClientEnd end);

    // The client's end.
    /// Whether a connection could be made now: its handshake needs both directions.
    bool possible() const;
    void greet(const ZkGreeting& greeting);
    /// `number`: comes back with the answer, 0 for what has none.
    void ask(std::uint64_t number, const ZkRequest& request);
    void close();

    // The server's end.
    void welcome(const ZkWelcome& welcome);
    /// `request`: what it answers.
    void answer(std::uint64_t number, const ZkRequest& request, const ZkReply& reply);
    void tell(const ZkEvent& event);
    /// `told`: the client's machine hears of the end, after what was sent before.
    enum class Farewell : std::uint8_t { Told, Silent };
    void closeAtServer(Farewell farewell = Farewell::Told);
    bool openAtServer() const { return m_server.open; }

    trace::EntityId client() const { return m_party; }
    std::uint64_t number = 0; ///< the server's own, of the connection

private:
    struct Packet {
        std::uint32_t text;
        trace::EventKind row;
        std::function<void()> arrive;
        bool lossy; ///< an armed loss of a reply strikes it
    };
    struct Half {
        std::deque<Packet> unsent;
        bool armed = false;
        bool open = true; ///< the end that sends
    };
    void send(Half& half, Packet packet);
    void pump(Half& half);
    void arm(Half& half, Nanos at);
    std::uint32_t textOf(const QByteArray& text) const;

    Grounds m_grounds;
    Network::Link& m_link;
    trace::EntityId m_party;
    ZkServer& m_at;
    ClientEnd m_end;
    Half m_client, m_server; ///< by who sends
    bool m_silent = false;   ///< the client has not been told that the server's end is gone
};

} // namespace lockscope::sim
