// SPDX-License-Identifier: Apache-2.0
#include "backends/redis/wire.h"

#include "backends/redis/errors.h"
#include "backends/redis/tls.h"

#include <QNetworkProxy>
#include <QPointer>
#include <QSslSocket>
#include <fcntl.h>

namespace lockscope::redis {

namespace {
/// Some twenty commands: with fewer the system call is what costs, with more one side only waits for the other.
constexpr qsizetype kPacket = 3072;
} // namespace

Wire::Wire(const ConnectionUrl& url, Handlers handlers)
    : m_url(url), m_where(url.endpoints.front().display()), m_handlers(std::move(handlers)) {
}

Wire::~Wire() {
    m_reactor->cancel(*this);
    // The socket's last signals must not find half an object.
    if (m_socket) m_socket->disconnect(this);
}

void Wire::open() {
    const Endpoint& endpoint = m_url.endpoints.front();
    if (m_url.tls) {
        auto socket = std::make_unique<QSslSocket>();
        const auto configuration = tlsConfiguration(m_url.tlsFiles);
        if (!configuration) {
            close({Error::Kind::WrongUrl, {}, configuration.error()});
            return;
        }
        socket->setSslConfiguration(*configuration);
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
    connect(m_socket.get(), &QTcpSocket::errorOccurred, this, &Wire::fail);
    connect(m_socket.get(), &QTcpSocket::readyRead, this, &Wire::readReplies);
    if (m_url.tls)
        static_cast<QSslSocket*>(m_socket.get())->connectToHostEncrypted(endpoint.host, endpoint.port);
    else
        m_socket->connectToHost(endpoint.host, endpoint.port);
}

void Wire::connected() {
    if (m_closed) return;
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    m_socket->setSocketOption(QAbstractSocket::KeepAliveOption, 1);
    if (!m_url.tls) takeOver();
    if (m_closed) return;
    m_open = true;
    m_handlers.opened();
}

// Qt has found the way; from here on the descriptor itself is enough.
void Wire::takeOver() {
    const int fd = fcntl(int(m_socket->socketDescriptor()), F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        fail(QAbstractSocket::SocketResourceError);
        return;
    }
    m_socket->disconnect(this);
    m_socket.reset();
    Reactor::Watcher& watcher = *this;
    m_plain = std::make_unique<PlainSocket>(fd, watcher);
}

void Wire::send(Pieces pieces) {
    if (m_closed) return;
    appendCommand(m_out, pieces);
    m_idle || m_out.size() >= kPacket ? flush() : scheduleFlush();
}

void Wire::sendEncoded(const QByteArray& bytes) {
    if (m_closed) return;
    m_out.append(bytes);
    scheduleFlush();
}

void Wire::scheduleFlush() {
    if (!std::exchange(m_flushScheduled, true)) m_reactor->schedule(*this, Reactor::Phase::Flush);
}

void Wire::run() {
    m_flushScheduled = false;
    flush();
}

void Wire::flush() {
    if (!m_open || m_closed || m_out.isEmpty()) return;
    if (m_plain) {
        const bool sent = m_plain->send(m_out);
        m_out.resize(0); // keeps its room
        if (!sent) fail(QAbstractSocket::RemoteHostClosedError);
        return;
    }
    m_socket->write(m_out);
    m_out.resize(0);
    m_socket->flush();
}

qint64 Wire::receive(char* buffer, qint64 size) {
    return m_plain ? m_plain->receive(buffer, size) : m_socket->read(buffer, size);
}

void Wire::readReplies() {
    char buffer[16 * 1024];
    const QPointer<Wire> self(this); // a reply may be the end of us
    qint64 size = 0;
    do {
        size = receive(buffer, sizeof buffer);
        if (size < 0) {
            fail(m_plain ? QAbstractSocket::RemoteHostClosedError : m_socket->error());
            return;
        }
        m_bytesReceived += std::uint64_t(size);
        m_reader.feed({buffer, std::size_t(size)});
        for (;;) {
            auto reply = m_reader.next();
            if (!reply) {
                close(errors::garbage(reply.error(), m_where));
                return;
            }
            if (!*reply) break;
            m_handlers.reply(std::move(**reply));
            if (!self || m_closed) return;
        }
    } while (size == sizeof buffer);
}

void Wire::fail(QAbstractSocket::SocketError code) {
    if (m_closed) return;
    if (!m_tlsComplaint.isEmpty())
        close(errors::tls(m_tlsComplaint, m_where));
    else if (m_open && code == QAbstractSocket::RemoteHostClosedError)
        close(errors::closed(m_where));
    else if (m_open && code != QAbstractSocket::SslInternalError && code != QAbstractSocket::SslHandshakeFailedError)
        close(errors::closed(m_where));
    else
        close(errors::socket(code, m_socket->errorString(), m_where));
}

void Wire::close(Error error) {
    if (std::exchange(m_closed, true)) return;
    if (m_socket) m_socket->disconnect(this);
    if (m_plain) m_plain->ignore();
    // Told from the event loop: we may be inside a signal of the socket, or of our owner's call.
    QMetaObject::invokeMethod(
        this,
        [this, error = std::move(error)]() mutable {
            const auto closed = std::move(m_handlers.closed);
            closed(std::move(error)); // may have destroyed us
        },
        Qt::QueuedConnection);
}

} // namespace lockscope::redis
