// SPDX-License-Identifier: Apache-2.0
#include "backends/memcached/wire.h"

#include "backends/memcached/errors.h"

#include <QNetworkProxy>
#include <QSslError>
#include <QSslSocket>
#include <fcntl.h>

namespace lockscope::memcached {

Wire::Wire(const Endpoint& endpoint, const std::optional<QSslConfiguration>& tls, Owner& owner)
    : m_endpoint(endpoint), m_where(endpoint.display()), m_owner(owner), m_tls(tls.has_value()) {
    if (tls) {
        auto socket = std::make_unique<QSslSocket>();
        socket->setSslConfiguration(*tls);
        connect(socket.get(), &QSslSocket::encrypted, this, &Wire::connected);
        connect(socket.get(), &QSslSocket::sslErrors, this, [this](const QList<QSslError>& all) {
            QStringList texts;
            for (const QSslError& error : all)
                texts.append(error.errorString());
            m_tlsComplaint = texts.join(QStringLiteral("; "));
        });
        m_socket = std::move(socket);
    } else {
        m_socket = std::make_unique<QTcpSocket>();
        // Queued: inside its signal it could not be replaced.
        connect(m_socket.get(), &QTcpSocket::connected, this, &Wire::connected, Qt::QueuedConnection);
    }
    m_socket->setProxy(QNetworkProxy::NoProxy);
    connect(m_socket.get(), &QTcpSocket::errorOccurred, this, &Wire::ended);
    connect(m_socket.get(), &QTcpSocket::readyRead, this, &Wire::read);
}

Wire::~Wire() {
    if (m_socket) m_socket->disconnect(this); // its last signals must not find half an object
}

void Wire::open() {
    if (m_tls)
        static_cast<QSslSocket*>(m_socket.get())->connectToHostEncrypted(m_endpoint.host, m_endpoint.port);
    else
        m_socket->connectToHost(m_endpoint.host, m_endpoint.port);
}

void Wire::connected() {
    if (m_closed) return; // broken since, and told
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    m_socket->setSocketOption(QAbstractSocket::KeepAliveOption, 1);
    if (!m_tls) takeOver();
    if (m_closed) return;
    m_open = true;
    m_owner.opened();
}

// Qt has found the way; from here on the descriptor itself is enough.
void Wire::takeOver() {
    const int fd = fcntl(int(m_socket->socketDescriptor()), F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        ended(QAbstractSocket::SocketResourceError);
        return;
    }
    m_socket->disconnect(this);
    m_socket.reset();
    Reactor::Watcher& watcher = *this;
    m_plain = std::make_unique<redis::PlainSocket>(fd, watcher);
}

void Wire::send(const QByteArray& bytes) {
    if (m_closed) return;
    if (m_plain) {
        if (!m_plain->send(bytes)) ended(QAbstractSocket::RemoteHostClosedError);
        return;
    }
    m_socket->write(bytes);
    m_socket->flush();
}

void Wire::read() {
    char buffer[16 * 1024];
    qint64 size = 0;
    do {
        size = m_plain ? m_plain->receive(buffer, sizeof buffer) : m_socket->read(buffer, sizeof buffer);
        if (size < 0) ended(m_plain ? QAbstractSocket::RemoteHostClosedError : m_socket->error());
        if (size <= 0) return;
        m_owner.received(buffer, size);
        if (m_closed) return;
    } while (size == sizeof buffer);
}

void Wire::ended(QAbstractSocket::SocketError code) {
    if (m_closed) return;
    Error error = errors::closed(m_where);
    if (!m_tlsComplaint.isEmpty())
        error = errors::tls(m_tlsComplaint, m_where);
    else if (!m_open && m_tls && code == QAbstractSocket::RemoteHostClosedError)
        error = errors::tls(m_socket->errorString(), m_where);
    else if (!m_open)
        error = errors::socket(code, m_socket->errorString(), m_where);
    close();
    m_owner.broke(std::move(error));
}

void Wire::close() {
    if (std::exchange(m_closed, true)) return;
    if (m_plain) m_plain->ignore();
    if (!m_socket) return;
    m_socket->disconnect(this);
    m_socket->abort();
}

} // namespace lockscope::memcached
