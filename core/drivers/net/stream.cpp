// SPDX-License-Identifier: Apache-2.0
#include "drivers/net/stream.h"

#include <QNetworkProxy>
#include <QSslError>
#include <QSslSocket>
#include <fcntl.h>

namespace lockscope::net {

Stream::Stream(Endpoint endpoint, const std::optional<QSslConfiguration>& tls, Owner& owner)
    : m_endpoint(std::move(endpoint)), m_owner(owner), m_tls(tls.has_value()) {
    if (tls) {
        auto socket = std::make_unique<QSslSocket>();
        socket->setSslConfiguration(*tls);
        connect(socket.get(), &QSslSocket::encrypted, this, &Stream::connected);
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
        connect(m_socket.get(), &QTcpSocket::connected, this, &Stream::connected, Qt::QueuedConnection);
    }
    m_socket->setProxy(QNetworkProxy::NoProxy);
    connect(m_socket.get(), &QTcpSocket::errorOccurred, this, &Stream::ended);
    connect(m_socket.get(), &QTcpSocket::readyRead, this, [this] { m_owner.streamReadable(); });
}

Stream::~Stream() {
    if (m_socket) m_socket->disconnect(this); // its last signals must not find half an object
}

void Stream::open() {
    if (m_tls)
        static_cast<QSslSocket*>(m_socket.get())->connectToHostEncrypted(m_endpoint.host, m_endpoint.port);
    else
        m_socket->connectToHost(m_endpoint.host, m_endpoint.port);
}

void Stream::connected() {
    if (m_closed) return; // ended since, and told
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    m_socket->setSocketOption(QAbstractSocket::KeepAliveOption, 1);
    if (!m_tls && !takeOver()) return;
    m_open = true;
    m_owner.streamOpened();
}

bool Stream::takeOver() {
    const int fd = fcntl(int(m_socket->socketDescriptor()), F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        ended(QAbstractSocket::SocketResourceError);
        return false;
    }
    m_socket->disconnect(this);
    m_socket.reset();
    Reactor::Watcher& watcher = *this;
    m_plain = std::make_unique<PlainSocket>(fd, watcher);
    return true;
}

void Stream::send(const QByteArray& bytes) {
    if (!isOpen()) return;
    if (m_plain) {
        if (!m_plain->send(bytes)) ended(QAbstractSocket::RemoteHostClosedError);
        return;
    }
    m_socket->write(bytes);
    m_socket->flush();
}

qint64 Stream::receive(char* buffer, qint64 size) {
    if (!isOpen()) return 0;
    const qint64 count = m_plain ? m_plain->receive(buffer, size) : m_socket->read(buffer, size);
    if (count < 0) ended(m_plain ? QAbstractSocket::RemoteHostClosedError : m_socket->error());
    if (count <= 0) return 0;
    m_received += std::uint64_t(count);
    return count;
}

void Stream::ended(QAbstractSocket::SocketError code) {
    if (m_closed) return;
    Ending ending;
    ending.code = code;
    ending.text = m_socket ? m_socket->errorString() : QString();
    const bool handshake = code == QAbstractSocket::SslHandshakeFailedError ||
                           code == QAbstractSocket::SslInternalError ||
                           code == QAbstractSocket::SslInvalidUserDataError;
    // A server says what it thinks of our certificate when our side of the handshake is done: then, with TLS 1.3, the
    // stream is open, and nothing has been heard on it yet.
    const bool refused =
        m_open ? handshake && m_received == 0 : handshake || (m_tls && code == QAbstractSocket::RemoteHostClosedError);
    if (!m_tlsComplaint.isEmpty()) ending.text = m_tlsComplaint;
    if (!m_tlsComplaint.isEmpty() || refused)
        ending.kind = Ending::Kind::Tls;
    else if (!m_open)
        ending.kind = Ending::Kind::Unreachable;
    close();
    m_owner.streamEnded(std::move(ending));
}

void Stream::close() {
    if (std::exchange(m_closed, true)) return;
    m_plain.reset();
    if (!m_socket) return;
    m_socket->disconnect(this);
    m_socket->abort();
}

} // namespace lockscope::net
