// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/server.h"

namespace lockscope::sim {

/// A TCP connection of a client to one server: messages arrive in order and whole, or, while the link is severed,
/// later, until one end closes it. Shared by its ends and by everything on its way. Each protocol derives its own.
class TcpConnection : public std::enable_shared_from_this<TcpConnection> {
public:
    virtual ~TcpConnection() = default;
    TcpConnection(const TcpConnection&) = delete;
    TcpConnection& operator=(const TcpConnection&) = delete;

    /// Whether a connection could be made now: its handshake needs both directions.
    bool possible() const;
    /// The client's end closes it. The server hears of it after everything that was sent before.
    void close();
    /// `Told`: the client's machine hears of the end, after everything that was sent before.
    enum class Farewell : std::uint8_t { Told, Silent };
    void closeAtServer(Farewell farewell = Farewell::Told);
    bool openAtServer() const { return m_server.open; }

    trace::EntityId client() const { return m_party; }
    std::uint64_t number = 0; ///< the server's own, of the connection

protected:
    /// Everything outlives it. `client`: its entity in the trace.
    TcpConnection(Grounds grounds, Network::Link& link, trace::EntityId client, Server& server)
        : m_grounds(grounds), m_link(link), m_party(client), m_at(server) {}

    /// A message; `text` is of its row in the trace, empty: none, and no randomness. It arrives only at an end that is
    /// open then.
    struct Message {
        QByteArray text{};
        std::function<void()> arrive{};
        /// An armed loss of a reply strikes it: the connection breaks with it.
        bool mayBeLost = false;
    };
    void toServer(Message message);
    void toClient(Message message, trace::EventKind row = trace::EventKind::Reply);

    // Hooks. They are called when the news arrive at the other end.
    /// The server's end is closed, or was never taken; not after close().
    virtual void serverLeft() = 0;
    /// The client's end is closed.
    virtual void clientLeft() = 0;
    /// The connection breaks at the server's end, which is still open.
    virtual void broke() = 0;

private:
    /// The end that must be open when a packet arrives: else its work is not done.
    enum class To : std::uint8_t { Server, Client, EitherEnd };
    struct Packet {
        std::uint32_t text;
        trace::EventKind row;
        std::function<void()> arrive;
        bool mayBeLost;
        To to;
    };
    struct Half {
        std::deque<Packet> unsent{};
        bool armed = false;
        bool open = true; ///< the end that sends
    };
    struct Wake;
    void send(Half& half, Packet packet);
    void pump(Half& half);
    void arm(Half& half, Nanos at);
    void deliver(const std::function<void()>& work, To to);
    std::uint32_t textOf(const QByteArray& text) const;

    Grounds m_grounds;
    Network::Link& m_link;
    trace::EntityId m_party;
    Server& m_at;
    Half m_client, m_server;   ///< by who sends
    bool m_silent = false;     ///< the client has not been told that the server's end is gone
    bool m_clientHears = true; ///< it has not closed its end
};

} // namespace lockscope::sim
