// SPDX-License-Identifier: Apache-2.0
#include "backends/etcd/http_wire.h"

#include "backends/etcd/codec.h"
#include "backends/etcd/errors.h"

#include <QNetworkProxy>
#include <QSslError>
#include <QSslSocket>
#include <fcntl.h>

namespace lockscope::etcd {

HttpWire::HttpWire(Runtime& runtime, const Endpoint& endpoint, const std::optional<QSslConfiguration>& tls)
    : m_runtime(runtime), m_endpoint(endpoint), m_where(endpoint.display()), m_tls(tls.has_value()) {
    if (tls) {
        auto socket = std::make_unique<QSslSocket>();
        socket->setSslConfiguration(*tls);
        connect(socket.get(), &QSslSocket::sslErrors, this, [this](const QList<QSslError>& all) {
            QStringList texts;
            for (const QSslError& error : all)
                texts.append(error.errorString());
            m_tlsComplaint = texts.join(QStringLiteral("; "));
        });
        m_socket = std::move(socket);
    } else {
        m_socket = std::make_unique<QTcpSocket>();
    }
    m_socket->setProxy(QNetworkProxy::NoProxy);
    connect(m_socket.get(), &QTcpSocket::errorOccurred, this, &HttpWire::ended);
    connect(m_socket.get(), &QTcpSocket::readyRead, this, &HttpWire::read);
}

HttpWire::~HttpWire() {
    if (m_socket) m_socket->disconnect(this); // its last signals must not find half an object
}

Result<void> HttpWire::open(Nanos timeout, std::stop_token stop) {
    m_opening.emplace();
    if (m_tls) {
        auto* const socket = static_cast<QSslSocket*>(m_socket.get());
        connect(socket, &QSslSocket::encrypted, this, &HttpWire::connected);
        socket->connectToHostEncrypted(m_endpoint.host, m_endpoint.port);
    } else {
        // Queued: inside its signal it could not be replaced.
        connect(m_socket.get(), &QTcpSocket::connected, this, &HttpWire::connected, Qt::QueuedConnection);
        m_socket->connectToHost(m_endpoint.host, m_endpoint.port);
    }
    const std::optional<Opened> result = co_await m_opening->wait(m_runtime, timeout, std::move(stop));
    if (!result) {
        close(errors::connectTimeout(timeout, m_where));
        co_return std::unexpected(errors::connectTimeout(timeout, m_where));
    }
    if (result->error) co_return std::unexpected(*result->error);
    co_return std::expected<void, Error>();
}

void HttpWire::connected() {
    if (m_dead) return;
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    m_socket->setSocketOption(QAbstractSocket::KeepAliveOption, 1);
    if (!m_tls) takeOver();
    if (m_dead) return;
    m_open = true;
    m_opening->complete({});
}

// Qt has found the way; from here on the descriptor itself is enough.
void HttpWire::takeOver() {
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

void HttpWire::send(const HttpRequest& request) {
    m_busy = true;
    m_reader.begin();
    QByteArray out;
    out.reserve(256 + request.body.size());
    out += "POST " + request.path + " HTTP/1.1\r\nHost: " + m_where.toUtf8() +
           "\r\nContent-Type: application/json\r\nContent-Length: " + QByteArray::number(request.body.size()) + "\r\n";
    if (!request.token.isEmpty()) out += "Authorization: " + request.token + "\r\n";
    out += "\r\n" + request.body;
    if (m_plain) {
        if (!m_plain->send(out)) ended(QAbstractSocket::RemoteHostClosedError);
        return;
    }
    m_socket->write(out);
    m_socket->flush();
}

Result<HttpReply> HttpWire::post(HttpRequest request, Nanos timeout, std::stop_token stop) {
    if (m_dead) co_return std::unexpected(errors::closed(m_where));
    m_reply.emplace();
    send(request);
    std::optional<std::expected<HttpReply, Error>> reply = co_await m_reply->wait(m_runtime, timeout, std::move(stop));
    m_reply.reset();
    if (!reply) {
        close(errors::requestTimeout(timeout, m_where));
        co_return std::unexpected(errors::requestTimeout(timeout, m_where));
    }
    co_return *std::move(reply);
}

void HttpWire::stream(const HttpRequest& request, std::function<void(const QByteArray&)> line,
                      std::function<void(Error)> end) {
    m_line = std::move(line);
    m_end = std::move(end);
    if (m_dead)
        m_end(errors::closed(m_where));
    else
        send(request);
}

void HttpWire::read() {
    char buffer[16 * 1024];
    qint64 size = 0;
    do {
        size = m_plain ? m_plain->receive(buffer, sizeof buffer) : m_socket->read(buffer, sizeof buffer);
        if (size < 0) {
            ended(m_plain ? QAbstractSocket::RemoteHostClosedError : m_socket->error());
            return;
        }
        if (size == 0) return;
        m_heard = true;
        if (!m_busy) {
            close(errors::garbage(QStringLiteral("an answer to nothing"), m_where));
            return;
        }
        const auto complete = m_reader.feed(QByteArrayView(buffer, size));
        if (!complete) {
            close(errors::garbage(complete.error(), m_where));
            return;
        }
        if (m_line && m_reader.headComplete() && m_reader.status() == 200) readLines();
        if (*complete) replied();
        if (m_dead) return;
    } while (size == sizeof buffer);
}

void HttpWire::readLines() {
    QByteArray& body = m_reader.body();
    for (qsizetype end = body.indexOf('\n'); end >= 0; end = body.indexOf('\n')) {
        const QByteArray line = body.left(end);
        body.remove(0, end + 1);
        if (!line.isEmpty()) m_line(line);
        if (m_dead) return;
    }
}

void HttpWire::replied() {
    if (m_line) { // a stream that ends has failed
        close(m_reader.status() == 200 ? errors::closed(m_where)
                                       : codec::refusal(m_reader.status(), m_reader.body(), m_where));
        return;
    }
    m_busy = false;
    HttpReply reply{m_reader.status(), std::move(m_reader.body())};
    if (!m_reader.keepsAlive() || m_reader.leftOver() > 0) {
        m_dead = true;
        hangUp();
    }
    if (m_reply) m_reply->complete(std::move(reply));
}

void HttpWire::ended(QAbstractSocket::SocketError code) {
    if (m_dead) return;
    if (m_busy && m_reader.finish()) {
        replied();
        return;
    }
    // A server says what it thinks of our certificate when our side of the handshake is done, and hears no request.
    const bool refused =
        m_tls && !m_heard &&
        (code == QAbstractSocket::SslInternalError || code == QAbstractSocket::SslHandshakeFailedError);
    if (!m_tlsComplaint.isEmpty())
        close(errors::tls(m_tlsComplaint, m_where));
    else if (m_open && refused)
        close(errors::tls(m_socket->errorString(), m_where));
    else if (m_open)
        close(errors::closed(m_where));
    else if (m_tls && code == QAbstractSocket::RemoteHostClosedError)
        close(errors::tls(m_socket->errorString(), m_where));
    else
        close(errors::socket(code, m_socket->errorString(), m_where));
}

void HttpWire::hangUp() {
    m_plain.reset();
    if (!m_socket) return;
    m_socket->disconnect(this);
    m_socket->abort();
}

void HttpWire::close(Error error) {
    if (std::exchange(m_dead, true)) return;
    hangUp();
    if (m_opening && !m_open) m_opening->complete({error});
    if (m_reply) m_reply->complete(std::unexpected(error));
    if (m_end) m_end(std::move(error));
}

} // namespace lockscope::etcd
