// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/net/ending.h"
#include "backends/net/plain_socket.h"
#include "backends/url.h"

#include <QSslConfiguration>
#include <QTcpSocket>

namespace lockscope::net {

/// Bytes to and from one server, by TCP or TLS, from the connection's opening to its end. Does not try again; a new one
/// is made for that. Qt finds the way (names, addresses, TLS); without TLS the descriptor itself is enough from then
/// on.
class Stream final : public QObject, private Reactor::Watcher {
public:
    class Owner {
    public:
        /// TCP, and TLS if wanted, are established.
        virtual void streamOpened() = 0;
        /// There are bytes to receive(). This may destroy the stream.
        virtual void streamReadable() = 0;
        /// Once, and nothing after it; also from inside send() and receive(). This must not destroy the stream.
        virtual void streamEnded(Ending ending) = 0;

    protected:
        ~Owner() = default;
    };
    Stream(Endpoint endpoint, const std::optional<QSslConfiguration>& tls, Owner& owner);
    ~Stream() override;

    /// Begins to connect.
    void open();
    /// Sends now what the kernel takes and the rest when it can. Nothing is sent before it is open or after its end.
    void send(const QByteArray& bytes);
    /// Bytes read; 0: none now, or it has ended.
    qint64 receive(char* buffer, qint64 size);
    /// Hangs up, and tells nothing any more.
    void close();

    /// Connected, and neither ended nor closed.
    bool isOpen() const { return m_open && !m_closed; }
    /// Bytes that came so far.
    std::uint64_t received() const { return m_received; }

private:
    void connected();
    bool takeOver();
    void readable() override { m_owner.streamReadable(); }
    void writable() override { m_plain->writable(); }
    void ended(QAbstractSocket::SocketError code);

    const Endpoint m_endpoint;
    Owner& m_owner;
    std::unique_ptr<QTcpSocket> m_socket; ///< connects, and with TLS does the rest, too
    std::unique_ptr<PlainSocket> m_plain; ///< without TLS, once connected
    QString m_tlsComplaint;
    std::uint64_t m_received = 0;
    const bool m_tls;
    bool m_open = false, m_closed = false;
};

} // namespace lockscope::net
