// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/net/plain_socket.h"
#include "ports/ending.h"
#include "ports/url.h"

#include <QSslConfiguration>
#include <QTcpSocket>

namespace lockscope::net {

/// A byte stream to and from one server, by TCP or TLS, from opening to end. Does not reconnect; make a new one for
/// that. Qt resolves and connects (names, addresses, TLS); without TLS the plain descriptor is used afterwards.
class Stream final : public QObject, private Reactor::Watcher {
public:
    class Owner {
    public:
        /// TCP, and TLS where configured, are established.
        virtual void streamOpened() = 0;
        /// There are bytes to receive(). The owner may destroy the stream here.
        virtual void streamReadable() = 0;
        /// Called once, as the last call; also from inside send() and receive(). Must not destroy the stream.
        virtual void streamEnded(Ending ending) = 0;

    protected:
        ~Owner() = default;
    };
    Stream(Endpoint endpoint, const std::optional<QSslConfiguration>& tls, Owner& owner);
    ~Stream() override;

    /// Starts connecting.
    void open();
    /// Sends what the kernel accepts now, the rest later. Does nothing before the stream is open or after its end.
    void send(const QByteArray& bytes);
    /// The number of bytes read; 0: none now, or the stream has ended.
    qint64 receive(char* buffer, qint64 size);
    /// Closes the connection; the owner is not called any more.
    void close();

    /// Connected, and neither ended nor closed.
    bool isOpen() const { return m_open && !m_closed; }
    /// The number of bytes received so far.
    std::uint64_t received() const { return m_received; }

private:
    void connected();
    bool takeOver();
    void readable() override { m_owner.streamReadable(); }
    void writable() override { m_plain->writable(); }
    void ended(QAbstractSocket::SocketError code);

    const Endpoint m_endpoint;
    Owner& m_owner;
    std::unique_ptr<QTcpSocket> m_socket; ///< connects; with TLS also transfers
    std::unique_ptr<PlainSocket> m_plain; ///< without TLS, once connected
    QString m_tlsComplaint;
    std::uint64_t m_received = 0;
    const bool m_tls;
    bool m_open = false, m_closed = false;
};

} // namespace lockscope::net
