// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/memcached/port.h"
#include "backends/redis/plain_socket.h"
#include "backends/url.h"

#include <QSslConfiguration>
#include <QTcpSocket>

namespace lockscope::memcached {

/// One connection to one server, from its opening to its end: bytes out, bytes in. A new one is made after it.
class Wire final : public QObject, private Reactor::Watcher {
public:
    class Owner {
    public:
        /// TCP, and TLS if wanted, are established.
        virtual void opened() = 0;
        virtual void received(const char* bytes, qsizetype size) = 0;
        /// Once, and nothing after it.
        virtual void broke(Error error) = 0;

    protected:
        ~Owner() = default;
    };
    /// `owner` must not destroy it from inside its calls.
    Wire(const Endpoint& endpoint, const std::optional<QSslConfiguration>& tls, Owner& owner);
    ~Wire() override;

    /// Begins to connect.
    void open();
    void send(const QByteArray& bytes);
    /// Hangs up, and tells nothing any more.
    void close();

private:
    void connected();
    void takeOver();
    void read();
    void readable() override { read(); }
    void writable() override { m_plain->writable(); }
    void ended(QAbstractSocket::SocketError code);

    Endpoint m_endpoint;
    QString m_where;
    Owner& m_owner;
    std::unique_ptr<QTcpSocket> m_socket;        ///< connects, and with TLS does the rest, too
    std::unique_ptr<redis::PlainSocket> m_plain; ///< without TLS, once connected
    QString m_tlsComplaint;
    bool m_tls = false, m_open = false, m_closed = false;
};

} // namespace lockscope::memcached
